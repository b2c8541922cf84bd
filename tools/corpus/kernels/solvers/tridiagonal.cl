// SPDX-License-Identifier: Apache-2.0
// construct: cyclic reduction in local memory, sweeps with private arrays

kernel void reduce_cyclic(global const float4 *rows, global float *x, local float4 *s, int n) {
  int t = get_local_id(0);
  s[t] = rows[get_group_id(0) * n + t];
  for (int step = 1; step < n; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 own = s[t], up = t >= step ? s[t - step] : (float4)(0, 1, 0, 0), down = t + step < n ? s[t + step] :
        (float4)(0, 1, 0, 0);
    float k1 = own.x / up.y, k2 = own.z / down.y;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] = (float4)(-up.x * k1, own.y - up.z * k1 - down.x * k2, -down.z * k2, own.w - up.w * k1 - down.w * k2);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_group_id(0) * n + t] = s[t].w / s[t].y;
}
kernel void sweep(global const double *a, global const double *b, global const double *c, global double *d, int n,
    int count) {
  double scratch[64];
  int i = get_global_id(0);
  scratch[0] = c[i] / b[i];
  d[i] /= b[i];
  for (int k = 1; k < n && k < 64; k++) {
    int at = k * count + i;
    double m = 1.0 / (b[at] - a[at] * scratch[k - 1]);
    scratch[k] = c[at] * m;
    d[at] = (d[at] - a[at] * d[at - count]) * m;
  }
  for (int k = min(n, 64) - 2; k >= 0; k--)
    d[k * count + i] -= scratch[k] * d[(k + 1) * count + i];
}
