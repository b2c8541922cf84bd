// SPDX-License-Identifier: Apache-2.0
// construct: swizzles, conversions with saturation, matrices in constant memory

constant float4 matrix[3] = {{0.4124f, 0.3576f, 0.1805f, 0},
                             {0.2126f, 0.7152f, 0.0722f, 0},
                             {0.0193f, 0.1192f, 0.9505f, 0}};

float4 to_xyz(float4 rgba) {
  float4 linear = select(pow((rgba + 0.055f) / 1.055f, 2.4f), rgba / 12.92f, rgba <= 0.04045f);
  return (float4)(dot(matrix[0], linear), dot(matrix[1], linear), dot(matrix[2], linear), rgba.w);
}

static inline float curve(float t) { return t > 0.008856f ? cbrt(t) : 7.787f * t + 16.0f / 116.0f; }

kernel void rgb_to_lab(global const uchar4 *from, global float4 *to) {
  size_t i = get_global_id(0);
  float4 xyz = to_xyz(convert_float4(from[i]) / 255.0f);
  float x = curve(xyz.x / 0.95047f), y = curve(xyz.y), z = curve(xyz.z / 1.08883f);
  to[i] = (float4)(116.0f * y - 16.0f, 500.0f * (x - y), 200.0f * (y - z), xyz.w);
}

kernel void swap_channels(global uchar4 *pixels) {
  uchar4 p = pixels[get_global_id(0)];
  p.xz = p.zx;
  p.hi.odd = (uchar)(255 - p.w);
  pixels[get_global_id(0)] = p.s0123;
}

kernel void grey_to_rgb(global const ushort *from, global uchar *to, float gain) {
  size_t i = get_global_id(0);
  uchar3 grey = (uchar3)convert_uchar_sat(convert_float(from[i]) * gain);
  vstore3(grey, i, to);
}

kernel void blend_over(global const float4 *below, global const float4 *above, global float4 *out) {
  size_t i = get_global_id(0);
  float4 a = above[i], b = below[i];
  float alpha = a.w + b.w * (1.0f - a.w);
  out[i] = alpha == 0 ? (float4)0 : (float4)((a.xyz * a.w + b.xyz * b.w * (1.0f - a.w)) / alpha, alpha);
}
