// SPDX-License-Identifier: Apache-2.0
// construct: components that are written in any order, halves and odd ones

kernel void written(global float4 *p, global int8 *q) {
  float4 v = p[get_global_id(0)];
  v.xw = v.yz;
  v.lo.y = 3.0f;
  v.even += v.odd;
  v.zyx = v.xyz;
  p[get_global_id(0)] = v;
  q[0].s7531 = q[1].s0246;
  q[get_global_id(0)].hi = q[2].lo.yxwz;
}
