// SPDX-License-Identifier: Apache-2.0
// construct: triangular matrices, packed and full; conditions by the place in the matrix

#define PACKED(i, j) ((i) * ((i) + 1) / 2 + (j))

kernel void rank_k(global const float *a, global float *c, float alpha, float beta, int n, int m) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < n && j <= i) {
    float sum = beta * c[i * n + j];
    for (int k = 0; k < m; k++)
      sum += alpha * a[i * m + k] * a[j * m + k];
    c[i * n + j] = sum;
  }
}
kernel void packed_times(global const float *a, global const float *x, global float *y, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += x[j] * (j <= i ? a[PACKED(i, j)] : a[PACKED(j, i)]);
  y[i] = sum;
}
kernel void substitute_forward(global const float *l, global float *b, int n, int k) {
  int i = get_global_id(0);
  if (i == k)
    b[k] /= l[k * n + k];
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i > k && i < n)
    b[i] -= l[i * n + k] * b[k];
}
