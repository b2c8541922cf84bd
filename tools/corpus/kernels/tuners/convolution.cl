// SPDX-License-Identifier: Apache-2.0
// construct: one source, many builds: sizes, types and vector widths by -D

#ifndef WIDTH
#define WIDTH 4
#endif
#ifndef PER_ITEM
#define PER_ITEM 2
#endif
#ifndef REAL
#define REAL float
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(REAL, WIDTH)
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)

kernel void convolve_rows(global const REAL *restrict in, global REAL *restrict out, constant REAL *weights, int width,
                          int taps) {
  int x = get_global_id(0) * WIDTH * PER_ITEM, y = get_global_id(1);
  VECTOR sums[PER_ITEM];
#pragma unroll
  for (int i = 0; i < PER_ITEM; i++)
    sums[i] = (VECTOR)(0);
  for (int t = 0; t < taps; t++) {
#pragma unroll
    for (int i = 0; i < PER_ITEM; i++)
      sums[i] += weights[t] * LOAD(i, in + y * width + x + t);
  }
#pragma unroll PER_ITEM
  for (int i = 0; i < PER_ITEM; i++)
    STORE(sums[i], i, out + y * width + x);
}
