// SPDX-License-Identifier: Apache-2.0
// What OpenCL allows each math function to be off, from the tables of section 7.4 of the OpenCL C specification, and of
// cl_khr_fp16 for half.

/** Types that math functions are defined for. @public */
export type MathType = "float" | "double" | "half";

/** A function of section 6.12.2 and the error that it may have. @public */
export interface MathFunction {
  /** As OpenCL C calls it. */
  readonly name: string;
  /** Its parameters, one letter each: `x` a number, `n` an int. */
  readonly parameters: string;
  /** Units in the last place in the full profile; 0: rounded correctly; null: implementation-defined. */
  readonly limits: Readonly<Record<MathType, number | null>>;
}

/** Names, parameters, limits of float, double and half. */
const ROWS: readonly (readonly [names: string, parameters: string, float: number | null, double: number | null, half: number | null])[] = [
  ["ceil floor rint round trunc fabs logb", "x", 0, 0, 0],
  ["copysign fdim fmax fmin fmod maxmag minmag nextafter remainder", "xx", 0, 0, 0],
  ["fma", "xxx", 0, 0, 0],
  ["ldexp", "xn", 0, 0, 0],
  ["sqrt", "x", 3, 0, 0],
  ["rsqrt", "x", 2, 2, 1],
  ["cbrt degrees radians", "x", 2, 2, 2],
  ["exp exp2 exp10 expm1 log log2 log10", "x", 3, 3, 2],
  ["log1p", "x", 2, 2, 2],
  ["sin cos sinpi cospi sinh cosh asin acos asinh acosh", "x", 4, 4, 2],
  ["tan tanh asinpi acospi atan atanpi atanh", "x", 5, 5, 2],
  ["tanpi", "x", 6, 6, 2],
  ["atan2 atan2pi", "xx", 6, 6, 2],
  ["hypot", "xx", 4, 4, 2],
  ["erf erfc tgamma", "x", 16, 16, 4],
  ["lgamma", "x", null, null, null],
  ["pow powr", "xx", 16, 16, 4],
  ["pown rootn", "xn", 16, 16, 4],
];

/** Every function whose result is a single, mathematically defined number. @public */
export const MATH_FUNCTIONS: readonly MathFunction[] = ROWS.flatMap(([names, parameters, float, double, half]) => names.split(" ").map((name) => ({ name, parameters, limits: { float, double, half } })));
