// SPDX-License-Identifier: Apache-2.0
// construct: 300 variables that are live at the same time

#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m, n)                                                                                                  \
  TEN(m, n##0) TEN(m, n##1) TEN(m, n##2) TEN(m, n##3) TEN(m, n##4)                                                     \
  TEN(m, n##5) TEN(m, n##6) TEN(m, n##7) TEN(m, n##8) TEN(m, n##9)
#define DECLARE(n) float v##n = in[at++];
#define CHANGE(n) v##n = v##n * scale + sum; sum += v##n * v##n;
#define STORE(n) out[at++] = v##n;

kernel void three_hundred_variables(global const float *in, global float *out, float scale) {
  size_t begin = get_global_id(0) * 300, at = begin;
  float sum = 0;
  HUNDRED(DECLARE, 1) HUNDRED(DECLARE, 2) HUNDRED(DECLARE, 3)
  for (int i = 0; i < 10; i++) {
    HUNDRED(CHANGE, 1) HUNDRED(CHANGE, 2) HUNDRED(CHANGE, 3)
  }
  at = begin;
  HUNDRED(STORE, 1) HUNDRED(STORE, 2) HUNDRED(STORE, 3)
}
