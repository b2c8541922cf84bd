// Trigonometric functions of floats, computed in floats, with one branch for angles of more than ten thousand, which go
// through double.
#define O __attribute__((overloadable))
// A number to which 1.5 * 2^23 is added is rounded to a whole one, which its last bits are.
#define ANGLE_ROUNDER 0x1.8p23f
// From here on pi/2 times the number of quarters is not exact in parts of 11 bits.
#define FAR 10000.0f

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
  return (p * z - 0.5f) * z + 1.0f;
}
static float tan_of_quarter(float r) {
  float z = r * r;
  float p = 9.48740169e-3f;
  p = p * z + 2.94949883e-3f;
  p = p * z + 2.4535181e-2f;
  p = p * z + 5.33821806e-2f;
  p = p * z + 1.3339147e-1f;
  p = p * z + 3.33331436e-1f;
  return r + p * z * r;
}
// Turns a sign by the second bit of a number of quarters.
static float turned(float y, int quarters) { return as_float(as_int(y) ^ ((quarters & 2) << 30)); }
// The value of an odd function at x from its value at |x|: zeros keep their signs.
static float odd_float(float y, float x) { return as_float(as_int(y) ^ (as_int(x) & (int)0x80000000)); }

// x modulo pi/2 and the number of quarters, for |x| up to FAR: pi/2 in four parts, of which the first three times a
// number of quarters are exact.
static float quarter_turn(float x, int *quarters) {
  float rounded = x * 0.636619772f + ANGLE_ROUNDER, k = rounded - ANGLE_ROUNDER;
  *quarters = as_int(rounded);
  return (((x - k * 1.5703125f) - k * 0x1.fb4p-12f) - k * 0x1.444p-24f) - k * 0x1.68c234p-39f;
}
O float sin(float x) {
  if (fabs(x) > FAR) return (float)sin((double)x);
  int q;
  float r = quarter_turn(fabs(x), &q);
  return odd_float(turned((q & 1) ? cos_of_quarter(r) : sin_of_quarter(r), q), x);
}
O float cos(float x) {
  if (fabs(x) > FAR) return (float)cos((double)x);
  int q;
  float r = quarter_turn(x, &q);
  return turned((q & 1) ? sin_of_quarter(r) : cos_of_quarter(r), q + 1);
}
O float sincos(float x, float *c) {
  if (fabs(x) > FAR) {
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
O float tan(float x) {
  if (fabs(x) > FAR) return (float)tan((double)x);
  int q;
  float t = tan_of_quarter(quarter_turn(fabs(x), &q));
  int isOdd = q & 1;
  return odd_float((isOdd ? -1.0f : t) / (isOdd ? t : 1.0f), x);
}

// pi times what a >= 0 is over the nearest half, and the number of halves. All but the product is exact.
static float half_turn_float(float a, int *halves) {
  float r = a - 2.0f * rint(a * 0.5f);
  float rounded = 2.0f * r + ANGLE_ROUNDER;
  *halves = as_int(rounded);
  return (r - 0.5f * (rounded - ANGLE_ROUNDER)) * 3.14159274f;
}
// Zeros of whole numbers are positive: adding one makes them so.
static float sine_of_halves(float t, int halves) {
  return turned((halves & 1) ? cos_of_quarter(t) : sin_of_quarter(t), halves) + 0.0f;
}
static float cosine_of_halves(float t, int halves) {
  return turned((halves & 1) ? sin_of_quarter(t) : cos_of_quarter(t), halves + 1) + 0.0f;
}
O float sinpi(float x) {
  int q;
  float t = half_turn_float(fabs(x), &q);
  return odd_float(sine_of_halves(t, q), x);
}
O float cospi(float x) {
  int q;
  float t = half_turn_float(fabs(x), &q);
  return cosine_of_halves(t, q);
}
O float tanpi(float x) {
  int q;
  float t = half_turn_float(fabs(x), &q);
  return odd_float(sine_of_halves(t, q) / cosine_of_halves(t, q), x);
}

// The native variants: no angles beyond some thousands of turns, no care for infinities and NaN. Sine and cosine are
// one polynomial over half a turn, whose sign is the last bit of the number of halves.
static float native_turned(float x, float halves, float rounded) {
  float r = ((x - halves * 3.140625f) - halves * 0x1.fb4p-11f) - halves * 0x1.4442d2p-23f;
  float z = r * r;
  float p = 2.60577463e-6f;
  p = p * z - 1.98096008e-4f;
  p = p * z + 8.33306648e-3f;
  p = p * z - 1.66666597e-1f;
  return as_float(as_int(r + p * (z * r)) ^ (as_int(rounded) << 31));
}
O float native_sin(float x) {
  float rounded = x * 0.318309886f + ANGLE_ROUNDER;
  return native_turned(x, rounded - ANGLE_ROUNDER, rounded);
}
O float native_cos(float x) {
  // Odd quarters: the zeros of the cosine are in the middle.
  float rounded = (x * 0.318309886f + 0.5f) + ANGLE_ROUNDER;
  return native_turned(x, (rounded - ANGLE_ROUNDER) - 0.5f, rounded);
}
O float native_tan(float x) {
  float rounded = x * 0.636619772f + ANGLE_ROUNDER, k = rounded - ANGLE_ROUNDER;
  float r = ((x - k * 1.5703125f) - k * 4.83751297e-4f) - k * 7.54978942e-8f;
  float s = sin_of_quarter(r), c = cos_of_quarter(r);
  int isOdd = as_int(rounded) & 1;
  return (isOdd ? -c : s) / (isOdd ? s : c);
}
