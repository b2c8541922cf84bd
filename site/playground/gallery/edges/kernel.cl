// SPDX-License-Identifier: Apache-2.0
// Edges by Sobel's operator, drawn over the picture or on black.
float3 at(global const uchar4* from, int x, int y, int width, int height) {
  return convert_float3(from[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)].xyz) / 255;
}

kernel void edges(global const uchar4* from, global uchar4* to, float strength, float keep) {
  int x = get_global_id(0), y = get_global_id(1);
  int w = get_global_size(0), h = get_global_size(1);
  float3 across = at(from, x + 1, y - 1, w, h) + 2 * at(from, x + 1, y, w, h) + at(from, x + 1, y + 1, w, h) -
                  at(from, x - 1, y - 1, w, h) - 2 * at(from, x - 1, y, w, h) - at(from, x - 1, y + 1, w, h);
  float3 down = at(from, x - 1, y + 1, w, h) + 2 * at(from, x, y + 1, w, h) + at(from, x + 1, y + 1, w, h) -
                at(from, x - 1, y - 1, w, h) - 2 * at(from, x, y - 1, w, h) - at(from, x + 1, y - 1, w, h);
  float3 edge = strength * sqrt(across * across + down * down);
  to[y * w + x] = (uchar4)(convert_uchar3_sat(255 * (keep * at(from, x, y, w, h) + edge)), 255);
}
