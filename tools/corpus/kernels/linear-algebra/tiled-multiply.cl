// SPDX-License-Identifier: Apache-2.0
// construct: tiles in local memory, attributes with the size of a work-group

#define TILE 16

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void multiply_tiled(global const float *restrict a, global const float *restrict b, global float *restrict c,
                           const int n) {
  local float a_tile[TILE][TILE + 1];
  local float b_tile[TILE][TILE + 1];
  const int x = get_local_id(0), y = get_local_id(1);
  const int column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < n; k += TILE) {
    a_tile[y][x] = a[row * n + k + x];
    b_tile[y][x] = b[(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < TILE; i++)
      sum = mad(a_tile[y][i], b_tile[i][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void transpose_tiled(global const float *restrict from, global float *restrict to, const int n) {
  local float tile[TILE * (TILE + 1)];
  const int x = get_local_id(0), y = get_local_id(1);
  tile[y * (TILE + 1) + x] = from[get_global_id(1) * n + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  to[(get_group_id(0) * TILE + y) * n + get_group_id(1) * TILE + x] = tile[x * (TILE + 1) + y];
}
