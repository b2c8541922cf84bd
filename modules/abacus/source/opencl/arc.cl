// Inverse trigonometric functions of floats and doubles, each computed in its own type, without branches.
#define O __attribute__((overloadable))
// pi/2 as a float, and what that lacks.
#define HALF_PI 1.57079637f
#define HALF_PI_REST -4.37113883e-8f
#define ONE_OVER_PI 0.318309886f
#define HALF_PI_DOUBLE 0x1.921fb54442d18p+0
#define HALF_PI_DOUBLE_REST 0x1.1a62633145c07p-54
#define ONE_OVER_PI_DOUBLE 0.3183098861837907

// atan(t) for t from 0 to 1, fitted for the least relative error.
static float atan_of_ratio(float t) {
  float z = t * t;
  float p = -1.7875476e-3f;
  p = p * z + 1.08873611e-2f;
  p = p * z - 3.11270021e-2f;
  p = p * z + 5.79065457e-2f;
  p = p * z - 8.40047523e-2f;
  p = p * z + 1.09511748e-1f;
  p = p * z - 1.4264052e-1f;
  p = p * z + 1.9998531e-1f;
  p = p * z - 3.33332986e-1f;
  return t + p * z * t;
}
O float atan(float x) {
  float a = fabs(x);
  int isSteep = a > 1.0f;
  float t = atan_of_ratio((isSteep ? 1.0f : a) / (isSteep ? a : 1.0f));
  return copysign(isSteep ? HALF_PI - (t - HALF_PI_REST) : t, x);
}
O float atan2(float y, float x) {
  float ax = fabs(x), ay = fabs(y);
  int isSteep = ay > ax;
  float large = isSteep ? ay : ax, little = isSteep ? ax : ay;
  // Two zeros make 0, two infinities 1.
  float ratio = little / (large == 0.0f ? 1.0f : large);
  float t = atan_of_ratio(little == INFINITY ? 1.0f : ratio);
  t = isSteep ? HALF_PI - (t - HALF_PI_REST) : t;
  t = as_int(x) < 0 ? 2.0f * HALF_PI - (t - 2.0f * HALF_PI_REST) : t;
  return isnan(x) | isnan(y) ? NAN : copysign(t, y);
}

// What asin is of s more than s, given s^2, for s from 0 to 1/2.
static float asin_rest(float s, float z) {
  float p = 4.21583056e-2f;
  p = p * z + 2.41847783e-2f;
  p = p * z + 4.54691499e-2f;
  p = p * z + 7.49530941e-2f;
  p = p * z + 1.66667521e-1f;
  return p * z * s;
}
// Beyond 1/2: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
O float asin(float x) {
  float a = fabs(x);
  int isNear = a > 0.5f;
  float z = isNear ? 0.5f - 0.5f * a : a * a, s = isNear ? sqrt(z) : a;
  float t = asin_rest(s, z);
  return copysign(isNear ? HALF_PI - (2.0f * (s + t) - HALF_PI_REST) : s + t, x);
}
O float acos(float x) {
  float a = fabs(x);
  int isNear = a > 0.5f;
  float z = isNear ? 0.5f - 0.5f * a : a * a, s = isNear ? sqrt(z) : a;
  float t = asin_rest(s, z);
  float y = isNear ? 2.0f * (s + t) : HALF_PI - (copysign(s, x) - (HALF_PI_REST - copysign(t, x)));
  return isNear & (x < 0.0f) ? 2.0f * HALF_PI - (y - 2.0f * HALF_PI_REST) : y;
}
O float asinpi(float x) { return asin(x) * ONE_OVER_PI; }
O float acospi(float x) { return acos(x) * ONE_OVER_PI; }
O float atanpi(float x) { return atan(x) * ONE_OVER_PI; }
O float atan2pi(float y, float x) { return atan2(y, x) * ONE_OVER_PI; }

// atan(q) for q from 0 to 1: above tan(pi/8) what it is more than pi/4.
static double atan_of_quotient(double q) {
  int isLarge = q > 0.41421356237309503;
  double t = (isLarge ? q - 1.0 : q) / (isLarge ? q + 1.0 : 1.0), z = t * t;
  double p = 0.016285183029778966;
  p = p * z - 0.03457004418600986;
  p = p * z + 0.04551573086660509;
  p = p * z - 0.052304498567083385;
  p = p * z + 0.058789283985170936;
  p = p * z - 0.06666424833613538;
  p = p * z + 0.07692296372129963;
  p = p * z - 0.09090908753400499;
  p = p * z + 0.11111111105153429;
  p = p * z - 0.14285714285659806;
  p = p * z + 0.19999999999999804;
  p = p * z - 0.3333333333333333;
  double y = t + p * z * t;
  return isLarge ? 0.5 * HALF_PI_DOUBLE + (y + 0.5 * HALF_PI_DOUBLE_REST) : y;
}
O double atan(double x) {
  double a = fabs(x);
  int isSteep = a > 1.0;
  double t = atan_of_quotient((isSteep ? 1.0 : a) / (isSteep ? a : 1.0));
  return copysign(isSteep ? HALF_PI_DOUBLE - (t - HALF_PI_DOUBLE_REST) : t, x);
}
O double atan2(double y, double x) {
  double ax = fabs(x), ay = fabs(y);
  int isSteep = ay > ax;
  double large = isSteep ? ay : ax, little = isSteep ? ax : ay;
  double ratio = little / (large == 0.0 ? 1.0 : large);
  double t = atan_of_quotient(little == INFINITY ? 1.0 : ratio);
  t = isSteep ? HALF_PI_DOUBLE - (t - HALF_PI_DOUBLE_REST) : t;
  t = as_long(x) < 0L ? 2.0 * HALF_PI_DOUBLE - (t - 2.0 * HALF_PI_DOUBLE_REST) : t;
  return isnan(x) | isnan(y) ? NAN : copysign(t, y);
}
static double asin_rest_double(double s, double z) {
  double p = 0.028757851367602328;
  p = p * z - 0.014851887071528912;
  p = p * z + 0.01740087944288715;
  p = p * z + 0.005457506718563782;
  p = p * z + 0.0103228143502052;
  p = p * z + 0.011479177415181617;
  p = p * z + 0.013971212973553311;
  p = p * z + 0.017352392720869945;
  p = p * z + 0.02237217294214989;
  p = p * z + 0.030381944138531247;
  p = p * z + 0.04464285714635543;
  p = p * z + 0.07499999999998433;
  p = p * z + 0.16666666666666669;
  return p * z * s;
}
O double asin(double x) {
  double a = fabs(x);
  int isNear = a > 0.5;
  double z = isNear ? 0.5 - 0.5 * a : a * a, s = isNear ? sqrt(z) : a;
  double t = asin_rest_double(s, z);
  return copysign(isNear ? HALF_PI_DOUBLE - (2.0 * (s + t) - HALF_PI_DOUBLE_REST) : s + t, x);
}
O double acos(double x) {
  double a = fabs(x);
  int isNear = a > 0.5;
  double z = isNear ? 0.5 - 0.5 * a : a * a, s = isNear ? sqrt(z) : a;
  double t = asin_rest_double(s, z);
  double y = isNear ? 2.0 * (s + t) : HALF_PI_DOUBLE - (copysign(s, x) - (HALF_PI_DOUBLE_REST - copysign(t, x)));
  return isNear & (x < 0.0) ? 2.0 * HALF_PI_DOUBLE - (y - 2.0 * HALF_PI_DOUBLE_REST) : y;
}
O double asinpi(double x) { return asin(x) * ONE_OVER_PI_DOUBLE; }
O double acospi(double x) { return acos(x) * ONE_OVER_PI_DOUBLE; }
O double atanpi(double x) { return atan(x) * ONE_OVER_PI_DOUBLE; }
O double atan2pi(double y, double x) { return atan2(y, x) * ONE_OVER_PI_DOUBLE; }
