// SPDX-License-Identifier: Apache-2.0
// construct: kernels in half by -D, with accumulators in float, loads by vload_half

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void multiply_accumulate(global const half4 *a, global const half4 *b, global half4 *c, int n) {
  half4 sum = (half4)((half)0);
  for (int i = 0; i < n; i++)
    sum = fma(a[get_global_id(0) * n + i], b[i], sum);
  c[get_global_id(0)] = sum;
}
kernel void mixed_accumulate(global const half *a, global const half *b, global half *c, int n) {
  float4 sum = 0;
  for (int i = 0; i < n; i++)
    sum += vload_half4(get_global_id(0) * n + i, a) * vload_half4(i, b);
  vstore_half_rte(sum.x + sum.y + sum.z + sum.w, get_global_id(0), c);
}
kernel void transform_tiles(global const half *in, global half *out) {
  half t[4][4], m[4][4];
  for (int i = 0; i < 16; i++)
    t[i / 4][i % 4] = in[get_global_id(0) * 16 + i];
  for (int i = 0; i < 4; i++) {
    m[0][i] = t[0][i] - t[2][i];
    m[1][i] = t[1][i] + t[2][i];
    m[2][i] = t[2][i] - t[1][i];
    m[3][i] = t[1][i] - t[3][i];
  }
  for (int i = 0; i < 4; i++) {
    out[get_global_id(0) * 16 + i * 4] = m[i][0] - m[i][2];
    out[get_global_id(0) * 16 + i * 4 + 1] = m[i][1] + m[i][2];
    out[get_global_id(0) * 16 + i * 4 + 2] = m[i][2] - m[i][1];
    out[get_global_id(0) * 16 + i * 4 + 3] = m[i][1] - m[i][3];
  }
}
