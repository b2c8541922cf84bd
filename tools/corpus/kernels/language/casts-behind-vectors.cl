// SPDX-License-Identifier: Apache-2.0
// construct: (T) behind (vectorN) is a cast, not the list of a vector literal

kernel void casts(global char2 *out, global int4 *wide, int n) {
  size_t i = get_global_id(0);
  out[i] = (char2)(char)0;
  out[i] += (char2)(char)n;
  out[i] -= (char2)(char)(short)(n + 1);
  wide[i] = (int4)(int)n + (int4)(int)2.5f * (int4)(n);
}

kernel void casts_of_casts(global float4 *out, global const int *in) {
  size_t i = get_global_id(0);
  float4 v = (float4)(float)in[i];
  v += (float4)((float2)(float)in[i], (float2)(in[i], (float)in[i + 1]));
  v *= (float4)(float)-1;
  v = (float4)(float)(in[i] > 2) + v;
  out[i] = (float4)(v.x, (float3)(float)in[1]);
}

kernel void casts_of_sums(global uchar3 *out, uint n) {
  out[get_global_id(0)] = (uchar3)(uchar)(n >> 8) ^ (uchar3)(uchar)~n;
  out[get_global_id(0)] |= (uchar3)((uchar)n);
}
