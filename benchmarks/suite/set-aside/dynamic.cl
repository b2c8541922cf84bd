// Cheapest ways down a grid: a work-group takes 256 columns and some rows at once; at its sides it computes what its
// neighbours do, too, and stores what is right.
kernel void pathfinder(int columns, int rows, global const int *cost, global const int *from, global int *to) {
  local int before[256], now[256];
  int lid = get_local_id(0), kept = 256 - 2 * rows;
  int column = (int)get_group_id(0) * kept + lid - rows;
  int inside = clamp(column, 0, columns - 1);
  before[lid] = from[inside];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 0; r < rows; r++) {
    if (lid > r && lid < 255 - r) {
      int least = before[lid];
      if (column > 0) least = min(least, before[lid - 1]);
      if (column < columns - 1) least = min(least, before[lid + 1]);
      now[lid] = least + cost[r * columns + inside];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid > r && lid < 255 - r) before[lid] = now[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid >= rows && lid < 256 - rows && column < columns) to[column] = before[lid];
}
