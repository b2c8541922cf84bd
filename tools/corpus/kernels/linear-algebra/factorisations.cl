// SPDX-License-Identifier: Apache-2.0
// construct: many small kernels in one file, conditions on the ids in two dimensions

kernel void lu_column(global double *a, int k, int n) {
  int j = get_global_id(0) + k + 1;
  if (j < n)
    a[k * n + j] = a[k * n + j] / a[k * n + k];
}

kernel void lu_rest(global double *a, int k, int n) {
  int j = get_global_id(0) + k + 1, i = get_global_id(1) + k + 1;
  if (i < n && j < n)
    a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

kernel void cholesky_diagonal(global double *a, int k, int n) {
  if (get_global_id(0) == 0) {
    double sum = a[k * n + k];
    for (int j = 0; j < k; j++)
      sum -= a[k * n + j] * a[k * n + j];
    a[k * n + k] = sqrt(sum);
  }
}

kernel void cholesky_column(global double *a, int k, int n) {
  int i = get_global_id(0) + k + 1;
  if (i >= n)
    return;
  double sum = a[i * n + k];
  for (int j = 0; j < k; j++)
    sum -= a[i * n + j] * a[k * n + j];
  a[i * n + k] = sum / a[k * n + k];
}

kernel void gram_schmidt_norm(global const float *a, global float *r, int k, int m, int n) {
  if (get_global_id(0) == 0) {
    float norm = 0;
    for (int i = 0; i < m; i++)
      norm += a[i * n + k] * a[i * n + k];
    r[k * n + k] = native_sqrt(norm);
  }
}

kernel void gram_schmidt_column(global const float *a, global const float *r, global float *q, int k, int m, int n) {
  int i = get_global_id(0);
  if (i < m)
    q[i * n + k] = a[i * n + k] / r[k * n + k];
}

kernel void gram_schmidt_rest(global float *a, global float *r, global const float *q, int k, int m, int n) {
  int j = get_global_id(0);
  if (j > k && j < n) {
    float sum = 0;
    for (int i = 0; i < m; i++)
      sum += q[i * n + k] * a[i * n + j];
    r[k * n + j] = sum;
    for (int i = 0; i < m; i++)
      a[i * n + j] -= q[i * n + k] * sum;
  }
}
