// SPDX-License-Identifier: Apache-2.0
// construct: scans up and down a tree, with indices that avoid conflicts of banks

#define PAD(n) ((n) + ((n) >> 4))

kernel void scan_tree(global const float *in, global float *out, local float *shared, int n) {
  int x = get_local_id(0), offset = 1;
  shared[PAD(2 * x)] = in[2 * x];
  shared[PAD(2 * x + 1)] = in[2 * x + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < d)
      shared[PAD(offset * (2 * x + 2) - 1)] += shared[PAD(offset * (2 * x + 1) - 1)];
    offset <<= 1;
  }
  if (x == 0)
    shared[PAD(n - 1)] = 0;
  for (int d = 1; d < n; d <<= 1) {
    offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < d) {
      int ai = PAD(offset * (2 * x + 1) - 1), bi = PAD(offset * (2 * x + 2) - 1);
      float t = shared[ai];
      shared[ai] = shared[bi];
      shared[bi] += t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[2 * x] = shared[PAD(2 * x)];
  out[2 * x + 1] = shared[PAD(2 * x + 1)];
}

kernel void add_group_sums(global float *data, global const float *sums) {
  local float sum[1];
  if (get_local_id(0) == 0)
    sum[0] = sums[get_group_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] += *sum;
}

kernel void scan_four(global const float4 *in, global float4 *out, local float *shared) {
  uint x = get_local_id(0);
  float4 v = in[get_global_id(0)];
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  shared[x] = v.w;
  for (uint i = 1; i < get_local_size(0); i <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    float other = x >= i ? shared[x - i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[x] += other;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = v + (x > 0 ? shared[x - 1] : 0.0f);
}
