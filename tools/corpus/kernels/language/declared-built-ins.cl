// SPDX-License-Identifier: Apache-2.0
// construct: a program that declares built-ins itself

void __attribute__((overloadable)) barrier(uint);
size_t __attribute__((overloadable)) get_local_id(uint);
float __attribute__((overloadable)) fabs(float);

kernel void declared(global float *p, local float *shared) {
  uint x = get_local_id(0);
  shared[x] = fabs(p[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_global_id(0)] = shared[x ^ 1];
}
