// Routines of CLBlast, against loops.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <clblast.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

static cl_context context;
static cl_command_queue queue;
static int failures;

static void check(const char *name, const std::vector<float> &got, const std::function<double(size_t)> &wanted) {
  double worst = 0;
  for (size_t i = 0; i < got.size(); i++) worst = std::fmax(worst, std::fabs(got[i] - wanted(i)) / (1 + std::fabs(wanted(i))));
  bool holds = worst < 1e-4;
  std::printf("%s %s (%.1e)\n", holds ? "ok" : "not ok", name, worst);
  failures += !holds;
}

static cl_mem buffer(const std::vector<float> &values) { return clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, values.size() * 4, (void *)values.data(), nullptr); }

static std::vector<float> back(cl_mem memory, size_t count) {
  std::vector<float> values(count);
  clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * 4, values.data(), 0, nullptr, nullptr);
  return values;
}

int main() {
  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, nullptr);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  queue = clCreateCommandQueue(context, device, 0, nullptr);
  const size_t n = 193;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> numbers(-1, 1);
  std::vector<float> a(n * n), b(n * n), c(n * n), x(n), y(n);
  for (auto *values : {&a, &b, &c, &x, &y}) for (auto &value : *values) value = numbers(random);
  using namespace clblast;
  const auto row = Layout::kRowMajor;
  const auto plain = Transpose::kNo;
  cl_mem A = buffer(a), B = buffer(b), C = buffer(c), X = buffer(x), Y = buffer(y), S = buffer(std::vector<float>(1));
  Axpy<float>(n, 2.5f, X, 0, 1, Y, 0, 1, &queue);
  std::vector<float> sum(n);
  for (size_t i = 0; i < n; i++) sum[i] = y[i] + 2.5f * x[i];
  check("axpy", back(Y, n), [&](size_t i) { return sum[i]; });
  Dot<float>(n, S, 0, X, 0, 1, Y, 0, 1, &queue);
  check("dot", back(S, 1), [&](size_t) { double total = 0; for (size_t i = 0; i < n; i++) total += (double)x[i] * sum[i]; return total; });
  Nrm2<float>(n, S, 0, X, 0, 1, &queue);
  check("nrm2", back(S, 1), [&](size_t) { double total = 0; for (float value : x) total += (double)value * value; return std::sqrt(total); });
  Gemv<float>(row, Transpose::kYes, n, n, 1.0f, A, 0, n, X, 0, 1, 0.5f, Y, 0, 1, &queue);
  check("gemv", back(Y, n), [&](size_t i) { double total = 0.5 * sum[i]; for (size_t k = 0; k < n; k++) total += (double)a[k * n + i] * x[k]; return total; });
  Gemm<float>(row, plain, Transpose::kYes, n, n, n, 1.5f, A, 0, n, B, 0, n, -0.5f, C, 0, n, &queue);
  check("gemm", back(C, n * n), [&](size_t at) { double total = -0.5 * c[at]; for (size_t k = 0; k < n; k++) total += 1.5 * a[at / n * n + k] * b[at % n * n + k]; return total; });
  cl_mem D = buffer(c);
  Syrk<float>(row, Triangle::kLower, plain, n, n, 1.0f, A, 0, n, 0.0f, D, 0, n, &queue);
  check("syrk", back(D, n * n), [&](size_t at) { if (at % n > at / n) return (double)c[at]; double total = 0; for (size_t k = 0; k < n; k++) total += (double)a[at / n * n + k] * a[at % n * n + k]; return total; });
  std::vector<float> triangle(n * n);
  for (size_t i = 0; i < n; i++) for (size_t j = 0; j <= i; j++) triangle[i * n + j] = i == j ? 4.0f : a[i * n + j] / n;
  cl_mem T = buffer(triangle), E = buffer(b);
  Trsm<float>(row, Side::kLeft, Triangle::kLower, plain, Diagonal::kNonUnit, n, n, 1.0f, T, 0, n, E, 0, n, &queue);
  std::vector<float> solved = back(E, n * n), again(n * n);
  for (size_t i = 0; i < n; i++) for (size_t j = 0; j < n; j++) { double total = 0; for (size_t k = 0; k <= i; k++) total += (double)triangle[i * n + k] * solved[k * n + j]; again[i * n + j] = total; }
  check("trsm", again, [&](size_t at) { return b[at]; });
  Omatcopy<float>(row, Transpose::kYes, n, n, 2.0f, A, 0, n, D, 0, n, &queue);
  check("omatcopy", back(D, n * n), [&](size_t at) { return 2.0 * a[at % n * n + at / n]; });
  size_t where = 0;
  for (size_t i = 0; i < n; i++) if (std::fabs(x[i]) > std::fabs(x[where])) where = i;
  Amax<float>(n, S, 0, X, 0, 1, &queue);
  unsigned found = 0;
  clEnqueueReadBuffer(queue, S, CL_TRUE, 0, 4, &found, 0, nullptr, nullptr);
  check("amax", {(float)found}, [&](size_t) { return (double)where; });
  return failures != 0;
}
