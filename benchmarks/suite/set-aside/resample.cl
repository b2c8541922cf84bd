// Rotation about the centre without a sampler: the nearest pixel, black outside.
kernel void rotate_plain(int width, int height, float cosine, float sine, global const uchar4 *image,
                         global uchar4 *out) {
  int x = get_global_id(0), y = get_global_id(1);
  float dx = (float)x + 0.5f - 0.5f * (float)width, dy = (float)y + 0.5f - 0.5f * (float)height;
  int fromX = convert_int_rtn(cosine * dx + sine * dy + 0.5f * (float)width);
  int fromY = convert_int_rtn(cosine * dy - sine * dx + 0.5f * (float)height);
  uchar4 pixel = (uchar4)(0, 0, 0, 255);
  if (fromX >= 0 && fromX < width && fromY >= 0 && fromY < height) pixel = image[fromY * width + fromX];
  out[y * width + x] = pixel;
}
