// SPDX-License-Identifier: Apache-2.0
// construct: unions of vectors, bytes and words, in private and in global memory

typedef union { float4 v; float f[4]; uint u[4]; uchar16 b; struct { ushort low, high; } w[4]; } bits;
kernel void unions(global bits *p, int i) {
  bits x = p[get_global_id(0)];
  x.u[i & 3] ^= 0x80000000;
  x.w[0].low = x.b.s5 + x.b.sf;
  x.f[1] += x.v.w;
  p[get_global_id(0)].b = x.b.s3210765498badcfe.sfedcba9876543210;
  p[get_global_id(0)].w[3].high = x.u[2];
}
