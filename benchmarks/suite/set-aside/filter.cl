// Filters with edges.

// A bilateral filter over 5 x 5 pixels, clamped at the edges.
kernel void bilateral(int width, int height, float near, float alike, global const float *image, global float *out) {
  int x = get_global_id(0), y = get_global_id(1);
  float centre = image[y * width + x], sum = 0.0f, weights = 0.0f;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      float v = image[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)];
      float d = v - centre;
      float w = exp(near * (float)(dx * dx + dy * dy) + alike * d * d);
      sum += w * v;
      weights += w;
    }
  out[y * width + x] = sum / weights;
}

// Edges of bytes by Sobel's two masks, clamped at the edges of the image.
kernel void sobel_edges(int width, int height, global const uchar *image, global uchar *out) {
  int x = get_global_id(0), y = get_global_id(1);
  int west = max(x - 1, 0), east = min(x + 1, width - 1);
  global const uchar *above = image + max(y - 1, 0) * width, *own = image + y * width;
  global const uchar *below = image + min(y + 1, height - 1) * width;
  int gx = above[east] + 2 * own[east] + below[east] - above[west] - 2 * own[west] - below[west];
  int gy = below[west] + 2 * below[x] + below[east] - above[west] - 2 * above[x] - above[east];
  out[y * width + x] = min(255u, (abs(gx) + abs(gy)) / 2u);
}
