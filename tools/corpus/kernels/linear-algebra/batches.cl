// SPDX-License-Identifier: Apache-2.0
// construct: small matrices by value in private arrays, one each work-item, with sizes by macros

#define N 4
kernel void invert_4x4(global const float16 *in, global float16 *out) {
  float a[N][2 * N];
  float16 m = in[get_global_id(0)];
  const float *p = (const float *)&m;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = p[i * N + j];
      a[i][N + j] = i == j;
    }
  for (int k = 0; k < N; k++) {
    float d = 1.0f / a[k][k];
    for (int j = 0; j < 2 * N; j++)
      a[k][j] *= d;
    for (int i = 0; i < N; i++) {
      if (i == k)
        continue;
      float f = a[i][k];
      for (int j = 0; j < 2 * N; j++)
        a[i][j] -= f * a[k][j];
    }
  }
  float r[N * N];
  for (int i = 0; i < N * N; i++)
    r[i] = a[i / N][N + i % N];
  out[get_global_id(0)] = vload16(0, r);
}
kernel void multiply_3x3(global const float *a, global const float *b, global float *c) {
  size_t at = get_global_id(0) * 9;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c[at + i * 3 + j] = a[at + i * 3] * b[at + j] + a[at + i * 3 + 1] * b[at + 3 + j] + a[at + i * 3 + 2] * b[at +
          6 + j];
}
kernel void eigenvalue(global const double *a, global double *largest, int n, int steps) {
  double v[8] = {1, 1, 1, 1, 1, 1, 1, 1}, w[8], norm = 0;
  global const double *m = a + get_global_id(0) * n * n;
  for (int s = 0; s < steps; s++) {
    norm = 0;
    for (int i = 0; i < n && i < 8; i++) {
      w[i] = 0;
      for (int j = 0; j < n && j < 8; j++)
        w[i] += m[i * n + j] * v[j];
      norm = fmax(norm, fabs(w[i]));
    }
    for (int i = 0; i < 8; i++)
      v[i] = w[i & (n - 1)] / norm;
  }
  largest[get_global_id(0)] = norm;
}
