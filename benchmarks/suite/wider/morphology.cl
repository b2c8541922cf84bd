// Neighbourhoods of bytes, clamped at the edges.

kernel void erode3x3(int width, int height, global const uchar *image, global uchar *out) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  uchar least = 255;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      least = min(least, image[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)]);
  out[y * width + x] = least;
}

#define EXCHANGE(i, j) { uchar low = min(v[i], v[j]); v[j] = max(v[i], v[j]); v[i] = low; }

// The middle of nine by a network of exchanges; a margin of one pixel is left out.
kernel void median3x3(int width, int height, global const uchar *image, global uchar *out) {
  int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
  if (x >= width - 1 || y >= height - 1) return;
  uchar v[9];
  for (int k = 0; k < 9; k++) v[k] = image[(y + k / 3 - 1) * width + x + k % 3 - 1];
  // Three sorted columns; then the largest of the least, the middle of the middles, the least of the largest.
  for (int c = 0; c < 9; c += 3) {
    EXCHANGE(c, c + 1)
    EXCHANGE(c + 1, c + 2)
    EXCHANGE(c, c + 1)
  }
  EXCHANGE(0, 3)
  EXCHANGE(3, 6)
  EXCHANGE(1, 4)
  EXCHANGE(4, 7)
  EXCHANGE(1, 4)
  EXCHANGE(5, 8)
  EXCHANGE(2, 5)
  EXCHANGE(2, 4)
  EXCHANGE(4, 6)
  EXCHANGE(2, 4)
  out[y * width + x] = v[4];
}
