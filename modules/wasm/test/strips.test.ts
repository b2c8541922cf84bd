// SPDX-License-Identifier: Apache-2.0
// Chains of elementwise operations on vectors of many parts: when they are written strip by strip, in which order, and
// that they compute what the interpreter does.
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { differenceOf } from "../../interpreter/test/random-modules-in-code.ts";
import { Random } from "../../ir/test/random-module.ts";
import { opcodesOf, simd } from "./instructions.ts";
import { FEATURES, OUTPUT, compile, moduleOf } from "./run.ts";

/** Letters for the instructions that the tests look at. */
const LETTERS: ReadonlyMap<number, string> = new Map([
  [simd(0x00), "l"],
  [simd(0x0b), "s"],
  [simd(0x87), "w"],
  [simd(0x88), "w"],
  [simd(0xa7), "W"],
  [simd(0xa8), "W"],
  [simd(0xae), "+"],
  [simd(0xb5), "*"],
  [simd(0x0d), "n"],
]);

/** Loads, stores and computing instructions of a function, a letter each. */
function order(body: string): string {
  const [list = []] = opcodesOf(
    moduleOf(`func @f(%p: ptr<global>, %q: ptr<global>, %r: ptr<global>) {\n^0:\n${body}\n  ret\n}`),
  );
  return list.map((op) => LETTERS.get(op) ?? "").join("");
}

const twoLoads = (lanes: number): string =>
  `  %a = load %p {align 4}: <${lanes} x i32>\n  %b = load %q {align 4}: <${lanes} x i32>\n`;
const chain = (lanes: number): string =>
  `  %c = add %a, %b: <${lanes} x i32>\n  %d = mul %c, %a: <${lanes} x i32>\n  %e = add %d, %b: <${lanes} x i32>\n`;

test("a chain that fits the registers stays as it is", () => {
  expect(order(`${twoLoads(8)}${chain(8)}  store %e, %r {align 4}`)).toBe("llll++**++ss");
});

test("a longer one is written strip by strip, its loads before the first store", () => {
  expect(order(`${twoLoads(32)}${chain(32)}  store %e, %r {align 4}`)).toBe("l".repeat(16) + "+*+s".repeat(8));
});

test("without a store the loads are parts of the strips", () => {
  const sum = "  %s = reduce %e {add}: i32\n  store %s, %r {align 4}";
  expect(order(`${twoLoads(32)}${chain(32)}${sum}`)).toMatch(/^(?:ll\+\*\+){8}/u);
});

test("narrow parts are widened with the first of their strips and narrowed with the last", () => {
  const body = `  %x = load %p {align 1}: <64 x i8>
  %y = load %q {align 1}: <64 x i8>
  %a = sext %x: <64 x i32>
  %b = sext %y: <64 x i32>
${chain(64)}  %t = trunc %e: <64 x i8>
  store %t, %r {align 1}`;
  expect(order(body)).toBe("l".repeat(8) + `${"wWwW+*+".repeat(4)}nnns`.repeat(4));
});

test("an instruction that needs all of a result comes after it, also where it is computed at its use", () => {
  const text = `func @f(%x: <32 x i32>, %y: <32 x i32>) -> <32 x i32> {
^0:
  %a = add %x, %y: <32 x i32>
  %b = mul %a, %x: <32 x i32>
  %c = xor %b, %y: <32 x i32>
  %l = extract %c, 31: i32: i32
  %m = mul %l, 3: i32
  %s = splat %m: <32 x i32>
  %d = add %b, %s: <32 x i32>
  %e = sub %d, %c: <32 x i32>
  ret %e
}`;
  expect(differenceOf({ compile: (module) => compile(module), output: OUTPUT }, moduleOf(text), new Random(1), 4)).toBe(
    "",
  );
});

const TYPES = ["i8", "i16", "i32", "i64", "f32"] as const;
const OPS: Readonly<Record<string, readonly string[]>> = {
  int: ["add", "sub", "xor", "smin", "umax"],
  float: ["fadd", "fmul", "fsub"],
};

/** A function of random elementwise operations on vectors of one length, and a few that take all lanes. */
function randomChain(random: Random, lanes: number, length: number): string {
  const of = (type: string): string => `<${lanes} x ${type}>`;
  const values = new Map<string, string[]>(TYPES.map((type) => [type, [`%x.${type}`]]));
  const lines: string[] = [];
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
  const some = (type: string): string => pick(values.get(type) ?? []);
  for (let i = 0; i < length; i++) {
    const type = pick(TYPES);
    const isFloat = type === "f32";
    const name = `%v${i}`;
    const narrower = TYPES.filter(
      (other) => other !== "f32" && !isFloat && Number(other.slice(1)) < Number(type.slice(1)),
    );
    const wider = TYPES.filter(
      (other) => other !== "f32" && !isFloat && Number(other.slice(1)) > Number(type.slice(1)),
    );
    const kind = random.below(8);
    if (kind === 0 && narrower.length > 0) {
      const from = pick(narrower);
      lines.push(`${name} = ${pick(["sext", "zext"])} ${some(from)}: ${of(type)}`);
    } else if (kind === 1 && wider.length > 0) {
      const from = pick(wider);
      const [op, number] = pick([
        ["lshr", Number(from.slice(1)) - Number(type.slice(1))],
        ["ashr", Number(from.slice(1)) - Number(type.slice(1))],
        ["and", 127],
        ["add", 0],
      ] as const);
      lines.push(`%w${i} = ${op} ${some(from)}, splat(${number}): ${of(from)}`, `${name} = trunc %w${i}: ${of(type)}`);
    } else if (kind === 5 && type === "i32") {
      lines.push(`%h${i} = zext ${some("i16")}: ${of(type)}`, `%l${i} = zext ${some("i16")}: ${of(type)}`);
      lines.push(`%s${i} = shl %h${i}, splat(16): ${of(type)}`, `${name} = or %s${i}, %l${i}: ${of(type)}`);
    } else if (kind === 2) {
      const compared = pick(TYPES);
      const op = compared === "f32" ? "flt" : pick(["slt", "eq"]);
      lines.push(`%m${i} = ${op} ${some(compared)}, ${some(compared)}: ${of("i1")}`);
      lines.push(`${name} = select %m${i}, ${some(type)}, ${some(type)}: ${of(type)}`);
    } else if (kind === 3 && isFloat) lines.push(`${name} = sitofp ${some("i16")}: ${of(type)}`);
    else if (kind === 3) lines.push(`${name} = shl ${some(type)}, splat(${random.below(8)}): ${of(type)}`);
    else if (kind === 4 && random.below(3) === 0)
      lines.push(
        `${name} = shuffle ${some(type)}, ${some(type)} {[${Array.from({ length: lanes }, () => random.below(2 * lanes)).join(", ")}]}: ${of(type)}`,
      );
    else {
      const op = pick(OPS[isFloat ? "float" : "int"] ?? []);
      lines.push(`${name} = ${op} ${some(type)}, ${some(type)}: ${of(type)}`);
    }
    values.get(type)?.push(name);
  }
  const result = pick(TYPES);
  return `func @f(${TYPES.map((type) => `%x.${type}: ${of(type)}`).join(", ")}) -> ${of(result)} {
^0:
${lines.map((line) => `  ${line}\n`).join("")}  ret ${values.get(result)?.at(-1) ?? ""}
}`;
}

test("random chains compute what the interpreter computes", () => {
  fc.assert(
    fc.property(
      fc.nat(0x7fff_ffff),
      fc.constantFrom(8, 16, 24, 32, 64),
      fc.integer({ min: 4, max: 40 }),
      (seed, lanes, length) => {
        const random = new Random(seed);
        const module = moduleOf(randomChain(random, lanes, length));
        const runner = {
          compile: (one: typeof module) => compile(one, seed % 2 === 0 ? [] : FEATURES),
          output: OUTPUT,
        };
        expect(differenceOf(runner, module, random, 1)).toBe("");
      },
    ),
    { numRuns: Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "80") },
  );
});
