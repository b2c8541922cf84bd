// One work-item a pixel: how long does z = z * z + c stay small?
kernel void mandelbrot(global uchar4* pixels, float2 centre,
                       float scale, int limit) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  int2 size = (int2)(get_global_size(0), get_global_size(1));
  float2 c = centre + scale * convert_float2(2 * at - size) / size.y;

  float2 z = 0;
  int steps = 0;
  while (steps < limit && dot(z, z) < 16) {
    z = (float2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
    steps++;
  }

  // Black inside; colours change smoothly outside.
  float depth = steps - log2(log2(dot(z, z)) / 2);
  float3 colour = 0.5f + 0.5f * cos(0.15f * depth + (float3)(3, 3.6f, 4.2f));
  if (steps == limit) colour = 0;
  uchar3 bytes = convert_uchar3_sat(255 * colour);
  pixels[at.y * size.x + at.x] = (uchar4)(bytes, 255);
}
