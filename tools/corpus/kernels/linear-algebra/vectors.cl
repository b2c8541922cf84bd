// SPDX-License-Identifier: Apache-2.0
// construct: steps between elements, negative ones too, and results through a pointer

kernel void axpy(int n, float alpha, global const float *x, int x_step, global float *y, int y_step) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    y[i * y_step] += alpha * x[i * x_step];
}
kernel void scale(int n, float alpha, global float *x, int step) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    x[i * step] *= alpha;
}
kernel void rotate_planes(int n, global double *x, global double *y, double c, double s) {
  int i = get_global_id(0);
  if (i < n) {
    double t = c * x[i] + s * y[i];
    y[i] = c * y[i] - s * x[i];
    x[i] = t;
  }
}
kernel void index_of_largest(int n, global const float *x, global uint *place, local float *values, local uint *places)
    {
  uint t = get_local_id(0), best = 0;
  float largest = -1;
  for (uint i = t; i < n; i += get_local_size(0))
    if (fabs(x[i]) > largest)
      largest = fabs(x[i]), best = i;
  values[t] = largest;
  places[t] = best;
  for (uint s = get_local_size(0) / 2; s; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < s && values[t + s] > values[t])
      values[t] = values[t + s], places[t] = places[t + s];
  }
  if (!t)
    *place = places[0];
}
