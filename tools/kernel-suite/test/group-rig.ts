// SPDX-License-Identifier: Apache-2.0
// Ranges of work-items, their groups, and kernels `k(in, out)` that are run over them in every way.
import { type ElementKind, firstDifference, runEveryWay } from "@muxkit/kernel-suite";
import { expect } from "vitest";

/** A range of work-items. */
export interface Shape {
  readonly global: readonly number[];
  readonly local: readonly number[];
}

/** Sizes that are multiples and sizes that are not, in one to three dimensions. */
export const SHAPES: readonly Shape[] = [
  { global: [1], local: [1] },
  { global: [64], local: [64] },
  { global: [40], local: [20] },
  { global: [50], local: [17] },
  { global: [12, 5], local: [6, 3] },
  { global: [5, 3, 4], local: [3, 2, 2] },
];

/** Work-groups as lists of global linear ids, in the order of their local linear ids. */
export function groupsOf({ global, local }: Shape): number[][] {
  const [width = 1, height = 1, depth = 1] = global;
  const [x = 1, y = 1, z = 1] = local;
  const groups = new Map<string, number[]>();
  for (let k = 0; k < depth; k++)
    for (let j = 0; j < height; j++)
      for (let i = 0; i < width; i++) {
        const key = [i / x, j / y, k / z].map(Math.floor).join(",");
        groups.set(key, [...(groups.get(key) ?? []), (k * height + j) * width + i]);
      }
  return [...groups.values()];
}

/** The sub-groups of all work-groups. */
export function subGroupsOf(shape: Shape, size: number): number[][] {
  return groupsOf(shape).flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / size) }, (_, i) => group.slice(i * size, (i + 1) * size)),
  );
}

/** Work-items of a range. */
export function itemCount({ global }: Shape): number {
  return global.reduce((a, b) => a * b, 1);
}

/**
 * Runs `k(in, out)` in every way; returns the bytes of `out`. `widths`: how many work-items are forced to run at once
 * besides.
 */
export function runOver(
  source: string,
  input: ArrayBufferView,
  outputBytes: number,
  { global, local }: Shape,
  kind: ElementKind = "bits",
  widths?: readonly number[],
): ArrayBuffer {
  const [first, ...others] = runEveryWay({
    source,
    kernel: "k",
    options: "-cl-std=CL3.0",
    global,
    local,
    arguments: [
      { contents: new Uint8Array(input.buffer, input.byteOffset, input.byteLength) },
      { contents: new Uint8Array(outputBytes) },
    ],
    ...(widths === undefined ? {} : { widths }),
  });
  if (first === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(first, other, ["bits", kind])).toBeNull();
  return first.buffers[1]?.slice().buffer ?? new ArrayBuffer(0);
}

/** Numbers that look random and are the same each time. */
export function scattered(count: number, modulus: number): number[] {
  return Array.from({ length: count }, (_, i) => (Math.imul(i + 1, 0x9e37_79b1) >>> 8) % modulus);
}
