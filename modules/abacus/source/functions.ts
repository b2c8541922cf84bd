// SPDX-License-Identifier: Apache-2.0
// The batched functions: one constant each, so that bundlers keep what is used.
import { type BinaryBatch, type UnaryBatch, binary, unary } from "./batch.ts";
import * as baked from "./generated/batched.js";

/** Arc cosine, in radians. @public */
export const acos: UnaryBatch = /* @__PURE__ */ unary("acos", baked.acos_float, baked.acos_double);
/** Inverse hyperbolic cosine. @public */
export const acosh: UnaryBatch = /* @__PURE__ */ unary("acosh", baked.acosh_float, baked.acosh_double);
/** Arc cosine over pi. @public */
export const acospi: UnaryBatch = /* @__PURE__ */ unary("acospi", baked.acospi_float, baked.acospi_double);
/** Arc sine, in radians. @public */
export const asin: UnaryBatch = /* @__PURE__ */ unary("asin", baked.asin_float, baked.asin_double);
/** Inverse hyperbolic sine. @public */
export const asinh: UnaryBatch = /* @__PURE__ */ unary("asinh", baked.asinh_float, baked.asinh_double);
/** Arc sine over pi. @public */
export const asinpi: UnaryBatch = /* @__PURE__ */ unary("asinpi", baked.asinpi_float, baked.asinpi_double);
/** Arc tangent, in radians. @public */
export const atan: UnaryBatch = /* @__PURE__ */ unary("atan", baked.atan_float, baked.atan_double);
/** Inverse hyperbolic tangent. @public */
export const atanh: UnaryBatch = /* @__PURE__ */ unary("atanh", baked.atanh_float, baked.atanh_double);
/** Arc tangent over pi. @public */
export const atanpi: UnaryBatch = /* @__PURE__ */ unary("atanpi", baked.atanpi_float, baked.atanpi_double);
/** Cube root. @public */
export const cbrt: UnaryBatch = /* @__PURE__ */ unary("cbrt", baked.cbrt_float, baked.cbrt_double);
/** Rounded up. @public */
export const ceil: UnaryBatch = /* @__PURE__ */ unary("ceil", baked.ceil_float, baked.ceil_double);
/** Cosine of radians. @public */
export const cos: UnaryBatch = /* @__PURE__ */ unary("cos", baked.cos_float, baked.cos_double);
/** Hyperbolic cosine. @public */
export const cosh: UnaryBatch = /* @__PURE__ */ unary("cosh", baked.cosh_float, baked.cosh_double);
/** Cosine of pi times a number. @public */
export const cospi: UnaryBatch = /* @__PURE__ */ unary("cospi", baked.cospi_float, baked.cospi_double);
/** Radians to degrees. @public */
export const degrees: UnaryBatch = /* @__PURE__ */ unary("degrees", baked.degrees_float, baked.degrees_double);
/** Error function. @public */
export const erf: UnaryBatch = /* @__PURE__ */ unary("erf", baked.erf_float, baked.erf_double);
/** One less the error function. @public */
export const erfc: UnaryBatch = /* @__PURE__ */ unary("erfc", baked.erfc_float, baked.erfc_double);
/** e to a power. @public */
export const exp: UnaryBatch = /* @__PURE__ */ unary("exp", baked.exp_float, baked.exp_double);
/** 2 to a power. @public */
export const exp2: UnaryBatch = /* @__PURE__ */ unary("exp2", baked.exp2_float, baked.exp2_double);
/** 10 to a power. @public */
export const exp10: UnaryBatch = /* @__PURE__ */ unary("exp10", baked.exp10_float, baked.exp10_double);
/** e to a power, less one. @public */
export const expm1: UnaryBatch = /* @__PURE__ */ unary("expm1", baked.expm1_float, baked.expm1_double);
/** Rounded down. @public */
export const floor: UnaryBatch = /* @__PURE__ */ unary("floor", baked.floor_float, baked.floor_double);
/** Logarithm of the magnitude of the gamma function. @public */
export const lgamma: UnaryBatch = /* @__PURE__ */ unary("lgamma", baked.lgamma_float, baked.lgamma_double);
/** Natural logarithm. @public */
export const log: UnaryBatch = /* @__PURE__ */ unary("log", baked.log_float, baked.log_double);
/** Logarithm to base 2. @public */
export const log2: UnaryBatch = /* @__PURE__ */ unary("log2", baked.log2_float, baked.log2_double);
/** Logarithm to base 10. @public */
export const log10: UnaryBatch = /* @__PURE__ */ unary("log10", baked.log10_float, baked.log10_double);
/** Natural logarithm of one more. @public */
export const log1p: UnaryBatch = /* @__PURE__ */ unary("log1p", baked.log1p_float, baked.log1p_double);
/** Binary exponent. @public */
export const logb: UnaryBatch = /* @__PURE__ */ unary("logb", baked.logb_float, baked.logb_double);
/** Degrees to radians. @public */
export const radians: UnaryBatch = /* @__PURE__ */ unary("radians", baked.radians_float, baked.radians_double);
/** Rounded to the nearest whole number, halves to even. @public */
export const rint: UnaryBatch = /* @__PURE__ */ unary("rint", baked.rint_float, baked.rint_double);
/** Rounded to the nearest whole number, halves away from zero. @public */
export const round: UnaryBatch = /* @__PURE__ */ unary("round", baked.round_float, baked.round_double);
/** One over the square root. @public */
export const rsqrt: UnaryBatch = /* @__PURE__ */ unary("rsqrt", baked.rsqrt_float, baked.rsqrt_double);
/** Sine of radians. @public */
export const sin: UnaryBatch = /* @__PURE__ */ unary("sin", baked.sin_float, baked.sin_double);
/** Hyperbolic sine. @public */
export const sinh: UnaryBatch = /* @__PURE__ */ unary("sinh", baked.sinh_float, baked.sinh_double);
/** Sine of pi times a number. @public */
export const sinpi: UnaryBatch = /* @__PURE__ */ unary("sinpi", baked.sinpi_float, baked.sinpi_double);
/** Square root. @public */
export const sqrt: UnaryBatch = /* @__PURE__ */ unary("sqrt", baked.sqrt_float, baked.sqrt_double);
/** Tangent of radians. @public */
export const tan: UnaryBatch = /* @__PURE__ */ unary("tan", baked.tan_float, baked.tan_double);
/** Hyperbolic tangent. @public */
export const tanh: UnaryBatch = /* @__PURE__ */ unary("tanh", baked.tanh_float, baked.tanh_double);
/** Tangent of pi times a number. @public */
export const tanpi: UnaryBatch = /* @__PURE__ */ unary("tanpi", baked.tanpi_float, baked.tanpi_double);
/** Gamma function. @public */
export const tgamma: UnaryBatch = /* @__PURE__ */ unary("tgamma", baked.tgamma_float, baked.tgamma_double);
/** Rounded towards zero. @public */
export const trunc: UnaryBatch = /* @__PURE__ */ unary("trunc", baked.trunc_float, baked.trunc_double);
/** Angle of (right, left), in radians. @public */
export const atan2: BinaryBatch = /* @__PURE__ */ binary("atan2", baked.atan2_float, baked.atan2_double);
/** Angle of (right, left) over pi. @public */
export const atan2pi: BinaryBatch = /* @__PURE__ */ binary("atan2pi", baked.atan2pi_float, baked.atan2pi_double);
/** Magnitude of the left, sign of the right. @public */
export const copysign: BinaryBatch = /* @__PURE__ */ binary("copysign", baked.copysign_float, baked.copysign_double);
/** Left less right, at least 0. @public */
export const fdim: BinaryBatch = /* @__PURE__ */ binary("fdim", baked.fdim_float, baked.fdim_double);
/** The greater one; a NaN operand is ignored. @public */
export const fmax: BinaryBatch = /* @__PURE__ */ binary("fmax", baked.fmax_float, baked.fmax_double);
/** The lesser one; a NaN operand is ignored. @public */
export const fmin: BinaryBatch = /* @__PURE__ */ binary("fmin", baked.fmin_float, baked.fmin_double);
/** Remainder of a truncating division. @public */
export const fmod: BinaryBatch = /* @__PURE__ */ binary("fmod", baked.fmod_float, baked.fmod_double);
/** Square root of the sum of squares. @public */
export const hypot: BinaryBatch = /* @__PURE__ */ binary("hypot", baked.hypot_float, baked.hypot_double);
/** Neighbour of the left towards the right. @public */
export const nextafter: BinaryBatch = /* @__PURE__ */ binary(
  "nextafter",
  baked.nextafter_float,
  baked.nextafter_double,
);
/** Left to the power of right. @public */
export const pow: BinaryBatch = /* @__PURE__ */ binary("pow", baked.pow_float, baked.pow_double);
/** Left, which is not negative, to the power of right. @public */
export const powr: BinaryBatch = /* @__PURE__ */ binary("powr", baked.powr_float, baked.powr_double);
/** Remainder of a division to the nearest whole number. @public */
export const remainder: BinaryBatch = /* @__PURE__ */ binary(
  "remainder",
  baked.remainder_float,
  baked.remainder_double,
);
