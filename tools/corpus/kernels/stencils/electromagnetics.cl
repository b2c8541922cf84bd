// SPDX-License-Identifier: Apache-2.0
// construct: fields that update one another in turn, edges by early return

kernel void update_ey(global float *ey, global const float *hz, int ny, int t, constant float *source) {
  int j = get_global_id(0), i = get_global_id(1);
  ey[i * ny + j] = i == 0 ? source[t] : ey[i * ny + j] - 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
}
kernel void update_ex(global float *ex, global const float *hz, int ny) {
  int j = get_global_id(0), i = get_global_id(1);
  if (j == 0)
    return;
  ex[i * (ny + 1) + j] -= 0.5f * (hz[i * ny + j] - hz[i * ny + j - 1]);
}
kernel void update_hz(global const float *ex, global const float *ey, global float *hz, int ny) {
  int j = get_global_id(0), i = get_global_id(1);
  hz[i * ny + j] -= 0.7f * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}
kernel void upwind(global const double *q, global double *out, global const double *speed, double ratio, int n) {
  int i = get_global_id(0);
  if (i < 2 || i >= n - 2)
    return;
  double c = speed[i] * ratio, r = (q[i] - q[i - 1]) / (q[i + 1] - q[i] + copysign(1e-12, q[i + 1] - q[i]));
  double limiter = fmax(0.0, fmax(fmin(2 * r, 1.0), fmin(r, 2.0)));
  out[i] = q[i] - c * (c > 0 ? q[i] - q[i - 1] : q[i + 1] - q[i]) - 0.5 * fabs(c) * (1 - fabs(c)) * limiter * (q[i +
      1] - q[i]);
}
