// SPDX-License-Identifier: Apache-2.0
// construct: ?: with a vector condition and scalars of 8 and 16 bits

kernel void choose_chars(global char2 *c, global const char *s) {
  size_t i = get_global_id(0);
  char a = s[i], b = s[i + 1];
  c[i] = c[i] ? a : b;
  c[i] = c[i] > a ? c[i] : b;
}

kernel void choose_shorts(global short4 *c, global const ushort4 *v, short a) {
  size_t i = get_global_id(0);
  c[i] = c[i] < a ? c[i] : a;
  ushort4 w = (v[i] & (ushort)1) != (ushort)0 ? v[i] : (ushort)7;
  c[i] ^= convert_short4_sat(w);
}

kernel void choose_wide(global float4 *f, global const int4 *m, float a, float b) {
  size_t i = get_global_id(0);
  f[i] = m[i] ? a : b;
  f[i] = f[i] < 0.0f ? -f[i] : f[i];
}
