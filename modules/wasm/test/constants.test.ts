// SPDX-License-Identifier: Apache-2.0
// Vector constants of loops are made once, before the function begins.
import { expect, test } from "vitest";

import { opcodesOf, simd } from "./instructions.ts";
import { moduleOf } from "./run.ts";

const CONSTANT = simd(0x0c);
const LOOP = 0x03;

/** A function whose loop adds each of some constants to a vector. */
function loopOf(constants: readonly string[]): number[] {
  const sums = constants.map((constant, i) => `  %s${i + 1} = fadd %s${i}, splat(${constant}): <8 x f32>\n`).join("");
  const [list = []] = opcodesOf(
    moduleOf(`func @f(%in: ptr<global>, %out: ptr<global>, %n: i32) {
^0:
  %x = load %in {align 4}: <8 x f32>
  br ^1(%x: <8 x f32>, 0: i32)
^1(%s0: <8 x f32>, %i: i32):
${sums}  %j = add %i, 1: i32
  %c = slt %j, %n: i1
  cond_br %c, ^1(%s${constants.length}: <8 x f32>, %j: i32), ^2
^2:
  store %s${constants.length}, %out {align 4}
  ret
}`),
  );
  return list;
}

test("a loop takes its constants from locals, one for all parts and uses", () => {
  const list = loopOf(["1.5", "2.5", "1.5"]);
  const loop = list.indexOf(LOOP);
  expect(loop).toBeGreaterThan(0);
  expect(list.slice(0, loop).filter((op) => op === CONSTANT).length).toBe(2);
  expect(list.slice(loop).filter((op) => op === CONSTANT).length).toBe(0);
});

test("zeros take one instruction and stay where they are", () => {
  const list = loopOf(["0.0"]);
  const loop = list.indexOf(LOOP);
  expect(list.slice(0, loop).filter((op) => op === CONSTANT).length).toBe(0);
  expect(list.slice(loop).filter((op) => op === CONSTANT).length).toBe(2);
});

test("a function keeps no more constants than pay", () => {
  const list = loopOf(Array.from({ length: 100 }, (_, i) => `${i + 1}.0`));
  const loop = list.indexOf(LOOP);
  expect(list.slice(0, loop).filter((op) => op === CONSTANT).length).toBe(64);
  expect(list.slice(loop).filter((op) => op === CONSTANT).length).toBe(2 * 36);
});
