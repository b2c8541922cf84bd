// SPDX-License-Identifier: Apache-2.0
// A fractal flame (Draves, 1992): points jump by maps drawn at random, and where many land it glows.
constant float MAPS[4][6] = {
    {0.62f, -0.41f, 0.1f, 0.42f, 0.6f, -0.32f},
    {-0.48f, 0.3f, 0.55f, -0.2f, -0.56f, 0.4f},
    {0.3f, 0.52f, -0.6f, -0.5f, 0.32f, 0.1f},
    {0.44f, 0.0f, 0.2f, 0.0f, 0.44f, 0.6f},
};

float draw(uint* state) {
  *state = *state * 747796405u + 2891336453u;
  uint word = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737u;
  return (((word >> 22) ^ word) >> 8) / 16777216.0f;
}

kernel void jump(global uint4* light, int frame, float twist, float bend) {
  uint state = get_global_id(0) * 9781u + frame * 6271u + 1;
  float2 at = (float2)(2 * draw(&state) - 1, 2 * draw(&state) - 1);
  float hue = draw(&state);
  for (int i = 0; i < 72; i++) {
    int which = min(3, (int)(4 * draw(&state)));
    constant float* m = MAPS[which];
    float2 p = (float2)(m[0] * at.x + m[1] * at.y + m[2], m[3] * at.x + m[4] * at.y + m[5]);
    float far = dot(p, p), c = cos(twist * far), s = sin(twist * far);
    float2 swirl = (float2)(p.x * s - p.y * c, p.x * c + p.y * s), wave = (float2)(sin(p.x), sin(p.y));
    at = mix(which % 2 ? wave : p, swirl, bend);
    hue = 0.5f * (hue + which / 3.0f);
    int x = 240 + (int)floor(185 * at.x), y = 240 + (int)floor(185 * at.y);
    if (i < 12 || x < 0 || x > 479 || y < 0 || y > 479) continue;
    global uint* cell = (global uint*)&light[y * 480 + x];
    atomic_add(cell, (uint)(128 + 127 * cos(6.2831853f * (0.9f * hue + 0.95f))));
    atomic_add(cell + 1, (uint)(128 + 127 * cos(6.2831853f * (0.7f * hue + 0.1f))));
    atomic_add(cell + 2, (uint)(128 + 127 * cos(6.2831853f * (0.6f * hue + 0.4f))));
    atomic_add(cell + 3, 1);
  }
}

kernel void develop(global const uint4* light, global uchar4* picture, int frame, float glow) {
  int i = get_global_id(1) * 480 + get_global_id(0);
  uint4 sum = light[i];
  float bright = glow * log(1 + sum.w * 12.0f / (frame + 1)) / max(1u, sum.w) / 255;
  float3 color = pow(bright * convert_float3(sum.xyz), 0.7f);
  picture[i] = (uchar4)(convert_uchar3_sat(255 * color + 6), 255);
}
