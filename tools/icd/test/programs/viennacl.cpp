// ViennaCL's kernels solve a sparse system and multiply dense matrices; loops say what must come out.
#define VIENNACL_WITH_OPENCL
#include <cmath>
#include <iostream>
#include <map>
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

static int failures = 0;
static void check(const char *name, bool holds) {
  std::cout << (holds ? "ok " : "not ok ") << name << std::endl;
  failures += !holds;
}

int main() {
  const unsigned rows = 500, size = 128;
  std::vector<std::map<unsigned, float>> band(rows);
  for (unsigned row = 0; row < rows; row++) {
    band[row][row] = 4;
    if (row > 0) band[row][row - 1] = -1;
    if (row + 1 < rows) band[row][row + 1] = -1;
  }
  viennacl::compressed_matrix<float> sparse(rows, rows);
  viennacl::copy(band, sparse);
  std::vector<float> ones(rows, 1);
  viennacl::vector<float> right(rows);
  viennacl::copy(ones, right);
  viennacl::vector<float> solution = viennacl::linalg::solve(sparse, right, viennacl::linalg::cg_tag(1e-6, 200));
  viennacl::vector<float> residual = viennacl::linalg::prod(sparse, solution);
  residual -= right;
  check("conjugate gradients", float(viennacl::linalg::norm_2(residual)) < 1e-3f);
  std::vector<std::vector<float>> numbers(size, std::vector<float>(size)), product(numbers);
  for (unsigned i = 0; i < size; i++)
    for (unsigned j = 0; j < size; j++) numbers[i][j] = float((i * 7 + j * 3) % 11);
  viennacl::matrix<float> left(size, size), dense(size, size);
  viennacl::copy(numbers, left);
  dense = viennacl::linalg::prod(left, left);
  viennacl::copy(dense, product);
  float worst = 0;
  for (unsigned i = 0; i < size; i++)
    for (unsigned j = 0; j < size; j++) {
      float sum = 0;
      for (unsigned k = 0; k < size; k++) sum += numbers[i][k] * numbers[k][j];
      worst = std::max(worst, std::abs(sum - product[i][j]));
    }
  check("product of dense matrices", worst == 0);
  return failures;
}
