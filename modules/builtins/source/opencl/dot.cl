// Dot products of four bytes (cl_khr_integer_dot_product): products and sums fit in 32 bits, and what is added to them
// stays in range.
#define O __attribute__((overloadable))

#define DOT(R, A, B, RESULT4) \
  O R dot(A a, B b) { RESULT4 p = __muxkit_wide(a) * __muxkit_wide(b); return (R)(p.x + p.y + p.z + p.w); } \
  O R dot_acc_sat(A a, B b, R sum) { return add_sat(dot(a, b), sum); }

O static int4 __muxkit_wide(char4 v) { return convert_int4(v); }
O static int4 __muxkit_wide(uchar4 v) { return convert_int4(v); }

DOT(uint, uchar4, uchar4, int4)
DOT(int, char4, char4, int4)
DOT(int, uchar4, char4, int4)
DOT(int, char4, uchar4, int4)

#define PACKED(NAME, R, A, B) \
  O R dot_4x8packed_##NAME(uint a, uint b) { return dot(as_##A(a), as_##B(b)); } \
  O R dot_acc_sat_4x8packed_##NAME(uint a, uint b, R sum) { return dot_acc_sat(as_##A(a), as_##B(b), sum); }

PACKED(uu_uint, uint, uchar4, uchar4)
PACKED(ss_int, int, char4, char4)
PACKED(us_int, int, uchar4, char4)
PACKED(su_int, int, char4, uchar4)
