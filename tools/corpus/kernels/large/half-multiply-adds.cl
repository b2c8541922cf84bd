// SPDX-License-Identifier: Apache-2.0
// construct: 1,024 multiply-adds of halfs on 16 accumulators in one kernel

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define LINE(n)                                                                                                        \
  {                                                                                                                    \
    half x = b[i + n];                                                                                                 \
    r0 += x * r1; r1 += x * r2; r2 += x * r3; r3 += x * r4;                                                            \
    r4 += x * r5; r5 += x * r6; r6 += x * r7; r7 += x * r8;                                                            \
    r8 += x * r9; r9 += x * ra; ra += x * rb; rb += x * rc;                                                            \
    rc += x * rd; rd += x * re; re += x * rf; rf += x * r0;                                                            \
  }
#define EIGHT(n) LINE(n) LINE(n + 1) LINE(n + 2) LINE(n + 3) LINE(n + 4) LINE(n + 5) LINE(n + 6) LINE(n + 7)

kernel void multiply_halfs(global const half *a, global const half *b, global half *c) {
  int i = get_global_id(0) * 64;
  half r0 = a[0], r1 = a[1], r2 = a[2], r3 = a[3], r4 = a[4], r5 = a[5], r6 = a[6], r7 = a[7];
  half r8 = a[8], r9 = a[9], ra = a[10], rb = a[11], rc = a[12], rd = a[13], re = a[14], rf = a[15];
  EIGHT(0) EIGHT(8) EIGHT(16) EIGHT(24) EIGHT(32) EIGHT(40) EIGHT(48) EIGHT(56)
  c[get_global_id(0)] = r0 + r1 + r2 + r3 + r4 + r5 + r6 + r7 + r8 + r9 + ra + rb + rc + rd + re + rf;
}
