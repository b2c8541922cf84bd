// Images at other sizes and angles.

// Bilinear resampling of four bytes a pixel, in fixed point.
kernel void resize_bilinear(int width, int height, uint stepX, uint stepY, int outWidth, global const uchar4 *image,
                            global uchar4 *out) {
  int x = get_global_id(0), y = get_global_id(1);
  uint fx = (uint)x * stepX, fy = (uint)y * stepY;
  int x0 = fx >> 16, y0 = fy >> 16;
  int x1 = min(x0 + 1, width - 1), y1 = min(y0 + 1, height - 1);
  uint wx = fx >> 8 & 255u, wy = fy >> 8 & 255u;
  uint4 a = convert_uint4(image[y0 * width + x0]), b = convert_uint4(image[y0 * width + x1]);
  uint4 c = convert_uint4(image[y1 * width + x0]), d = convert_uint4(image[y1 * width + x1]);
  uint4 top = a * (256u - wx) + b * wx, bottom = c * (256u - wx) + d * wx;
  out[y * outWidth + x] = convert_uchar4((top * (256u - wy) + bottom * wy + 32768u) >> 16);
}

// Rotation about the centre by a sampler that interpolates.
kernel void rotate_sampler(read_only image2d_t image, write_only image2d_t out, sampler_t sampler, float cosine,
                           float sine) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float2 centre = 0.5f * (float2)(get_image_width(image), get_image_height(image));
  float2 d = convert_float2(p) + 0.5f - centre;
  float2 from = centre + (float2)(cosine * d.x + sine * d.y, cosine * d.y - sine * d.x);
  write_imagef(out, p, read_imagef(image, sampler, from));
}
