// Logarithms of floats and the inverses of hyperbolic functions, computed in floats, without branches.
#define O __attribute__((overloadable))

// log(2) in two parts: products of the first with exponents are exact.
#define FLOAT_LN2_HIGH 0.693359375f
#define FLOAT_LN2_LOW -2.12194440e-4f

// The exponent of x > 0, and its significand in [sqrt(1/2), sqrt(2)) less 1.
static float significand_less_one(float x, float *exponent) {
  int isTiny = x < 0x1p-126f;
  int bits = as_int(isTiny ? x * 0x1p23f : x) - 0x3f3504f3;
  *exponent = (float)((bits >> 23) - (isTiny ? 23 : 0));
  return as_float((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
}
// (log(1 + m) - m) / m^2 + 1/2, over m.
static float log_polynomial(float m) {
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  return p * m + 3.3333331174e-1f;
}
// log(1 + m) - m.
static float log_rest(float m) {
  float z = m * m;
  return log_polynomial(m) * m * z - 0.5f * z;
}
// What a logarithm is where x is no positive number; y elsewhere. One choice after the other: nested ones would be
// branches.
static float log_or(float x, float y) {
  y = x == INFINITY ? x : y;
  y = x == 0.0f ? -INFINITY : y;
  return x >= 0.0f ? y : NAN;
}
O float log(float x) {
  float e, m = significand_less_one(x, &e);
  return log_or(x, ((log_rest(m) + e * FLOAT_LN2_LOW) + m) + e * FLOAT_LN2_HIGH);
}
O float log2(float x) {
  float e, m = significand_less_one(x, &e), rest = log_rest(m);
  // 1 / log(2) is one and something: what is multiplied by one is exact.
  return log_or(x, (((rest * 0.442695041f + m * 0.442695041f) + rest) + m) + e);
}
O float log10(float x) {
  float e, m = significand_less_one(x, &e), rest = log_rest(m);
  // 1 / log(10) and log10(2) in two parts each.
  return log_or(x, (((e * 4.60503898e-6f + rest * 0.434294482f) + m * 7.00731903e-4f) + m * 0.43359375f) +
                       e * 0x1.344p-2f);
}

// log(1 + x) + more * log(2) for x from -1 to 2^125. The significand of the sum, less 1, is taken before the sum is
// rounded.
static float log_of_one_more(float x, float more) {
  int e = (as_int(1.0f + x) - 0x3f3504f3) >> 23;
  float scale = as_float((127 - e) << 23);
  float m = x * scale + (scale - 1.0f), k = (float)e + more;
  return ((log_rest(m) + k * FLOAT_LN2_LOW) + m) + k * FLOAT_LN2_HIGH;
}
O float log1p(float x) {
  int isLarge = x > 0x1p100f;
  float y = log_of_one_more(isLarge ? x * 0x1p-64f : x, isLarge ? 64.0f : 0.0f);
  y = x == INFINITY ? x : y;
  y = x == -1.0f ? -INFINITY : y;
  y = x >= -1.0f ? y : NAN;
  return x == 0.0f ? x : y;
}
O float asinh(float x) {
  float a = fabs(x);
  int isLarge = a > 0x1p60f;
  // Large ones: log(2 a), by 2^33 less.
  float u = isLarge ? a * 0x1p-32f : a + a * (a / (1.0f + sqrt(a * a + 1.0f)));
  float y = log_of_one_more(u, isLarge ? 33.0f : 0.0f);
  return copysign(a < INFINITY ? y : a, x);
}
O float acosh(float x) {
  int isLarge = x > 0x1p60f;
  float t = x - 1.0f;
  float y = log_of_one_more(isLarge ? x * 0x1p-32f : t + sqrt(2.0f * t + t * t), isLarge ? 33.0f : 0.0f);
  y = x < INFINITY ? y : x;
  return x >= 1.0f ? y : NAN;
}
O float atanh(float x) {
  float a = fabs(x);
  float y = 0.5f * log_of_one_more(2.0f * a / (1.0f - a), 0.0f);
  y = a == 1.0f ? INFINITY : y;
  y = a <= 1.0f ? y : NAN;
  return copysign(a < 0x1p-20f ? a : y, x);
}

// The exponent of x, and log(1 + m) for its significand 1 + m in [sqrt(1/2), sqrt(2)): no denormals, no care for zeros,
// infinities and NaN.
static float native_logarithm(float x, float *exponent) {
  int bits = as_int(x) - 0x3f3504f3;
  *exponent = (float)(bits >> 23);
  float m = as_float((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
  return (log_polynomial(m) * m - 0.5f) * (m * m) + m;
}
O float native_log(float x) {
  float e, y = native_logarithm(x, &e);
  return e * 0.693147181f + y;
}
O float native_log2(float x) {
  float e, y = native_logarithm(x, &e);
  return y * 1.44269504f + e;
}
O float native_log10(float x) {
  float e, y = native_logarithm(x, &e);
  return e * 0.301029996f + y * 0.434294482f;
}
