// SPDX-License-Identifier: Apache-2.0
/* Products of matrices: 4 rows by 2 vectors in registers. */
#include "abi.h"

typedef struct { u32 m, n, k; const float *A, *B; float *C; } Gemm;
typedef struct { u32 m, n, k; const double *A, *B; double *C; } GemmD;

/* C[4][8] = A[4][k] * B[k][8]; `ldb`: floats from row to row of B. */
static inline void tile(const float *A, u32 lda, const float *B, u32 ldb, float *C, u32 ldc, u32 k) {
  f4 acc[4][2];
  UNROLL for (int q = 0; q < 4; q++) acc[q][0] = acc[q][1] = SPLAT(0);
  const float *r0 = A, *r1 = A + lda, *r2 = A + 2 * lda, *r3 = A + 3 * lda;
  for (u32 p = 0; p < k; p++, B += ldb) {
    f4 b0 = LOADU(B), b1 = LOADU(B + 4);
    f4 x0 = SPLAT(r0[p]), x1 = SPLAT(r1[p]), x2 = SPLAT(r2[p]), x3 = SPLAT(r3[p]);
    acc[0][0] = MADD(x0, b0, acc[0][0]);
    acc[0][1] = MADD(x0, b1, acc[0][1]);
    acc[1][0] = MADD(x1, b0, acc[1][0]);
    acc[1][1] = MADD(x1, b1, acc[1][1]);
    acc[2][0] = MADD(x2, b0, acc[2][0]);
    acc[2][1] = MADD(x2, b1, acc[2][1]);
    acc[3][0] = MADD(x3, b0, acc[3][0]);
    acc[3][1] = MADD(x3, b1, acc[3][1]);
  }
  UNROLL for (int q = 0; q < 4; q++) {
    STOREU(C + q * ldc, acc[q][0]);
    STOREU(C + q * ldc + 4, acc[q][1]);
  }
}

/* The rows from y on of the columns from x to xe, with B as it lies. */
KERNEL(sgemm_naive, Gemm) {
  FOR_RUNS {
    (void)gz;
    u32 y0 = gy * d->local_size[1];
    for (u32 x = RUN_BEGIN; x < RUN_END; x += 8)
      for (u32 y = y0; y < y0 + d->local_size[1]; y += 4)
        tile(a->A + y * a->k, a->k, a->B + x, a->n, a->C + y * a->n + x, a->n, a->k);
  }
  return 0;
}

/* The same with columns of B side by side in scratch memory; `rows`, `columns`: of a group. */
static inline void packed(const Gemm *a, float *scratch, u32 x0, u32 y0, u32 rows, u32 columns) {
  u32 n = a->n, k = a->k;
  for (u32 x = x0; x < x0 + columns; x += 8) {
    float *s = scratch;
    for (u32 p = 0; p < k; p++, s += 8) {
      STOREU(s, LOADU(a->B + p * n + x));
      STOREU(s + 4, LOADU(a->B + p * n + x + 4));
    }
    for (u32 y = y0; y < y0 + rows; y += 4) tile(a->A + y * k, k, scratch, 8, a->C + y * n + x, n, k);
  }
}
KERNEL(sgemm_tiled, Gemm) {
  FOR_RUNS {
    (void)gz;
    for (u32 x = gx; x < gx + run; x++) packed(a, SCRATCH(float), x * 16, gy * 16, 16, 16);
  }
  return 0;
}
KERNEL(sgemm_reg, Gemm) {
  FOR_RUNS {
    (void)gz;
    for (u32 x = gx; x < gx + run; x++) packed(a, SCRATCH(float), x * 64, gy * 64, 64, 64);
  }
  return 0;
}

KERNEL(dgemm_naive, GemmD) {
  u32 n = a->n, k = a->k;
  FOR_RUNS {
    (void)gz;
    u32 y0 = gy * d->local_size[1];
    for (u32 x = RUN_BEGIN; x < RUN_END; x += 4)
      for (u32 y = y0; y < y0 + d->local_size[1]; y += 4) {
        d2 acc[4][2];
        UNROLL for (int q = 0; q < 4; q++) acc[q][0] = acc[q][1] = (d2){0, 0};
        const double *B = a->B + x, *A = a->A + y * k;
        for (u32 p = 0; p < k; p++, B += n) {
          d2 b0 = *(const d2u *)B, b1 = *(const d2u *)(B + 2);
          UNROLL for (int q = 0; q < 4; q++) {
            d2 v = {A[q * k + p], A[q * k + p]};
            acc[q][0] = DMADD(v, b0, acc[q][0]);
            acc[q][1] = DMADD(v, b1, acc[q][1]);
          }
        }
        UNROLL for (int q = 0; q < 4; q++) {
          *(d2u *)(a->C + (y + q) * n + x) = acc[q][0];
          *(d2u *)(a->C + (y + q) * n + x + 2) = acc[q][1];
        }
      }
  }
  return 0;
}
