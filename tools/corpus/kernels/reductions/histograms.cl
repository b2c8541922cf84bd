// SPDX-License-Identifier: Apache-2.0
// construct: histograms with sub-histograms in bytes and in local memory, weighted and in two dimensions

kernel void bytes_in_words(global const uint *data, global uint *partial, uint count, local uchar *own) {
  uint x = get_local_id(0), size = get_local_size(0);
  for (uint i = 0; i < 64; i++)
    own[i * size + x] = 0;
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
    uint w = data[i];
    own[((w >> 2) & 63) * size + x]++;
    own[((w >> 10) & 63) * size + x]++;
    own[((w >> 18) & 63) * size + x]++;
    own[(w >> 26) * size + x]++;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < 64) {
    uint sum = 0;
    for (uint i = 0; i < size; i++)
      sum += own[x * size + ((i + x) & (size - 1))];
    partial[get_group_id(0) * 64 + x] = sum;
  }
}
kernel void joint(global const float2 *in, global volatile int *bins, int n, float2 low, float2 width, int2 size) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    int2 bin = convert_int2_sat_rtn((in[i] - low) / width);
    if (all(bin >= 0) && all(bin < size))
      atomic_add(bins + bin.y * size.x + bin.x, 1);
  }
}
kernel void merge_partial(global const uint *partial, global uint *bins, int groups) {
  uint sum = 0;
  for (int g = 0; g < groups; ++g)
    sum += partial[g * get_global_size(0) + get_global_id(0)];
  bins[get_global_id(0)] = sum;
}
