// SPDX-License-Identifier: Apache-2.0
// How far buffers are apart, and where, for people.
import type { TypedArray } from "muxkit";

/** Differences that a message shows. */
const SHOWN = 8;

/** The order of floats as whole numbers: neighbours differ by 1, and both zeros are 0. */
function ordinals(array: Float32Array | Float64Array): (index: number) => bigint {
  const bits = array instanceof Float32Array ? new Int32Array(1) : new BigInt64Array(1);
  const value = array instanceof Float32Array ? new Float32Array(bits.buffer) : new Float64Array(bits.buffer);
  const lowest = array instanceof Float32Array ? -(2n ** 31n) : -(2n ** 63n);
  return (index) => {
    value[0] = array[index] as number;
    const own = BigInt(bits[0] as number | bigint);
    return own < 0n ? lowest - own : own;
  };
}

/**
 * Units in the last place between two elements: how many numbers of the type lie between them, Infinity where only one
 * of them is NaN. Whole numbers differ by their difference.
 *
 * @public
 */
export function ulpDistance(actual: TypedArray, expected: TypedArray, index: number): number {
  const [a, b] = [actual[index] as number | bigint, expected[index] as number | bigint];
  if (!(expected instanceof Float32Array || expected instanceof Float64Array))
    return Number(a > b ? BigInt(a) - BigInt(b) : BigInt(b) - BigInt(a));
  const [first, second] = [Number(a), Number(b)];
  if (Number.isNaN(first) || Number.isNaN(second)) return Number.isNaN(first) && Number.isNaN(second) ? 0 : Infinity;
  const distance = ordinals(actual as Float32Array)(index) - ordinals(expected)(index);
  return Number(distance < 0n ? -distance : distance);
}

/** What is different between two buffers. @public */
export interface Difference {
  /** Elements that are farther apart than allowed. */
  readonly count: number;
  /** The greatest distance, in ULP. */
  readonly worst: number;
  /** Lines: how many, and the first of them with index, both values and distance. */
  readonly message: string;
}

/** Where an element is: its index, and row and column in an array of some width. */
function place(index: number, width: number | null): string {
  return width === null ? `[${index}]` : `[${Math.floor(index / width)}][${index % width}]`;
}

/**
 * Compares two buffers; null: no element is farther from its expected value than `ulp`. `width` makes indices of rows
 * and columns.
 *
 * @public
 */
export function difference(
  actual: TypedArray,
  expected: TypedArray,
  { ulp = 0, width = null }: { readonly ulp?: number; readonly width?: number | null } = {},
): Difference | null {
  if (actual.constructor !== expected.constructor || actual.length !== expected.length)
    return {
      count: Math.max(actual.length, expected.length),
      worst: Infinity,
      message:
        `${actual.constructor.name} of ${actual.length} elements, ` +
        `expected ${expected.constructor.name} of ${expected.length}`,
    };
  const lines: string[] = [];
  let [count, worst] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    const distance = ulpDistance(actual, expected, i);
    if (distance <= ulp) continue;
    count++;
    worst = Math.max(worst, distance);
    if (lines.length < SHOWN)
      lines.push(`  ${place(i, width)}: ${String(actual[i])}, expected ${String(expected[i])} (${distance} ULP)`);
  }
  if (count === 0) return null;
  const head = `${count} of ${expected.length} elements differ by more than ${ulp} ULP, the worst by ${worst}:`;
  const rest = count > SHOWN ? [`  and ${count - SHOWN} more`] : [];
  return { count, worst, message: [head, ...lines, ...rest].join("\n") };
}
