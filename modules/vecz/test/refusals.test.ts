// SPDX-License-Identifier: Apache-2.0
// Each reason for which a function is not vectorised, with the instruction that it is told of.
import { parseModule, printInstruction, verifyModule } from "@muxkit/ir";
import { REFUSALS, type Refusal, vectorize } from "@muxkit/vecz";
import { expect, test } from "vitest";

import { requestOf } from "./lanes.ts";

/** A function of so many branches on comparisons of a parameter: %x varies, %u is uniform. */
function branches(count: number, parameter: string): string {
  const tests = Array.from(
    { length: count },
    (_, i) => `^t${i}:\n  %c${i} = eq ${parameter}, ${i}: i32: i1\n  cond_br %c${i}, ^end, ^t${i + 1}`,
  );
  return `func @f(%x: i32, %u: i32) {\n^e:\n  br ^t0\n${tests.join("\n")}\n^t${count}:\n  br ^end\n^end:\n  ret\n}`;
}

/** A function of so many sums. */
function sums(count: number): string {
  const lines = Array.from({ length: count }, (_, i) => `  %s${i + 1} = add ${i === 0 ? "%x" : `%s${i}`}, %x: i32`);
  return `func @f(%x: i32) -> i32 {\n^e:\n${lines.join("\n")}\n  ret %s${count}\n}`;
}

/** Functions of one varying parameter %x, and what is told of them. */
const ROWS: readonly (readonly [refusal: Refusal, width: number, text: string, instruction: string | null])[] = [
  ["control that never returns", 4, "func @f(%x: i32) {\n^e:\n  br ^l\n^l:\n  br ^l\n}", "br ^1"],
  [
    "control that never returns",
    4,
    "func @f(%x: i32) {\n^e:\n  %c = slt %x, 3: i32: i1\n  cond_br %c, ^l, ^o\n^l:\n  br ^l\n^o:\n  ret\n}",
    "br ^1",
  ],
  [
    "a value of a type without vectors",
    4,
    `func @f(%x: i1, %s: opaque sampler, %t: opaque sampler) {
^e:
  %u = select %x, %s, %t: opaque sampler
  ret
}`,
    "%3 = select %0, %1, %2: opaque sampler",
  ],
  [
    "a value of a type without vectors",
    4,
    "func @f(%x: <2 x i32>, %p: ptr<global>) {\n^e:\n  %a = address %p, %x {scale 4}: <2 x ptr<global>>\n  ret\n}",
    "%2 = address %1, %0 {scale 4}: <2 x ptr<global>>",
  ],
  [
    "a vector of too many lanes",
    8,
    "func @f(%x: i32) {\n^e:\n  %v = splat %x: <16 x i32>\n  ret\n}",
    "%1 = splat %0: <16 x i32>",
  ],
  ["a vector of too many lanes", 16, "func @f(%x: <8 x i32>) {\n^e:\n  ret\n}", null],
  ["a vector of too many lanes", 8, "func @f(%x: i32) -> <16 x i32> {\n^e:\n  ret splat(0): <16 x i32>\n}", "ret %1"],
  ["too many divergent branches", 4, branches(257, "%x"), "cond_br %2, ^259, ^2"],
  ["too many divergent branches", 4, branches(1025, "%u"), null],
  ["too much code", 16, sums((1 << 15) + 1), "%32769 = add %32768, %0: i32"],
];

test.each(ROWS)("%s, at width %i", (refusal, width, text, instruction) => {
  const parsed = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32\n${text}\n`);
  if (!parsed.ok) throw new Error(`${parsed.error.line}: ${parsed.error.message}`);
  expect(verifyModule(parsed.value)).toEqual([]);
  const fn = parsed.value.functions.get("f");
  const result =
    fn === undefined
      ? null
      : vectorize(fn, requestOf(parsed.value, width, new Map([[0, { shape: null, lowZeros: 0 }]])));
  expect(result).toMatchObject({ ok: false, refusal });
  if (result === null || result.ok) return;
  expect(result.instruction === null ? null : printInstruction(result.instruction)).toBe(instruction);
});

test("each reason has a row here and advice", () => {
  expect(new Set(ROWS.map(([refusal]) => refusal))).toEqual(new Set(Object.keys(REFUSALS)));
  for (const { cause, change } of Object.values(REFUSALS))
    expect([cause.endsWith("."), change.endsWith(".")]).toEqual([true, true]);
});
