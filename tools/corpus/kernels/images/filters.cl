// SPDX-License-Identifier: Apache-2.0
// construct: samplers of the program, images read by int2 and float2, written with every type

constant sampler_t clamped = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
const sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

kernel void blur_box(read_only image2d_t from, write_only image2d_t to, int radius) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= get_image_dim(to)))
    return;
  float4 sum = 0;
  for (int y = -radius; y <= radius; y++)
    for (int x = -radius; x <= radius; x++)
      sum += read_imagef(from, clamped, at + (int2)(x, y));
  write_imagef(to, at, sum / (float)((2 * radius + 1) * (2 * radius + 1)));
}

kernel void resize(read_only image2d_t from, write_only image2d_t to) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 place = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(to));
  write_imagef(to, at, read_imagef(from, linear, place));
}

kernel void edges(read_only image2d_t from, global uchar *to, int pitch) {
  int2 at = {get_global_id(0), get_global_id(1)};
  float3 rows[3];
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 3; x++)
      ((float *)&rows[y])[x] =
          dot(read_imagef(from, clamped, at + (int2)(x - 1, y - 1)).xyz, (float3)(0.3f, 0.59f, 0.11f));
  float gx = rows[0].z + 2 * rows[1].z + rows[2].z - rows[0].x - 2 * rows[1].x - rows[2].x;
  float gy = rows[2].x + 2 * rows[2].y + rows[2].z - rows[0].x - 2 * rows[0].y - rows[0].z;
  to[at.y * pitch + at.x] = convert_uchar_sat_rte(255.0f * hypot(gx, gy));
}

kernel void threshold(read_only image2d_t from, write_only image2d_t to, uint4 limit) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  uint4 pixel = read_imageui(from, clamped, at);
  write_imageui(to, at, select((uint4)(0), (uint4)(255), pixel > limit));
}
