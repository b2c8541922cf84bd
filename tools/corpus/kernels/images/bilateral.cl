// SPDX-License-Identifier: Apache-2.0
// construct: images of all dimensions, arrays of images, mixed samplers, weights by exponentials

kernel void bilateral(read_only image2d_t from, write_only image2d_t to, sampler_t s, float spatial, float range,
    int radius) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 centre = read_imagef(from, s, at), sum = 0;
  float weights = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      float4 p = read_imagef(from, s, at + (int2)(dx, dy)), d = p - centre;
      float w = native_exp(-(dx * dx + dy * dy) * spatial - dot(d.xyz, d.xyz) * range);
      sum += p * w;
      weights += w;
    }
  write_imagef(to, at, sum / weights);
}

kernel void project(read_only image3d_t volume, write_only image2d_t to, float step) {
  const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 place = convert_float2(at) / convert_float2(get_image_dim(to));
  float4 most = 0;
  for (float z = 0; z < 1.0f; z += step)
    most = fmax(most, read_imagef(volume, s, (float4)(place, z, 0)));
  write_imagef(to, at, most);
}

kernel void layers(read_only image2d_array_t from, write_only image2d_t to, read_only image1d_t curve,
    read_only image1d_buffer_t weights) {
  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  for (int i = 0; i < get_image_array_size(from); i++)
    sum += read_imagef(from, s, (int4)(at, i, 0)) * read_imagef(weights, i).x;
  sum.x = read_imagef(curve, s, (int)(sum.x * (get_image_width(curve) - 1))).x;
  write_imagef(to, at, sum);
}

kernel void swizzled(read_only image2d_t from, write_only image2d_t to, write_only image1d_array_t rows) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  int4 p = read_imagei(from, at);
  write_imagei(to, at, p.wzyx);
  write_imagei(rows, at, get_image_channel_order(from) == CLK_RGBA ? p : (int4)(get_image_channel_data_type(from)));
}
