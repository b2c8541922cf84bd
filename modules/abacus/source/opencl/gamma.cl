// The gamma function and its logarithm.
// Sums of parts rely on rounded products, so nothing is contracted.
#pragma OPENCL FP_CONTRACT OFF
#define O __attribute__((overloadable))
#define HALF_LOG_2_PI 0.918938533204672741780
#define SQRT_2_PI 2.50662827463100050242
// From here on Stirling's series is exact enough.
#define STIRLING_FROM 11.0

// 1 / gamma(1 + x) - 1 for |x| <= 1/2: the Taylor series of an entire function, which ends soon.
static double reciprocal_gamma(double x) {
  double p = -3.6968056186422057e-12;
  p = p * x + 7.7822634399050713e-12;
  p = p * x + 1.0434267116911005e-10;
  p = p * x - 1.1812745704870201e-9;
  p = p * x + 5.0020076444692229e-9;
  p = p * x + 6.1160951044814158e-9;
  p = p * x - 2.0563384169776071e-7;
  p = p * x + 1.1330272319816959e-6;
  p = p * x - 1.2504934821426707e-6;
  p = p * x - 2.0134854780788239e-5;
  p = p * x + 1.2805028238811619e-4;
  p = p * x - 2.1524167411495097e-4;
  p = p * x - 1.1651675918590651e-3;
  p = p * x + 7.2189432466630995e-3;
  p = p * x - 9.6219715278769736e-3;
  p = p * x - 4.2197734555544337e-2;
  p = p * x + 1.6653861138229149e-1;
  p = p * x - 4.2002635034095236e-2;
  p = p * x - 6.5587807152025388e-1;
  p = p * x + 5.7721566490153286e-1;
  return p * x;
}

// log(gamma(x)) - ((x - 1/2) log x - x + log(2 pi) / 2), by Bernoulli numbers.
static double stirling_rest(double x) {
  double y = 1.0 / x;
  double z = y * y;
  double p = 1.0 / 156.0;
  p = p * z - 691.0 / 360360.0;
  p = p * z + 1.0 / 1188.0;
  p = p * z - 1.0 / 1680.0;
  p = p * z + 1.0 / 1260.0;
  p = p * z - 1.0 / 360.0;
  p = p * z + 1.0 / 12.0;
  return p * y;
}

// gamma(x) for 0 < x < STIRLING_FROM. Subtracting ones is exact; the products are few.
static double gamma_small(double x) {
  if (x < 0.5) return 1.0 / (x * (1.0 + reciprocal_gamma(x)));
  double product = 1.0, y = x;
  while (y > 1.5) {
    y -= 1.0;
    product *= y;
  }
  return product / (1.0 + reciprocal_gamma(y - 1.0));
}

// gamma(x) from STIRLING_FROM on as a product of two, either of which is in range where the product or its reciprocal
// is.
static double gamma_large(double x, double *factor) {
  double root = pow(x, 0.5 * x - 0.25);
  *factor = root;
  return SQRT_2_PI * exp(-x) * exp(stirling_rest(x)) * root;
}

O double tgamma(double x) {
  if (isnan(x)) return x;
  if (x == 0.0) return copysign(INFINITY, x);
  if (x > 0.0) {
    if (x < STIRLING_FROM) return gamma_small(x);
    if (x > 172.0) return INFINITY;
    double factor;
    double y = gamma_large(x, &factor);
    return y * factor;
  }
  if (floor(x) == x) return NAN;
  // gamma(x) gamma(-x) = -pi / (x sin(pi x))
  double y = -x, s = sinpi(x);
  if (y > 185.0) return copysign(0.0, s);
  if (y < 0x1p-60) return 1.0 / x;
  double product = 3.14159265358979323846 / (y * s);
  if (y < STIRLING_FROM) return product / gamma_small(y);
  double factor;
  double z = gamma_large(y, &factor);
  return product / z / factor;
}

static double lgamma_positive(double x) {
  if (x < 0.5) return -log(x) - log1p(reciprocal_gamma(x));
  // The logarithm is zero at 1 and 2: near them it is taken of the difference from 1.
  if (x < 1.5) return 0.0 - log1p(reciprocal_gamma(x - 1.0));
  if (x < 2.5) return log1p(x - 2.0) - log1p(reciprocal_gamma(x - 2.0));
  if (x < STIRLING_FROM) return log(gamma_small(x));
  if (x > 0x1p54) return x * (log(x) - 1.0);
  return (x - 0.5) * (log(x) - 1.0) + ((HALF_LOG_2_PI - 0.5) + stirling_rest(x));
}

O double lgamma_r(double x, int *sign) {
  *sign = 1;
  if (isnan(x)) return x;
  if (isinf(x)) return INFINITY;
  if (x > 0.0) return lgamma_positive(x);
  if (x == 0.0) {
    *sign = signbit(x) ? -1 : 1;
    return INFINITY;
  }
  if (floor(x) == x) return INFINITY;
  double y = -x, s = sinpi(y);
  *sign = s > 0.0 ? -1 : 1;
  if (y < 0x1p-60) return -log(y);
  if (y < STIRLING_FROM) return log(3.14159265358979323846 / (y * fabs(s) * gamma_small(y)));
  return log(3.14159265358979323846 / (y * fabs(s))) - lgamma_positive(y);
}
O double lgamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

O float tgamma(float x) { return (float)tgamma((double)x); }
O float lgamma(float x) { return (float)lgamma((double)x); }
O float lgamma_r(float x, int *sign) { return (float)lgamma_r((double)x, sign); }
