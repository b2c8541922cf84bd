// Gaussian blur along columns: a work-group keeps WIDTH columns of HEIGHT + 2 RADIUS pixels in local memory.
kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1)))
void blur_columns(global const float4* restrict input, global uchar4* restrict output, int width, int height,
  constant float* restrict weights)
{
  local float4 tile[HEIGHT + 2 * RADIUS][WIDTH];
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const int column = min(x, width - 1);
  const int first = get_group_id(1) * HEIGHT - RADIUS;
  for (int i = get_local_id(1); i < HEIGHT + 2 * RADIUS; i += HEIGHT)
    tile[i][get_local_id(0)] = input[clamp(first + i, 0, height - 1) * width + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x >= width || y >= height) return;
  float4 sum = (float4)(0.0f);
  for (int i = 0; i <= 2 * RADIUS; ++i) sum += weights[i] * tile[get_local_id(1) + i][get_local_id(0)];
  output[y * width + x] = convert_uchar4_sat_rte(sum);
}
