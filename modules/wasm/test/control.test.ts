// SPDX-License-Identifier: Apache-2.0
// Control flow: loops, switches, irreducible graphs, deep nesting, many parameters.
import { expect, test } from "vitest";

import { opcodesOf } from "./instructions.ts";
import { OUTPUT, compile, moduleOf } from "./run.ts";

test("a loop with parameters that are written together", () => {
  const { call } = compile(
    moduleOf(`func @gcd(%a: i32, %b: i32) -> i32 {
^entry:
  br ^head(%a: i32, %b: i32)
^head(%x: i32, %y: i32):
  %done = eq %y, 0: i32: i1
  cond_br %done, ^exit, ^body
^body:
  %rest = urem %x, %y: i32
  br ^head(%y: i32, %rest: i32)
^exit:
  ret %x
}`),
  );
  expect(call("gcd", 48, 18)).toBe(6);
  expect(call("gcd", 17, 5)).toBe(1);
});

test("a switch with a default, shared targets and parameters", () => {
  const { call } = compile(
    moduleOf(`func @kind(%x: i32) -> i32 {
^entry:
  switch %x, default: ^other, -1: ^all, 7: ^seven(1: i32), 8: ^seven(2: i32), 1000000: ^all
^all:
  ret 1: i32
^seven(%n: i32):
  %r = add %n, 10: i32
  ret %r
^other:
  ret 0: i32
}`),
  );
  expect([-1, 7, 8, 1_000_000, 3, 0].map((x) => call("kind", x))).toEqual([1, 11, 12, 1, 0, 0]);
});

test("a table of cases on a narrow value: cases are signed", () => {
  const { call } = compile(
    moduleOf(`func @kind(%x: i8) -> i32 {
^entry:
  switch %x, default: ^other, -1: ^a, 0: ^b, 1: ^c, 2: ^b, 127: ^c, -128: ^a
^a:
  ret 1: i32
^b:
  ret 2: i32
^c:
  ret 3: i32
^other:
  ret 0: i32
}
func @near(%x: i16) -> i32 {
^entry:
  switch %x, default: ^other, -2: ^a, -1: ^b, 0: ^a, 1: ^b
^a:
  ret 1: i32
^b:
  ret 2: i32
^other:
  ret 0: i32
}`),
  );
  expect([255, 0, 1, 2, 127, 128, 3].map((x) => call("kind", x))).toEqual([1, 2, 3, 2, 3, 1, 0]);
  expect([65_534, 65_535, 0, 1, 2].map((x) => call("near", x))).toEqual([1, 2, 1, 2, 0]);
});

test("vectors of several parts are returned", () => {
  const { call, words } = compile(
    moduleOf(`func @pair(%x: i32) -> <8 x i32> {
^0:
  %r = build %x, 1: i32, 2: i32, 3: i32, %x, 5: i32, 6: i32, %x: <8 x i32>
  ret %r
}
func @f(%x: i32, %out: ptr<global>) {
^0:
  %v = call @pair %x: <8 x i32>
  store %v, %out {align 4}
  ret
}`),
  );
  call("f", 9, OUTPUT);
  expect([...words.subarray(OUTPUT / 4, OUTPUT / 4 + 8)]).toEqual([9, 1, 2, 3, 9, 5, 6, 9]);
});

/** The reference result of the irreducible function, step by step. */
function steps(c: number, n: number): number {
  let [i, s, at] = [0, 0, c === 1 ? "a" : "b"];
  for (;;) {
    if (at === "a") {
      s += 1;
      if (i >= n) return s;
      at = "b";
    } else {
      s += 100;
      i += 1;
      at = "a";
    }
  }
}

test("an irreducible loop: two ways in", () => {
  const { call } = compile(
    moduleOf(`func @f(%c: i1, %n: i32) -> i32 {
^entry:
  cond_br %c, ^a(0: i32, 0: i32), ^b(0: i32, 0: i32)
^a(%i: i32, %s: i32):
  %t = add %s, 1: i32
  %go = ult %i, %n: i1
  cond_br %go, ^b(%i: i32, %t: i32), ^end(%t: i32)
^b(%j: i32, %u: i32):
  %v = add %u, 100: i32
  %k = add %j, 1: i32
  br ^a(%k: i32, %v: i32)
^end(%r: i32):
  ret %r
}`),
  );
  for (const c of [0, 1]) for (const n of [0, 1, 5]) expect(call("f", c, n), `${c}, ${n}`).toBe(steps(c, n));
});

test("two hundred nested branches", () => {
  const depth = 200;
  const blocks = Array.from(
    { length: depth },
    (_, i) =>
      `^b${i}:
  %c${i} = eq %x, ${i}: i32: i1
  cond_br %c${i}, ^hit${i}, ^${i + 1 < depth ? `b${i + 1}` : "end"}
^hit${i}:
  ret ${i * 3}: i32`,
  ).join("\n");
  const { call } = compile(
    moduleOf(`func @f(%x: i32) -> i32 {\n^entry:\n  br ^b0\n${blocks}\n^end:\n  ret -1: i32\n}`),
  );
  expect([0, 57, 199, 200].map((x) => call("f", x))).toEqual([0, 171, 597, -1]);
});

test("a hundred parameters, and calls with them", () => {
  const count = 100;
  const names = Array.from({ length: count }, (_, i) => `%p${i}`);
  const sums = names
    .slice(1)
    .map((name, i) => `  %s${i + 1} = add ${i === 0 ? "%p0" : `%s${i}`}, ${name}: i32`)
    .join("\n");
  const { call } = compile(
    moduleOf(`func @sum(${names.map((name) => `${name}: i32`).join(", ")}) -> i32 {
^0:
${sums}
  ret %s${count - 1}
}
func @twice(%x: i32) -> i32 {
^0:
  %r = call @sum ${names.map(() => "%x").join(", ")}: i32\n  ret %r\n}`),
  );
  expect(call("sum", ...names.map((_, i) => i))).toBe(4950);
  expect(call("twice", 3)).toBe(300);
});

test("private variables of nested calls do not overlap, start as zero, and the stack pointer is restored", () => {
  const { call, words } = compile(
    moduleOf(`func @leaf(%p: ptr<private>) -> i32 {
^0:
  %v = alloca {[4 x i32], align 16}: ptr<private>
  %old = load %v {align 4}: i32
  store 77: i32, %v {align 4}
  %x = load %p {align 4}: i32
  %r = add %old, %x: i32
  ret %r
}
func @f(%x: i32, %out: ptr<global>) -> i32 {
^0:
  %v = alloca {i32, align 4}: ptr<private>
  store %x, %v {align 4}
  %a = call @leaf %v: i32
  %b = call @leaf %v: i32
  %place = ptrtoint %v: i32
  store %place, %out {align 4}
  %r = add %a, %b: i32
  ret %r
}`),
  );
  expect(call("f", 21, OUTPUT)).toBe(42);
  const place = words[OUTPUT / 4];
  expect(call("f", 4, OUTPUT)).toBe(8);
  expect(words[OUTPUT / 4]).toBe(place);
});

test("what sets the stack has its own variables on it", () => {
  const { call, words } = compile(
    moduleOf(`func @wasm.set_stack(%p: i32)
func @f(%stack: i32, %x: i32, %out: ptr<global>) {
^0:
  %v = alloca {[2 x i32], align 8}: ptr<private>
  call @wasm.set_stack %stack
  store %x, %v {align 4}
  %place = ptrtoint %v: i32
  store %place, %out {align 4}
  ret
}`),
  );
  call("f", 4096, 5, OUTPUT);
  expect(words[OUTPUT / 4]).toBe(4096);
  expect(words[1024]).toBe(5);
});

/** Two nested loops that are left from the inner one in three ways: to the outer one, behind it, and by a return. */
const EXITS = `func @f(%n: i32, %stop: i32, %out: i32) -> i32 {
^entry:
  %none = eq %n, 0: i32: i1
  cond_br %none, ^end(-1: i32, -1: i32), ^outer(0: i32, 0: i32)
^outer(%i: i32, %s: i32):
  br ^inner(0: i32, %s: i32)
^inner(%j: i32, %t: i32):
  %t2 = add %t, %j: i32
  %found = eq %t2, %stop: i1
  cond_br %found, ^end(%i: i32, %j: i32), ^on
^on:
  %leave = eq %t2, %out: i1
  cond_br %leave, ^gone, ^next
^next:
  %j2 = add %j, 1: i32
  %more = ult %j2, %n: i1
  cond_br %more, ^inner(%j2: i32, %t2: i32), ^again(%t2: i32)
^again(%t3: i32):
  %i2 = add %i, 1: i32
  %rows = ult %i2, %n: i1
  cond_br %rows, ^outer(%i2: i32, %t3: i32), ^end(%t3: i32, %i2: i32)
^gone:
  %far = mul %t2, 1000: i32
  ret %far
^end(%a: i32, %b: i32):
  %w = mul %a, 100: i32
  %r = add %w, %b: i32
  ret %r
}`;

/** What {@link EXITS} gives. */
function exitsOf(n: number, stop: number, out: number): number {
  let t = 0;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      t += j;
      if (t === stop) return i * 100 + j;
      if (t === out) return t * 1000;
    }
  return n === 0 ? -101 : t * 100 + n;
}

test("loops that are left in several ways", () => {
  const { call } = compile(moduleOf(EXITS));
  for (const n of [0, 1, 2, 3, 5])
    for (const stop of [-1, 0, 3, 7, 19])
      for (const out of [-1, 0, 4, 9, 30]) expect(call("f", n, stop, out)).toBe(exitsOf(n, stop, out));
});

test("the construct of a loop has what repeats, and no code of its exits", () => {
  const [list = []] = opcodesOf(moduleOf(EXITS));
  const [MULTIPLY, RETURN, SET] = [0x6c, 0x0f, 0x21];
  const inner = list.lastIndexOf(0x03);
  let depth = 1;
  let end = inner + 1;
  for (; depth > 0; end++) {
    const op = list[end] ?? 0;
    if (op === 0x0b) depth--;
    else if (op >= 0x02 && op <= 0x04) depth++;
  }
  const body = list.slice(inner, end);
  expect(body).not.toContain(MULTIPLY);
  expect(body).not.toContain(RETURN);
  // The two that go round, and the sum and the index that the next iteration gets.
  expect(body.filter((op) => op === SET).length).toBeLessThanOrEqual(4);
  expect(list.filter((op) => op === MULTIPLY)).toHaveLength(2);
});
