// SPDX-License-Identifier: Apache-2.0
// construct: complex numbers in float2, twiddles by sincos and by native functions

float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

kernel void fft_stage(global const float2 *in, global float2 *out, int p) {
  int i = get_global_id(0), half_size = get_global_size(0), k = i & (p - 1);
  float c, s = sincos(-M_PI_F * k / p, &c);
  float2 u0 = in[i], u1 = times(in[i + half_size], (float2)(c, s));
  int j = (i << 1) - k;
  out[j] = u0 + u1;
  out[j + p] = u0 - u1;
}

kernel void fft_stage_of_four(global const float2 *in, global float2 *out, int p) {
  int i = get_global_id(0), quarter = get_global_size(0), k = i & (p - 1), j = ((i - k) << 2) + k;
  float angle = -M_PI_F * k / (2 * p);
  float2 u[4];
  for (int n = 0; n < 4; n++)
    u[n] = times(in[i + n * quarter], (float2)(native_cos(n * angle), native_sin(n * angle)));
  float2 a = u[0] + u[2], b = u[0] - u[2], c = u[1] + u[3], d = (u[1] - u[3]).yx * (float2)(1, -1);
  out[j] = a + c;
  out[j + p] = b + d;
  out[j + 2 * p] = a - c;
  out[j + 3 * p] = b - d;
}

kernel void reverse_bits(global const double2 *in, global double2 *out, int bits) {
  uint i = get_global_id(0), r = 0;
  for (int b = 0; b < bits; b++)
    r |= ((i >> b) & 1) << (bits - 1 - b);
  out[r] = in[i];
}
