// Bytes counted one by one: bins in local memory, added to global memory at the end.
kernel void hist_bytes_local(uint n, global const uchar *text, global uint *bins) {
  local uint own[256];
  uint lid = get_local_id(0), ls = get_local_size(0);
  for (uint b = lid; b < 256u; b += ls) own[b] = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&own[text[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint b = lid; b < 256u; b += ls)
    if (own[b]) atomic_add(&bins[b], own[b]);
}
