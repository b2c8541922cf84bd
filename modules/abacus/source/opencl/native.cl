// The native_ functions of floats: shorter polynomials, no denormals, no angles beyond some thousands of turns, no care for infinities and NaN. Without branches.
#define O __attribute__((overloadable))
// A number to which it is added is rounded to a whole one, which its last bits are.
#define NATIVE_ROUNDER 0x1.8p23f

// 2^n * e^r for |r| <= 0.35, where `rounded` is n and the rounder: 0 from n = -127 down, infinite from 128 on.
static float native_scaled(float rounded, float r) {
  float p = 8.31251405e-3f;
  p = p * r + 4.18902189e-2f;
  p = p * r + 1.66671142e-1f;
  p = p * r + 4.99992311e-1f;
  p = p * r + 1.0f;
  float y = p * r + 1.0f;
  return y * as_float((as_int(rounded) - (0x4b400000 - 127)) << 23);
}
static float native_within(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
O float native_exp(float x) {
  float c = native_within(x, -88.0f, 89.0f);
  float rounded = c * 1.44269504f + NATIVE_ROUNDER, k = rounded - NATIVE_ROUNDER;
  return native_scaled(rounded, (c - k * 0.693359375f) - k * -2.12194440e-4f);
}
O float native_exp2(float x) {
  float c = native_within(x, -127.0f, 128.0f);
  float rounded = c + NATIVE_ROUNDER;
  return native_scaled(rounded, (c - (rounded - NATIVE_ROUNDER)) * 0.693147181f);
}
O float native_exp10(float x) {
  float c = native_within(x, -38.2f, 38.6f);
  float rounded = c * 3.32192809f + NATIVE_ROUNDER, k = rounded - NATIVE_ROUNDER;
  return native_scaled(rounded, ((c - k * 0x1.344p-2f) - k * 4.60503898e-6f) * 2.30258509f);
}

// The exponent of x, and log(1 + m) for its significand 1 + m in [sqrt(1/2), sqrt(2)).
static float native_logarithm(float x, float *exponent) {
  int bits = as_int(x) - 0x3f3504f3;
  *exponent = (float)(bits >> 23);
  float m = as_float((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  p = p * m - 0.5f;
  return p * (m * m) + m;
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
O float native_powr(float x, float y) { return native_exp2(y * native_log2(x)); }

// x modulo pi/2, and the quarters as the last bits of `rounded`.
static float native_quarter(float x, float *rounded) {
  *rounded = x * 0.636619772f + NATIVE_ROUNDER;
  float k = *rounded - NATIVE_ROUNDER;
  return ((x - k * 1.5703125f) - k * 4.83751297e-4f) - k * 7.54978942e-8f;
}
static float native_sine(float r) {
  float z = r * r;
  float p = -1.9515295891e-4f;
  p = p * z + 8.3321608736e-3f;
  p = p * z - 1.6666654611e-1f;
  return r + p * z * r;
}
static float native_cosine(float r) {
  float z = r * r;
  float p = 2.443315711809948e-5f;
  p = p * z - 1.388731625493765e-3f;
  p = p * z + 4.166664568298827e-2f;
  return (p * z - 0.5f) * z + 1.0f;
}
O float native_sin(float x) {
  float rounded, r = native_quarter(x, &rounded);
  int q = as_int(rounded);
  return as_float(as_int((q & 1) ? native_cosine(r) : native_sine(r)) ^ ((q & 2) << 30));
}
O float native_cos(float x) {
  float rounded, r = native_quarter(x, &rounded);
  int q = as_int(rounded);
  return as_float(as_int((q & 1) ? native_sine(r) : native_cosine(r)) ^ (((q + 1) & 2) << 30));
}
O float native_tan(float x) {
  float rounded, r = native_quarter(x, &rounded);
  float s = native_sine(r), c = native_cosine(r);
  int isOdd = as_int(rounded) & 1;
  return (isOdd ? -c : s) / (isOdd ? s : c);
}
