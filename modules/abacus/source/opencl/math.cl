// Math functions. Doubles by reduction and series; floats that have no file of their own go through double or need no
// series. Sums of parts rely on rounded products, so nothing is contracted.
#pragma OPENCL FP_CONTRACT OFF
#define O __attribute__((overloadable))

// The value of an odd function at x from its value at |x|: zeros keep their signs.
static double odd_double(double y, double x) { return as_double(as_ulong(y) ^ (as_ulong(x) & 0x8000000000000000UL)); }

O double round(double x) {
  double t = trunc(x);
  return copysign(fabs(x - t) >= 0.5 ? t + copysign(1.0, x) : t, x);
}
O float round(float x) {
  float t = trunc(x);
  return copysign(fabs(x - t) >= 0.5f ? t + copysign(1.0f, x) : t, x);
}

// x * 2^n in two steps, so that neither over- nor underflows before the result does.
O double ldexp(double x, int n) {
  // Downwards in steps that leave more than 53 bits for the last one: where a step before it is rounded, the last gives
  // zero.
  int a = clamp(n, -2200, 2200);
  int h = a < -1022 ? -969 : a > 1023 ? 1000 : 0;
  a -= h;
  int r = a < -1022 ? -969 : a > 1023 ? 1000 : 0;
  a -= r;
  return x * as_double((ulong)(h + 1023) << 52) * as_double((ulong)(r + 1023) << 52) *
         as_double((ulong)(a + 1023) << 52);
}
// Doubles hold every product of which the float is not yet 0 or infinite: it is rounded once.
O float ldexp(float x, int n) { return (float)((double)x * as_double((ulong)(clamp(n, -300, 300) + 1023) << 52)); }

// e^r for |r| <= 0.35 by its series.
static double exp_series(double r) {
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  return p * r * r + r;
}

// 2^k * e^(r + low), low tiny.
static double exp_scaled(double k, double r, double low) {
  double s = exp_series(r);
  double y = 1.0 + (s + (low + low * s));
  int n = (int)k;
  int first = n / 2;
  return y * as_double((ulong)(first + 1023) << 52) * as_double((ulong)(n - first + 1023) << 52);
}

#define LN2_HIGH 0x1.62e42fefa38p-1
#define LN2_LOW 0x1.ef35793c7673p-45
O double exp(double x) {
  if (isnan(x)) return x;
  if (x > 709.79) return INFINITY;
  if (x < -745.2) return 0.0;
  double k = rint(x * 1.4426950408889634);
  double r = x - k * LN2_HIGH, low = -k * LN2_LOW;
  return exp_scaled(k, r, low);
}
O double exp2(double x) {
  if (isnan(x)) return x;
  if (x >= 1024.0) return INFINITY;
  if (x < -1075.0) return 0.0;
  double k = rint(x);
  double f = x - k;
  return exp_scaled(k, f * 0.6931471805599453, 0.0);
}
O double exp10(double x) {
  if (isnan(x)) return x;
  if (x > 308.3) return INFINITY;
  if (x < -323.7) return 0.0;
  double k = rint(x * 3.321928094887362);
  double r = x - k * 0x1.34413509f8p-2;
  double s = r - k * -0x1.80433b83b532ap-44;
  return exp_scaled(k, s * 2.302585092994046, 0.0);
}
O double expm1(double x) {
  if (fabs(x) < 0.35) return copysign(exp_series(x), x);
  if (!(fabs(x) < 37.0)) return exp(x) - 1.0;
  double k = rint(x * 1.4426950408889634);
  double s = exp_series(x - k * LN2_HIGH), low = -k * LN2_LOW;
  double t = as_double((ulong)((int)k + 1023) << 52);
  return t * (s + (low + low * s)) + (t - 1.0);
}

// 2/5 + 2/7 z + 2/9 z^2 + ...: the series of log((1 + s) / (1 - s)) in z = s^2, but for its first two terms.
static double log_tail(double z) {
  double p = 2.0 / 25.0;
  p = p * z + 2.0 / 23.0;
  p = p * z + 2.0 / 21.0;
  p = p * z + 2.0 / 19.0;
  p = p * z + 2.0 / 17.0;
  p = p * z + 2.0 / 15.0;
  p = p * z + 2.0 / 13.0;
  p = p * z + 2.0 / 11.0;
  p = p * z + 2.0 / 9.0;
  p = p * z + 2.0 / 7.0;
  p = p * z + 2.0 / 5.0;
  return p;
}

// log of the significand m in [sqrt(1/2), sqrt(2)), by the series in (m - 1) / (m + 1).
static double log_series(double f) {
  double s = f / (2.0 + f);
  double z = s * s;
  double p = log_tail(z) * z + 2.0 / 3.0;
  // log(1 + f) = f - s * (f - z * p): the leading term is exact.
  return f - s * (f - z * p);
}

static double significand(double x, int *exponent) {
  ulong bits = as_ulong(x);
  int e = (int)(bits >> 52);
  if (e == 0) {
    bits = as_ulong(x * 0x1p54);
    e = (int)(bits >> 52) - 54;
  }
  ulong m = bits & 0xfffffffffffffUL;
  int up = m >= 0x6a09e667f3bcdUL;
  *exponent = e - 1023 + up;
  return as_double(m | (up ? 0x3fe0000000000000UL : 0x3ff0000000000000UL));
}

O double log(double x) {
  if (isnan(x) || x == INFINITY) return x;
  if (x < 0.0) return NAN;
  if (x == 0.0) return -INFINITY;
  int e;
  double f = significand(x, &e) - 1.0;
  double k = (double)e;
  return k * LN2_HIGH + (log_series(f) + k * LN2_LOW);
}
O double log2(double x) {
  if (isnan(x) || x == INFINITY) return x;
  if (x < 0.0) return NAN;
  if (x == 0.0) return -INFINITY;
  int e;
  double f = significand(x, &e) - 1.0;
  return (double)e + log_series(f) * 1.4426950408889634;
}
O double log10(double x) {
  if (isnan(x) || x == INFINITY) return x;
  if (x < 0.0) return NAN;
  if (x == 0.0) return -INFINITY;
  int e;
  double f = significand(x, &e) - 1.0;
  return (double)e * 0.30102999566398120 + log_series(f) * 0.4342944819032518;
}
O double log1p(double x) {
  if (fabs(x) < 0.25) return log_series(x);
  double y = 1.0 + x;
  // What the sum rounded off.
  double rest = y > 0.0 && y < INFINITY ? (x - (y - 1.0)) / y : 0.0;
  return log(y) + rest;
}

// sin and cos of |r| <= pi/4.
static double sin_series(double r) {
  double z = r * r;
  double p = -1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  return r + r * z * p;
}
static double cos_series(double r) {
  double z = r * r;
  double p = 1.0 / 20922789888000.0;
  p = p * z - 1.0 / 87178291200.0;
  p = p * z + 1.0 / 479001600.0;
  p = p * z - 1.0 / 3628800.0;
  p = p * z + 1.0 / 40320.0;
  p = p * z - 1.0 / 720.0;
  p = p * z + 1.0 / 24.0;
  return 1.0 - (0.5 * z - z * z * p);
}

// The fraction bits of 2 / pi, after 64 zeros.
constant ulong TWO_OVER_PI[20] = {
  0UL, 0xa2f9836e4e441529UL, 0xfc2757d1f534ddc0UL, 0xdb6295993c439041UL,
  0xfe5163abdebbc561UL, 0xb7246e3a424dd2e0UL, 0x06492eea09d1921cUL, 0xfe1deb1cb129a73eUL,
  0xe88235f52ebb4484UL, 0xe99c7026b45f7e41UL, 0x3991d639835339f4UL, 0x9c845f8bbdf9283bUL,
  0x1ff897ffde05980fUL, 0xef2f118b5a0a6d1fUL, 0x6d367ecf27cb09b7UL, 0x4f463f669e5fea2dUL,
  0x7527bac7ebe5f17bUL, 0x3d0739f78a5292eaUL, 0x6bfb5fb11f8d5d08UL, 0x56033046fc7b6babUL
};

// x modulo pi/2 and the quadrant, for 2^20 < |x|: those bits of 2 / pi are multiplied that give neither whole turns nor
// nothing (M. Payne, R. Hanek, "Radian reduction for trigonometric functions", 1983).
static double quarter_far(double x, int *quadrant) {
  ulong bits = as_ulong(x);
  ulong m = (bits & 0xfffffffffffffUL) | 0x10000000000000UL;
  // |x| = m * 2^e. The window of 192 bits begins where a bit of the product is worth two quarter turns.
  int e = (int)((bits >> 52) & 2047UL) - 1075;
  int at = e + 62, word = at >> 6, off = at & 63;
  constant ulong *digits = TWO_OVER_PI + word;
  ulong w3 = digits[0], w2 = digits[1], w1 = digits[2], w0 = word + 3 < 20 ? digits[3] : 0UL;
  ulong high = off ? (w3 << off) | (w2 >> (64 - off)) : w3;
  ulong middle = off ? (w2 << off) | (w1 >> (64 - off)) : w2;
  ulong low = off ? (w1 << off) | (w0 >> (64 - off)) : w1;
  ulong r1 = mul_hi(m, low), t = m * middle;
  r1 += t;
  ulong r2 = mul_hi(m, middle) + m * high + (r1 < t ? 1UL : 0UL);
  int q = (int)(r2 >> 62);
  ulong f1 = (r2 << 2) | (r1 >> 62), f0 = r1 << 2;
  // The nearest quarter: the fraction is at most a half, of either sign.
  int isNegative = (int)(f1 >> 63);
  if (isNegative) {
    q++;
    f0 = ~f0 + 1UL;
    f1 = ~f1 + (f0 == 0UL ? 1UL : 0UL);
  }
  int n = f1 ? (int)clz(f1) : 0;
  ulong top = n ? (f1 << n) | (f0 >> (64 - n)) : f1;
  double r = (double)top * as_double((ulong)(1023 - 64 - n) << 52) * 1.5707963267948966;
  r = isNegative ? -r : r;
  *quadrant = (x < 0.0 ? -q : q) & 3;
  return x < 0.0 ? -r : r;
}

// x modulo pi/2 and the quadrant.
static double quarter(double x, int *quadrant) {
  if (fabs(x) > 0x1p20) return quarter_far(x, quadrant);
  double k = rint(x * 0.6366197723675814);
  *quadrant = (int)k & 3;
  double r = x - k * 0x1.921fb54400000p+0;
  r -= k * 0x1.0b4611a600000p-34;
  return r - k * 0x1.3198a2e037073p-69;
}
O double sin(double x) {
  if (!isfinite(x)) return NAN;
  int q;
  double r = quarter(fabs(x), &q);
  double y = (q & 1) ? cos_series(r) : sin_series(r);
  return odd_double((q & 2) ? -y : y, x);
}
O double cos(double x) {
  if (!isfinite(x)) return NAN;
  int q;
  double r = quarter(x, &q);
  double y = (q & 1) ? sin_series(r) : cos_series(r);
  return (q == 1 || q == 2) ? -y : y;
}
O double sincos(double x, double *c) {
  if (!isfinite(x)) {
    *c = NAN;
    return NAN;
  }
  int q;
  double r = quarter(fabs(x), &q);
  double s = sin_series(r), t = cos_series(r);
  double y = (q & 1) ? t : s, z = (q & 1) ? s : t;
  *c = (q == 1 || q == 2) ? -z : z;
  return odd_double((q & 2) ? -y : y, x);
}
O double tan(double x) {
  if (!isfinite(x)) return NAN;
  int q;
  double r = quarter(fabs(x), &q);
  double s = sin_series(r), c = cos_series(r);
  return odd_double((q & 1) ? -c / s : s / c, x);
}

// pi times what a >= 0 is over the nearest half, and the number of halves modulo 4. All but the product is exact.
static double half_turn(double a, int *halves) {
  double r = a - 2.0 * rint(a * 0.5);
  double k = rint(r * 2.0);
  *halves = (int)k & 3;
  return (r - 0.5 * k) * 3.141592653589793;
}
O double sinpi(double x) {
  int q;
  double t = half_turn(fabs(x), &q);
  double y = (q & 1) ? cos_series(t) : sin_series(t);
  // Zeros of whole numbers are positive: adding one makes them so.
  return odd_double(((q & 2) ? -y : y) + 0.0, x);
}
O double cospi(double x) {
  int q;
  double t = half_turn(fabs(x), &q);
  double y = (q & 1) ? sin_series(t) : cos_series(t);
  return ((q == 1 || q == 2) ? -y : y) + 0.0;
}
O double tanpi(double x) { return sinpi(x) / cospi(x); }

O double sinh(double x) {
  double a = fabs(x);
  double e = expm1(a > 710.0 ? 710.0 : a);
  double y = a > 709.0 ? 0.5 * exp(a * 0.5) * exp(a * 0.5) : 0.5 * (e + e / (e + 1.0));
  return copysign(y, x);
}
O double cosh(double x) {
  double a = fabs(x);
  if (a > 709.0) return 0.5 * exp(a * 0.5) * exp(a * 0.5);
  double e = exp(a);
  return 0.5 * e + 0.5 / e;
}
O double tanh(double x) {
  double a = fabs(x);
  if (a > 22.0) return copysign(1.0, x);
  double e = expm1(2.0 * a);
  return copysign(e / (e + 2.0), x);
}
O double asinh(double x) {
  double a = fabs(x);
  double y = a > 0x1p28 ? log(a) + 0.6931471805599453 : log1p(a + a * a / (1.0 + sqrt(a * a + 1.0)));
  return copysign(y, x);
}
O double acosh(double x) {
  return x < 1.0 ? NAN : x > 0x1p28 ? log(x) + 0.6931471805599453 : log1p((x - 1.0) + sqrt((x - 1.0) * (x + 1.0)));
}
O double atanh(double x) { return fabs(x) > 1.0 ? NAN : copysign(0.5 * log1p(2.0 * fabs(x) / (1.0 - fabs(x))), x); }

O double cbrt(double x) {
  if (x == 0.0 || !isfinite(x)) return x;
  // x = a * 8^k with a from 1/2 to 8: no power of it leaves the range.
  int e = ilogb(x);
  int k = (e - (e < 0 ? 2 : 0)) / 3;
  double a = ldexp(fabs(x), -3 * k);
  double y = exp(log(a) * 0.3333333333333333);
  y = y - (y * y * y - a) / (3.0 * y * y);
  return copysign(ldexp(y, k), x);
}
O double hypot(double x, double y) {
  double a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
  if (isinf(x) || isinf(y)) return INFINITY;
  if (isnan(x) || isnan(y)) return NAN;
  if (a == 0.0) return 0.0;
  int scale = a > 0x1p500 ? -600 : a < 0x1p-500 ? 600 : 0;
  a = ldexp(a, scale);
  b = ldexp(b, scale);
  return ldexp(sqrt(a * a + b * b), -scale);
}

// What the product p of a and b was rounded off: halves of 26 bits multiply exactly.
#pragma OPENCL FP_CONTRACT OFF
static double product_rest(double a, double b, double p) {
  double ah = as_double(as_ulong(a) & 0xfffffffff8000000UL), bh = as_double(as_ulong(b) & 0xfffffffff8000000UL);
  double al = a - ah, bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}
#define TWO_THIRDS 0x1.5555555555555p-1
#define TWO_THIRDS_REST 0x1.5555555555555p-55
// log(x) as a sum of two doubles, good to 70 bits: a large exponent multiplies the error.
static double log_extended(double x, double *rest) {
  int e;
  double m = significand(x, &e);
  double f = m - 1.0;
  // m + 1 may lose its last bit, and the division rounds: t is what s lacks of f / (m + 1).
  double d = m + 1.0;
  double s = f / d, back = s * d;
  double t = ((f - back) - product_rest(s, d, back) - s * (m - (d - 1.0))) / d;
  // log((1 + s) / (1 - s)) = 2 s + 2/3 s^3 + 2/5 s^5 + ...: the first two terms take two doubles each.
  double z = s * s, zr = product_rest(s, s, z) + 2.0 * s * t;
  double c = s * z, cr = product_rest(s, z, c) + s * zr + t * z;
  double q = c * TWO_THIRDS, qr = product_rest(c, TWO_THIRDS, q) + cr * TWO_THIRDS + c * TWO_THIRDS_REST;
  double p = log_tail(z);
  double k = (double)e, a = k * LN2_HIGH;
  double first = a + 2.0 * s, second = first + q;
  double low = (2.0 * s - (first - a)) + (q - (second - first)) + (qr + c * z * p + 2.0 * t + k * LN2_LOW);
  double high = second + low;
  *rest = low - (high - second);
  return high;
}
static double pow_positive(double x, double y) {
  double low, high = log_extended(x, &low);
  // y * (high + low) = a + b
  double a = y * high;
  if (a > 710.0) return INFINITY;
  if (a < -746.0) return 0.0;
  double b = product_rest(y, high, a) + y * low;
  double n = rint(a * 1.4426950408889634);
  double r = a - n * LN2_HIGH;
  return exp_scaled(n, r, b - n * LN2_LOW);
}
O double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (isnan(x) || isnan(y)) return NAN;
  double ax = fabs(x);
  int whole = trunc(y) == y, odd = whole && fabs(y) < 0x1p53 && fabs(fmod(y, 2.0)) == 1.0;
  if (isinf(y)) return ax == 1.0 ? 1.0 : (ax > 1.0) == (y > 0.0) ? INFINITY : 0.0;
  if (ax == 0.0 || isinf(ax)) {
    double r = (ax == 0.0) == (y > 0.0) ? 0.0 : INFINITY;
    return odd ? copysign(r, x) : r;
  }
  if (x < 0.0 && !whole) return NAN;
  double r = pow_positive(ax, y);
  return x < 0.0 && odd ? -r : r;
}
O double powr(double x, double y) {
  if (x < 0.0 || isnan(x) || isnan(y)) return NAN;
  if ((x == 0.0 && y == 0.0) || (isinf(x) && y == 0.0) || (x == 1.0 && isinf(y))) return NAN;
  return pow(fabs(x), y);
}
O double pown(double x, int n) { return pow(x, (double)n); }
O double rootn(double x, int n) {
  if (n == 0) return NAN;
  int odd = n & 1;
  if (x < 0.0 && !odd) return NAN;
  if (x == 0.0) return n > 0 ? (odd ? x : 0.0) : (odd ? copysign(INFINITY, x) : INFINITY);
  double inverse = 1.0 / (double)n;
  double y = pow(fabs(x), inverse);
  // What the inverse lacks of 1 / n counts as often as the logarithm is large.
  double one = inverse * (double)n;
  double lack = (1.0 - one) - product_rest(inverse, (double)n, one);
  if (isfinite(y) && y > 0.0) y += y * (log(fabs(x)) * (lack * inverse));
  return copysign(y, x);
}
#pragma OPENCL FP_CONTRACT ON

O double fdim(double x, double y) { return isnan(x) || isnan(y) ? NAN : x > y ? x - y : 0.0; }
O double maxmag(double x, double y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); }
O double minmag(double x, double y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); }
O int ilogb(double x) {
  if (isnan(x)) return 2147483647;
  if (x == 0.0) return -2147483647 - 1;
  if (isinf(x)) return 2147483647;
  ulong bits = as_ulong(x) & 0x7fffffffffffffffUL;
  int e = (int)(bits >> 52);
  return e != 0 ? e - 1023 : -1011 - (int)clz(bits);
}
O double logb(double x) {
  if (isnan(x)) return x;
  if (isinf(x)) return INFINITY;
  return x == 0.0 ? -INFINITY : (double)ilogb(x);
}
O double fract(double x, double *whole) {
  double f = floor(x);
  *whole = f;
  return isinf(x) ? copysign(0.0, x) : isnan(x) ? x : fmin(x - f, 0x1.fffffffffffffp-1);
}
O double modf(double x, double *whole) {
  double t = trunc(x);
  *whole = t;
  return copysign(isinf(x) ? 0.0 : x - t, x);
}
O double frexp(double x, int *e) {
  if (x == 0.0 || !isfinite(x)) {
    *e = 0;
    return x;
  }
  int n = ilogb(x) + 1;
  *e = n;
  return ldexp(x, -n);
}
O double nextafter(double x, double y) {
  if (isnan(x) || isnan(y)) return NAN;
  if (x == y) return y;
  if (x == 0.0) return copysign(0x1p-1074, y);
  long bits = as_long(x);
  return as_double((x < y) == (x > 0.0) ? bits + 1 : bits - 1);
}
O double remquo(double x, double y, int *quotient) {
  *quotient = 0;
  if (isnan(x) || isnan(y) || isinf(x) || y == 0.0) return NAN;
  if (isinf(y)) return x;
  double ay = fabs(y), r = fabs(x);
  if (ay < 0x1p1017) r = fmod(r, ay * 128.0);
  int q = 0;
  for (int bit = 64; bit > 0; bit >>= 1) {
    double step = ay * (double)bit;
    if (r >= step) {
      r -= step;
      q += bit;
    }
  }
  if (r > ay - r || (r == ay - r && (q & 1))) {
    r -= ay;
    q++;
  }
  *quotient = (signbit(x) != signbit(y)) ? -(q & 127) : (q & 127);
  return signbit(x) ? -r : r;
}
O double remainder(double x, double y) {
  int q;
  return remquo(x, y, &q);
}
O double degrees(double x) { return x * 57.29577951308232; }
O double radians(double x) { return x * 0.017453292519943295; }
O double sign(double x) { return isnan(x) ? 0.0 : x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }
O double step(double edge, double x) { return x < edge ? 0.0 : 1.0; }
O double smoothstep(double a, double b, double x) {
  double t = clamp((x - a) / (b - a), 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}
O double nan(ulong code) { return as_double(code | 0x7ff8000000000000UL); }

// exp(a * a) * erfc(a) * (1 + 2 a) for 0.49 < a < 28, by a polynomial in (a - 3) / (a + 3) that was fitted to it at
// Chebyshev's points.
static double erfc_scaled(double a) {
  double t = (a - 3.0) / (a + 3.0);
  double p = -1.513457609540413458e-8;
  p = p * t + 2.25439222063065702e-8;
  p = p * t + 1.112032174991120728e-7;
  p = p * t - 1.207613272372611439e-7;
  p = p * t - 6.294535471384476887e-7;
  p = p * t + 3.438571234373372747e-7;
  p = p * t + 3.481522301508068897e-6;
  p = p * t - 7.26503596122607634e-7;
  p = p * t - 0.00002010444285812704293;
  p = p * t + 4.948260349531643582e-6;
  p = p * t + 0.0001251003836859570477;
  p = p * t - 0.0001051596108094724789;
  p = p * t - 0.0007798324436924848858;
  p = p * t + 0.001888690341200292491;
  p = p * t + 0.002529391833241227523;
  p = p * t - 0.02377051491763201287;
  p = p * t + 0.06830802734303059304;
  p = p * t - 0.1192736634153396699;
  p = p * t + 0.1296451587027847094;
  p = p * t - 0.04756229435345035029;
  p = p * t - 0.1356211061245813538;
  p = p * t + 1.253008058269729651;
  return p / (1.0 + 2.0 * a);
}
// erf for |x| < 1/2 by its series.
static double erf_small(double x) {
  double sum = x, term = x, z = x * x;
  for (int n = 1; n < 20; n++) {
    term *= -z / (double)n;
    sum += term / (double)(2 * n + 1);
  }
  return copysign(1.1283791670955126 * sum, x);
}
O double erfc(double x) {
  if (isnan(x)) return x;
  double a = fabs(x);
  if (a < 0.5) return 1.0 - erf_small(x);
  if (a > 27.3) return x < 0.0 ? 2.0 : 0.0;
  // The square of the high half is exact: what it lacks goes into a second power.
  double high = as_double(as_ulong(a) & 0xfffffffff8000000UL);
  double y = exp(-high * high) * exp((high - a) * (high + a)) * erfc_scaled(a);
  return x < 0.0 ? 2.0 - y : y;
}
O double erf(double x) { return fabs(x) < 0.5 ? erf_small(x) : isnan(x) ? x : copysign(1.0 - erfc(fabs(x)), x); }

O float degrees(float x) { return x * 57.2957795f; }
O float radians(float x) { return x * 0.0174532925f; }
O float remainder(float x, float y) { return (float)remainder((double)x, (double)y); }
O float fdim(float x, float y) { return isnan(x) || isnan(y) ? NAN : x > y ? x - y : 0.0f; }
O float maxmag(float x, float y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); }
O float minmag(float x, float y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); }
O int ilogb(float x) {
  int bits = as_int(x) & 0x7fffffff, e = (bits >> 23) - 127;
  e = e == -127 ? -118 - (int)clz(bits) : e;
  e = bits == 0 ? -2147483647 - 1 : e;
  return e == 128 ? 2147483647 : e;
}
O float logb(float x) {
  float y = x == 0.0f ? -INFINITY : (float)ilogb(x);
  return isfinite(x) ? y : x * x;
}
O float sign(float x) { return isnan(x) ? 0.0f : x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x; }
O float step(float edge, float x) { return x < edge ? 0.0f : 1.0f; }
O float smoothstep(float a, float b, float x) {
  float t = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return t * t * (3.0f - 2.0f * t);
}
O float nan(uint code) { return as_float(code | 0x7fc00000u); }
O float fract(float x, float *whole) {
  float f = floor(x);
  *whole = f;
  return isinf(x) ? copysign(0.0f, x) : isnan(x) ? x : fmin(x - f, 0x1.fffffep-1f);
}
O float modf(float x, float *whole) {
  float t = trunc(x);
  *whole = t;
  return copysign(isinf(x) ? 0.0f : x - t, x);
}
O float frexp(float x, int *e) {
  int isTiny = fabs(x) < 0x1p-126f, isNone = (x == 0.0f) | !isfinite(x);
  int bits = as_int(isTiny ? x * 0x1p24f : x);
  *e = isNone ? 0 : ((bits >> 23) & 255) - 126 - (isTiny ? 24 : 0);
  return isNone ? x : as_float((bits & (int)0x807fffff) | 0x3f000000);
}
O float remquo(float x, float y, int *quotient) { return (float)remquo((double)x, (double)y, quotient); }
O float nextafter(float x, float y) {
  if (isnan(x) || isnan(y)) return NAN;
  if (x == y) return y;
  if (x == 0.0f) return copysign(0x1p-149f, y);
  int bits = as_int(x);
  return as_float((x < y) == (x > 0.0f) ? bits + 1 : bits - 1);
}
