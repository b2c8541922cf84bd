// SPDX-License-Identifier: Apache-2.0
// construct: the macros of all limits, for each type of numbers

kernel void limits(global long *integers, global double *doubles, global float *floats) {
  integers[0] = CHAR_BIT + CHAR_MAX + CHAR_MIN + SCHAR_MAX + SCHAR_MIN + UCHAR_MAX;
  integers[1] = SHRT_MAX + SHRT_MIN + USHRT_MAX;
  integers[2] = (long)INT_MAX + INT_MIN + UINT_MAX;
  integers[3] = LONG_MAX + LONG_MIN + (long)ULONG_MAX;
  integers[4] = FLT_DIG + FLT_MANT_DIG + FLT_MAX_10_EXP + FLT_MAX_EXP + FLT_MIN_10_EXP + FLT_MIN_EXP + FLT_RADIX;
  integers[5] = DBL_DIG + DBL_MANT_DIG + DBL_MAX_10_EXP + DBL_MAX_EXP + DBL_MIN_10_EXP + DBL_MIN_EXP + FP_ILOGB0;
  integers[6] = FP_ILOGBNAN;
  floats[0] = FLT_MAX;
  floats[1] = FLT_MIN;
  floats[2] = FLT_EPSILON;
  floats[3] = MAXFLOAT;
  floats[4] = HUGE_VALF;
  floats[5] = INFINITY;
  floats[6] = NAN;
  floats[7] = M_E_F + M_LOG2E_F + M_LOG10E_F + M_LN2_F + M_LN10_F + M_PI_F + M_PI_2_F + M_PI_4_F + M_1_PI_F + M_2_PI_F +
              M_2_SQRTPI_F + M_SQRT2_F + M_SQRT1_2_F;
  doubles[0] = DBL_MAX;
  doubles[1] = DBL_MIN;
  doubles[2] = DBL_EPSILON;
  doubles[3] = HUGE_VAL;
  doubles[4] = M_E + M_LOG2E + M_LOG10E + M_LN2 + M_LN10 + M_PI + M_PI_2 + M_PI_4 + M_1_PI + M_2_PI + M_2_SQRTPI +
      M_SQRT2 +
               M_SQRT1_2;
}
