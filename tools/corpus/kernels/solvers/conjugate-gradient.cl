// SPDX-License-Identifier: Apache-2.0
// construct: dot products in two steps, updates of vectors with scalars from global memory

#define GROUP 128

kernel void dot_groups(global const float *a, global const float *b, global float *sums, int n) {
  local float shared[GROUP];
  int x = get_local_id(0);
  float sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += a[i] * b[i];
  shared[x] = sum;
  for (int s = GROUP / 2; s > 0; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < s)
      shared[x] += shared[x + s];
  }
  if (x == 0)
    sums[get_group_id(0)] = shared[0];
}

kernel void step_length(global const float *rr, global const float *pap, global float *alpha, int groups) {
  float a = 0, b = 0;
  for (int i = 0; i < groups; i++)
    a += rr[i], b += pap[i];
  *alpha = b != 0 ? a / b : 0;
}

kernel void update(global float *x, global float *r, global const float *p, global const float *ap,
                   global const float *alpha, int n) {
  int i = get_global_id(0);
  if (i < n) {
    x[i] = mad(*alpha, p[i], x[i]);
    r[i] = mad(-*alpha, ap[i], r[i]);
  }
}

kernel void new_direction(global float *p, global const float *r, float beta, int n) {
  int i = get_global_id(0);
  if (i < n)
    p[i] = r[i] + beta * p[i];
}
