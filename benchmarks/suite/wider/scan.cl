// Inclusive prefix sums of each work-group's values, by doubling distances, with two buffers in local memory; the sums
// of the work-groups apart.
kernel void scan_hillis(global const uint *in, global uint *out, global uint *sums, local uint *buffers) {
  uint lid = get_local_id(0), size = get_local_size(0), from = 0, to = size;
  buffers[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < size; distance *= 2u) {
    uint value = buffers[from + lid];
    if (lid >= distance) value += buffers[from + lid - distance];
    buffers[to + lid] = value;
    uint other = from;
    from = to;
    to = other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = buffers[from + lid];
  if (lid == size - 1u) sums[get_group_id(0)] = buffers[from + lid];
}
