// SPDX-License-Identifier: Apache-2.0
// construct: minima and maxima over windows, labels by iteration, distances in two passes

kernel void erode(global const uchar *from, global uchar *to, int width, int height, int r) {
  int x = get_global_id(0), y = get_global_id(1);
  uchar least = UCHAR_MAX;
  for (int j = max(y - r, 0); j <= min(y + r, height - 1); j++)
    for (int i = max(x - r, 0); i <= min(x + r, width - 1); i++)
      least = min(least, from[j * width + i]);
  to[y * width + x] = least;
}
kernel void dilate_disc(global const uchar *from, global uchar *to, constant uchar *disc, int size, int width,
    int height, local uchar *tile) {
  int x = get_global_id(0), y = get_global_id(1), tx = get_local_id(0);
  uchar most = 0;
  for (int j = 0; j < size; j++) {
    int row = clamp(y + j - size / 2, 0, height - 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = tx; i < get_local_size(0) + size; i += get_local_size(0))
      tile[i] = from[row * width + clamp((int)(get_group_id(0) * get_local_size(0)) + i - size / 2, 0, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < size; i++)
      most = disc[j * size + i] ? max(most, tile[tx + i]) : most;
  }
  if (x < width && y < height)
    to[y * width + x] = most;
}
kernel void label(global int *labels, global int *changed, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1), own = labels[y * width + x], best = own;
  if (own == 0)
    return;
  if (x > 0 && labels[y * width + x - 1])
    best = min(best, labels[y * width + x - 1]);
  if (y > 0 && labels[(y - 1) * width + x])
    best = min(best, labels[(y - 1) * width + x]);
  if (best < own) {
    labels[y * width + x] = best;
    *changed = true;
  }
}
kernel void row_distances(global const uchar *in, global ushort *out, int width) {
  int y = get_global_id(0);
  ushort d = USHRT_MAX;
  for (int x = 0; x < width; x++)
    out[y * width + x] = d = in[y * width + x] ? 0 : add_sat(d, (ushort)1);
  for (int x = width - 2; x >= 0; --x)
    out[y * width + x] = min(out[y * width + x], add_sat(out[y * width + x + 1], (ushort)1));
}
