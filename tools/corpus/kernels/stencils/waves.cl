// SPDX-License-Identifier: Apache-2.0
// construct: vector loads and stores at every width in a stencil, private arrays as a sliding window

#define RADIUS 4

constant float weights[RADIUS + 1] = {-2.84722f, 1.6f, -0.2f, 0.0253968f, -0.00178571f};

kernel void wave_step(global const float *now, global float *before, global const float *speed, int nx, int ny,
                      int nz) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < RADIUS || x >= nx - RADIUS || y < RADIUS || y >= ny - RADIUS)
    return;
  size_t plane = (size_t)nx * ny, at = (size_t)y * nx + x;
  float column[2 * RADIUS + 1];
  for (int i = 0; i < 2 * RADIUS; i++)
    column[i + 1] = now[at + i * plane];
  for (int z = RADIUS; z < nz - RADIUS; z++) {
    for (int i = 0; i < 2 * RADIUS; i++)
      column[i] = column[i + 1];
    column[2 * RADIUS] = now[at + (z + RADIUS) * plane];
    size_t here = at + z * plane;
    float sum = 3.0f * weights[0] * column[RADIUS];
    for (int r = 1; r <= RADIUS; r++)
      sum += weights[r] * (column[RADIUS - r] + column[RADIUS + r] + now[here - r] + now[here + r] +
                           now[here - r * nx] + now[here + r * nx]);
    before[here] = 2.0f * column[RADIUS] - before[here] + speed[here] * sum;
  }
}

kernel void smooth_by_four(global const float *from, global float *to, int width) {
  int x = get_global_id(0) * 4, y = get_global_id(1);
  global const float *row = from + y * width;
  float4 left = vload4(0, row + x), middle = vload4(0, row + x + 1), right = vload4(0, row + x + 2);
  vstore4((left + 2.0f * middle + right) * 0.25f, 0, to + y * width + x);
}
