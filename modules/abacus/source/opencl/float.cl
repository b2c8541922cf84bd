// Functions of floats that are computed in floats: four fit where two doubles do. All of them without branches but for angles of more than a million.
#define O __attribute__((overloadable))

// 2^k * e^r for |r| <= 0.35 and whole k from -160 to 160, in two steps, so that results below the least normal number are rounded once.
static float scaled_power(float k, float r) {
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  float y = (p * (r * r) + r) + 1.0f;
  int n = (int)k, first = n >> 1;
  return y * as_float((first + 127) << 23) * as_float((n - first + 127) << 23);
}
// Beyond the limits everything is 0 or infinite; a NaN stays.
static float within(float x, float low, float high) { return x < low ? low : x > high ? high : x; }
O float exp(float x) {
  float c = within(x, -105.0f, 89.0f);
  float k = rint(c * 1.44269504f);
  return scaled_power(k, (c - k * 0.693359375f) - k * -2.12194440e-4f);
}
O float exp2(float x) {
  float c = within(x, -151.0f, 129.0f);
  float k = rint(c);
  return scaled_power(k, (c - k) * 0.693147181f);
}
O float exp10(float x) {
  float c = within(x, -46.0f, 39.0f);
  float k = rint(c * 3.32192809f);
  return scaled_power(k, ((c - k * 0x1.344p-2f) - k * 4.60503898e-6f) * 2.30258509f);
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
// What a logarithm is where x is no positive number; y elsewhere.
static float log_or(float x, float y) {
  float other = x == 0.0f ? -INFINITY : x == INFINITY ? x : NAN;
  return x > 0.0f && x < INFINITY ? y : other;
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
  double d = x, k = rint(d * 0.6366197723675814);
  *quadrant = (int)k;
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
O float sin(float x) {
  if (fabs(x) > 0x1p20f) return (float)sin((double)x);
  int q;
  float r = quarter_turn(x, &q);
  return turned((q & 1) ? cos_of_quarter(r) : sin_of_quarter(r), q);
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
  float r = quarter_turn(x, &q);
  float s = sin_of_quarter(r), t = cos_of_quarter(r);
  *c = turned((q & 1) ? s : t, q + 1);
  return turned((q & 1) ? t : s, q);
}
