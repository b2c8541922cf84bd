// SPDX-License-Identifier: Apache-2.0
// construct: one function for each address space, made by a macro; pointers that are cast and compared

#define SUM(space)                                                                                                     \
  int sum_##space(space const int *p, int n) {                                                                         \
    int sum = 0;                                                                                                       \
    space const int *const end = p + n;                                                                                \
    while (p != end)                                                                                                   \
      sum += *p++;                                                                                                     \
    return sum;                                                                                                        \
  }
SUM(global)
SUM(local)
SUM(constant)
SUM(private)

kernel void sum_everywhere(global const int *g, constant int *c, local int *l, global int *out) {
  int own[4] = {1, 2, 3, 4};
  l[get_local_id(0)] = g[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = sum_global(g, 4) + sum_local(l, 2) + sum_constant(c, 3) + sum_private(own, 4);
}

kernel void reinterpreted(global void *data, int kind, int n) {
  size_t i = get_global_id(0);
  switch (kind) {
  case 0:
    ((global char *)data)[i] += 1;
    break;
  case 1:
    ((global float2 *)data)[i].y *= 2.0f;
    break;
  default:
    if ((global int *)data + n > (global int *)data + i)
      *((global uint *)data + i) ^= (uint)(size_t)((global char *)data - (global char *)0);
  }
}
