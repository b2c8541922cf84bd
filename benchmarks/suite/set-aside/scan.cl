// Prefix sums in local memory.

// Exclusive prefix sums of two values for each work-item, up and down a tree.
kernel void scan_blelloch(global const uint *in, global uint *out, global uint *sums, local uint *tree) {
  uint lid = get_local_id(0), size = 2u * get_local_size(0), base = get_group_id(0) * size, offset = 1;
  tree[2u * lid] = in[base + 2u * lid];
  tree[2u * lid + 1u] = in[base + 2u * lid + 1u];
  for (uint d = size / 2u; d > 0u; d /= 2u) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < d) tree[offset * (2u * lid + 2u) - 1u] += tree[offset * (2u * lid + 1u) - 1u];
    offset *= 2u;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid == 0u) {
    sums[get_group_id(0)] = tree[size - 1u];
    tree[size - 1u] = 0u;
  }
  for (uint d = 1; d < size; d *= 2u) {
    offset /= 2u;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < d) {
      uint left = offset * (2u * lid + 1u) - 1u, right = offset * (2u * lid + 2u) - 1u, value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + 2u * lid] = tree[2u * lid];
  out[base + 2u * lid + 1u] = tree[2u * lid + 1u];
}

// Values above a threshold move to the front of each work-group's part; how many there are.
kernel void compact(float threshold, global const float *in, global float *out, global uint *counts,
                    local uint *before) {
  uint lid = get_local_id(0), size = get_local_size(0);
  float value = in[get_global_id(0)];
  uint keep = value > threshold ? 1u : 0u;
  before[lid] = keep;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < size; distance *= 2u) {
    uint more = lid >= distance ? before[lid - distance] : 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    before[lid] += more;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (keep) out[get_group_id(0) * size + before[lid] - 1u] = value;
  if (lid == size - 1u) counts[get_group_id(0)] = before[lid];
}
