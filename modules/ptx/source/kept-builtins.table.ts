// SPDX-License-Identifier: Apache-2.0
/**
 * Built-ins of floats that the machine has itself, within what OpenCL C 7.4 allows them: the `native_` and `half_`
 * functions; `rsqrt`, whose instruction is within 2 ULP; and `exp`, `exp2` and `exp10` by its power of two, within 3.
 * Each is a list of steps; `x` and `y` are the arguments, `_` is what the step before gave, `#n` what step n gave.
 *
 * Powers (reduction as in W. J. Cody and W. Waite, "Software Manual for the Elementary Functions", 1980): b^x is 2^j
 * times 2^f, where j is x times log2 b, rounded to a whole number by adding 1.5 * 2^23, and f the rest, for which the
 * constant has two parts. 2^f is the machine's. j is held between -126 and 127, so that 2^j is a normal number, whose
 * bits are those of the rounded sum moved to the exponent; f is large beyond, and its power rounds, is 0 or infinite.
 */
import type { BuiltinReference } from "@muxkit/ir";

/** An instruction with its operands; its result is a binary32, or 32 bits where `b32:` stands in front of its name. */
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

const ROUNDER = "0f4b400000";

/** A power of a base by its logarithm to base 2, in two parts. */
function powerSteps(logarithm: string, rest: string): readonly Step[] {
  return [
    ["fma.rn.f32", "x", logarithm, ROUNDER],
    ["max.f32", "_", "0f4b3fff82"],
    ["min.f32", "_", "0f4b40007f"],
    ["sub.rn.f32", "_", ROUNDER],
    ["neg.f32", "_"],
    ["fma.rn.f32", "x", logarithm, "_"],
    ["fma.rn.f32", "x", rest, "_"],
    ["ex2.approx.ftz.f32", "_"],
    ["b32:mov.b32", "#2"],
    ["b32:shl.b32", "_", "23"],
    ["b32:add.s32", "_", "0x3f800000"],
    ["mov.b32", "_"],
    ["mul.rn.f32", "#7", "_"],
  ];
}

/** Forms of functions of the library, for programs that do not ask for its bits. */
const SHORT: ReadonlyMap<string, readonly Step[]> = new Map([
  ["exp", powerSteps(LOG2_E, "0f32a57060")],
  ["exp2", NATIVE["exp2"] as readonly Step[]],
  ["exp10", powerSteps(LOG2_10, "0f33979a37")],
]);

/** `half_` functions take the range of any float: those of `sin` and `cos` are the library's. */
const HALF_NAMES = ["exp2", "exp", "log2", "log", "log10", "sqrt", "rsqrt", "recip"] as const;

const STEPS: ReadonlyMap<string, readonly Step[]> = new Map([
  ...Object.entries(NATIVE).map(([name, steps]) => [`native_${name}`, steps] as const),
  ...HALF_NAMES.map((name) => [`half_${name}`, NATIVE[name] as readonly Step[]] as const),
  ["rsqrt", NATIVE["rsqrt"] as readonly Step[]],
  ...SHORT,
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
 * True for built-ins whose calls the generator wants to stay calls: for `keepsBuiltin` of a target. `isExact`: the
 * program asks for correct rounding, and gets the bits of the library where there is no special instruction.
 *
 * @public
 */
export function keepsBuiltin(row: BuiltinReference, isExact: boolean = false): boolean {
  return PRINTF_BUILTINS.has(row.name) || (stepsOf(row) !== null && !(isExact && SHORT.has(row.name)));
}
