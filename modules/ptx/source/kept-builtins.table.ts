// SPDX-License-Identifier: Apache-2.0
/**
 * Built-ins of floats that the machine has itself, within what OpenCL C 7.4 allows them: the `native_` and `half_`
 * functions, and `rsqrt`, whose instruction is within 2 ULP. Each is a list of steps; `x` and `y` are the arguments, `_`
 * is what the step before gave.
 */
import type { BuiltinReference } from "@muxkit/ir";

/** An instruction on binary32, with its operands. */
export type Step = readonly [name: string, ...operands: readonly string[]];

const LOG2_E = "0f3fb8aa3b";
const LN_2 = "0f3f317218";
const LOG10_2 = "0f3e9a209b";
const LOG2_10 = "0f40549a78";

const EXP2: Step = ["ex2.approx.f32", "_"];

const NATIVE: Readonly<Record<string, readonly Step[]>> = {
  sin: [["sin.approx.f32", "x"]],
  cos: [["cos.approx.f32", "x"]],
  exp2: [["ex2.approx.f32", "x"]],
  exp: [["mul.rn.f32", "x", LOG2_E], EXP2],
  exp10: [["mul.rn.f32", "x", LOG2_10], EXP2],
  log2: [["lg2.approx.f32", "x"]],
  log: [
    ["lg2.approx.f32", "x"],
    ["mul.rn.f32", "_", LN_2],
  ],
  log10: [
    ["lg2.approx.f32", "x"],
    ["mul.rn.f32", "_", LOG10_2],
  ],
  sqrt: [["sqrt.approx.f32", "x"]],
  rsqrt: [["rsqrt.approx.f32", "x"]],
  recip: [["rcp.approx.f32", "x"]],
  divide: [["div.approx.f32", "x", "y"]],
  powr: [["lg2.approx.f32", "x"], ["mul.rn.f32", "_", "y"], EXP2],
};

/** `half_` functions take the range of any float: those of `sin` and `cos` are the library's. */
const HALF_NAMES = ["exp2", "exp", "log2", "log", "log10", "sqrt", "rsqrt", "recip"] as const;

const STEPS: ReadonlyMap<string, readonly Step[]> = new Map([
  ...Object.entries(NATIVE).map(([name, steps]) => [`native_${name}`, steps] as const),
  ...HALF_NAMES.map((name) => [`half_${name}`, NATIVE[name] as readonly Step[]] as const),
  ["rsqrt", NATIVE["rsqrt"] as readonly Step[]],
]);

/** What printf's records need: many work-items write into one area, so the library's ring for one is no use. */
export const PRINTF_BUILTINS: ReadonlySet<string> = new Set([
  "__muxkit_printf_area",
  "__muxkit_printf_launch",
  "__muxkit_printf_reserve",
  "__muxkit_printf_commit",
]);

const FLOATS = /^float(?:2|3|4|8|16)?$/u;

/** The steps of a built-in on one lane; null: the library has it. */
export function stepsOf({ name, parameters }: BuiltinReference): readonly Step[] | null {
  return parameters.every((type) => FLOATS.test(type)) ? (STEPS.get(name) ?? null) : null;
}

/**
 * True for built-ins whose calls the generator wants to stay calls: for `keepsBuiltin` of a target.
 *
 * @public
 */
export function keepsBuiltin(row: BuiltinReference): boolean {
  return stepsOf(row) !== null || PRINTF_BUILTINS.has(row.name);
}
