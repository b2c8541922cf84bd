// SPDX-License-Identifier: Apache-2.0
// construct: 32 vectors of 16 lanes that are live together, in float and in double

#define EIGHT(m, p) m(p##0) m(p##1) m(p##2) m(p##3) m(p##4) m(p##5) m(p##6) m(p##7)
#define ALL(m) EIGHT(m, a) EIGHT(m, b) EIGHT(m, c) EIGHT(m, d)
#define FLOATS(v) float16 v = in[at++];
#define DOUBLES(v) double16 v = in[at++];
#define CHANGE(v) v = v * v + sum; sum += v.s76543210fedcba98;
#define STORE(v) out[at++] = v;
kernel void wide_floats(global const float16 *in, global float16 *out, int n) {
  size_t at = get_global_id(0) * 32;
  float16 sum = 0;
  ALL(FLOATS)
  for (int i = 0; i < n; i++) {
    ALL(CHANGE)
  }
  at = get_global_id(0) * 32;
  ALL(STORE)
}
kernel void wide_doubles(global const double16 *in, global double16 *out, int n) {
  size_t at = get_global_id(0) * 32;
  double16 sum = 0;
  ALL(DOUBLES)
  for (int i = 0; i < n; i++) {
    ALL(CHANGE)
  }
  at = get_global_id(0) * 32;
  ALL(STORE)
}
