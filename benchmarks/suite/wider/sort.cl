// A pass of a radix sort over four bits: each work-group of 256 orders its keys by a digit, one bit after the other
// (split by prefix sums of the zeros), and counts its digits.
kernel void radix_pass(uint shift, global const uint *keys, global uint *ordered, global uint *counts) {
  local uint key[256], sum[2][256], count[16];
  uint lid = get_local_id(0);
  key[lid] = keys[get_global_id(0)];
  if (lid < 16u) count[lid] = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint bit = 0; bit < 4u; bit++) {
    uint own = key[lid], zero = ~(own >> (shift + bit)) & 1u, at = 0;
    sum[0][lid] = zero;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < 256u; distance *= 2u) {
      sum[at ^ 1u][lid] = sum[at][lid] + (lid >= distance ? sum[at][lid - distance] : 0u);
      at ^= 1u;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint before = sum[at][lid] - zero, zeros = sum[at][255];
    key[zero ? before : zeros + lid - before] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint own = key[lid];
  atomic_inc(&count[own >> shift & 15u]);
  ordered[get_global_id(0)] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid < 16u) counts[lid * get_num_groups(0) + get_group_id(0)] = count[lid];
}
