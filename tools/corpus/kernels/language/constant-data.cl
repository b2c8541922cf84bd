// SPDX-License-Identifier: Apache-2.0
// construct: tables in constant memory: of vectors, records, strings, in kernels and outside

constant float4 colours[] = {(float4)(1, 0, 0, 1), {0, 1, 0, 1}, (float4)(0.5f)};
constant char words[][8] = {"one", "two", "three"};
constant struct { int a; float b[2]; } pairs[2] = {{1, {2, 3}}, {4}};
constant int *constant pointer = &pairs[1].a;
kernel void tables(global float4 *p, constant float *given) {
  constant int own[4] = {1, 2, 4, 8};
  size_t i = get_global_id(0);
  p[i] = colours[i % 3] * own[i & 3] + pairs[i & 1].b[1] + *pointer + words[i % 3][i & 7] + given[i];
}
