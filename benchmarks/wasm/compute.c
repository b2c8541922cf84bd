// SPDX-License-Identifier: Apache-2.0
/* Many operations for each item: n-body, Mandelbrot, Black-Scholes, one stage of a Fourier transform. */
#include "abi.h"

typedef struct { u32 n; float eps2; const f4 *body; f4 *accel; } Nbody;
/* Eight bodies meet all others. */
static inline void attract(const Nbody *a, u32 i, u32 n) {
  f4 mx[2], my[2], mz[2], ax[2], ay[2], az[2];
  UNROLL for (int q = 0; q < 2; q++) {
    const f4 *b = a->body + i + 4 * q;
    f4 xy0 = __builtin_shufflevector(b[0], b[1], 0, 4, 1, 5), xy1 = __builtin_shufflevector(b[2], b[3], 0, 4, 1, 5);
    f4 z0 = __builtin_shufflevector(b[0], b[1], 2, 6, 3, 7), z1 = __builtin_shufflevector(b[2], b[3], 2, 6, 3, 7);
    mx[q] = __builtin_shufflevector(xy0, xy1, 0, 1, 4, 5);
    my[q] = __builtin_shufflevector(xy0, xy1, 2, 3, 6, 7);
    mz[q] = __builtin_shufflevector(z0, z1, 0, 1, 4, 5);
    ax[q] = ay[q] = az[q] = SPLAT(0);
  }
  f4 eps = SPLAT(a->eps2), one = SPLAT(1);
  for (u32 j = 0; j < n; j++) {
    const float *b = (const float *)(a->body + j);
    f4 bx = SPLAT(b[0]), by = SPLAT(b[1]), bz = SPLAT(b[2]), bw = SPLAT(b[3]);
    UNROLL for (int q = 0; q < 2; q++) {
      f4 dx = bx - mx[q], dy = by - my[q], dz = bz - mz[q];
      f4 r = one / SQRT(MADD(dx, dx, MADD(dy, dy, MADD(dz, dz, eps))));
      f4 s = bw * r * r * r;
      ax[q] = MADD(dx, s, ax[q]);
      ay[q] = MADD(dy, s, ay[q]);
      az[q] = MADD(dz, s, az[q]);
    }
  }
  f4 zero = SPLAT(0);
  UNROLL for (int q = 0; q < 2; q++) {
    f4 *o = a->accel + i + 4 * q;
    f4 xy0 = __builtin_shufflevector(ax[q], ay[q], 0, 4, 1, 5), xy1 = __builtin_shufflevector(ax[q], ay[q], 2, 6, 3, 7);
    f4 z0 = __builtin_shufflevector(az[q], zero, 0, 4, 1, 5), z1 = __builtin_shufflevector(az[q], zero, 2, 6, 3, 7);
    o[0] = __builtin_shufflevector(xy0, z0, 0, 1, 4, 5);
    o[1] = __builtin_shufflevector(xy0, z0, 2, 3, 6, 7);
    o[2] = __builtin_shufflevector(xy1, z1, 0, 1, 4, 5);
    o[3] = __builtin_shufflevector(xy1, z1, 2, 3, 6, 7);
  }
}
KERNEL(nbody, Nbody) {
  ITEMS;
  for (u32 i = i0; i < i1; i += 8) attract(a, i, a->n);
  return 0;
}
KERNEL(nbody_local, Nbody) {
  ITEMS;
  for (u32 i = i0; i < i1; i += 8) attract(a, i, a->n);
  return 0;
}

typedef struct { u32 w, h; float x0, y0, step; u32 limit; u32 *out; } Mandelbrot;
KERNEL(mandelbrot, Mandelbrot) {
  f4 step = SPLAT(a->step), four = SPLAT(4), lane = {0, 1, 2, 3};
  u32 limit = a->limit;
  FOR_RUNS {
    (void)gz;
    for (u32 py = gy * d->local_size[1]; py < (gy + 1) * d->local_size[1]; py++) {
      f4 cy = SPLAT(a->y0 + a->step * (float)py);
      for (u32 px = RUN_BEGIN; px < RUN_END; px += 8) {
        f4 cx[2], x[2], y[2];
        i4 n[2];
        UNROLL for (int q = 0; q < 2; q++) {
          cx[q] = MADD(step, lane + (float)(px + 4 * q), SPLAT(a->x0));
          x[q] = y[q] = SPLAT(0);
          n[q] = (i4){0, 0, 0, 0};
        }
        for (u32 t = 0; t < limit; t++) {
          i4 in[2];
          UNROLL for (int q = 0; q < 2; q++) {
            f4 xx = x[q] * x[q], yy = y[q] * y[q];
            in[q] = xx + yy <= four;
            n[q] -= in[q];
            y[q] = MADD(x[q] + x[q], y[q], cy);
            x[q] = xx - yy + cx[q];
          }
          if (!__builtin_wasm_any_true_v128((__attribute__((vector_size(16))) signed char)(in[0] | in[1]))) break;
        }
        UNROLL for (int q = 0; q < 2; q++) *(u4u *)(a->out + py * a->w + px + 4 * q) = (u4)n[q];
      }
    }
  }
  return 0;
}

/* e^x within the range of floats. */
static inline f4 exponential(f4 x) {
  f4 t = FLOOR(MADD(x, SPLAT(1.44269504f), SPLAT(0.5f)));
  f4 r = MADD(t, SPLAT(-0.693359375f), x);
  r = MADD(t, SPLAT(2.12194440e-4f), r);
  f4 p = MADD(SPLAT(1.9875691500e-4f), r, SPLAT(1.3981999507e-3f));
  p = MADD(p, r, SPLAT(8.3334519073e-3f));
  p = MADD(p, r, SPLAT(4.1665795894e-2f));
  p = MADD(p, r, SPLAT(1.6666665459e-1f));
  p = MADD(p, r, SPLAT(0.5f));
  p = MADD(p, r * r, r) + SPLAT(1);
  t = SELECT(t < SPLAT(-126), SPLAT(-127), t);
  return p * (f4)((__builtin_convertvector(t, i4) + 127) << 23);
}
/* The logarithm of a positive normal number. */
static inline f4 logarithm(f4 x) {
  u4 bits = (u4)x - 0x3f3504f3u;
  f4 e = __builtin_convertvector((i4)bits >> 23, f4);
  f4 m = (f4)((bits & 0x007fffffu) + 0x3f3504f3u) - SPLAT(1), z = m * m;
  f4 p = MADD(SPLAT(7.0376836292e-2f), m, SPLAT(-1.1514610310e-1f));
  p = MADD(p, m, SPLAT(1.1676998740e-1f));
  p = MADD(p, m, SPLAT(-1.2420140846e-1f));
  p = MADD(p, m, SPLAT(1.4249322787e-1f));
  p = MADD(p, m, SPLAT(-1.6668057665e-1f));
  p = MADD(p, m, SPLAT(2.0000714765e-1f));
  p = MADD(p, m, SPLAT(-2.4999993993e-1f));
  p = MADD(p, m, SPLAT(3.3333331174e-1f));
  p = p * m * z;
  p = MADD(e, SPLAT(-2.12194440e-4f), p);
  p = MADD(z, SPLAT(-0.5f), p);
  return MADD(e, SPLAT(0.693359375f), m + p);
}
static inline f4 normal(f4 x) {
  f4 t = SPLAT(1) / MADD(SPLAT(0.2316419f), ABS(x), SPLAT(1));
  f4 p = MADD(t, SPLAT(1.330274429f), SPLAT(-1.821255978f));
  p = MADD(t, p, SPLAT(1.781477937f));
  p = MADD(t, p, SPLAT(-0.356563782f));
  p = t * MADD(t, p, SPLAT(0.319381530f));
  f4 tail = SPLAT(0.39894228f) * exponential(SPLAT(-0.5f) * x * x) * p;
  return SELECT(x > SPLAT(0), SPLAT(1) - tail, tail);
}
typedef struct { float rate, vol; const float *price, *strike, *years; float *call, *put; } Options;
KERNEL(blackscholes, Options) {
  ITEMS;
  f4 drift = SPLAT(a->rate + 0.5f * a->vol * a->vol), vol = SPLAT(a->vol), rate = SPLAT(-a->rate), one = SPLAT(1);
  for (u32 i = i0; i < i1; i += 4) {
    f4 s = LOADU(a->price + i), x = LOADU(a->strike + i), t = LOADU(a->years + i);
    f4 sq = vol * SQRT(t), d1 = MADD(drift, t, logarithm(s / x)) / sq, d2v = d1 - sq;
    f4 n1 = normal(d1), n2 = normal(d2v), disc = x * exponential(rate * t);
    STOREU(a->call + i, s * n1 - disc * n2);
    STOREU(a->put + i, disc * (one - n2) - s * (one - n1));
  }
  return 0;
}

typedef struct { u32 p; const float *in; float *out; } Fft;
/* sin and cos of an angle from -pi to 0. */
static inline void sine(f4 x, f4 *s, f4 *c) {
  f4 q = FLOOR(MADD(x, SPLAT(0.636619772f), SPLAT(0.5f)));
  f4 r = MADD(q, SPLAT(-1.5703125f), x);
  r = MADD(q, SPLAT(-4.837512969970703125e-4f), r);
  r = MADD(q, SPLAT(-7.549789948768648e-8f), r);
  i4 n = __builtin_convertvector(q, i4);
  f4 z = r * r;
  f4 sp = MADD(SPLAT(-1.9515295891e-4f), z, SPLAT(8.3321608736e-3f));
  sp = MADD(MADD(sp, z, SPLAT(-1.6666654611e-1f)), z * r, r);
  f4 cp = MADD(SPLAT(2.443315711809948e-5f), z, SPLAT(-1.388731625493765e-3f));
  cp = MADD(MADD(cp, z, SPLAT(4.166664568298827e-2f)), z * z, MADD(z, SPLAT(-0.5f), SPLAT(1)));
  i4 swap = (n & 1) != 0;
  *s = (f4)((u4)SELECT(swap, cp, sp) ^ ((u4)(n & 2) << 30));
  *c = (f4)((u4)SELECT(swap, sp, cp) ^ ((u4)((n + 1) & 2) << 30));
}
KERNEL(fft2_stage, Fft) {
  ITEMS;
  u32 half = d->global_size[0], p = a->p;
  f4 lane = {0, 1, 2, 3}, factor = SPLAT(-3.14159265358979f), over = SPLAT((float)p);
  for (u32 i = i0; i < i1; i += 4) {
    u32 k = i & (p - 1), o = ((i - k) << 1) + k;
    f4 s, c;
    sine(factor * (lane + (float)k) / over, &s, &c);
    const float *u = a->in + 2 * i, *v = a->in + 2 * (i + half);
    f4 v0 = LOADU(v), v1 = LOADU(v + 4);
    f4 re = __builtin_shufflevector(v0, v1, 0, 2, 4, 6), im = __builtin_shufflevector(v0, v1, 1, 3, 5, 7);
    f4 tr = re * c - im * s, ti = MADD(re, s, im * c);
    f4 t0 = __builtin_shufflevector(tr, ti, 0, 4, 1, 5), t1 = __builtin_shufflevector(tr, ti, 2, 6, 3, 7);
    f4 u0 = LOADU(u), u1 = LOADU(u + 4);
    STOREU(a->out + 2 * o, u0 + t0);
    STOREU(a->out + 2 * o + 4, u1 + t1);
    STOREU(a->out + 2 * (o + p), u0 - t0);
    STOREU(a->out + 2 * (o + p) + 4, u1 - t1);
  }
  return 0;
}
