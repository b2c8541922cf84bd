// SPDX-License-Identifier: Apache-2.0
// Conway's game of life. A cell that has died leaves a glow.
uint hash(uint x) {
  x = (x ^ (x >> 16)) * 0x7feb352d;
  x = (x ^ (x >> 15)) * 0x846ca68b;
  return x ^ (x >> 16);
}

kernel void seed(global uchar* from, global float* glow, int density) {
  int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  from[i] = (int)(hash(i) % 100) < density;
  glow[i] = 0;
}

kernel void life(global const uchar* from, global uchar* to, global float* glow, global uchar4* picture, float fade,
                 float4 pointer) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  int left = (x + width - 1) % width, right = (x + 1) % width;
  int up = (y + height - 1) % height * width, down = (y + 1) % height * width, row = y * width;
  int around = from[up + left] + from[up + x] + from[up + right] + from[row + left] + from[row + right] +
               from[down + left] + from[down + x] + from[down + right];
  int lives = around == 3 || (around == 2 && from[row + x]);
  float2 away = (float2)(x, y) - pointer.xy * (float2)(width, height);
  if (dot(away, away) < 40 && (x * 7 + y * 3) % 5 < 2) lives = 1;
  to[row + x] = lives;
  float old = glow[row + x];
  float now = lives ? min(old + 0.08f, 1.0f) : old * fade;
  glow[row + x] = now;
  float3 warm = mix((float3)(0.02f, 0.03f, 0.09f), (float3)(0.1f, 0.5f, 0.75f), smoothstep(0.0f, 0.5f, now));
  float3 color = lives ? mix((float3)(1.0f, 0.95f, 0.7f), (float3)(1.0f, 0.45f, 0.2f), now) : warm;
  picture[row + x] = (uchar4)(convert_uchar3_sat(255 * color), 255);
}
