// Sorting networks in local memory, two keys for a work-item.

kernel void bitonic_local(global const uint *in, global uint *out) {
  local uint key[512];
  uint lid = get_local_id(0), base = get_group_id(0) * 512u;
  key[lid] = in[base + lid];
  key[lid + 256u] = in[base + lid + 256u];
  for (uint size = 2; size <= 512u; size *= 2u)
    for (uint stride = size / 2u; stride > 0u; stride /= 2u) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint at = 2u * lid - (lid & (stride - 1u));
      bool falls = (lid & size / 2u) != 0u;
      uint a = key[at], b = key[at + stride];
      if ((a > b) != falls) {
        key[at] = b;
        key[at + stride] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + lid] = key[lid];
  out[base + lid + 256u] = key[lid + 256u];
}

// Batcher's odd-even merges, keys with values.
kernel void oddeven_merge(global const uint *keys, global const uint *values, global uint *outKeys,
                          global uint *outValues) {
  local uint key[512], value[512];
  uint lid = get_local_id(0), base = get_group_id(0) * 512u;
  for (uint k = lid; k < 512u; k += 256u) {
    key[k] = keys[base + k];
    value[k] = values[base + k];
  }
  for (uint size = 2; size <= 512u; size *= 2u) {
    uint stride = size / 2u, offset = lid & (stride - 1u);
    for (; stride > 0u; stride /= 2u) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint at = 2u * lid - (lid & (stride - 1u)), from = at, to = at + stride;
      bool takesPart = true;
      if (stride < size / 2u) {
        takesPart = offset >= stride;
        from = at - stride;
        to = at;
      }
      if (takesPart && key[from] > key[to]) {
        uint k = key[from], v = value[from];
        key[from] = key[to];
        value[from] = value[to];
        key[to] = k;
        value[to] = v;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = lid; k < 512u; k += 256u) {
    outKeys[base + k] = key[k];
    outValues[base + k] = value[k];
  }
}
