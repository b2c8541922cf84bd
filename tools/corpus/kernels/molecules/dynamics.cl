// SPDX-License-Identifier: Apache-2.0
// construct: bonds, angles and dihedrals with many geometric functions; temperatures by reduction

kernel void bonds(global const float4 *x, global const int2 *pairs, global const float2 *terms, global float4 *forces) {
  int i = get_global_id(0);
  float3 d = x[pairs[i].x].xyz - x[pairs[i].y].xyz;
  float r = length(d), stretch = r - terms[i].y;
  forces[i] = (float4)(d * (-2 * terms[i].x * stretch / r), terms[i].x * stretch * stretch);
}
kernel void angles(global const float4 *x, global const int4 *triples, global const float2 *terms,
    global float8 *forces) {
  int i = get_global_id(0);
  float3 a = x[triples[i].x].xyz - x[triples[i].y].xyz, b = x[triples[i].z].xyz - x[triples[i].y].xyz;
  float c = clamp(dot(a, b) * rsqrt(dot(a, a) * dot(b, b)), -1.0f, 1.0f), angle = acos(c), s = sqrt(1.0f - c * c);
  float k = -2.0f * terms[i].x * (angle - terms[i].y) / fmax(s, 1e-6f);
  float3 fa = k * (normalize(b) - c * normalize(a)) / length(a), fb = k * (normalize(a) - c * normalize(b)) / length(b);
  forces[i] = (float8)(fa, fb, 0, 0);
}
kernel void dihedrals(global const float4 *x, global const int4 *fours, constant float *coefficients,
    global float *energy) {
  int i = get_global_id(0);
  float3 b1 = x[fours[i].y].xyz - x[fours[i].x].xyz, b2 = x[fours[i].z].xyz - x[fours[i].y].xyz,
      b3 = x[fours[i].w].xyz - x[fours[i].z].xyz;
  float3 m = cross(b1, b2), n = cross(b2, b3);
  float phi = atan2(dot(cross(m, n), normalize(b2)), dot(m, n)), sum = 0;
  for (int k = 0; k < 6; k++)
    sum += coefficients[k] * (1 + cos(k * phi));
  energy[i] = sum;
}
kernel void kinetic(global const float4 *v, global float *out, local float *shared, int n) {
  int i = get_global_id(0), t = get_local_id(0);
  shared[t] = i < n ? 0.5f * v[i].w * dot(v[i].xyz, v[i].xyz) : 0;
  for (int s = get_local_size(0) >> 1; s; s >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[t] += t < s ? shared[t + s] : 0;
  }
  if (!t)
    out[get_group_id(0)] = shared[0];
}
