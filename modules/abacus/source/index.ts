// SPDX-License-Identifier: Apache-2.0
/**
 * Batched math functions over typed arrays, in WebAssembly SIMD; what OpenCL allows math functions to be off.
 *
 * @packageDocumentation
 */
export type { BinaryBatch, UnaryBatch } from "./batch.ts";
export { type FloatArray, allocateFloat32, allocateFloat64, release } from "./shared-arrays.ts";
export { startThreads } from "./threads.ts";
export { BATCHED_BINARY, BATCHED_GROUP, BATCHED_UNARY } from "./batched.table.ts";
export {
  acos,
  acosh,
  acospi,
  asin,
  asinh,
  asinpi,
  atan,
  atanh,
  atanpi,
  cbrt,
  ceil,
  cos,
  cosh,
  cospi,
  degrees,
  erf,
  erfc,
  exp,
  exp2,
  exp10,
  expm1,
  floor,
  lgamma,
  log,
  log2,
  log10,
  log1p,
  logb,
  radians,
  rint,
  round,
  rsqrt,
  sin,
  sinh,
  sinpi,
  sqrt,
  tan,
  tanh,
  tanpi,
  tgamma,
  trunc,
  atan2,
  atan2pi,
  copysign,
  fdim,
  fmax,
  fmin,
  fmod,
  hypot,
  nextafter,
  pow,
  powr,
  remainder,
} from "./functions.ts";
export { MATH_FUNCTIONS, type MathFunction, type MathType } from "./limits.table.ts";
