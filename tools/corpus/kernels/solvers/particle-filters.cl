// SPDX-License-Identifier: Apache-2.0
// construct: weights, cumulative sums and resampling with searches, in doubles

double uniform_number(global int *seed, int i) {
  int s = seed[i] = 1103515245 * seed[i] + 12345;
  return fabs(s / (double)INT_MAX);
}
kernel void likelihood(global double *x, global const uchar *image, global const int2 *disc, global double *weights,
    global int *seed, int count, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  double u = uniform_number(seed, i), v = uniform_number(seed, i);
  x[i] += 1.0 + 5.0 * sqrt(-2 * log(u + 1e-12)) * cospi(2 * v);
  double sum = 0;
  for (int k = 0; k < count; k++) {
    int p = image[abs(convert_int_rte(x[i]) + disc[k].y * 128 + disc[k].x)];
    sum += (pown(p - 100.0, 2) - pown(p - 228.0, 2)) / 50.0;
  }
  weights[i] *= exp(sum / count);
}
kernel void resample(global const double *x, global const double *sums, global const double *u, global double *out,
    int n) {
  int i = get_global_id(0), at = n - 1;
  for (int k = 0; k < n; k++)
    if (sums[k] >= u[i]) {
      at = k;
      break;
    }
  out[i] = x[at];
}
