// SPDX-License-Identifier: Apache-2.0
// construct: every function of mathematics, on floats, doubles and vectors

#define ONE(type)                                                                                                      \
  kernel void functions_of_##type(global type *p) {                                                                    \
    size_t i = get_global_id(0);                                                                                       \
    type v = p[i], a = p[i + 1], w;                                                                                    \
    v += acos(a) + acosh(a) + acospi(a) + asin(a) + asinh(a) + asinpi(a) + atan(a) + atanh(a) + atanpi(a);             \
    v += cbrt(a) + ceil(a) + cos(a) + cosh(a) + cospi(a) + erf(a) + erfc(a) + exp(a) + exp2(a) + exp10(a) + expm1(a);  \
    v += fabs(a) + floor(a) + lgamma(a) + log(a) + log2(a) + log10(a) + log1p(a) + logb(a) + rint(a) + round(a);       \
    v += rsqrt(a) + sin(a) + sinh(a) + sinpi(a) + sqrt(a) + tan(a) + tanh(a) + tanpi(a) + tgamma(a) + trunc(a);        \
    v += atan2(v, a) + atan2pi(v, a) + copysign(v, a) + fdim(v, a) + fmax(v, a) + fmin(v, a) + fmod(v, a);             \
    v += hypot(v, a) + maxmag(v, a) + minmag(v, a) + nextafter(v, a) + pow(v, a) + powr(a, v) + remainder(v, a);       \
    v += fma(v, a, v) + mad(a, v, a) + fract(v, &w) + w + modf(v, &w) + w + sincos(v, &w) + w;                         \
    v += degrees(v) + radians(a) + sign(v) + mix(v, a, a) + step(v, a) + smoothstep(v, a, v) + clamp(v, a, v);         \
    p[i] = v;                                                                                                          \
  }
ONE(float)
ONE(float4)
ONE(double2)

kernel void with_integers(global float2 *p, global int2 *q) {
  size_t i = get_global_id(0);
  int2 n, s;
  p[i] = frexp(p[i], &n) + ldexp(p[i], n) + pown(p[i], q[i]) + rootn(p[i], q[i]) + remquo(p[i], p[0], &s)
      + lgamma_r(p[i], &s);
  q[i] = ilogb(p[i]) + n + s + isequal(p[i], p[0]) + isnotequal(p[i], p[0]) + isgreater(p[i], p[0]) + isless(p[i],
      p[0]);
  q[i] += isfinite(p[i]) + isinf(p[i]) + isnan(p[i]) + isnormal(p[i]) + isordered(p[i], p[0]) + isunordered(p[i], p[0])
      + signbit(p[i]);
  p[i] += nan(as_uint2(q[i])) + as_float2(islessgreater(p[i], p[0]) & islessequal(p[i], p[0]) & isgreaterequal(p[i],
      p[0]));
}

kernel void fast(global float4 *p) {
  size_t i = get_global_id(0);
  float4 v = p[i];
  v += native_cos(v) + native_exp(v) + native_exp2(v) + native_exp10(v) + native_log(v) + native_log2(v)
      + native_log10(v);
  v += native_recip(v) + native_rsqrt(v) + native_sin(v) + native_sqrt(v) + native_tan(v) + native_divide(v, p[0])
      + native_powr(v, p[0]);
  v += half_cos(v) + half_exp(v) + half_log2(v) + half_recip(v) + half_sqrt(v) + half_divide(v, p[0]) + half_powr(v,
      p[0]) + half_tan(v);
  p[i] = v + fast_length(v) + fast_distance(v, p[0]) + fast_normalize(v) + cross(v, p[0]) + dot(v, v) + distance(v,
      p[0]) + length(v);
}
