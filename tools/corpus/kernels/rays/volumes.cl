// SPDX-License-Identifier: Apache-2.0
// construct: signed distances by functions of functions, steps until a limit, matrices by rows

typedef struct { float4 rows[3]; } matrix;

float3 transform(const matrix m, float3 v) {
  float4 h = (float4)(v, 1.0f);
  return (float3)(dot(m.rows[0], h), dot(m.rows[1], h), dot(m.rows[2], h));
}

float ball(float3 p, float r) { return length(p) - r; }
float block(float3 p, float3 b) {
  float3 d = fabs(p) - b;
  return min(max(d.x, max(d.y, d.z)), 0.0f) + length(max(d, 0.0f));
}
float torus(float3 p, float2 t) { return length((float2)(length(p.xz) - t.x, p.y)) - t.y; }
float blend(float a, float b, float k) {
  float h = clamp(0.5f + 0.5f * (b - a) / k, 0.0f, 1.0f);
  return mix(b, a, h) - k * h * (1.0f - h);
}
float scene(float3 p, float time) {
  float a = blend(ball(p, 1.0f), block(p - (float3)(sin(time), 0, 0), (float3)(0.5f)), 0.3f);
  return min(a, max(torus(p, (float2)(1.6f, 0.3f)), -ball(p + (float3)(0, 0, 1.5f), 0.8f)));
}
float3 normal_at(float3 p, float time) {
  const float2 e = (float2)(1e-3f, 0);
  return normalize((float3)(scene(p + e.xyy, time) - scene(p - e.xyy, time), scene(p + e.yxy, time) - scene(p - e.yxy,
      time),
                            scene(p + e.yyx, time) - scene(p - e.yyx, time)));
}

kernel void march(write_only image2d_t out, matrix camera, float time, int limit) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 size = convert_float2(get_image_dim(out)), uv = (convert_float2(at) - 0.5f * size) / size.y;
  float3 origin = transform(camera, (float3)(0)), direction = normalize(transform(camera, (float3)(uv, 1.0f)) - origin);
  float t = 0;
  int i = 0;
  for (; i < limit; i++) {
    float d = scene(origin + t * direction, time);
    if (d < 1e-3f || t > 20.0f)
      break;
    t += d;
  }
  float3 colour = t > 20.0f ? (float3)(0) : 0.5f + 0.5f * normal_at(origin + t * direction, time);
  write_imagef(out, at, (float4)(colour, 1.0f - (float)i / limit));
}

kernel void meet_boxes(global const float8 *boxes, global const float8 *rays, global uint *hits, int count) {
  float8 r = rays[get_global_id(0)];
  float3 inverse = 1.0f / r.s456;
  uint found = UINT_MAX;
  float nearest = r.s7;
  for (int i = 0; i < count; i++) {
    float3 a = (boxes[i].s012 - r.s012) * inverse, b = (boxes[i].s456 - r.s012) * inverse;
    float3 low = fmin(a, b), high = fmax(a, b);
    float enter = fmax(fmax(low.x, low.y), fmax(low.z, 0.0f)), leave = fmin(fmin(high.x, high.y), high.z);
    if (enter <= leave && enter < nearest) {
      nearest = enter;
      found = i;
    }
  }
  hits[get_global_id(0)] = found;
}
