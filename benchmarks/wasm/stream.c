// SPDX-License-Identifier: Apache-2.0
/* Bandwidth kernels. */
#include "abi.h"

typedef struct { const float *x; float *y; } Copy;
KERNEL(copy, Copy) {
  ITEMS;
  for (u32 i = i0; i < i1; i += 16) UNROLL for (int q = 0; q < 16; q += 4) STOREU(a->y + i + q, LOADU(a->x + i + q));
  return 0;
}

typedef struct { float s; const float *x, *y; float *z; } Triad;
KERNEL(triad, Triad) {
  ITEMS;
  f4 s = SPLAT(a->s);
  const float *x = a->x, *y = a->y;
  float *z = a->z;
  for (u32 i = i0; i < i1; i += 8)
    UNROLL for (int q = 0; q < 8; q += 4) STOREU(z + i + q, MADD(s, LOADU(y + i + q), LOADU(x + i + q)));
  return 0;
}

typedef struct { u32 n; float a; const float *x; float *y; } Saxpy;
KERNEL(saxpy, Saxpy) {
  ITEMS;
  f4 s = SPLAT(a->a);
  const float *x = a->x;
  float *y = a->y;
  u32 n = i1 < a->n ? i1 : a->n, i = i0;
  for (; i + 8 <= n; i += 8)
    UNROLL for (int q = 0; q < 8; q += 4) STOREU(y + i + q, MADD(s, LOADU(x + i + q), LOADU(y + i + q)));
  for (; i < n; i++) y[i] = a->a * x[i] + y[i];
  return 0;
}

typedef struct { const f4 *x, *y; f4 *z; } Add;
KERNEL(vecadd4, Add) {
  ITEMS;
  const f4 *x = a->x, *y = a->y;
  f4 *z = a->z;
  for (u32 i = i0; i < i1; i += 2) {
    z[i] = x[i] + y[i];
    z[i + 1] = x[i + 1] + y[i + 1];
  }
  return 0;
}

typedef struct { u32 n; double a; const double *x; double *y; } Daxpy;
KERNEL(daxpy, Daxpy) {
  ITEMS;
  d2 s = {a->a, a->a};
  const double *x = a->x;
  double *y = a->y;
  u32 n = i1 < a->n ? i1 : a->n, i = i0;
  for (; i + 4 <= n; i += 4)
    UNROLL for (int q = 0; q < 4; q += 2) * (d2u *)(y + i + q) =
        DMADD(s, *(const d2u *)(x + i + q), *(const d2u *)(y + i + q));
  for (; i < n; i++) y[i] = a->a * x[i] + y[i];
  return 0;
}

/* Four halves, in the low 16 bits of each lane. */
static inline f4 widen(u4 h) {
  u4 sign = (h & 0x8000u) << 16, rest = (h & 0x7fffu) << 13;
  u4 special = (u4)(rest >= U(0x7c00u << 13)) & 0x7f800000u;
  return (f4)((u4)((f4)rest * SPLAT(0x1p112f)) | special | sign);
}
static inline u4 narrow(f4 f) {
  f4 base = (ABS(f) * SPLAT(0x1p112f)) * SPLAT(0x1p-110f);
  u4 bits = (u4)f, twice = bits + bits, bias = twice & 0xff000000u;
  bias = __builtin_elementwise_max(bias, U(0x71000000u));
  u4 sum = (u4)((f4)((bias >> 1) + 0x07800000u) + base);
  u4 plain = ((sum >> 13) & 0x7c00u) + (sum & 0x0fffu), nan = (u4)(twice > U(0xff000000u));
  return ((bits & 0x80000000u) >> 16) | (plain & ~nan) | (nan & 0x7e00u);
}

typedef struct { u32 n; float a; const uint16_t *x; uint16_t *y; } Half;
KERNEL(saxpy_half, Half) {
  ITEMS;
  f4 s = SPLAT(a->a);
  u32 n = i1 < a->n ? i1 : a->n;
  for (u32 i = i0; i + 8 <= n; i += 8) {
    h8 x = *(const h8 *)(a->x + i), y = *(const h8 *)(a->y + i);
    u4 r[2];
    UNROLL for (int q = 0; q < 2; q++) {
      u4 xs = q ? __builtin_convertvector(__builtin_shufflevector(x, x, 4, 5, 6, 7), u4)
                : __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1, 2, 3), u4);
      u4 ys = q ? __builtin_convertvector(__builtin_shufflevector(y, y, 4, 5, 6, 7), u4)
                : __builtin_convertvector(__builtin_shufflevector(y, y, 0, 1, 2, 3), u4);
      r[q] = narrow(MADD(s, widen(xs), widen(ys)));
    }
    *(h8 *)(a->y + i) = __builtin_shufflevector((h8)r[0], (h8)r[1], 0, 2, 4, 6, 8, 10, 12, 14);
  }
  return 0;
}

typedef struct { u32 *out; } Null;
KERNEL(null_kernel, Null) { return 0; }
