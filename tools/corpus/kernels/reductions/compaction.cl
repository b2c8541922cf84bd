// SPDX-License-Identifier: Apache-2.0
// construct: predicates, scans of flags, scatter, run lengths

kernel void flag_positive(global const float *in, global uint *flags, uint n) {
  uint i = get_global_id(0);
  flags[i] = i < n && in[i] > 0.0f && !isnan(in[i]);
}
kernel void scatter_flagged(global const float *in, global const uint *flags, global const uint *offsets,
    global float *out, uint n) {
  uint i = get_global_id(0);
  if (i < n && flags[i])
    out[offsets[i]] = in[i];
}
kernel void compact_groups(global const int *in, global int *out, global volatile uint *length, int key) {
  local uint count, start;
  if (get_local_id(0) == 0)
    count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = in[get_global_id(0)];
  uint place = v > key ? atomic_inc(&count) : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    start = atomic_add(length, count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (v > key)
    out[start + place] = v;
}
kernel void run_lengths(global const char *text, global ushort *lengths, int n) {
  int i = get_global_id(0);
  ushort length = 0;
  if (i == 0 || text[i] != text[i - 1])
    while (i + length < n && text[i + length] == text[i])
      length++;
  lengths[i] = length;
}
