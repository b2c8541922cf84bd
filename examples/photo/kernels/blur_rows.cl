// Gaussian blur along rows: a work-group keeps its part of a row, and RADIUS pixels on either side, in local memory.
kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1)))
void blur_rows(global const uchar4* restrict input, global float4* restrict output, int width,
  constant float* restrict weights)
{
  local float4 tile[WIDTH + 2 * RADIUS];
  const int x = get_global_id(0);
  const int row = get_global_id(1) * width;
  const int first = get_group_id(0) * WIDTH - RADIUS;
  for (int i = get_local_id(0); i < WIDTH + 2 * RADIUS; i += WIDTH)
    tile[i] = convert_float4(input[row + clamp(first + i, 0, width - 1)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x >= width) return;
  float4 sum = (float4)(0.0f);
  for (int i = 0; i <= 2 * RADIUS; ++i) sum += weights[i] * tile[get_local_id(0) + i];
  output[row + x] = sum;
}
