// SPDX-License-Identifier: Apache-2.0
/* SHA-256, histograms, sums, sparse rows. */
#include "abi.h"

typedef struct { const u32 *msg; u32 *digest; } Sha;
#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define ROUND(t, K) \
  { \
    if (t >= 16) { \
      u4 x = w_[(t + 14) & 15], y = w_[(t + 1) & 15]; \
      w_[t & 15] += \
          (ROTR(x, 17) ^ ROTR(x, 19) ^ (x >> 10)) + w_[(t + 9) & 15] + (ROTR(y, 7) ^ ROTR(y, 18) ^ (y >> 3)); \
    } \
    u4 t1 = \
        s[7] + (ROTR(s[4], 6) ^ ROTR(s[4], 11) ^ ROTR(s[4], 25)) + (s[6] ^ (s[4] & (s[5] ^ s[6]))) + K + w_[t & 15]; \
    u4 t2 = (ROTR(s[0], 2) ^ ROTR(s[0], 13) ^ ROTR(s[0], 22)) + ((s[0] & s[1]) | (s[2] & (s[0] | s[1]))); \
    s[7] = s[6]; \
    s[6] = s[5]; \
    s[5] = s[4]; \
    s[4] = s[3] + t1; \
    s[3] = s[2]; \
    s[2] = s[1]; \
    s[1] = s[0]; \
    s[0] = t1 + t2; \
  }
/* Tables would need memory of their own: the constants stand in the code. */
#define ROUNDS \
  ROUND(0, 0x428a2f98u) \
  ROUND(1, 0x71374491u) ROUND(2, 0xb5c0fbcfu) ROUND(3, 0xe9b5dba5u) ROUND(4, 0x3956c25bu) ROUND(5, 0x59f111f1u) \
      ROUND(6, 0x923f82a4u) ROUND(7, 0xab1c5ed5u) ROUND(8, 0xd807aa98u) ROUND(9, 0x12835b01u) ROUND(10, 0x243185beu) \
          ROUND(11, 0x550c7dc3u) ROUND(12, 0x72be5d74u) ROUND(13, 0x80deb1feu) ROUND(14, 0x9bdc06a7u) ROUND(15, \
              0xc19bf174u) ROUND(16, 0xe49b69c1u) ROUND(17, 0xefbe4786u) ROUND(18, 0x0fc19dc6u) ROUND(19, 0x240ca1ccu) \
              ROUND(20, 0x2de92c6fu) ROUND(21, 0x4a7484aau) ROUND(22, 0x5cb0a9dcu) ROUND(23, 0x76f988dau) \
                  ROUND(24, 0x983e5152u) ROUND(25, 0xa831c66du) ROUND(26, 0xb00327c8u) ROUND(27, 0xbf597fc7u) \
                      ROUND(28, 0xc6e00bf3u) ROUND(29, 0xd5a79147u) ROUND(30, 0x06ca6351u) ROUND(31, 0x14292967u) \
                          ROUND(32, 0x27b70a85u) ROUND(33, 0x2e1b2138u) ROUND(34, 0x4d2c6dfcu) ROUND(35, 0x53380d13u) \
                              ROUND(36, 0x650a7354u) ROUND(37, 0x766a0abbu) ROUND(38, 0x81c2c92eu) \
                                  ROUND(39, 0x92722c85u) ROUND(40, 0xa2bfe8a1u) ROUND(41, 0xa81a664bu) \
                                      ROUND(42, 0xc24b8b70u) ROUND(43, 0xc76c51a3u) ROUND(44, 0xd192e819u) \
                                          ROUND(45, 0xd6990624u) ROUND(46, 0xf40e3585u) ROUND(47, 0x106aa070u) \
                                              ROUND(48, 0x19a4c116u) ROUND(49, 0x1e376c08u) ROUND(50, 0x2748774cu) \
                                                  ROUND(51, 0x34b0bcb5u) ROUND(52, 0x391c0cb3u) ROUND(53, 0x4ed8aa4au) \
                                                      ROUND(54, 0x5b9cca4fu) ROUND(55, 0x682e6ff3u) \
                                                          ROUND(56, 0x748f82eeu) ROUND(57, 0x78a5636fu) \
                                                              ROUND(58, 0x84c87814u) ROUND(59, 0x8cc70208u) \
                                                                  ROUND(60, 0x90befffau) ROUND(61, 0xa4506cebu) \
                                                                      ROUND(62, 0xbef9a3f7u) ROUND(63, 0xc67178f2u)
static inline __attribute__((always_inline)) void compress(u4 st[8], u4 w_[16]) {
  u4 s[8];
  UNROLL for (int i = 0; i < 8; i++) s[i] = st[i];
  ROUNDS
  UNROLL for (int i = 0; i < 8; i++) st[i] += s[i];
}
#define TRANSPOSE(r0, r1, r2, r3) \
  { \
    u4 a0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), a1 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7); \
    u4 b0 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5), b1 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7); \
    r0 = __builtin_shufflevector(a0, b0, 0, 1, 4, 5); \
    r1 = __builtin_shufflevector(a0, b0, 2, 3, 6, 7); \
    r2 = __builtin_shufflevector(a1, b1, 0, 1, 4, 5); \
    r3 = __builtin_shufflevector(a1, b1, 2, 3, 6, 7); \
  }
KERNEL(sha256, Sha) {
  ITEMS;
  for (u32 i = i0; i < i1; i += 4) {
    u4 m[16], st[8] = {U(0x6a09e667u), U(0xbb67ae85u), U(0x3c6ef372u), U(0xa54ff53au), U(0x510e527fu), U(0x9b05688cu),
                  U(0x1f83d9abu), U(0x5be0cd19u)};
    UNROLL for (int t = 0; t < 16; t += 4) {
      UNROLL for (int q = 0; q < 4; q++) m[t + q] = *(const u4u *)(a->msg + (i + q) * 16 + t);
      TRANSPOSE(m[t], m[t + 1], m[t + 2], m[t + 3])
    }
    compress(st, m);
    UNROLL for (int t = 0; t < 16; t++) m[t] = U(t == 0 ? 0x80000000u : t == 15 ? 512u : 0u);
    compress(st, m);
    UNROLL for (int t = 0; t < 8; t += 4) {
      TRANSPOSE(st[t], st[t + 1], st[t + 2], st[t + 3])
      UNROLL for (int q = 0; q < 4; q++) *(u4u *)(a->digest + (i + q) * 8 + t) = st[t + q];
    }
  }
  return 0;
}

#define ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
typedef struct { u32 words; const u32 *x; u32 *bins; u32 local; } HistLocal;
KERNEL(hist_local, HistLocal) {
  ITEMS;
  u32 *h = SCRATCH(u32), words = a->words, step = d->global_size[0];
  const u32 *x = a->x;
  for (u32 b = 0; b < 1024; b += 4) *(u4 *)(h + b) = U(0);
  for (u32 from = 0; from < words; from += step)
    for (u32 i = from + i0; i < from + i1 && i < words; i++) {
      u32 v = x[i];
      h[v & 255]++;
      h[256 + (v >> 8 & 255)]++;
      h[512 + (v >> 16 & 255)]++;
      h[768 + (v >> 24)]++;
    }
  for (u32 b = 0; b < 256; b++) ADD(a->bins + b, h[b] + h[256 + b] + h[512 + b] + h[768 + b]);
  return 0;
}
typedef struct { const u32 *x; u32 *bins; } HistGlobal;
KERNEL(hist_global, HistGlobal) {
  ITEMS;
  for (u32 i = i0; i < i1; i++) ADD(a->bins + (a->x[i] >> 20), 1);
  return 0;
}

typedef struct { u32 n; const float *x; float *partial; u32 local; } Reduce;
KERNEL(reduce_sum, Reduce) {
  u32 per = 16 * d->local_size[0], n = a->n;
  for (u32 g = w->group_base[0] + first; g < w->group_base[0] + end; g++) {
    f4 s0 = SPLAT(0), s1 = s0, s2 = s0, s3 = s0;
    u32 i = g * per, e = i + per < n ? i + per : n;
    const float *x = a->x;
    for (; i + 16 <= e; i += 16) {
      s0 += LOADU(x + i);
      s1 += LOADU(x + i + 4);
      s2 += LOADU(x + i + 8);
      s3 += LOADU(x + i + 12);
    }
    f4 s = (s0 + s1) + (s2 + s3);
    float sum = (s[0] + s[1]) + (s[2] + s[3]);
    for (; i < e; i++) sum += x[i];
    a->partial[g] = sum;
  }
  return 0;
}

typedef struct { u32 rows; const u32 *ptr, *col; const float *val, *x; float *y; } Spmv;
KERNEL(spmv_csr, Spmv) {
  ITEMS;
  u32 rows = i1 < a->rows ? i1 : a->rows;
  const u32 *ptr = a->ptr, *col = a->col;
  const float *val = a->val, *x = a->x;
  for (u32 r = i0; r < rows; r++) {
    float a0 = 0, a1 = 0, a2 = 0, a3 = 0;
    u32 k = ptr[r], e = ptr[r + 1];
    for (; k + 4 <= e; k += 4) {
      a0 += val[k] * x[col[k]];
      a1 += val[k + 1] * x[col[k + 1]];
      a2 += val[k + 2] * x[col[k + 2]];
      a3 += val[k + 3] * x[col[k + 3]];
    }
    for (; k < e; k++) a0 += val[k] * x[col[k]];
    a->y[r] = (a0 + a1) + (a2 + a3);
  }
  return 0;
}
