// SPDX-License-Identifier: Apache-2.0
// construct: shifts by more than the width, by vectors and scalars, of signed values

kernel void shifts(global int4 *v, global long *l, global uchar4 *b, int n, uint4 by) {
  size_t i = get_global_id(0);
  v[i] = (v[i] << 33) + (v[i] >> n) + (v[i] << convert_int4(by)) + (v[i] >> (int4)(1, 2, 3, 40));
  l[i] = (l[i] >> n) + (l[i] << 65) + ((ulong)l[i] >> 63) + (1L << n);
  b[i] = (b[i] << (uchar)3) | (b[i] >> (uchar4)(1, 2, 9, 7));
  b[i] <<= (uchar)1;
}
