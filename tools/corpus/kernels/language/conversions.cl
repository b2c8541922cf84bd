// SPDX-License-Identifier: Apache-2.0
// construct: explicit conversions with rounding and saturation, and reinterpretations

kernel void converted(global const float4 *in, global uchar4 *bytes, global int4 *ints, global short4 *shorts,
    global long4 *longs) {
  size_t i = get_global_id(0);
  float4 v = in[i];
  bytes[i] = convert_uchar4_sat(v) + convert_uchar4_sat_rte(v) + convert_uchar4_rtz(v);
  ints[i] = convert_int4_rte(v) + convert_int4_rtp(v) + convert_int4_rtn(v) + convert_int4_sat(v)
      + convert_int4(bytes[i]);
  shorts[i] = convert_short4_sat(ints[i]) - convert_short4(bytes[i]);
  longs[i] = convert_long4_sat_rtz(v) + convert_long4(shorts[i]);
}

kernel void converted_doubles(global const double *in, global float *floats, global uint *out) {
  size_t i = get_global_id(0);
  floats[i] = convert_float_rtp(in[i]) - convert_float_rtn(in[i]) + convert_float_rte(in[i]) + (float)in[i];
  out[i] = convert_uint_sat(in[i]) + convert_uint_sat_rte(in[i]) + convert_uint(in[i] > 0);
}

kernel void reinterpreted(global uint4 *p, global const float *f) {
  size_t i = get_global_id(0);
  float4 v = as_float4(p[i]);
  ulong2 w = as_ulong2(v * f[i]);
  uchar16 b = as_uchar16(w);
  short8 s = as_short8(b.s32107654ba98fedc);
  p[i] = as_uint4(s) ^ as_uint(f[i]);
  p[i].xyz = as_uint3(as_int4(v));
}
