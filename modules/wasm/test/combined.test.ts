// SPDX-License-Identifier: Apache-2.0
// Peephole patterns whose inner operations have further users: what a combined instruction still takes is computed.
import { expect, test } from "vitest";

import { opcodesOf, simd } from "./instructions.ts";
import { INPUT, OUTPUT, compile, moduleOf } from "./run.ts";

const BITSELECT = simd(0x52);
const ANDNOT = simd(0x4f);
const XOR = simd(0x51);

const [X, Y, S] = [
  [0x0123_4567, -1, 0, 0x5555_5555],
  [-0x0fed_cba9, 0, -1, 0x3333_3333],
  [0x0f0f_0f0f, 0x7fff_0000, -2, 5],
] as const;

type Lane = (x: number, y: number, s: number) => number;

const CASES: readonly (readonly [idea: string, body: string, lane: Lane, opcodes: readonly number[]])[] = [
  [
    "a choice by a mask",
    `  %n = xor %s, splat(-1): <4 x i32>
  %a = and %x, %n: <4 x i32>
  %b = and %y, %s: <4 x i32>
  %r = or %a, %b: <4 x i32>`,
    (x, y, s) => (x & ~s) | (y & s),
    [BITSELECT],
  ],
  [
    "a choice by the complement of a mask, whose own complement the kept bits take",
    `  %m = xor %s, splat(-1): <4 x i32>
  %n = xor %m, splat(-1): <4 x i32>
  %a = and %x, %n: <4 x i32>
  %b = and %y, %m: <4 x i32>
  %r = or %a, %b: <4 x i32>`,
    (x, y, s) => (x & s) | (y & ~s),
    [XOR, BITSELECT],
  ],
  [
    "bits kept by the complement of a complement",
    `  %m = xor %s, splat(-1): <4 x i32>
  %n = xor %m, splat(-1): <4 x i32>
  %a = and %x, %n: <4 x i32>
  %b = and %y, %m: <4 x i32>
  %r = add %a, %b: <4 x i32>`,
    (x, y, s) => (x & s) + (y & ~s),
    [XOR, ANDNOT, ANDNOT],
  ],
  [
    "a choice whose complement has another user",
    `  %n = xor %s, splat(-1): <4 x i32>
  %a = and %x, %n: <4 x i32>
  %b = and %y, %s: <4 x i32>
  %c = or %a, %b: <4 x i32>
  %r = add %c, %n: <4 x i32>`,
    (x, y, s) => ((x & ~s) | (y & s)) + ~s,
    [XOR, BITSELECT],
  ],
  [
    "a choice within a choice by the same mask",
    `  %m = xor %s, splat(-1): <4 x i32>
  %a = and %x, %m: <4 x i32>
  %b = and %y, %s: <4 x i32>
  %c = or %a, %b: <4 x i32>
  %n = xor %m, splat(-1): <4 x i32>
  %d = and %c, %n: <4 x i32>
  %e = and %x, %m: <4 x i32>
  %r = or %d, %e: <4 x i32>`,
    (x, y, s) => (y & s) | (x & ~s),
    [XOR, BITSELECT, BITSELECT],
  ],
];

test.each(CASES)("%s", (_, body, lane, opcodes) => {
  const module = moduleOf(`func @f(%in: ptr<global>, %out: ptr<global>) {
^0:
  %x = load %in {align 16}: <4 x i32>
  %py = address %in {offset 16}: ptr<global>
  %y = load %py {align 16}: <4 x i32>
  %ps = address %in {offset 32}: ptr<global>
  %s = load %ps {align 16}: <4 x i32>
${body}
  store %r, %out {align 16}
  ret
}`);
  const { call, words } = compile(module);
  words.set([...X, ...Y, ...S], INPUT / 4);
  call("f", INPUT, OUTPUT);
  expect([...words.subarray(OUTPUT / 4, OUTPUT / 4 + 4)]).toEqual(X.map((x, i) => lane(x, Y[i] ?? 0, S[i] ?? 0) | 0));
  const [list = []] = opcodesOf(module);
  expect(list.filter((op) => op === BITSELECT || op === ANDNOT || op === XOR)).toEqual(opcodes);
});
