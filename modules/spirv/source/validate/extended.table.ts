// SPDX-License-Identifier: Apache-2.0
// The types that instructions of extended sets want, in the columns of instruction.table.ts.

/** GLSL.std.450. */
export const GLSL_RULES = `
Round RoundEven Trunc FAbs FSign Floor Ceil Fract Sqrt InverseSqrt Radians Degrees Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Exp Log Exp2 Log2 Normalize | float | same
Atan2 Pow FMin FMax Step NMin NMax Reflect | float | same | same
FClamp FMix SmoothStep Fma NClamp FaceForward | float | same | same | same
SAbs SSign FindILsb FindUMsb FindSMsb | int | int shape width
UMin SMin UMax SMax | int | int shape width | int shape width
UClamp SClamp | int | int shape width | int shape width | int shape width
Determinant | float scalar | matrix
MatrixInverse | matrix | same
Modf Frexp | float | same | pointer
Ldexp | float | same | int shape
PackSnorm4x8 PackUnorm4x8 PackSnorm2x16 PackUnorm2x16 PackHalf2x16 | int scalar | float vector
PackDouble2x32 | float scalar | int vector
UnpackSnorm4x8 UnpackUnorm4x8 UnpackSnorm2x16 UnpackUnorm2x16 UnpackHalf2x16 | float vector | int scalar
UnpackDouble2x32 | int vector | float scalar
Length | float scalar | float
Distance | float scalar | float | same1
Cross | float vector | same | same
Refract | float | same | same | float scalar
`;

/** OpenCL.std. */
export const OPENCL_RULES = `
acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 expm1 fabs floor log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma lgamma trunc half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt half_tan native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip native_rsqrt native_sin native_sqrt native_tan degrees radians sign | float | same
atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder half_divide half_powr native_divide native_powr step fmax_common fmin_common | float | same | same
fma mad fclamp mix smoothstep | float | same | same | same
fract modf sincos | float | same | pointer
frexp lgamma_r | float | same | pointer
remquo | float | same | same | pointer
ilogb | int | float shape
ldexp pown rootn | float | same | int shape
nan | float | int shape
s_abs u_abs clz ctz popcount | int | same
s_add_sat u_add_sat s_sub_sat u_sub_sat s_hadd u_hadd s_rhadd u_rhadd s_max u_max s_min u_min s_mul_hi u_mul_hi s_abs_diff u_abs_diff rotate | int | same | same
s_clamp u_clamp s_mad_sat u_mad_sat s_mad_hi u_mad_hi | int | same | same | same
s_upsample u_upsample | int | int shape | int shape
s_mad24 u_mad24 | int | same | same | same
s_mul24 u_mul24 | int | same | same
cross | float vector | same | same
distance fast_distance | float scalar | float | same1
length fast_length | float scalar | float
normalize fast_normalize | float | same
bitselect select | any | same | same
vloadn vload_half vload_halfn vloada_halfn | any | int scalar | pointer
shuffle | vector | vector
shuffle2 | vector | vector | same1
`;
