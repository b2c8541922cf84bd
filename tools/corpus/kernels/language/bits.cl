// SPDX-License-Identifier: Apache-2.0
// construct: functions on the bits of each type of integer

#define BITS(type)                                                                                                     \
  kernel void bits_of_##type(global type *p, type a, type b) {                                                         \
    size_t i = get_global_id(0);                                                                                       \
    type v = p[i];                                                                                                     \
    v = clz(v) + popcount(a) + rotate(v, b) + add_sat(v, a) + sub_sat(v, b) + hadd(v, a) + rhadd(v, b);                \
    v ^= mul_hi(v, a) + mad_hi(v, a, b) + mad_sat(v, a, b) + bitselect(v, a, b) + max(v, a) - min(v, b);               \
    v += as_##type(abs(v)) + as_##type(abs_diff(v, a)) + clamp(v, (type)1, (type)9); \
    p[i] = (v << 3) | (v >> 2) ^ (type)~a;                                                                             \
  }
BITS(char)
BITS(uchar)
BITS(short)
BITS(ushort)
BITS(int)
BITS(uint)
BITS(long)
BITS(ulong)
BITS(char4)
BITS(uchar16)
BITS(short8)
BITS(ushort3)
BITS(int2)
BITS(uint4)
BITS(long2)
BITS(ulong4)

kernel void joined(global const uchar2 *low, global const uchar2 *high, global ushort2 *out, global int *p,
    global uint *q) {
  size_t i = get_global_id(0);
  out[i] = upsample(high[i], low[i]);
  p[i] = mul24(p[i], 3) + mad24(p[i], 5, 7);
  q[i] = mul24(q[i], 3u) + mad24(q[i], 5u, 7u);
}
