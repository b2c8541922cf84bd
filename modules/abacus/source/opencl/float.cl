// Functions of floats that are computed in floats: four fit where two doubles do. All of them without branches but for angles of more than a million.
#define O __attribute__((overloadable))

// A number to which 1.5 * 2^23 is added is rounded to a whole one, which its last bits are.
#define ROUNDER 0x1.8p23f
static int whole_of(float rounded) { return as_int(rounded) - 0x4b400000; }

// 2^n * e^r for |r| <= 0.35 and n from -160 to 160, in two steps, so that results below the least normal number are rounded once.
static float scaled_power(int n, float r) {
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  float y = (p * (r * r) + r) + 1.0f;
  int first = n >> 1;
  return y * as_float((first + 127) << 23) * as_float((n - first + 127) << 23);
}
// Beyond the limits everything is 0 or infinite; a NaN stays.
static float within(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
O float exp(float x) {
  float c = within(x, -105.0f, 89.0f);
  float rounded = c * 1.44269504f + ROUNDER, k = rounded - ROUNDER;
  return scaled_power(whole_of(rounded), (c - k * 0.693359375f) - k * -2.12194440e-4f);
}
O float exp2(float x) {
  float c = within(x, -151.0f, 129.0f);
  float rounded = c + ROUNDER, k = rounded - ROUNDER;
  return scaled_power(whole_of(rounded), (c - k) * 0.693147181f);
}
O float exp10(float x) {
  float c = within(x, -46.0f, 39.0f);
  float rounded = c * 3.32192809f + ROUNDER, k = rounded - ROUNDER;
  return scaled_power(whole_of(rounded), ((c - k * 0x1.344p-2f) - k * 4.60503898e-6f) * 2.30258509f);
}

// The exponent of x > 0, and its significand in [sqrt(1/2), sqrt(2)) less 1.
static float significand_less_one(float x, float *exponent) {
  int isTiny = x < 0x1p-126f;
  int bits = as_int(isTiny ? x * 0x1p23f : x) - 0x3f3504f3;
  *exponent = (float)((bits >> 23) - (isTiny ? 23 : 0));
  return as_float((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
}
// log(1 + m) - m.
static float log_rest(float m) {
  float z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  return p * m * z - 0.5f * z;
}
// What a logarithm is where x is no positive number; y elsewhere. One choice after the other: nested ones would be branches.
static float log_or(float x, float y) {
  y = x == INFINITY ? x : y;
  y = x == 0.0f ? -INFINITY : y;
  return x >= 0.0f ? y : NAN;
}
O float log(float x) {
  float e, m = significand_less_one(x, &e);
  return log_or(x, ((log_rest(m) + e * -2.12194440e-4f) + m) + e * 0.693359375f);
}
O float log2(float x) {
  float e, m = significand_less_one(x, &e), rest = log_rest(m);
  // 1 / log(2) is one and something: what is multiplied by one is exact.
  return log_or(x, (((rest * 0.442695041f + m * 0.442695041f) + rest) + m) + e);
}

// x modulo pi/2 and the quadrant, for |x| up to 2^20: a double holds all that is left.
static float quarter_turn(float x, int *quadrant) {
  // The last bits of k + 1.5 * 2^52 are k as an integer.
  double d = x, rounded = d * 0.6366197723675814 + 0x1.8p52, k = rounded - 0x1.8p52;
  *quadrant = (int)as_long(rounded);
  return (float)((d - k * 0x1.921fb54400000p+0) - k * 0x1.0b4611a626331p-34);
}
static float sin_of_quarter(float r) {
  float z = r * r;
  float p = -1.9515295891e-4f;
  p = p * z + 8.3321608736e-3f;
  p = p * z - 1.6666654611e-1f;
  return r + p * z * r;
}
static float cos_of_quarter(float r) {
  float z = r * r;
  float p = 2.443315711809948e-5f;
  p = p * z - 1.388731625493765e-3f;
  p = p * z + 4.166664568298827e-2f;
  return (p * z * z - 0.5f * z) + 1.0f;
}
// Turns a sign by the second bit of a number of quarters.
static float turned(float y, int quarters) { return as_float(as_int(y) ^ ((quarters & 2) << 30)); }
// What an odd function is at x, given what it is at |x|: zeros keep their signs.
static float odd_float(float y, float x) { return as_float(as_int(y) ^ (as_int(x) & (int)0x80000000)); }
O float sin(float x) {
  if (fabs(x) > 0x1p20f) return (float)sin((double)x);
  int q;
  float r = quarter_turn(fabs(x), &q);
  return odd_float(turned((q & 1) ? cos_of_quarter(r) : sin_of_quarter(r), q), x);
}
O float cos(float x) {
  if (fabs(x) > 0x1p20f) return (float)cos((double)x);
  int q;
  float r = quarter_turn(x, &q);
  return turned((q & 1) ? sin_of_quarter(r) : cos_of_quarter(r), q + 1);
}
O float sincos(float x, float *c) {
  if (fabs(x) > 0x1p20f) {
    double d;
    double s = sincos((double)x, &d);
    *c = (float)d;
    return (float)s;
  }
  int q;
  float r = quarter_turn(fabs(x), &q);
  float s = sin_of_quarter(r), t = cos_of_quarter(r);
  *c = turned((q & 1) ? s : t, q + 1);
  return odd_float(turned((q & 1) ? t : s, q), x);
}

O float tanh(float x) {
  float a = fabs(x), z = x * x;
  float p = 2.118011238e-3f;
  p = p * z - 8.150689304e-3f;
  p = p * z + 2.169015072e-2f;
  p = p * z - 5.394488946e-2f;
  p = p * z + 1.333319098e-1f;
  p = p * z - 3.333333135e-1f;
  float large = 1.0f - 2.0f / (exp(2.0f * (a > 10.0f ? 10.0f : a)) + 1.0f);
  return copysign(a < 0.625f ? a + a * z * p : large, x);
}

// Up to 1 erf(x) / x - 1 is a polynomial in x^2, from there on log(1 - erf(a)) / a is one in a: both fitted for the least relative error of erf.
O float erf(float x) {
  float a = fabs(x), z = x * x, t = a > 4.0f ? 4.0f : a;
  float p = 7.85385346e-5f;
  p = p * z - 8.01019138e-4f;
  p = p * z + 5.18832728e-3f;
  p = p * z - 2.68538110e-2f;
  p = p * z + 1.12835854e-1f;
  p = p * z - 3.76126260e-1f;
  p = p * z + 1.28379166e-1f;
  float q = 1.23397685e-5f;
  q = q * t - 3.33963340e-4f;
  q = q * t + 3.68812052e-3f;
  q = q * t - 2.38592979e-2f;
  q = q * t + 1.06350593e-1f;
  q = q * t + 6.35082006e-1f;
  q = q * t + 1.12866569f;
  return copysign(a < 1.0f ? a + a * p : 1.0f - exp(-t * q), x);
}

// a^y for finite a > 0. The logarithm needs eight bits more than a float has, so it is taken in doubles; the polynomials are as short as that lets them be.
static float power(float a, double y) {
  float e, m = significand_less_one(a, &e);
  double f = (double)m, s = f / (2.0 + f), z = s * s;
  // Terms by pairs: one after the other each would wait for the one before.
  double z2 = z * z;
  double p = ((2.0 / 3.0 + 2.0 / 5.0 * z) + (2.0 / 7.0 + 2.0 / 9.0 * z) * z2) + ((2.0 / 11.0 + 2.0 / 13.0 * z) + 2.0 / 15.0 * z2) * (z2 * z2);
  double t = y * ((double)e * 0.6931471805599453 + (p * z * s + 2.0 * s));
  t = t < -110.0 ? -110.0 : t > 90.0 ? 90.0 : t;
  double k = rint(t * 1.4426950408889634), r = t - k * 0.6931471805599453;
  double r2 = r * r;
  double q = ((0.5 + 1.0 / 6.0 * r) + (1.0 / 24.0 + 1.0 / 120.0 * r) * r2) + ((1.0 / 720.0 + 1.0 / 5040.0 * r) + 1.0 / 40320.0 * r2) * (r2 * r2);
  // The last bits of k + 1.5 * 2^52 are k as an integer.
  double scale = as_double((as_ulong(k + 0x1.8p52) + 1023UL) << 52);
  return (float)((q * r2 + r + 1.0) * scale);
}
// The same for every a >= 0, infinity included.
static float power_from_zero(float a, double y) {
  float edge = (a == 0.0f) == (y > 0.0) ? 0.0f : INFINITY;
  float r = power(a, y);
  r = a == 1.0f ? 1.0f : r;
  return (a == 0.0f) | (a == INFINITY) ? edge : r;
}
O float pow(float x, float y) {
  float r = power_from_zero(fabs(x), (double)y);
  // Halves of odd numbers are not whole; every number from 2^24 on is even.
  int isWhole = trunc(y) == y, isOdd = isWhole & (trunc(y * 0.5f) != y * 0.5f);
  r = isOdd ? copysign(r, x) : r;
  r = (x < 0.0f) & (x > -INFINITY) & !isWhole ? NAN : r;
  r = isnan(x) | isnan(y) ? NAN : r;
  return (y == 0.0f) | (x == 1.0f) ? 1.0f : r;
}
O float pown(float x, int n) {
  float r = power_from_zero(fabs(x), (double)n);
  r = (n & 1) ? copysign(r, x) : r;
  r = isnan(x) ? x : r;
  return n == 0 ? 1.0f : r;
}
O float powr(float x, float y) {
  float r = power_from_zero(fabs(x), (double)y);
  int isNone = (x < 0.0f) | isnan(x) | isnan(y) | ((y == 0.0f) & ((x == 0.0f) | (x == INFINITY))) | ((x == 1.0f) & (fabs(y) == INFINITY));
  r = y == 0.0f ? 1.0f : r;
  return isNone ? NAN : r;
}
