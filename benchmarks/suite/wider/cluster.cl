// The four nearest of some reference points, kept sorted by insertion into a private array.
kernel void knn_four(uint n, global const float *rx, global const float *ry, global const float *rz,
                     global const float *qx, global const float *qy, global const float *qz, global float *nearest) {
  uint q = get_global_id(0);
  float x = qx[q], y = qy[q], z = qz[q], best[4];
  for (int k = 0; k < 4; k++) best[k] = INFINITY;
  for (uint i = 0; i < n; i++) {
    float dx = rx[i] - x, dy = ry[i] - y, dz = rz[i] - z;
    float d = dx * dx + dy * dy + dz * dz;
    if (d >= best[3]) continue;
    int at = 3;
    while (at > 0 && best[at - 1] > d) {
      best[at] = best[at - 1];
      at--;
    }
    best[at] = d;
  }
  for (int k = 0; k < 4; k++) nearest[q * 4 + k] = best[k];
}
