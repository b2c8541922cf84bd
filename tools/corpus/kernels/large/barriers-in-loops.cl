// SPDX-License-Identifier: Apache-2.0
// construct: barriers in loops in loops and in branches of the same value, with many values across them

__attribute__((reqd_work_group_size(32, 1, 1)))
kernel void barriers_in_loops(global float *p, int n, int mode) {
  local float s[32];
  uint x = get_local_id(0);
  float a = p[get_global_id(0)], b = a * 2, c = b + a, d = c * b;
  for (int i = 0; i < n; i++) {
    s[x] = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    a += s[x ^ 1];
    for (int j = i; j > 0; j >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      s[(x + j) & 31] = b + c;
      barrier(CLK_LOCAL_MEM_FENCE);
      b = s[x] * d;
    }
    if (mode == 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      c += s[31 - x];
    } else if (mode == 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      s[x] = d;
      barrier(CLK_LOCAL_MEM_FENCE);
      d -= s[(x + 16) & 31];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  p[get_global_id(0)] = a + b + c + d;
}
void share(local float *s, float *v) {
  s[get_local_id(0)] = *v;
  barrier(CLK_LOCAL_MEM_FENCE);
  *v += s[get_local_size(0) - 1 - get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void barriers_in_functions(global float *p, local float *s, int n) {
  float v = p[get_global_id(0)];
  share(s, &v);
  for (int i = 0; i < n; i++)
    share(s, &v);
  p[get_global_id(0)] = v;
}
