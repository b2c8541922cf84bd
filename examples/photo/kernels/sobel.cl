// Edges: the length of the brightness gradient, by Sobel's two 3 x 3 filters.
int brightness(global const uchar4* input, int width, int height, int x, int y)
{
  const uchar4 pixel = input[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
  return (77 * pixel.x + 150 * pixel.y + 29 * pixel.z) >> 8;
}

kernel void sobel(global const uchar4* restrict input, global uchar4* restrict output, int width, int height)
{
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  int around[3][3];
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      around[row][column] = brightness(input, width, height, x + column - 1, y + row - 1);
  const int across = around[0][2] + 2 * around[1][2] + around[2][2] - around[0][0] - 2 * around[1][0] - around[2][0];
  const int down = around[2][0] + 2 * around[2][1] + around[2][2] - around[0][0] - 2 * around[0][1] - around[0][2];
  const uchar edge = convert_uchar_sat(sqrt((float)(across * across + down * down)));
  output[y * width + x] = (uchar4)(edge, edge, edge, 255);
}
