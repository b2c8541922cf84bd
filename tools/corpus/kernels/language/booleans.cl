// SPDX-License-Identifier: Apache-2.0
// construct: bool as a variable, parameter and result, in arithmetic and vectors

bool both(bool a, bool b) { return a && b; }
kernel void booleans(global int *p, global const float *f) {
  size_t i = get_global_id(0);
  bool a = f[i] > 0, b = p[i], c = !a, flags[3] = {a, b, c};
  p[i] = a + b * 2 + (c << 2) + both(a, !b) + flags[p[i] & 1] - true;
  p[i] |= (a ^ b) & (int)(f[i] != 0) | (a == false);
}
