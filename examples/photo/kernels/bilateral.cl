// Bilateral filter: smooths like a blur, but pixels count less the more they differ in colour, so edges stay sharp.
kernel void bilateral(global const uchar4* restrict input, global uchar4* restrict output, int width, int height,
  float near, float alike)
{
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const float4 centre = convert_float4(input[y * width + x]);
  float4 sum = (float4)(0.0f);
  float weights = 0.0f;
  for (int dy = -RADIUS; dy <= RADIUS; ++dy) {
    for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
      const float4 pixel = convert_float4(input[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)]);
      const float4 apart = pixel - centre;
      const float weight = exp(-near * (float)(dx * dx + dy * dy) - alike * dot(apart.xyz, apart.xyz));
      sum += weight * pixel;
      weights += weight;
    }
  }
  output[y * width + x] = convert_uchar4_sat_rte(sum / weights);
}
