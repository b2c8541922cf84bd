// SPDX-License-Identifier: Apache-2.0
// construct: searches in trees that lie in arrays of records, with bounds that barriers share

#define ORDER 16

typedef struct {
  int keys[ORDER + 1];
  int children[ORDER + 1];
  int count;
  bool leaf;
} node;

kernel void find_keys(global const node *nodes, int height, int root, global const int *keys, global int *found) {
  local int current;
  int x = get_local_id(0), key = keys[get_group_id(0)];
  if (x == 0)
    current = root;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int level = 0; level < height; level++) {
    int next = -1;
    if (x < nodes[current].count && nodes[current].keys[x] <= key && key < nodes[current].keys[x + 1])
      next = nodes[current].children[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (next >= 0)
      current = next;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x < nodes[current].count && nodes[current].keys[x] == key)
    found[get_group_id(0)] = nodes[current].children[x];
}

kernel void lower_bounds(global const float *sorted, global const float *wanted, global uint *places, uint n) {
  uint low = 0, length = n;
  float key = wanted[get_global_id(0)];
  while (length > 0) {
    uint step = length >> 1;
    low = sorted[low + step] < key ? low + step + 1 : low;
    length = sorted[low - (low ? 1 : 0)] < key ? length - step - 1 : step;
  }
  places[get_global_id(0)] = low;
}
