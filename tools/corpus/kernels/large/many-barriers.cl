// SPDX-License-Identifier: Apache-2.0
// construct: 64 barriers in a row, with values that live across all of them

#define STEP(n)                                                                                                        \
  shared[x] = a##n;                                                                                                    \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  a##n += shared[(x + n + 1) & 63] * b;                                                                                \
  barrier(CLK_LOCAL_MEM_FENCE);
#define EIGHT STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)

__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void many_barriers(global float *data, float b) {
  local float shared[64];
  uint x = get_local_id(0);
  float a0 = data[get_global_id(0)], a1 = a0 + 1, a2 = a0 + 2, a3 = a0 + 3;
  float a4 = a0 + 4, a5 = a0 + 5, a6 = a0 + 6, a7 = a0 * a0;
  EIGHT EIGHT EIGHT EIGHT
  data[get_global_id(0)] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;
}
