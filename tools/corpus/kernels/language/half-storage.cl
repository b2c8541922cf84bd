// SPDX-License-Identifier: Apache-2.0
// construct: halfs in memory alone: loads and stores of all widths and roundings

kernel void half_storage(global const half *in, global half *out, local half *l, global float *f) {
  size_t i = get_global_id(0);
  float4 v = vload_half4(i, in) + vloada_half4(i, in) + vload_half(i, in);
  vstore_half4(v, i, out);
  vstore_half2_rtz(v.xy, i, out);
  vstorea_half4_rte(v, i, out);
  vstore_half_rtp(v.x, 0, l);
  float16 w = vload_half16(0, in);
  vstorea_half3_rtn(w.s012, i, out);
  f[i] = vload_half(0, l) + vload_half8(0, in).s7;
}
