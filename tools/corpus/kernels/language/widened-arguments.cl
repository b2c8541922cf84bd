// SPDX-License-Identifier: Apache-2.0
// construct: scalars as arguments for vector parameters of built-ins

kernel void widened(global float *p, global float4 *v, float s, int4 mask) {
  size_t i = get_global_id(0);
  float4 a = v[i];
  v[i] = fmax(a, s) + fmin(a, 1.0f) + clamp(a, 0.0f, s) + mix(a, v[i + 1], 0.5f) + smoothstep(0.0f, s, a);
  v[i] += step(s, a) + pown(a, (int4)(2)) + ldexp(a, 3) + max(a, 0.5f) + min(a, s);
  p[i] = dot(a.x, s) + length(s) + distance(a.y, s) + normalize(s);
}

kernel void widened_integers(global int4 *v, global uint2 *u, int s, uint t) {
  size_t i = get_global_id(0);
  v[i] = max(v[i], s) + min(v[i], 3) + clamp(v[i], -s, s);
  u[i] = clamp(u[i], 1u, t) + max(u[i], t);
}

kernel void stored(global float *p, global char *c, global int *q, float s) {
  size_t i = get_global_id(0);
  vstore3((float3)(s), i, p);
  vstore4((char4)(1), i, c);
  vstore2((int2)(i, 2), i, q);
  vstore16((float16)(s), 0, p);
}
