// SPDX-License-Identifier: Apache-2.0
// Filters for a picture: each is a function of a place.
float3 at(global const uchar4* photo, int x, int y) {
  int width = get_global_size(0), height = get_global_size(1);
  return convert_float3(photo[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)].xyz) / 255;
}

// Kuwahara's filter: of four squares about the pixel the mean of the one that varies least.
float3 paint(global const uchar4* photo, int x, int y, int size) {
  float least = 1e9f;
  float3 best = 0;
  for (int corner = 0; corner < 4; corner++) {
    int left = corner % 2 ? x : x - size, top = corner / 2 ? y : y - size;
    float3 sum = 0, squares = 0;
    for (int j = 0; j <= size; j++)
      for (int i = 0; i <= size; i++) {
        float3 color = at(photo, left + i, top + j);
        sum += color;
        squares += color * color;
      }
    float count = (size + 1) * (size + 1);
    float3 mean = sum / count, spread = squares / count - mean * mean;
    if (spread.x + spread.y + spread.z < least) least = spread.x + spread.y + spread.z, best = mean;
  }
  return best;
}

// Dots on a grid that is turned by 45 degrees; the darker, the larger.
float3 halftone(global const uchar4* photo, int x, int y, int size) {
  float step = 2 * size + 2, u = (x + y) / step, v = (x - y) / step;
  float across = (floor(u) + 0.5f) * step, down = (floor(v) + 0.5f) * step;
  float3 color = at(photo, (int)((across + down) / 2), (int)((across - down) / 2));
  float light = dot(color, (float3)(0.3f, 0.59f, 0.11f));
  float far = hypot(u - floor(u) - 0.5f, v - floor(v) - 0.5f);
  float ink = 1 - smoothstep(-0.06f, 0.06f, far - 0.7f * sqrt(1 - light));
  return mix((float3)(0.98f, 0.95f, 0.88f), (float3)(0.08f, 0.1f, 0.22f), ink);
}

float3 whirl(global const uchar4* photo, int x, int y, int size) {
  float2 middle = (float2)(get_global_size(0), get_global_size(1)) / 2, away = (float2)(x, y) - middle;
  float angle = 0.35f * size * exp(-dot(away, away) / (0.12f * middle.x * middle.x)), c = cos(angle), s = sin(angle);
  return at(photo, (int)(middle.x + c * away.x - s * away.y), (int)(middle.y + s * away.x + c * away.y));
}

kernel void filter(global const uchar4* photo, global uchar4* picture, int effect, int size) {
  int x = get_global_id(0), y = get_global_id(1);
  float3 color;
  switch (effect) {
    case 0: color = paint(photo, x, y, size); break;
    case 1: color = halftone(photo, x, y, size); break;
    case 2: color = whirl(photo, x, y, size); break;
    case 3: color = at(photo, x / (2 * size) * 2 * size + size, y / (2 * size) * 2 * size + size); break;
    default: color = 0.5f + 1.5f * (at(photo, x + size / 2, y + size / 2) - at(photo, x - size / 2, y - size / 2));
  }
  picture[y * get_global_size(0) + x] = (uchar4)(convert_uchar3_sat(255 * color), 255);
}
