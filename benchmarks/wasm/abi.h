// SPDX-License-Identifier: Apache-2.0
/* What hand-written kernels share: the kernel ABI (docs/kernel-abi.md), and vectors of 128 bits.
 * A kernel runs the groups [first, end) of a launch. It keeps everything in registers: there is no stack, and scratch
 * memory is in the thread's arena. */
#include <stddef.h>
#include <stdint.h>

#include "kernel-abi.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef u32 u4 __attribute__((vector_size(16)));
typedef i32 i4 __attribute__((vector_size(16)));
typedef uint16_t h8 __attribute__((vector_size(16)));
typedef float f4u __attribute__((vector_size(16), aligned(4)));
typedef double d2u __attribute__((vector_size(16), aligned(8)));
typedef u32 u4u __attribute__((vector_size(16), aligned(4)));

#define KERNEL(NAME, ARGUMENTS) \
  __attribute__((export_name(#NAME))) i32 NAME(const ARGUMENTS *a, const Dispatch *d, const Worker *w, u32 first, \
      u32 end)
#define SCRATCH(T) ((T *)(w->arena_base + d->private_offset))

/* Runs of groups in one row: `x` to `xe` in the first dimension, `gy` and `gz` in the others. */
#define FOR_RUNS                                                                                             \
  for (u32 g = first, gx, gy, gz, run; g < end; g += run)                                                    \
    if (gx = g % d->range_count[0], gy = w->group_base[1] + g / d->range_count[0] % d->range_count[1],           \
        gz = w->group_base[2] + g / d->range_count[0] / d->range_count[1], \
        run = d->range_count[0] - gx < end - g ? d->range_count[0] - gx : end - g, gx += w->group_base[0], 1)
#define RUN_BEGIN (gx * d->local_size[0])
#define RUN_END (RUN_BEGIN + run * d->local_size[0])

/* One dimension: items from `i0` to `i1`. */
#define ITEMS u32 i0 = (w->group_base[0] + first) * d->local_size[0], i1 = (w->group_base[0] + end) * d->local_size[0]

#define SPLAT(x) ((f4){0, 0, 0, 0} + (float)(x))
#define U(x) ((u4){0, 0, 0, 0} + (u32)(x))
#ifdef __wasm_relaxed_simd__
#define MADD(a, b, c) __builtin_wasm_relaxed_madd_f32x4(a, b, c)
#define DMADD(a, b, c) __builtin_wasm_relaxed_madd_f64x2(a, b, c)
#define SELECT(m, a, b) ((f4)__builtin_wasm_relaxed_laneselect_i32x4((i4)(a), (i4)(b), (i4)(m)))
#else
#define MADD(a, b, c) ((a) * (b) + (c))
#define DMADD(a, b, c) ((a) * (b) + (c))
#define SELECT(m, a, b) ((f4)(((u4)(a) & (u4)(m)) | ((u4)(b) & ~(u4)(m))))
#endif
#define SQRT(x) __builtin_wasm_sqrt_f32x4(x)
#define ABS(x) __builtin_wasm_abs_f32x4(x)
#define FLOOR(x) __builtin_wasm_floor_f32x4(x)
#define LOADU(p) (*(const f4u *)(p))
#define STOREU(p, v) (*(f4u *)(p) = (v))
#define UNROLL _Pragma("clang loop unroll(full)")
