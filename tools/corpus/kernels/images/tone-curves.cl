// SPDX-License-Identifier: Apache-2.0
// construct: curves by tables with interpolation, blend modes by switch, clipping by select

float curve_at(global const float *table, float v, int size) {
  float place = clamp(v, 0.0f, 1.0f) * (size - 1);
  int i = min((int)place, size - 2);
  return mix(table[i], table[i + 1], place - i);
}
kernel void apply_curves(read_only image2d_t in, write_only image2d_t out, global const float *tables, int size) {
  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 p = read_imagef(in, s, at);
  p.x = curve_at(tables, p.x, size);
  p.y = curve_at(tables + size, p.y, size);
  p.z = curve_at(tables + 2 * size, p.z, size);
  write_imagef(out, at, p);
}
float4 blend(float4 a, float4 b, int mode) {
  switch (mode) {
  case 0: return b;
  case 1: return a * b;
  case 2: return 1.0f - (1.0f - a) * (1.0f - b);
  case 3: return fmin(a, b);
  case 4: return fmax(a, b);
  case 5: return fabs(a - b);
  case 6: return select(1.0f - 2.0f * (1.0f - a) * (1.0f - b), 2.0f * a * b, a < 0.5f);
  case 7: return a + b - 1.0f;
  default: return a;
  }
}
kernel void blend_images(read_only image2d_t a, read_only image2d_t b, global const float *mask,
    write_only image2d_t out, int mode, int width) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 x = read_imagef(a, at), y = read_imagef(b, at);
  float4 z = mix(x, clamp(blend(x, y, mode), 0.0f, 1.0f), mask[at.y * width + at.x]);
  z.w = x.w;
  write_imagef(out, at, z);
}
kernel void recover_highlights(global float4 *pixels, float4 clip, int4 pattern) {
  size_t i = get_global_id(0);
  float4 p = pixels[i];
  int4 clipped = p >= clip;
  float sum = dot(select(p, (float4)(0), clipped), (float4)(1)), count = 4 + clipped.x + clipped.y + clipped.z +
      clipped.w;
  pixels[i] = count > 0 ? select(p, fmax(p, (float4)(sum / count)), clipped & pattern) : p;
}
