// Powers and roots of floats, computed in floats, without branches.
#define O __attribute__((overloadable))
#define POWER_ROUNDER 0x1.8p23f
// 2 / log(2): eleven bits, the rest, and both.
#define TWO_OVER_LN2_HIGH 0x1.714p+1f
#define TWO_OVER_LN2_LOW 0x1.47652cp-11f
#define TWO_OVER_LN2 0x1.715476p+1f

// The upper twelve bits of the significand: products of two such numbers are exact.
static float head(float x) { return as_float(as_int(x) & (int)0xfffff000); }

static float between(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
// a^(y + rest) for finite a > 0, rest small next to y. The logarithm needs eight bits more than a float has, and their
// product with y too: sums of two floats. Products that sums count on are exact, so that fusing changes none.
static float power(float a, float y, float rest) {
  int isTiny = a < 0x1p-126f;
  int bits = as_int(isTiny ? a * 0x1p23f : a) - 0x3f3504f3;
  float e = (float)((bits >> 23) - (isTiny ? 23 : 0));
  float m = as_float((bits & 0x007fffff) + 0x3f3504f3), f = m - 1.0f;
  // s = f / (m + 1) in two parts: m + 1 may lose its last bit, and the quotient is rounded.
  float d = m + 1.0f, dh = head(d), dl = m - (dh - 1.0f), inverse = 1.0f / d;
  float s = f * inverse, sh = head(s), sl = ((f - sh * dh) - sh * dl) * inverse;
  // log2(m) = 2 / log(2) * (s + s^3 / 3 + s^5 / 5 + ...), fitted for the least relative error.
  float z = s * s;
  float p = 0.431061447f;
  p = p * z + 0.57675004f;
  p = p * z + 0.96179831f;
  float first = sh * TWO_OVER_LN2_HIGH, sum = e + first;
  float low = (first - (sum - e)) + ((p * (z * s) + sl * TWO_OVER_LN2) + sh * TWO_OVER_LN2_LOW);
  float g = sum + low, gh = head(g), gl = (g - gh) + (low - (g - sum));
  // Beyond 2^40 every power but those of 1 is 0 or infinite.
  float c = between(y, -0x1p40f, 0x1p40f);
  float ch = head(c), cl = (c - ch) + rest;
  float t = ch * gh, tl = cl * g + ch * gl;
  t = between(t, -200.0f, 200.0f);
  tl = between(tl, -1.0f, 1.0f);
  float rounded = t + POWER_ROUNDER, r = (t - (rounded - POWER_ROUNDER)) + tl;
  float q = 1.53274974e-4f;
  q = q * r + 1.33912417e-3f;
  q = q * r + 9.6185049e-3f;
  q = q * r + 5.55035919e-2f;
  q = q * r + 2.40226477e-1f;
  q = q * r + 6.93147182e-1f;
  // In two steps, so that results below the least normal number are rounded once.
  int n = as_int(rounded) - 0x4b400000, half1 = n >> 1;
  return (q * r + 1.0f) * as_float((half1 + 127) << 23) * as_float((n - half1 + 127) << 23);
}
// The same for every a >= 0, infinity included.
static float power_from_zero(float a, float y, float rest) {
  float edge = (a == 0.0f) == (y > 0.0f) ? 0.0f : INFINITY;
  // Before the choice: a call in one of its arms would be a branch.
  float r = power(a, y, rest);
  return (a == 0.0f) | (a == INFINITY) ? edge : r;
}
O float pow(float x, float y) {
  float r = power_from_zero(fabs(x), y, 0.0f);
  // Halves of odd numbers are not whole; every number from 2^24 on is even.
  int isWhole = trunc(y) == y, isOdd = isWhole & (trunc(y * 0.5f) != y * 0.5f);
  r = isOdd ? copysign(r, x) : r;
  r = (x < 0.0f) & (x > -INFINITY) & !isWhole ? NAN : r;
  r = isnan(x) | isnan(y) ? NAN : r;
  return (y == 0.0f) | (x == 1.0f) ? 1.0f : r;
}
O float powr(float x, float y) {
  float r = power_from_zero(fabs(x), y, 0.0f);
  int isNone = (x < 0.0f) | isnan(x) | isnan(y) | ((y == 0.0f) & ((x == 0.0f) | (x == INFINITY))) |
               ((x == 1.0f) & (fabs(y) == INFINITY));
  r = y == 0.0f ? 1.0f : r;
  return isNone ? NAN : r;
}
O float pown(float x, int n) {
  float y = (float)n;
  float r = power_from_zero(fabs(x), y, (float)((double)n - (double)y));
  r = (n & 1) ? copysign(r, x) : r;
  r = isnan(x) ? x : r;
  return n == 0 ? 1.0f : r;
}
O float rootn(float x, int n) {
  double inverse = 1.0 / (double)n;
  float y = (float)inverse;
  float r = power_from_zero(fabs(x), y, (float)(inverse - (double)y));
  r = (n & 1) ? copysign(r, x) : r;
  r = isnan(x) | ((x < 0.0f) & !(n & 1)) ? NAN : r;
  return n == 0 ? NAN : r;
}
O float native_powr(float x, float y) { return native_exp2(y * native_log2(x)); }

// A guess by a third of the exponent, then two steps of Halley's, the last one as a correction.
O float cbrt(float x) {
  float a = fabs(x);
  int isSmall = a < 0x1p-60f;
  float b = a * (isSmall ? 0x1p24f : 0x1p-3f);
  float y = as_float((int)((float)as_int(b) * 0.333333343f) + 0x2a510000);
  float c = y * y * y;
  y = y * ((c + 2.0f * b) / (2.0f * c + b));
  c = y * y * y;
  y = (y - y * ((c - b) / (2.0f * c + b))) * (isSmall ? 0x1p-8f : 2.0f);
  return (a == 0.0f) | !(a < INFINITY) ? x : copysign(y, x);
}
O float hypot(float x, float y) {
  float a = fabs(x), b = fabs(y), most = a > b ? a : b;
  // No square leaves the range.
  float scale = most > 0x1p60f ? 0x1p-70f : most < 0x1p-40f ? 0x1p100f : 1.0f;
  float back = most > 0x1p60f ? 0x1p70f : most < 0x1p-40f ? 0x1p-100f : 1.0f;
  a *= scale;
  b *= scale;
  float r = sqrt(a * a + b * b) * back;
  return isinf(x) | isinf(y) ? INFINITY : r;
}
// Half the exponent and a straight line are right to 7 %; a polynomial of x times the guess's square, about the middle
// of its range, leaves eight units. No denormals, no infinities, no NaN; something large for zero.
O float native_rsqrt(float x) {
  float y = as_float(0x5f300000 - (as_int(x) >> 1));
  float d = x * y * y - 0.93359375f;
  float p = -0.398870737f;
  p = p * d + 0.446569175f;
  p = p * d - 0.554283917f;
  p = p * d + 1.03495336f;
  return p * y;
}
