// SPDX-License-Identifier: Apache-2.0
// construct: sizeof of types and expressions that are not evaluated, vec_step

kernel void sizes(global ulong *out, global float4 *p) {
  int i = 3;
  out[0] = sizeof(float3) + sizeof(p[0]) + sizeof *p + sizeof(i++) + sizeof(size_t) + sizeof(int[3][5]);
  out[1] = vec_step(float4) + vec_step(int) + vec_step(*p) + vec_step(char16) + i;
  out[2] = sizeof(p) == sizeof(global void *) ? sizeof(event_t) > 0 : 0;
}
