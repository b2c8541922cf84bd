// SPDX-License-Identifier: Apache-2.0
// construct: stencils with a halo in local memory, and with clamped neighbours

#define SIDE 16
#define AT(x, y) ((y) * width + (x))

kernel void heat_step(global const float *from, global float *to, global const float *power, int width, int height,
                      float rx, float ry, float rz, float step) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  int west = max(x - 1, 0), east = min(x + 1, width - 1), north = max(y - 1, 0), south = min(y + 1, height - 1);
  float centre = from[AT(x, y)];
  to[AT(x, y)] = centre + step * (power[AT(x, y)] + (from[AT(x, south)] + from[AT(x, north)] - 2.0f * centre) * ry +
                                  (from[AT(east, y)] + from[AT(west, y)] - 2.0f * centre) * rx + (80.0f - centre) * rz);
}

kernel void heat_steps(int steps, global const float *from, global float *to, int width, int height, float k) {
  local float now[SIDE][SIDE], next[SIDE][SIDE];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = (int)get_group_id(0) * (SIDE - 2 * steps) + tx - steps;
  int y = (int)get_group_id(1) * (SIDE - 2 * steps) + ty - steps;
  int inside = x >= 0 && x < width && y >= 0 && y < height;
  if (inside)
    now[ty][tx] = from[AT(x, y)];
  barrier(CLK_LOCAL_MEM_FENCE);
  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (tx > i && tx < SIDE - 1 - i && ty > i && ty < SIDE - 1 - i && inside) {
      computed = true;
      next[ty][tx] = now[ty][tx] + k * (now[ty - 1][tx] + now[ty + 1][tx] + now[ty][tx - 1] + now[ty][tx + 1] -
                                        4.0f * now[ty][tx]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == steps - 1)
      break;
    if (computed)
      now[ty][tx] = next[ty][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (computed)
    to[AT(x, y)] = next[ty][tx];
}
