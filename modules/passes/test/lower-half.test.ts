// SPDX-License-Identifier: Apache-2.0
// lower-half: which values stay wide, where values are packed, and that nothing else changes.
import { interpretFunction } from "@muxkit/interpreter";
import {
  F16,
  F32,
  type IrFunction,
  type Module,
  Op,
  constantBits,
  constantLane,
  constantVector,
  evaluate,
  parseModule,
  verifyModule,
  vectorType,
} from "@muxkit/ir";
import { expect, test } from "vitest";

import { EMPTY_CONTEXT, runPasses } from "@muxkit/passes";

function lowered(body: string): { readonly module: Module; readonly fn: IrFunction } {
  const parsed = parseModule(`module "t" pointers 4 size_t 32\n${body}`);
  if (!parsed.ok) throw new Error(parsed.error.message);
  const module = parsed.value;
  runPasses(module, ["lower-half"], EMPTY_CONTEXT);
  expect(verifyModule(module)).toEqual([]);
  const fn = module.functions.get("f");
  if (fn === undefined) throw new Error("there is no f");
  return { module, fn };
}

/** Numbers of ops by block. */
function counts({ blocks }: IrFunction, op: number): number[] {
  return blocks.map(({ instructions }) => instructions.filter((instruction) => instruction.op === op).length);
}

test("values that are only moved stay as they are", () => {
  const { fn } = lowered(`func @f(%p: ptr<global>, %c: i1) {
^0:
  %a = load %p {align 8}: <4 x f16>
  %b = shuffle %a, %a {[3, 2, 1, 0]}: <4 x f16>
  %d = select %c, %a, %b: <4 x f16>
  store %d, %p {align 8}
  ret
}`);
  expect(fn.blocks[0]?.instructions.map(({ op }) => op)).toEqual([Op.LOAD, Op.SHUFFLE, Op.SELECT, Op.STORE, Op.RET]);
});

test("a sum in a loop stays wide and is packed after the loop", () => {
  const { fn } = lowered(`func @f(%p: ptr<global>, %n: i32) {
^0:
  %x = load %p {align 2}: f16
  br ^1(0x0000: f16, 0: i32)
^1(%s: f16, %i: i32):
  %t = fadd %s, %x: f16
  %j = add %i, 1: i32
  %more = ult %j, %n: i1
  cond_br %more, ^1(%t: f16, %j: i32), ^2
^2:
  store %t, %p {align 2}
  ret
}`);
  // A half is packed from its magnitude and its sign, a truncation each.
  expect(counts(fn, Op.TRUNC)).toEqual([0, 0, 2]);
  expect(counts(fn, Op.SEXT)).toEqual([2, 0, 0]);
  expect(fn.blocks[1]?.parameters.map(({ type }) => type.text)).toEqual(["f32", "i32"]);
});

test("a value that may be a NaN with a payload is passed around a loop packed", () => {
  const { fn } = lowered(`func @f(%p: ptr<global>, %n: i32) {
^0:
  %x = load %p {align 2}: f16
  br ^1(%x: f16, 0: i32)
^1(%s: f16, %i: i32):
  %t = fadd %s, %x: f16
  %j = add %i, 1: i32
  %more = ult %j, %n: i1
  cond_br %more, ^1(%t: f16, %j: i32), ^2
^2:
  store %s, %p {align 2}
  ret
}`);
  expect(fn.blocks[1]?.parameters.map(({ type }) => type.text)).toEqual(["f16", "i32"]);
  expect(counts(fn, Op.TRUNC)).toEqual([0, 2, 0]);
});

test("afterwards no op computes with halves", () => {
  const { fn } = lowered(`func @f(%p: ptr<global>, %d: <2 x f64>) {
^0:
  %a = load %p {align 4}: <2 x f16>
  %b = fptrunc %d: <2 x f16>
  %c = fma %a, %b, %a: <2 x f16>
  %e = fcopysign %c, %b: <2 x f16>
  %m = fmin %e, splat(0x3c00): <2 x f16>
  %l = flt %m, %a: <2 x i1>
  %s = select %l, %m, %e: <2 x f16>
  %n = fneg %s: <2 x f16>
  %w = fpext %n: <2 x f64>
  store %w, %p {align 16}
  store %n, %p {align 4}
  ret
}`);
  const ops = new Set([Op.FMA, Op.FCOPYSIGN, Op.FMIN, Op.FLT]);
  const computing = fn.blocks.flatMap(({ instructions }) =>
    instructions.filter(({ op, operands }) => ops.has(op) && operands.some(({ type }) => type.text.includes("f16"))),
  );
  expect(computing).toEqual([]);
  expect(counts(fn, Op.FMA)).toEqual([0]);
});

/** Lanes of vectors that are widened in their own width, and those that are widened in lanes of 16 bits. */
const LANES = [4, 8, 48];

test.each(LANES)("every half is widened to the float that has its value, %i at once", (lanes) => {
  const { module } = lowered(`func @f(%x: <${lanes} x f16>) -> <${lanes} x f32> {
^0:
  %y = fpext %x: <${lanes} x f32>
  ret %y
}`);
  const wrong: number[] = [];
  for (let at = 0; at < 0x10000; at += lanes) {
    const halves = Array.from({ length: lanes }, (_, i) => constantBits(F16, (at + i) & 0xffff));
    const result = interpretFunction(module, "f", [constantVector(vectorType(F16, lanes), halves)]);
    const { value } = result.ok ? result : { value: null };
    if (value === null) throw new Error("the function returns a vector");
    halves.forEach((half, i) => {
      const wanted = (evaluate(Op.FPEXT, F32, [half])?.low ?? 0) >>> 0;
      const got = constantLane(value, i).low >>> 0;
      const areNaNs = [wanted, got].every((bits) => (bits & 0x7fff_ffff) > 0x7f80_0000);
      if (got !== wanted && !areNaNs) wrong.push(at + i);
    });
  }
  expect(wrong).toEqual([]);
});
