// SPDX-License-Identifier: Apache-2.0
// Types that snippets are made of.

/** Scalars of numbers. */
export const SCALARS: readonly string[] =
  "bool char uchar short ushort int uint long ulong float double half size_t".split(" ");

/** Some vectors: each sort of element, and each width. */
export const VECTORS: readonly string[] = [
  ..."char2 uchar2 short2 ushort4 int2 uint2 int3 int4 uint4 long2".split(" "),
  ..."ulong2 float2 float3 float4 double2 half2 int8 float16".split(" "),
];

/** Pointers. */
export const POINTERS: readonly string[] = [
  "int *",
  "const int *",
  "global int *",
  "global const int *",
  "global volatile int *",
  "local int *",
  "constant int *",
  "global float *",
  "global int4 *",
  "global uint *",
  "global void *",
  "void *",
  "global S *",
  "global int **",
];

/** Records, enumerations and opaque types. */
export const OTHERS: readonly string[] = ["S", "T", "U", "E", "event_t"];

/** A name declared with a type: arrays and pointers to them would go around it. */
export function declare(type: string, name: string): string {
  return type.endsWith("*") ? `${type}${name}` : `${type} ${name}`;
}
