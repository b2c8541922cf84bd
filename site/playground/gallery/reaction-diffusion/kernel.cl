// SPDX-License-Identifier: Apache-2.0
// Gray and Scott's model: one substance feeds another, which eats it. Both spread.
kernel void seed(global float2* from) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  int2 cell = (int2)(x, y) / 40;
  uint h = (cell.x * 73856093u ^ cell.y * 19349663u) % 97;
  int2 in = (int2)(x, y) % 40 - 10 - (int)(h % 20);
  from[y * width + x] = (float2)(1, h % 3 == 0 && abs(in.x) < 5 && abs(in.y) < 5 ? 1 : 0);
}

kernel void react(global const float2* from, global float2* to, float feed, float kill, float4 pointer) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
  int up = (y == 0 ? height - 1 : y - 1) * width, down = (y == height - 1 ? 0 : y + 1) * width, row = y * width;
  float2 s = from[row + x];
  float2 sides = from[row + left] + from[row + right] + from[up + x] + from[down + x];
  float2 corners = from[up + left] + from[up + right] + from[down + left] + from[down + right];
  float2 spread = 0.2f * sides + 0.05f * corners - s;
  float eaten = s.x * s.y * s.y;
  float2 next = s + (float2)(1.0f, 0.5f) * spread + (float2)(feed * (1 - s.x) - eaten, eaten - (kill + feed) * s.y);
  float2 away = (float2)(x, y) - pointer.xy * (float2)(width, height);
  if (dot(away, away) < 30 && pointer.z != 0) next.y = 0.9f;
  to[row + x] = clamp(next, 0.0f, 1.0f);
}

kernel void draw(global const float2* from, global uchar4* picture) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  float v = from[y * width + x].y;
  float slope = 4 * (from[y * width + max(x - 1, 0)].y - from[y * width + min(x + 1, width - 1)].y +
                     from[max(y - 1, 0) * width + x].y - from[min(y + 1, height - 1) * width + x].y);
  float t = clamp(v * 2.8f, 0.0f, 1.0f);
  float3 color = mix((float3)(0.06f, 0.07f, 0.16f), (float3)(0.09f, 0.45f, 0.55f), smoothstep(0.0f, 0.45f, t));
  color = mix(color, (float3)(0.98f, 0.85f, 0.55f), smoothstep(0.4f, 0.95f, t)) + 0.35f * slope * t;
  picture[y * width + x] = (uchar4)(convert_uchar3_sat(255 * color), 255);
}
