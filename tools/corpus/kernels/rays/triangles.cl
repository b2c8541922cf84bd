// SPDX-License-Identifier: Apache-2.0
// construct: a stack of nodes in private memory, records with vectors at unusual offsets, barycentric places

typedef struct {
  float3 low;
  int left;
  float3 high;
  int count;
} node;
typedef struct __attribute__((packed)) {
  float v[9];
  ushort material;
} triangle;

bool meets_box(float3 o, float3 inverse, float3 low, float3 high, float far) {
  float3 a = (low - o) * inverse, b = (high - o) * inverse, n = fmin(a, b), f = fmax(a, b);
  return fmax(fmax(n.x, n.y), fmax(n.z, 0.0f)) <= fmin(fmin(f.x, f.y), fmin(f.z, far));
}
float meets_triangle(float3 o, float3 d, global const triangle *t, float2 *uv) {
  float3 a = (float3)(t->v[0], t->v[1], t->v[2]), e1 = (float3)(t->v[3], t->v[4], t->v[5]) - a, e2 = (float3)(t->v[6],
      t->v[7], t->v[8]) - a;
  float3 p = cross(d, e2), s = o - a, q = cross(s, e1);
  float det = dot(e1, p), inverse = 1.0f / det;
  *uv = (float2)(dot(s, p), dot(d, q)) * inverse;
  float distance = dot(e2, q) * inverse;
  return fabs(det) < 1e-8f || uv->x < 0 || uv->y < 0 || uv->x + uv->y > 1 ? INFINITY : distance;
}
kernel void trace(global const node *nodes, global const triangle *triangles, global const float4 *origins,
    global const float4 *directions, global float4 *hits) {
  size_t i = get_global_id(0);
  float3 o = origins[i].xyz, d = directions[i].xyz, inverse = 1.0f / d;
  int stack[32], top = 0;
  float4 hit = (float4)(0, 0, INFINITY, -1);
  stack[top++] = 0;
  while (top > 0) {
    node n = nodes[stack[--top]];
    if (!meets_box(o, inverse, n.low, n.high, hit.z))
      continue;
    if (n.count == 0) {
      stack[top++] = n.left;
      stack[top++] = n.left + 1;
      continue;
    }
    for (int k = n.left; k < n.left + n.count; k++) {
      float2 uv;
      float t = meets_triangle(o, d, triangles + k, &uv);
      if (t > 1e-4f && t < hit.z)
        hit = (float4)(uv, t, k);
    }
  }
  hits[i] = hit;
}
kernel void shade(global const float4 *hits, global const triangle *triangles, constant float4 *materials,
    global uint *pixels) {
  size_t i = get_global_id(0);
  float4 colour = hits[i].w < 0 ? (float4)(0.1f) : materials[triangles[(int)hits[i].w].material] * (1 - hits[i].x);
  uchar4 b = convert_uchar4_sat_rte(colour * 255);
  pixels[i] = as_uint(b);
}
