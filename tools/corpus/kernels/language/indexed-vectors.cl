// SPDX-License-Identifier: Apache-2.0
// construct: vectors that are indexed by variables, and through pointers to their elements

kernel void indexed(global float4 *p, int i) {
  float4 v = p[get_global_id(0)];
  v[i & 3] += v[(i + 1) & 3];
  float *e = (float *)&v;
  e[i & 3] *= 2;
  p[get_global_id(0)] = v;
  p[0][i & 3] = 1;
}
