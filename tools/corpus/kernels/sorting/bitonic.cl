// SPDX-License-Identifier: Apache-2.0
// construct: exchanges by select() and by ?: of vectors, local memory as an argument

void compare_private(uint *a, uint *b, uint ascending) {
  if ((*a > *b) == ascending) {
    uint t = *a;
    *a = *b;
    *b = t;
  }
}

void compare_local(local uint *a, local uint *b, uint ascending) {
  if ((*a > *b) == ascending) {
    uint t = *a;
    *a = *b;
    *b = t;
  }
}

kernel void sort_local(global uint *keys, local uint *shared, uint direction) {
  uint x = get_local_id(0), size = get_local_size(0) * 2;
  keys += get_group_id(0) * size;
  shared[x] = keys[x];
  shared[x + size / 2] = keys[x + size / 2];
  for (uint length = 2; length < size; length <<= 1) {
    uint ascending = direction ^ ((x & (length / 2)) != 0);
    for (uint stride = length / 2; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint at = 2 * x - (x & (stride - 1));
      compare_local(&shared[at], &shared[at + stride], ascending);
    }
  }
  for (uint stride = size / 2; stride > 0; stride >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint at = 2 * x - (x & (stride - 1));
    compare_local(&shared[at], &shared[at + stride], direction);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[x] = shared[x];
  keys[x + size / 2] = shared[x + size / 2];
}

kernel void merge_global(global uint *keys, uint count, uint size, uint stride, uint direction) {
  uint id = get_global_id(0), half_of = id & (count / 2 - 1);
  uint ascending = direction ^ ((half_of & (size / 2)) != 0);
  uint at = 2 * id - (id & (stride - 1));
  uint a = keys[at], b = keys[at + stride];
  compare_private(&a, &b, ascending);
  keys[at] = a;
  keys[at + stride] = b;
}

kernel void sort_vectors(global float4 *rows) {
  float4 v = rows[get_global_id(0)];
  float4 w = select(v.yxwz, v, isless(v, v.yxwz) == (int4)(-1, 0, -1, 0));
  int4 mask = (w.zwxy > w) ^ (int4)(0, 0, -1, -1);
  rows[get_global_id(0)] = mask ? w : w.zwxy;
}
