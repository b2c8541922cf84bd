// SPDX-License-Identifier: Apache-2.0
// construct: histograms in private arrays, a scan in local memory, shifts by arguments

#define DIGITS 16

kernel void count_digits(global const uint *keys, global uint *counts, uint length, uint shift, local uint *shared) {
  uint x = get_local_id(0), size = get_local_size(0);
  uint own[DIGITS] = {0};
  uint per_group = (length + get_num_groups(0) - 1) / get_num_groups(0);
  uint begin = get_group_id(0) * per_group, end = min(begin + per_group, length);
  for (uint i = begin + x; i < end; i += size)
    own[(keys[i] >> shift) & (DIGITS - 1)]++;
  for (int d = 0; d < DIGITS; d++) {
    shared[x] = own[d];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = size / 2; s > 0; s >>= 1) {
      if (x < s)
        shared[x] += shared[x + s];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x == 0)
      counts[d * get_num_groups(0) + get_group_id(0)] = shared[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

uint scan_exclusive(uint value, local uint *shared, uint size) {
  uint x = get_local_id(0);
  shared[x] = 0;
  shared += size;
  shared[x] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 1; i < size; i *= 2) {
    uint other = shared[(int)x - (int)i];
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[x] += other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return shared[(int)x - 1];
}

kernel void scan_counts(global uint *counts, uint groups, local uint *shared) {
  local uint sum;
  uint x = get_local_id(0);
  if (x == 0)
    sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 0; d < DIGITS; d++) {
    uint value = x < groups ? counts[d * groups + x] : 0;
    uint before = scan_exclusive(value, shared, get_local_size(0));
    if (x < groups)
      counts[d * groups + x] = before + sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x == groups - 1)
      sum += before + value;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

kernel void scatter_keys(global const uint *keys, global uint *sorted, global uint *offsets, uint length, uint shift) {
  uint group = get_global_id(0), groups = get_global_size(0);
  uint per_group = (length + groups - 1) / groups, end = min((group + 1) * per_group, length);
  uint next[DIGITS];
  for (uint d = 0; d < DIGITS; ++d)
    next[d] = offsets[d * groups + group];
  for (uint i = group * per_group; i < end; ++i)
    sorted[next[(keys[i] >> shift) & (DIGITS - 1)]++] = keys[i];
}
