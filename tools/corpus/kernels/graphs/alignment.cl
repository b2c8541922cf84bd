// SPDX-License-Identifier: Apache-2.0
// construct: the best of three with a table of scores, tiles in local memory, diagonals

#define TILE 16
kernel void align(global const int *reference, global int *matrix, int columns, int penalty, int block) {
  local int tile[TILE + 1][TILE + 1], scores[TILE][TILE];
  int x = get_local_id(0), bx = get_group_id(0), by = block - 1 - bx;
  int base = columns * TILE * by + TILE * bx;
  for (int y = 0; y < TILE; y++)
    scores[y][x] = reference[base + columns * (y + 1) + x + 1];
  if (x == 0)
    tile[0][0] = matrix[base];
  tile[x + 1][0] = matrix[base + columns * (x + 1)];
  tile[0][x + 1] = matrix[base + x + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int m = 0; m < 2 * TILE - 1; m++) {
    int row = m < TILE ? x : x + m - TILE + 1, column = m - row;
    if (row <= m && row < TILE && column >= 0 && column < TILE)
      tile[column + 1][row + 1] = max(tile[column][row] + scores[column][row], max(tile[column + 1][row],
          tile[column][row + 1]) - penalty);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < TILE; y++)
    matrix[base + columns * (y + 1) + x + 1] = tile[y + 1][x + 1];
}
