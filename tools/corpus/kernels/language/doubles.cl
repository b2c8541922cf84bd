// SPDX-License-Identifier: Apache-2.0
// construct: doubles in vectors, conversions, comparisons and literals

kernel void doubles(global double4 *p, global float4 *f, global long4 *l, double s) {
  size_t i = get_global_id(0);
  double4 v = p[i] * s + 0.1 * convert_double4(f[i]);
  long4 m = v > p[0];
  p[i] = select(v, p[i], m) + (m ? v : -v);
  f[i] = convert_float4_rtz(p[i]) + (float)s;
  l[i] = m & convert_long4_sat(p[i]) | isnan(v);
}
