// SPDX-License-Identifier: Apache-2.0
// construct: functions with structs by value and by pointer, loops that end early, early returns

typedef struct {
  float3 origin, direction;
} ray;

typedef struct {
  float3 centre, colour;
  float radius, shine;
} sphere;

typedef struct {
  float distance;
  int index;
} hit;

bool meets(const ray r, constant sphere *s, float *distance) {
  float3 to = s->centre - r.origin;
  float along = dot(to, r.direction), squared = dot(to, to) - along * along;
  if (squared > s->radius * s->radius)
    return false;
  float half_chord = sqrt(s->radius * s->radius - squared);
  float t = along - half_chord > 1e-3f ? along - half_chord : along + half_chord;
  if (t <= 1e-3f)
    return false;
  *distance = t;
  return true;
}

hit nearest(const ray r, constant sphere *spheres, int count) {
  hit best = {.distance = MAXFLOAT, .index = -1};
  for (int i = 0; i < count; i++) {
    float distance;
    if (meets(r, &spheres[i], &distance) && distance < best.distance)
      best = (hit){distance, i};
  }
  return best;
}

kernel void render(global uchar4 *pixels, constant sphere *spheres, int count, int width, int height, float3 light) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  ray r = {(float3)(0, 0, -5), normalize((float3)((x - width * 0.5f) / width, (y - height * 0.5f) / width, 1.0f))};
  float3 colour = 0, weight = 1;
  for (int bounce = 0; bounce < 4; bounce++) {
    hit h = nearest(r, spheres, count);
    if (h.index < 0) {
      colour += weight * (float3)(0.2f, 0.3f, 0.5f) * (1.0f + r.direction.y);
      break;
    }
    constant sphere *s = spheres + h.index;
    float3 at = r.origin + r.direction * h.distance, normal = normalize(at - s->centre);
    ray shadow = {at, normalize(light - at)};
    if (nearest(shadow, spheres, count).index < 0)
      colour += weight * s->colour * max(dot(normal, shadow.direction), 0.0f);
    weight *= s->shine;
    if (all(weight < 0.01f))
      break;
    r.origin = at;
    r.direction -= 2.0f * dot(r.direction, normal) * normal;
  }
  pixels[y * width + x] = convert_uchar4_sat((float4)(colour, 1.0f) * 255.0f);
}
