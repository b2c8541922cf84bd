// SPDX-License-Identifier: Apache-2.0
// construct: divisions and remainders of each sign, by constants and by vectors

kernel void divisions(global int4 *v, global uint *u, global long *l, global char4 *c, int n) {
  size_t i = get_global_id(0);
  v[i] = v[i] / 7 + v[i] % 10 - v[i] / -8 + v[i] / (int4)(3, 5, n | 1, 641);
  u[i] = u[i] / 3 + u[i] % 1000 + u[i] / (n | 1);
  l[i] = l[i] / 1000000007L + l[i] % (n | 1) + (ulong)l[i] / 10;
  c[i] = c[i] / (char)3 + c[i] % (char4)(2, 3, 5, 7);
}
