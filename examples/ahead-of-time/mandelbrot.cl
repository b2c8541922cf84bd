// SPDX-License-Identifier: Apache-2.0
// How soon each point of a rectangle of the complex plane escapes: a letter for each.
kernel void mandelbrot(global char* letters, float left, float top, float step) {
  size_t x = get_global_id(0), y = get_global_id(1);
  float2 c = (float2)(left + step * x, top + 2 * step * y), z = 0;
  int n = 0;
  while (n < 256 && z.x * z.x + z.y * z.y < 4) {
    z = (float2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
    n++;
  }
  letters[y * get_global_size(0) + x] = n == 256 ? '#' : n > 16 ? '+' : n > 6 ? '.' : ' ';
}
