// SPDX-License-Identifier: Apache-2.0
// construct: means, deviations and products of columns in a chain of kernels

kernel void column_means(global float *means, global const float *data, float n, int m, int rows) {
  int j = get_global_id(0);
  if (j < m) {
    means[j] = 0;
    for (int i = 0; i < rows; i++)
      means[j] += data[i * m + j];
    means[j] /= n;
  }
}

kernel void column_deviations(global const float *means, global float *deviations, global const float *data, float n,
                              float eps, int m, int rows) {
  int j = get_global_id(0);
  if (j < m) {
    float sum = 0;
    for (int i = 0; i < rows; i++)
      sum += pown(data[i * m + j] - means[j], 2);
    float s = sqrt(sum / n);
    deviations[j] = s <= eps ? 1.0f : s;
  }
}

kernel void centre(global const float *means, global const float *deviations, global float *data, float n, int m,
    int rows) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < rows && j < m) {
    data[i * m + j] -= means[j];
    data[i * m + j] /= sqrt(n) * deviations[j];
  }
}

kernel void products(global float *symmetric, global const float *data, int m, int rows) {
  int j1 = get_global_id(0);
  if (j1 >= m)
    return;
  symmetric[j1 * m + j1] = 1.0f;
  for (int j2 = j1 + 1; j2 < m; j2++) {
    float sum = 0;
    for (int i = 0; i < rows; i++)
      sum += data[i * m + j1] * data[i * m + j2];
    symmetric[j1 * m + j2] = symmetric[j2 * m + j1] = sum;
  }
}

kernel void moments(global const double *in, global double4 *out, int n) {
  double4 m = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    double x = in[i], x2 = x * x;
    m += (double4)(x, x2, x2 * x, x2 * x2);
  }
  out[get_global_id(0)] = m / (double)n;
}
