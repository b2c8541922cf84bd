// SPDX-License-Identifier: Apache-2.0
// Columns of results: expressions of OpenCL C over elements of buffers, run every way and held against what each
// element must be.
import { runEveryWay } from "@muxkit/kernel-suite";

import { ENABLE_HALF } from "./half-reference.ts";

/** Arrays with elements of OpenCL C's types. */
export type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** The bytes of numbers, without the rest of their buffer. */
export function bytesOf(numbers: Numbers): Uint8Array {
  return new Uint8Array(numbers.slice().buffer);
}

/** Contents of a buffer: an element type of OpenCL C, and the array that has its elements. */
export const ARRAYS = {
  half: Uint16Array,
  char: Int8Array,
  uchar: Uint8Array,
  short: Int16Array,
  ushort: Uint16Array,
  int: Int32Array,
  uint: Uint32Array,
  long: BigInt64Array,
  ulong: BigUint64Array,
  float: Float32Array,
  double: Float64Array,
} as const;
/** Element types. */
export type Element = keyof typeof ARRAYS;

/** A result of every element. */
export interface Column {
  /** Element type of the result. */
  readonly type: Element;
  /**
   * Of `a`, `b`, `c`, vectors of the current number of lanes; `N` after a type's name is replaced by the number of
   * lanes.
   */
  readonly expression: string;
  /** What element `i` must be; null: the language leaves it open. */
  readonly expected: (i: number) => number | bigint | null;
  /** Whether a result that is another one will do; absent: it will not. */
  readonly accepts?: (own: number | bigint | undefined, wanted: number | bigint) => boolean;
}

/** Element types that are ints, their bits and signs. */
export const INTS = {
  char: { bits: 8, isSigned: true },
  uchar: { bits: 8, isSigned: false },
  short: { bits: 16, isSigned: true },
  ushort: { bits: 16, isSigned: false },
  int: { bits: 32, isSigned: true },
  uint: { bits: 32, isSigned: false },
  long: { bits: 64, isSigned: true },
  ulong: { bits: 64, isSigned: false },
} as const;
/** Element types that are ints. */
export type IntElement = keyof typeof INTS;

/**
 * Computes columns for all elements of the inputs, so many lanes at a time, in every way (`code`: without the
 * interpreter, which is slow); the first result that is not what is expected, as a sentence.
 */
export function check(
  inputs: readonly (readonly [type: Element, numbers: Numbers])[],
  columns: readonly Column[],
  lanes: number,
  judge: "interpreter" | "code" = "interpreter",
): string | null {
  const count = inputs[0]?.[1].length ?? 0;
  const items = Math.floor(count / lanes);
  const vector = lanes === 1 ? "" : String(lanes);
  const load = (name: string): string => (lanes === 1 ? `${name}[i]` : `vload${lanes}(i, ${name})`);
  const names = ["a", "b", "c"];
  const source = `${ENABLE_HALF}
kernel void k(${[...inputs.map(([type], i) => `global const ${type} *i${names[i] ?? ""}`), ...columns.map(({ type }, i) => `global ${type} *o${i}`)].join(", ")}) {
  size_t i = get_global_id(0);
  ${inputs.map(([type], i) => `${type}${vector} ${names[i] ?? ""} = ${load(`i${names[i] ?? ""}`)};`).join(" ")}
  ${columns
    .map(
      ({ type, expression }, i) =>
        `{ ${type}${vector} r = ` +
        `${expression.replaceAll(/(?<=[a-z_])N\b/gu, vector).replaceAll(/(?<=[a-z_])N_/gu, `${vector}_`)}; ` +
        `${lanes === 1 ? `o${i}[i] = r` : `vstore${lanes}(r, i, o${i})`}; }`,
    )
    .join("\n  ")}
}`;
  const outcomes = runEveryWay({
    source,
    kernel: "k",
    options: "-cl-std=CL3.0",
    global: [items],
    local: [1],
    isInterpreted: judge === "interpreter",
    arguments: [
      ...inputs.map(([, numbers]) => ({ contents: bytesOf(numbers) })),
      ...columns.map(({ type }) => ({ contents: new Uint8Array(count * ARRAYS[type].BYTES_PER_ELEMENT) })),
    ],
  });
  const reference = columns.map(({ expected }) => Array.from({ length: items * lanes }, (_, i) => expected(i)));
  for (const { way, buffers } of outcomes) {
    for (const [column, { type, expression, accepts }] of columns.entries()) {
      const bytes = buffers[inputs.length + column]?.slice() ?? new Uint8Array(0);
      const results = new ARRAYS[type](bytes.buffer);
      for (let i = 0; i < items * lanes; i++) {
        const wanted = reference[column]?.[i];
        if (
          wanted === null ||
          wanted === undefined ||
          Object.is(results[i], wanted) ||
          accepts?.(results[i], wanted) === true
        )
          continue;
        const given = inputs
          .map(([element, numbers]) =>
            element === "half" ? `0x${Number(numbers[i]).toString(16)}` : String(numbers[i]),
          )
          .join(", ");
        return `${way}, ${lanes} lanes: ${expression} of ${given} is ${String(results[i])}, not ${String(wanted)}`;
      }
    }
  }
  return null;
}
