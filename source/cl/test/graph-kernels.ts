// SPDX-License-Identifier: Apache-2.0
// What tests of command graphs run: kernels that show what they came after, and what must come out of it.

/** `step` folds the slots that `list` names into its own; `fault` takes the same arguments and fails. */
export const GRAPH_SOURCE = `
kernel void step(global uint* out, global const int* list, int first, int count, int me, int delay) {
  uint x = me + 1;
  for (int i = 0; i < delay; ++i) x = x * 1664525u + 1013904223u;
  x = me + 1 + (x == 7u ? 1 : 0) * 0;
  for (int i = 0; i < count; ++i) x = x * 31u + out[list[first + i]];
  out[me] = x;
}
kernel void fault(global uint* out, global const int* list, int first, int count, int me, int delay) {
  out[0x2fffffff] = 1;
}
`;

/** The result of `step` in a slot, computed from the slots that it sees. */
export function combined(place: number, seen: readonly number[], values: Uint32Array): number {
  let x = place + 1;
  for (const at of seen) x = (Math.imul(x, 31) + (values[at] ?? 0)) >>> 0;
  return x;
}
