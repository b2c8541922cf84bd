// SPDX-License-Identifier: Apache-2.0
// Built-ins that the machine has itself: the compiler half leaves calls of them alone (its list is in
// kept-builtins.ts).
import type { NativeBuiltin } from "@muxkit/interpreter";
import { floatBitsOfNumber, numberOfFloatBits } from "@muxkit/ir";

/** A function of floats, on their bits. */
function ofFloat(compute: (value: number) => number): NativeBuiltin {
  return ([bits]) =>
    typeof bits === "bigint" ? floatBitsOfNumber(Math.fround(compute(numberOfFloatBits(bits, 32))), 32) : null;
}

/** The sum of the four bytes of a uint: of the extension `cl_example_byte_sums`. */
const sumOfBytes: NativeBuiltin = ([bits]) =>
  typeof bits === "bigint" ? [0n, 8n, 16n, 24n].reduce((sum, shift) => sum + ((bits >> shift) & 0xffn), 0n) : null;

/** By name and parameters; the machine applies them to the lanes of vectors one by one. */
export const MACHINE_FUNCTIONS: ReadonlyMap<string, NativeBuiltin> = new Map([
  ["native_sin(float)", ofFloat(Math.sin)],
  ["native_cos(float)", ofFloat(Math.cos)],
  ["native_exp2(float)", ofFloat((value) => 2 ** value)],
  ["native_log2(float)", ofFloat(Math.log2)],
  ["sum_of_bytes(uint)", sumOfBytes],
]);
