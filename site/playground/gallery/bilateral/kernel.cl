// SPDX-License-Identifier: Apache-2.0
// A bilateral filter: the mean of the pixels about one, where near ones and those of like colour weigh more.
kernel void smooth(global const uchar4* from, global uchar4* to, int radius, float likeness) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float3 own = convert_float3(from[y * width + x].xyz) / 255;
  float3 sum = 0;
  float weights = 0, spread = 2.0f / (radius * radius + 1), narrow = 0.5f / (likeness * likeness);
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++) {
      int at = clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1);
      float3 other = convert_float3(from[at].xyz) / 255, apart = other - own;
      float weight = exp(-spread * (dx * dx + dy * dy) - narrow * dot(apart, apart));
      sum += weight * other;
      weights += weight;
    }
  to[y * width + x] = (uchar4)(convert_uchar3_sat(255 * sum / weights), 255);
}
