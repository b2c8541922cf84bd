// SPDX-License-Identifier: Apache-2.0
// construct: private arrays of kilobytes, with places that are known and that are not

kernel void private_tables(global const uint *in, global uint *out, int n) {
  uint table[1024], stack[64];
  for (int i = 0; i < 1024; i++)
    table[i] = i * 2654435761U;
  uint h = get_global_id(0), top = 0;
  for (int i = 0; i < n; i++) {
    h = table[(h ^ in[i]) & 1023] ^ (h >> 5);
    table[h & 1023] += h;
    stack[top++ & 63] = h;
  }
  while (top)
    h += stack[--top & 63];
  out[get_global_id(0)] = h;
}
kernel void private_matrix(global const float *in, global float *out) {
  float m[16][16], r = 0;
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      m[i][j] = in[i * 16 + j] * get_global_id(0);
  for (int k = 0; k < 16; k++)
    for (int i = 0; i < 16; i++)
      for (int j = 0; j < 16; j++)
        m[i][j] += m[i][k] * m[k][j];
  for (int i = 0; i < 16; i++)
    r += m[i][i];
  out[get_global_id(0)] = r;
}
