// SPDX-License-Identifier: Apache-2.0
// construct: loops until a condition in vectors and in scalars, in float and in double

kernel void mandelbrot_double(global int *counts, double x0, double y0, double step, int width, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  double cx = x0 + px * step, cy = y0 + py * step, x = 0, y = 0;
  int i = 0;
  for (; i < limit && x * x + y * y < 4.0; i++) {
    double t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
  }
  counts[py * width + px] = i;
}

kernel void mandelbrot_by_four(global int4 *counts, float x0, float y0, float step, int width, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  float4 cx = x0 + (convert_float4((int4)(px * 4)) + (float4)(0, 1, 2, 3)) * step, cy = y0 + py * step, x = 0, y = 0;
  int4 count = 0, active = -1;
  for (int i = 0; i < limit && any(active); i++) {
    float4 x2 = x * x, y2 = y * y;
    active = isless(x2 + y2, (float4)(4.0f));
    count -= active;
    y = 2.0f * x * y + cy;
    x = x2 - y2 + cx;
  }
  counts[py * width / 4 + px] = count;
}

kernel void julia(write_only image2d_t out, float2 c, int limit) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 z = convert_float2(at) / convert_float2(get_image_dim(out)) * 4.0f - 2.0f;
  int i = 0;
  while (dot(z, z) < 4.0f && ++i < limit)
    z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
  write_imagef(out, at, (float4)(native_sin(i * 0.1f), native_cos(i * 0.1f), (float)i / limit, 1.0f));
}
