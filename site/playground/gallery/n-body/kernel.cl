// SPDX-License-Identifier: Apache-2.0
// Two galaxies meet: every body pulls at every other. Their light is gathered in two colours.
float draw(uint* state) {
  *state = *state * 747796405u + 2891336453u;
  uint word = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737u;
  return (((word >> 22) ^ word) >> 8) / 16777216.0f;
}

// The first body of each half is a heavy one, and the others go round it.
kernel void place(global float4* from, global float4* speed, float spin) {
  int i = get_global_id(0), half_count = get_global_size(0) / 2, isFirst = i < half_count;
  uint state = i * 9781u + 1;
  float radius = 0.08f + 0.5f * draw(&state), angle = 6.2831853f * draw(&state);
  float2 turn = (float2)(cos(angle), sin(angle));
  float3 home = isFirst ? (float3)(-0.75f, 0.1f, 0) : (float3)(0.75f, -0.1f, 0.1f);
  float3 drift = isFirst ? (float3)(0.22f, 0.16f, 0) : (float3)(-0.22f, -0.16f, 0);
  float around = spin * sqrt(0.45f / radius);
  float thick = 0.05f * (draw(&state) - 0.5f);
  float3 at = isFirst ? (float3)(radius * turn, thick) : (float3)(radius * turn.x, thick, radius * turn.y);
  float3 go = isFirst ? (float3)(-turn.y, turn.x, 0) : (float3)(-turn.y, 0, turn.x);
  int isHeavy = i == 0 || i == half_count;
  from[i] = (float4)(home + (isHeavy ? 0 : at), isHeavy ? 0.45f : 0.2f / half_count);
  speed[i] = (float4)(drift + (isHeavy ? 0 : around * go), 0);
}

kernel void attract(global const float4* from, global float4* to, global float4* speed, float pace) {
  int i = get_global_id(0), count = get_global_size(0);
  float3 own = from[i].xyz, pull = 0;
  for (int j = 0; j < count; j++) {
    float4 other = from[j];
    float3 away = other.xyz - own;
    float far = dot(away, away) + 0.002f;
    pull += away * (other.w / (far * sqrt(far)));
  }
  float3 next = speed[i].xyz + pace * pull;
  speed[i] = (float4)(next, 0);
  to[i] = (float4)(own + pace * next, from[i].w);
}

kernel void fade(global uint* glow, float trail) {
  int i = get_global_id(0);
  glow[i] = glow[i] * trail;
}

kernel void shine(global const float4* from, global uint* glow, float2 orbit) {
  int i = get_global_id(0), isFirst = i < get_global_size(0) / 2;
  float3 at = from[i].xyz;
  float c = cos(orbit.x), s = sin(orbit.x), up = cos(orbit.y), tilt = sin(orbit.y);
  float3 turned = (float3)(c * at.x + s * at.z, at.y, c * at.z - s * at.x);
  float height = up * turned.y - tilt * turned.z, depth = tilt * turned.y + up * turned.z + 3;
  int x = 320 + (int)(820 * turned.x / depth), y = 200 - (int)(820 * height / depth);
  if (x < 1 || x > 638 || y < 1 || y > 398 || depth < 0.2f) return;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      atomic_add(&glow[isFirst * 256000 + (y + dy) * 640 + x + dx], 90u >> 2 * (abs(dx) + abs(dy)));
}

kernel void picture_of(global const uint* glow, global uchar4* picture) {
  int i = get_global_id(1) * 640 + get_global_id(0);
  float warm = 1 - exp(-0.006f * glow[256000 + i]), cool = 1 - exp(-0.006f * glow[i]);
  float3 color = warm * (float3)(1.2f, 0.75f, 0.4f) + cool * (float3)(0.35f, 0.7f, 1.3f) + 0.03f;
  picture[i] = (uchar4)(convert_uchar3_sat(255 * color), 255);
}
