// SPDX-License-Identifier: Apache-2.0
// The functions that JavaScript can call on whole arrays. tools/bake makes a WebAssembly module of each, for either
// type.

/** Functions of one array. @public */
export const BATCHED_UNARY: readonly string[] = (
  "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi degrees erf erfc exp exp2 exp10 expm1 floor lgamma log log2 log10 log1p logb radians rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc"
).split(" ");

/** Functions of two arrays, or an array and a number. @public */
export const BATCHED_BINARY: readonly string[] = "atan2 atan2pi copysign fdim fmax fmin fmod hypot nextafter pow powr remainder".split(" ");

/** Work-items of a group of the baked kernels: batches are whole multiples of it. @public */
export const BATCHED_GROUP: number = 256;
