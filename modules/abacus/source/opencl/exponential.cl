// Exponentials, hyperbolic functions and error functions of floats, computed in floats: four fit where two doubles do.
// All without branches.
#define O __attribute__((overloadable))

// A number to which 1.5 * 2^23 is added is rounded to a whole one, which its last bits are.
#define ROUNDER 0x1.8p23f
static int whole_of(float rounded) { return as_int(rounded) - 0x4b400000; }
// 2^n for n from -126 to 127, where `rounded` is n and the rounder: 0 for -127, infinite for 128.
static float power_of_two(float rounded) { return as_float((as_int(rounded) - (0x4b400000 - 127)) << 23); }
// The value of an odd function at x from its value at |x|: zeros keep their signs.
static float exponential_odd(float y, float x) { return as_float(as_int(y) ^ (as_int(x) & (int)0x80000000)); }

// e^r for |r| <= 0.42, fitted for the least relative error up to 0.35.
static float exp_of_rest(float r) {
  float p = 1.38217327e-3f;
  p = p * r + 8.36885627e-3f;
  p = p * r + 4.16682586e-2f;
  p = p * r + 1.66665196e-1f;
  p = p * r + 4.9999994e-1f;
  return (p * (r * r) + r) + 1.0f;
}
// 2^n * e^r for n from -160 to 160, in two steps, so that results below the least normal number are rounded once.
static float scaled_power(int n, float r) {
  int first = n >> 1;
  return exp_of_rest(r) * as_float((first + 127) << 23) * as_float((n - first + 127) << 23);
}
// x - k * log(2): the first product is exact, for log(2) is cut into parts.
static float less_logarithms(float x, float k) { return (x - k * 0.693359375f) - k * -2.12194440e-4f; }
// Beyond the limits everything is 0 or infinite; a NaN stays.
static float within(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
O float exp(float x) {
  float c = within(x, -105.0f, 89.0f);
  float rounded = c * 1.44269504f + ROUNDER;
  return scaled_power(whole_of(rounded), less_logarithms(c, rounded - ROUNDER));
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
O float expm1(float x) {
  float c = within(x, -30.0f, 89.0f);
  float rounded = c * 1.44269504f + ROUNDER, k = rounded - ROUNDER;
  float high = c - k * 0.693359375f, low = k * -2.12194440e-4f, r = high - low;
  float p = 1.38705759e-3f;
  p = p * r + 8.36645253e-3f;
  p = p * r + 4.1667439e-2f;
  p = p * r + 1.6666545e-1f;
  p = p * r + 4.9999997e-1f;
  float s = (p * (r * r) + ((high - r) - low)) + r;
  // Half of 2^k: results are below 2^128 where 2^k is not.
  float t = power_of_two(rounded - 1.0f);
  return fabs(x) < 0x1p-24f ? x : 2.0f * (t * s + (t - 0.5f));
}

// Half of e^a for a >= 0.
static float half_power(float a) {
  float c = a > 91.0f ? 91.0f : a;
  float rounded = c * 1.44269504f + ROUNDER;
  return scaled_power(whole_of(rounded) - 1, less_logarithms(c, rounded - ROUNDER));
}
O float sinh(float x) {
  float a = fabs(x), z = x * x, e = half_power(a);
  float p = 2.03728327e-4f;
  p = p * z + 8.33027437e-3f;
  p = p * z + 1.66667163e-1f;
  return exponential_odd(a < 1.0f ? a + p * z * a : e - 0.25f / e, x);
}
O float cosh(float x) {
  float e = half_power(fabs(x));
  return e + 0.25f / e;
}
// e^x for |x| <= 87, which needs no two steps.
static float bounded_power(float x) {
  float rounded = x * 1.44269504f + ROUNDER;
  return exp_of_rest(less_logarithms(x, rounded - ROUNDER)) * power_of_two(rounded);
}
O float tanh(float x) {
  float a = fabs(x), z = x * x;
  float p = 2.118011238e-3f;
  p = p * z - 8.150689304e-3f;
  p = p * z + 2.169015072e-2f;
  p = p * z - 5.394488946e-2f;
  p = p * z + 1.333319098e-1f;
  p = p * z - 3.333333135e-1f;
  float large = 1.0f - 2.0f / (bounded_power(2.0f * (a > 10.0f ? 10.0f : a)) + 1.0f);
  return exponential_odd(a < 0.625f ? a + a * z * p : large, x);
}

// erf(x) / x - 1 for |x| <= 1, where z is x^2: fitted for the least relative error of erf.
static float erf_of_square(float z) {
  float p = 7.85385346e-5f;
  p = p * z - 8.01019138e-4f;
  p = p * z + 5.18832728e-3f;
  p = p * z - 2.68538110e-2f;
  p = p * z + 1.12835854e-1f;
  p = p * z - 3.76126260e-1f;
  return p * z + 1.28379166e-1f;
}
// From 1 on log(1 - erf(a)) / a is a polynomial in a.
O float erf(float x) {
  float a = fabs(x), t = a > 4.0f ? 4.0f : a;
  float q = 1.23397685e-5f;
  q = q * t - 3.33963340e-4f;
  q = q * t + 3.68812052e-3f;
  q = q * t - 2.38592979e-2f;
  q = q * t + 1.06350593e-1f;
  q = q * t + 6.35082006e-1f;
  q = q * t + 1.12866569f;
  return exponential_odd(a < 1.0f ? a + a * erf_of_square(x * x) : 1.0f - bounded_power(-t * q), x);
}
// From 1/2 on e^(a^2) * erfc(a) * (1 + 2 a) is a polynomial in (a - 3) / (a + 3).
O float erfc(float x) {
  float a = fabs(x), b = a > 10.5f ? 10.5f : a;
  float t = (b - 3.0f) / (b + 3.0f);
  float q = -1.11867755e-3f;
  q = q * t + 1.29700557e-3f;
  q = q * t + 2.71793269e-3f;
  q = q * t - 2.34202463e-2f;
  q = q * t + 6.82824776e-2f;
  q = q * t - 1.19343609e-1f;
  q = q * t + 1.2964572e-1f;
  q = q * t - 4.75576222e-2f;
  q = q * t - 1.35621101e-1f;
  q = q * t + 1.25300801f;
  // The square of the high half is exact: what it lacks goes into the rest of the reduction.
  float h = as_float(as_int(b) & (int)0xfffff000), c = -h * h;
  float rounded = c * 1.44269504f + ROUNDER;
  float y = scaled_power(whole_of(rounded), less_logarithms(c, rounded - ROUNDER) + (h - b) * (h + b)) *
            (q / (1.0f + 2.0f * b));
  y = x < 0.0f ? 2.0f - y : y;
  return a < 0.5f ? 1.0f - (x + x * erf_of_square(x * x)) : y;
}

// The native variants: shorter polynomials, no denormals, no care for NaN. 0 from n = -127 down, infinite from 128 on.
static float native_scaled(float rounded, float r) {
  float p = 8.31251405e-3f;
  p = p * r + 4.18902189e-2f;
  p = p * r + 1.66671142e-1f;
  p = p * r + 4.99992311e-1f;
  p = p * r + 1.0f;
  return (p * r + 1.0f) * power_of_two(rounded);
}
O float native_exp(float x) {
  float c = within(x, -88.0f, 89.0f);
  float rounded = c * 1.44269504f + ROUNDER;
  return native_scaled(rounded, less_logarithms(c, rounded - ROUNDER));
}
O float native_exp2(float x) {
  float c = within(x, -127.0f, 128.0f);
  float rounded = c + ROUNDER;
  return native_scaled(rounded, (c - (rounded - ROUNDER)) * 0.693147181f);
}
O float native_exp10(float x) {
  float c = within(x, -38.2f, 38.6f);
  float rounded = c * 3.32192809f + ROUNDER, k = rounded - ROUNDER;
  return native_scaled(rounded, ((c - k * 0x1.344p-2f) - k * 4.60503898e-6f) * 2.30258509f);
}
