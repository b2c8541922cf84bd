// SPDX-License-Identifier: Apache-2.0
// Julia sets of z² + c. Each pixel is the mean of four points.
float3 colorOf(float2 z, float2 c, int steps) {
  float nearest = 1e9f;
  int i = 0;
  for (; i < steps && dot(z, z) < 40; i++) {
    z = (float2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
    nearest = min(nearest, fabs(z.x * z.y));
  }
  float t = i == steps ? 0 : native_log2(1 + i - native_log2(native_log2(dot(z, z)))) / 7;
  float glow = exp(-60 * nearest);
  float red = 0.1f + 1.1f * t * t + glow, green = 0.05f + 0.8f * t * t * t + 0.6f * glow;
  return (float3)(red, green, 0.15f + 0.7f * sqrt(t) * (1 - t) + 0.3f * glow);
}

kernel void julia(global uchar4* picture, float2 c, float swing, float seconds, float2 centre, float scale, int steps) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  float2 now = c + swing * (float2)(cos(0.7f * seconds), sin(0.53f * seconds));
  float pixel = 2 * scale / height;
  float3 sum = 0;
  for (int s = 0; s < 4; s++) {
    float2 at = (float2)(x + 0.5f * (s & 1), y + 0.5f * (s >> 1));
    sum += colorOf(centre + pixel * (at - 0.5f * (float2)(width, height)), now, steps);
  }
  picture[y * width + x] = (uchar4)(convert_uchar3_sat(255 * sum / 4), 255);
}
