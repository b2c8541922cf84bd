// Boost.Compute's kernels sort, sum, scan and transform; the standard library says what must come out.
#define CL_TARGET_OPENCL_VERSION 120
#include <boost/compute.hpp>
#include <iostream>
#include <numeric>
#include <random>

namespace compute = boost::compute;

static int failures = 0;
static void check(const char *name, bool holds) {
  std::cout << (holds ? "ok " : "not ok ") << name << std::endl;
  failures += !holds;
}

int main() {
  compute::device device = compute::system::default_device();
  compute::context context(device);
  compute::command_queue queue(context, device);
  std::vector<int> numbers(100000), back(numbers.size());
  std::mt19937 random(1);
  for (int &number : numbers) number = random() % 10000;
  compute::vector<int> vector(numbers.begin(), numbers.end(), queue), sums(numbers.size(), context);
  compute::sort(vector.begin(), vector.end(), queue);
  compute::copy(vector.begin(), vector.end(), back.begin(), queue);
  std::sort(numbers.begin(), numbers.end());
  check("sort", back == numbers);
  int sum = 0;
  compute::reduce(vector.begin(), vector.end(), &sum, compute::plus<int>(), queue);
  check("reduce", sum == std::accumulate(numbers.begin(), numbers.end(), 0));
  compute::inclusive_scan(vector.begin(), vector.end(), sums.begin(), queue);
  compute::copy(sums.begin(), sums.end(), back.begin(), queue);
  std::partial_sum(numbers.begin(), numbers.end(), numbers.begin());
  check("inclusive scan", back == numbers);
  compute::vector<float> roots(1000, context);
  compute::iota(roots.begin(), roots.end(), 0.0f, queue);
  compute::transform(roots.begin(), roots.end(), roots.begin(), compute::sqrt<float>(), queue);
  float root;
  compute::copy_n(roots.begin() + 144, 1, &root, queue);
  check("transform", root == 12);
  return failures;
}
