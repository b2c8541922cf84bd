// SPDX-License-Identifier: Apache-2.0
// construct: one, two and three dimensions of the same stencil

kernel void jacobi_1d(global const float *a, global float *b, int n) {
  int i = get_global_id(0);
  if (i > 0 && i < n - 1)
    b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}

kernel void copy_1d(global float *a, global const float *b, int n) {
  int i = get_global_id(0);
  if (i > 0 && i < n - 1)
    a[i] = b[i];
}

kernel void jacobi_2d(global const float *a, global float *b, int n) {
  int i = get_global_id(1), j = get_global_id(0);
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    b[i * n + j] =
        0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j] + a[(i - 1) * n + j]);
}

kernel void jacobi_3d(global const double *a, global double *b, int n) {
  size_t i = get_global_id(2), j = get_global_id(1), k = get_global_id(0);
  if (i == 0 || j == 0 || k == 0 || i >= n - 1 || j >= n - 1 || k >= n - 1)
    return;
  size_t at = (i * n + j) * n + k;
  b[at] = (a[at - 1] + a[at + 1] + a[at - n] + a[at + n] + a[at - n * n] + a[at + n * n] - 6.0 * a[at]) / 8.0;
}

kernel void alternating_rows(global float *x, global const float *a, global float *b, int n) {
  int row = get_global_id(0);
  for (int i = 1; i < n; i++) {
    x[row * n + i] -= x[row * n + i - 1] * a[row * n + i] / b[row * n + i - 1];
    b[row * n + i] -= a[row * n + i] * a[row * n + i] / b[row * n + i - 1];
  }
}

kernel void alternating_columns(global float *x, global const float *a, global float *b, int n, int i) {
  int column = get_global_id(0);
  if (column < n) {
    x[i * n + column] -= x[(i - 1) * n + column] * a[i * n + column] / b[(i - 1) * n + column];
    b[i * n + column] -= a[i * n + column] * a[i * n + column] / b[(i - 1) * n + column];
  }
}
