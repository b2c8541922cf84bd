// SPDX-License-Identifier: Apache-2.0
// Voronoi cells by jump flooding: pixels ask others, first far, then near, for the nearest point that they know of.
kernel void clear(global int* from) { from[get_global_id(1) * get_global_size(0) + get_global_id(0)] = -1; }

kernel void plant(global int* from, global float2* points, float seconds) {
  int i = get_global_id(0);
  uint h = (i + 1) * 2654435761u;
  float angle = seconds * (0.2f + (h >> 28) / 20.0f) + i;
  float2 home = (float2)(h >> 22, h >> 12 & 1023) / 1024;
  float2 at = 512 * clamp(home + 0.06f * (float2)(cos(angle), sin(angle)), 0.0f, 0.999f);
  points[i] = at;
  from[(int)at.y * 512 + (int)at.x] = i;
}

kernel void flood(global const int* from, global int* to, global const float2* points, int reach) {
  int x = get_global_id(0), y = get_global_id(1), best = -1;
  float least = 1e9f;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int column = clamp(x + dx * reach, 0, 511), row = clamp(y + dy * reach, 0, 511);
      int i = from[row * 512 + column];
      float2 away = points[max(i, 0)] - (float2)(x, y);
      if (i >= 0 && dot(away, away) < least) least = dot(away, away), best = i;
    }
  to[y * 512 + x] = best;
}

kernel void draw(global const int* from, global const float2* points, global uchar4* picture) {
  int x = get_global_id(0), y = get_global_id(1), i = from[y * 512 + x];
  float far = length(points[max(i, 0)] - (float2)(x, y));
  float light = far < 2 ? 0 : exp(-far / 45);
  float3 color = light * (0.6f + 0.4f * cos(2.4f * i + (float3)(0, 1.3f, 2.6f)));
  picture[y * 512 + x] = (uchar4)(convert_uchar3_sat(255 * color), 255);
}
