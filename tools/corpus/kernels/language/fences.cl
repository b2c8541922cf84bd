// SPDX-License-Identifier: Apache-2.0
// construct: memory fences of all flags, and barriers that keep global memory in order

kernel void fences(global int *p, local int *l) {
  int x = get_local_id(0);
  l[x] = p[x];
  mem_fence(CLK_LOCAL_MEM_FENCE);
  read_mem_fence(CLK_GLOBAL_MEM_FENCE);
  write_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  p[x] = l[x ^ 1];
}
