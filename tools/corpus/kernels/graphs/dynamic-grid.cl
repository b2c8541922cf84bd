// SPDX-License-Identifier: Apache-2.0
// construct: the smallest of three by a macro, loops with two barriers and a flag

#define MIN3(a, b, c) min(min(a, b), c)

kernel void cheapest_path(int steps, global const int *wall, global const int *from, global int *to, int columns,
                          int start, int halo, local int *previous, local int *result) {
  int size = get_local_size(0), group = get_group_id(0), x = get_local_id(0);
  int small = size - steps * halo * 2;
  int first = small * group - halo, column = first + x;
  int low = first < 0 ? -first : 0;
  int high = first + size - 1 > columns - 1 ? size - 1 - (first + size - columns) : size - 1;
  int left = max(x - 1, low), right = min(x + 1, high);
  bool valid = x >= low && x <= high;
  if (column >= 0 && column < columns)
    previous[x] = from[column];
  barrier(CLK_LOCAL_MEM_FENCE);
  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (x >= i + 1 && x <= size - i - 2 && valid) {
      computed = true;
      result[x] = MIN3(previous[left], previous[x], previous[right]) + wall[columns * (start + i) + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == steps - 1)
      break;
    if (computed)
      previous[x] = result[x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (computed)
    to[column] = result[x];
}
