// SPDX-License-Identifier: Apache-2.0
/* Two and three dimensions: convolution, stencil, transposition, blur. */
#include "abi.h"

static inline i32 clampi(i32 v, i32 high) { return v < 0 ? 0 : v > high ? high : v; }

typedef struct { i32 w, h; const float *src, *coef; float *dst; } Conv;
static inline float convolved(const Conv *a, i32 x, i32 y) {
  float sum = 0;
  for (i32 r = 0; r < 5; r++)
    for (i32 c = 0; c < 5; c++)
      sum += a->src[clampi(y + r - 2, a->h - 1) * a->w + clampi(x + c - 2, a->w - 1)] * a->coef[r * 5 + c];
  return sum;
}
KERNEL(conv5x5, Conv) {
  const float *k = a->coef;
  FOR_RUNS {
    (void)gz;
    for (i32 y = (i32)(gy * d->local_size[1]); y < (i32)((gy + 1) * d->local_size[1]); y++) {
      i32 x = (i32)RUN_BEGIN, xe = (i32)RUN_END, inner = xe < a->w - 2 ? xe : a->w - 2;
      float *o = a->dst + y * a->w;
      for (; x < 2; x++) o[x] = convolved(a, x, y);
      const float *r0 = a->src + clampi(y - 2, a->h - 1) * a->w, *r1 = a->src + clampi(y - 1, a->h - 1) * a->w,
                  *r2 = a->src + y * a->w;
      const float *r3 = a->src + clampi(y + 1, a->h - 1) * a->w, *r4 = a->src + clampi(y + 2, a->h - 1) * a->w;
      for (; x + 8 <= inner; x += 8) {
        f4 s0 = SPLAT(0), s1 = SPLAT(0);
#define ROW(r, at) UNROLL for (int e = 0; e < 5; e++) { \
          f4 c = SPLAT(k[at + e]); \
          s0 = MADD(LOADU(r + x + e - 2), c, s0); \
          s1 = MADD(LOADU(r + x + e + 2), c, s1); \
        }
        ROW(r0, 0) ROW(r1, 5) ROW(r2, 10) ROW(r3, 15) ROW(r4, 20)
        STOREU(o + x, s0);
        STOREU(o + x + 4, s1);
      }
      for (; x < xe; x++) o[x] = convolved(a, x, y);
    }
  }
  return 0;
}

typedef struct { u32 nx, ny, nz; float c0, c1; const float *a; float *b; } Stencil;
KERNEL(stencil7, Stencil) {
  u32 nx = a->nx, ny = a->ny, nz = a->nz, nxy = nx * ny;
  f4 c0 = SPLAT(a->c0), c1 = SPLAT(a->c1);
  FOR_RUNS {
    for (u32 z = gz * d->local_size[2]; z < (gz + 1) * d->local_size[2]; z++)
      for (u32 y = gy * d->local_size[1]; y < (gy + 1) * d->local_size[1]; y++) {
        const float *p = a->a + z * nxy + y * nx;
        float *o = a->b + z * nxy + y * nx;
        u32 x = RUN_BEGIN, xe = RUN_END;
        if (z == 0 || y == 0 || z == nz - 1 || y == ny - 1) {
          for (; x < xe; x += 4) STOREU(o + x, LOADU(p + x));
          continue;
        }
        u32 from = x;
        for (; x < xe; x += 4) {
          f4 sum = LOADU(p + x - 1) + LOADU(p + x + 1) + LOADU(p + x - nx) + LOADU(p + x + nx) + LOADU(p + x - nxy) +
                   LOADU(p + x + nxy);
          STOREU(o + x, MADD(c1, sum, c0 * LOADU(p + x)));
        }
        if (from == 0) o[0] = p[0];
        if (xe == nx) o[nx - 1] = p[nx - 1];
      }
  }
  return 0;
}

typedef struct { u32 w, h; const float *src; float *dst; } Transpose;
KERNEL(transpose, Transpose) {
  u32 w_ = a->w, h = a->h;
  FOR_RUNS {
    (void)gz;
    for (u32 x = RUN_BEGIN; x < RUN_END; x += 4)
      UNROLL for (int q = 0; q < 16; q += 4) {
        const float *s = a->src + (gy * 16 + q) * w_ + x;
        float *o = a->dst + x * h + gy * 16 + q;
        f4 r0 = LOADU(s), r1 = LOADU(s + w_), r2 = LOADU(s + 2 * w_), r3 = LOADU(s + 3 * w_);
        f4 a0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), a1 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
        f4 b0 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5), b1 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
        STOREU(o, __builtin_shufflevector(a0, b0, 0, 1, 4, 5));
        STOREU(o + h, __builtin_shufflevector(a0, b0, 2, 3, 6, 7));
        STOREU(o + 2 * h, __builtin_shufflevector(a1, b1, 0, 1, 4, 5));
        STOREU(o + 3 * h, __builtin_shufflevector(a1, b1, 2, 3, 6, 7));
      }
  }
  return 0;
}

typedef struct { u32 pixels, width, height, depth, row, slice, order, type, bytes, channels, reserved[2]; } Image;
typedef struct { Image src, dst; u32 sampler; } Blur;
typedef uint8_t b4 __attribute__((vector_size(4), aligned(4)));
static inline f4 texel(const uint8_t *row, i32 x) {
  return __builtin_convertvector(__builtin_convertvector(((const b4 *)row)[x], u4), f4);
}
KERNEL(blur5, Blur) {
  i32 width = (i32)a->src.width, height = (i32)a->src.height;
  const uint8_t *src = (const uint8_t *)a->src.pixels;
  FOR_RUNS {
    (void)gz;
    for (i32 y = (i32)(gy * d->local_size[1]); y < (i32)((gy + 1) * d->local_size[1]); y++)
      for (i32 x = (i32)RUN_BEGIN; x < (i32)RUN_END; x++) {
        f4 sum = SPLAT(0);
        UNROLL for (int r = 0; r < 5; r++) {
          const uint8_t *row = src + clampi(y + r - 2, height - 1) * (i32)a->src.row;
          float g = r == 2 ? 0.375f : r == 1 || r == 3 ? 0.25f : 0.0625f;
          UNROLL for (int c = 0; c < 5; c++) {
            i32 at = x >= 2 && x < width - 2 ? x + c - 2 : clampi(x + c - 2, width - 1);
            float f = c == 2 ? 0.375f : c == 1 || c == 3 ? 0.25f : 0.0625f;
            sum = MADD(texel(row, at), SPLAT(f * g), sum);
          }
        }
        ((b4 *)(a->dst.pixels + (u32)y * a->dst.row))[x] =
            __builtin_convertvector(__builtin_convertvector(sum + SPLAT(0.5f), u4), b4);
      }
  }
  return 0;
}
