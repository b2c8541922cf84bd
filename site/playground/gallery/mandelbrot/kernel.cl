// SPDX-License-Identifier: Apache-2.0
// How fast points of the plane leave z = z² + c, coloured smoothly.
kernel void mandelbrot(global uchar4* picture, double2 centre, double scale, int steps, float hue) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  double pixel = 2 * scale / height;
  double2 c = centre + pixel * (double2)(x - 0.5 * width, y - 0.5 * height);
  double2 z = 0;
  int i = 0;
  for (; i < steps && dot(z, z) < 64; i++)
    z = (double2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
  float smooth = i - log2(0.5f * log2((float)dot(z, z)) / 3);
  float3 wave = (float3)(0.0f, 0.13f, 0.27f) + hue + 0.38f * log2(1 + smooth);
  float3 color = i == steps ? 0 : 0.5f - 0.5f * cos(6.2831853f * wave);
  picture[y * width + x] = (uchar4)(convert_uchar3_sat(255 * color * color * (3 - 2 * color)), 255);
}
