// SPDX-License-Identifier: Apache-2.0
// The steps of exp and exp10 with an exact power of two in place of the machine's, which is within 2 ULP: what is left
// of the limit of 3 is for them.
import type { BuiltinReference } from "@muxkit/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { keepsBuiltin, stepsOf } from "../source/kept-builtins.table.ts";

const view = new DataView(new ArrayBuffer(4));

function floatOf(bits: number): number {
  view.setUint32(0, bits >>> 0);
  return view.getFloat32(0);
}

function bitsOf(value: number): number {
  view.setFloat32(0, value);
  return view.getUint32(0);
}

type Compute = (a: number, b: number, c: number) => number;

/** Instructions on numbers; bits of 32 as numbers from 0. */
const INSTRUCTIONS: Readonly<Record<string, Compute>> = {
  "fma.rn.f32": (a, b, c) => Math.fround(a * b + c),
  "max.f32": (a, b) => (Number.isNaN(a) ? b : Math.max(a, b)),
  "min.f32": (a, b) => (Number.isNaN(a) ? b : Math.min(a, b)),
  "sub.rn.f32": (a, b) => Math.fround(a - b),
  "neg.f32": (a) => -a,
  "mul.rn.f32": (a, b) => Math.fround(a * b),
  "ex2.approx.ftz.f32": (a) => {
    const power = Math.fround(2 ** a);
    return power < 2 ** -126 ? 0 : power;
  },
  "b32:mov.b32": bitsOf,
  "b32:shl.b32": (a, b) => (a << b) >>> 0,
  "b32:add.s32": (a, b) => (a + b) >>> 0,
  "mov.b32": floatOf,
};

function operandOf(text: string, x: number, results: readonly number[]): number {
  if (text === "x") return x;
  if (text === "_") return results.at(-1) as number;
  if (text.startsWith("#")) return results[Number(text.slice(1))] as number;
  return text.startsWith("0f") ? floatOf(Number.parseInt(text.slice(2), 16)) : Number(text);
}

function evaluate(name: string, x: number): number {
  const results: number[] = [];
  for (const [instruction, ...operands] of stepsOf({ kind: "builtin", name, parameters: ["float"] }) ?? []) {
    const [a = 0, b = 0, c = 0] = operands.map((one) => operandOf(one, x, results));
    const compute = INSTRUCTIONS[instruction];
    if (compute === undefined) throw new Error(`no instruction ${instruction}`);
    results.push(compute(a, b, c));
  }
  return results.at(-1) as number;
}

/** Distance in units of the last place of a result. */
function ulps(got: number, wanted: number): number {
  if (Object.is(got, Math.fround(wanted)) || (Number.isNaN(got) && Number.isNaN(wanted))) return 0;
  const exponent = Math.max(-126, Math.floor(Math.log2(Math.abs(wanted))));
  return Math.abs(got - wanted) / 2 ** (exponent - 23);
}

test.each([
  ["exp", Math.exp],
  ["exp10", (x: number) => 10 ** x],
] as const)("%s", (name, truth) => {
  for (const x of [0, -0, 1, -1, 88.72, 88.73, -87.4, -103.9, -104, 1e38, -1e38, Infinity, -Infinity, Number.NaN])
    expect(ulps(evaluate(name, Math.fround(x)), truth(Math.fround(x))), `${name}(${x})`).toBeLessThan(1);
  fc.assert(
    fc.property(fc.float({ min: -110, max: 90, noNaN: true }), (x) => ulps(evaluate(name, x), truth(x)) < 1),
    { numRuns: 20_000 },
  );
});

test("programs that ask for correct rounding get the library's bits", () => {
  const row: BuiltinReference = { kind: "builtin", name: "exp", parameters: ["float4"] };
  expect([keepsBuiltin(row), keepsBuiltin(row, true)]).toEqual([true, false]);
  expect(keepsBuiltin({ ...row, name: "native_exp" }, true)).toBe(true);
  expect(keepsBuiltin({ ...row, parameters: ["double"] })).toBe(false);
});
