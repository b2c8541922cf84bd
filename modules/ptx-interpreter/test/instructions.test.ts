// SPDX-License-Identifier: Apache-2.0
// What instructions compute, against whole numbers of any size and against numbers that are rounded once.
import * as fc from "fast-check";
import { fusedMultiplyAdd } from "@muxkit/ir";
import { describe, expect, test } from "vitest";

import { kernelOf, run } from "./rig.ts";

type Kind = "s32" | "u32" | "s64" | "u64" | "f32" | "f64";

const REGISTERS: Readonly<Record<Kind, string>> = { s32: "r", u32: "r", s64: "rd", u64: "rd", f32: "f", f64: "fd" };

/** Interesting numbers and all others. */
const WORD = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(0n, 1n, 2n, 31n, 32n, 63n, 64n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 32n),
);

/** Runs an instruction on three operands in memory. `kinds`: of the result, then of the operands. */
function textOf(opcode: string, kinds: readonly Kind[], predicate: boolean = false): string {
  const loads = kinds.slice(1).map((kind, i) => `  ld.global.${kind} %${REGISTERS[kind]}${i + 1}, [%rd29+${8 * i}];`);
  const operands = kinds.slice(1).map((kind, i) => `%${REGISTERS[kind]}${i + 1}`);
  const [result] = kinds as [Kind];
  const target = `%${REGISTERS[result]}10`;
  const made = predicate
    ? [`  ${opcode} %p1, ${operands.join(", ")};`, `  selp.u32 ${target}, 1, 0, %p1;`]
    : [`  ${opcode} ${[target, ...operands].join(", ")};`];
  return kernelOf(
    [
      ...loads,
      "  mov.b64 %rd28, 0;",
      "  st.global.b64 [%rd29+24], %rd28;",
      ...made,
      `  st.global.${result} [%rd29+24], ${target};`,
      "  ret;",
    ].join("\n"),
  );
}

function signed(bits: number, value: bigint): bigint {
  return BigInt.asIntN(bits, value);
}

function compute(opcode: string, kinds: readonly Kind[], words: readonly bigint[], predicate: boolean = false): bigint {
  const left = run(textOf(opcode, kinds, predicate), [...words, ...Array<bigint>(4 - words.length).fill(0n)]);
  if (typeof left === "string") throw new Error(left);
  return left[3] as bigint;
}

type Exact = (a: bigint, b: bigint, c: bigint) => bigint;

const COUNT_ONES = (value: bigint): bigint => BigInt(value.toString(2).replaceAll("0", "").length);
const CLZ = (bits: number, value: bigint): bigint => BigInt(bits - (value === 0n ? 0 : value.toString(2).length));
const REVERSED = (bits: number, value: bigint): bigint =>
  BigInt(`0b${value.toString(2).padStart(bits, "0").split("").toReversed().join("")}`);

/** Name without type, operands, and the exact result, of which the low bits are taken. */
const INTEGERS: readonly (readonly [name: string, operands: number, exact: (bits: number) => Exact])[] = [
  ["add", 2, () => (a, b) => a + b],
  ["sub", 2, () => (a, b) => a - b],
  ["mul.lo", 2, () => (a, b) => a * b],
  ["mul.hi", 2, (bits) => (a, b) => (a * b) >> BigInt(bits)],
  ["mad.lo", 3, () => (a, b, c) => a * b + c],
  ["div", 2, () => (a, b) => (b === 0n ? -1n : a / b)],
  ["rem", 2, () => (a, b) => (b === 0n ? -1n : a % b)],
  ["min", 2, () => (a, b) => (a < b ? a : b)],
  ["max", 2, () => (a, b) => (a > b ? a : b)],
];

describe("ints", () => {
  for (const [name, operands, exact] of INTEGERS)
    for (const kind of ["s32", "u32", "s64", "u64"] as const)
      test(`${name}.${kind}`, () => {
        const bits = Number(kind.slice(1));
        const read = (word: bigint): bigint => (kind.startsWith("s") ? signed(bits, word) : BigInt.asUintN(bits, word));
        fc.assert(
          fc.property(WORD, WORD, WORD, (a, b, c) => {
            const own = compute(`${name}.${kind}`, Array<Kind>(operands + 1).fill(kind), [a, b, c].slice(0, operands));
            expect(own).toBe(BigInt.asUintN(bits, exact(bits)(read(a), read(b), read(c))));
          }),
          { numRuns: 60 },
        );
      });

  for (const relation of ["eq", "ne", "lt", "le", "gt", "ge"] as const)
    for (const kind of ["s32", "u32", "s64", "u64"] as const)
      test(`setp.${relation}.${kind}`, () => {
        const bits = Number(kind.slice(1));
        const read = (word: bigint): bigint => (kind.startsWith("s") ? signed(bits, word) : BigInt.asUintN(bits, word));
        const holds = {
          eq: (a: bigint, b: bigint) => a === b,
          ne: (a: bigint, b: bigint) => a !== b,
          lt: (a: bigint, b: bigint) => a < b,
          le: (a: bigint, b: bigint) => a <= b,
          gt: (a: bigint, b: bigint) => a > b,
          ge: (a: bigint, b: bigint) => a >= b,
        }[relation];
        const pair = fc
          .tuple(WORD, WORD)
          .chain(([a, b]) => fc.constantFrom([a, b] as const, [a, a] as const, [a, a + 1n] as const));
        fc.assert(
          fc.property(pair, ([a, b]) => {
            const own = compute(`setp.${relation}.${kind}`, ["u32", kind, kind], [a, b], true);
            expect(own).toBe(BigInt(holds(read(a), read(b))));
          }),
          { numRuns: 60 },
        );
      });

  test.each<readonly [opcode: string, kinds: readonly Kind[], exact: Exact]>([
    ["shl.b32", ["u32", "u32", "u32"], (a, b) => (b > 31n ? 0n : a << b)],
    ["shr.u32", ["u32", "u32", "u32"], (a, b) => (b > 31n ? 0n : a >> b)],
    ["shr.s32", ["s32", "s32", "u32"], (a, b) => a >> (b > 31n ? 31n : b)],
    ["shl.b64", ["u64", "u64", "u32"], (a, b) => (b > 63n ? 0n : a << b)],
    ["shr.u64", ["u64", "u64", "u32"], (a, b) => (b > 63n ? 0n : a >> b)],
    ["shr.s64", ["s64", "s64", "u32"], (a, b) => a >> (b > 63n ? 63n : b)],
    ["mul.wide.s32", ["s64", "s32", "s32"], (a, b) => a * b],
    ["mul.wide.u32", ["u64", "u32", "u32"], (a, b) => a * b],
    ["mad.wide.s32", ["s64", "s32", "s32", "s64"], (a, b, c) => a * b + c],
    ["mad.wide.u32", ["u64", "u32", "u32", "u64"], (a, b, c) => a * b + c],
    ["neg.s64", ["s64", "s64"], (a) => -a],
    ["abs.s64", ["s64", "s64"], (a) => (a < 0n ? -a : a)],
    ["clz.b32", ["u32", "u32"], (a) => CLZ(32, a)],
    ["clz.b64", ["u32", "u64"], (a) => CLZ(64, a)],
    ["popc.b32", ["u32", "u32"], COUNT_ONES],
    ["popc.b64", ["u32", "u64"], COUNT_ONES],
    ["brev.b32", ["u32", "u32"], (a) => REVERSED(32, a)],
    ["brev.b64", ["u64", "u64"], (a) => REVERSED(64, a)],
    ["and.b64", ["u64", "u64", "u64"], (a, b) => a & b],
    ["xor.b64", ["u64", "u64", "u64"], (a, b) => a ^ b],
    ["not.b64", ["u64", "u64"], (a) => ~a],
    ["shf.l.wrap.b32", ["u32", "u32", "u32", "u32"], (a, b, c) => (((b << 32n) | a) << (c & 31n)) >> 32n],
    ["shf.r.wrap.b32", ["u32", "u32", "u32", "u32"], (a, b, c) => ((b << 32n) | a) >> (c & 31n)],
    ["cvt.u32.u64", ["u32", "u64"], (a) => a],
    ["cvt.s64.s32", ["s64", "s32"], (a) => a],
    ["cvt.u64.u32", ["u64", "u32"], (a) => a],
    [
      "bfe.u32",
      ["u32", "u32", "u32", "u32"],
      (a, b, c) => (a >> (b & 255n)) & ((1n << ((c & 255n) > 32n ? 32n : c & 255n)) - 1n),
    ],
  ])("%s", (opcode, kinds, exact) => {
    const [result, ...given] = kinds;
    const bits = Number((result as Kind).slice(1));
    fc.assert(
      fc.property(WORD, WORD, WORD, (...words) => {
        const read = given.map((kind, i) => {
          const [own, width] = [words[i] as bigint, Number(kind.slice(1))];
          return kind.startsWith("s") ? signed(width, own) : BigInt.asUintN(width, own);
        });
        const expected = BigInt.asUintN(bits, exact(read[0] ?? 0n, read[1] ?? 0n, read[2] ?? 0n));
        expect(compute(opcode, kinds, words.slice(0, given.length))).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });
});

const scratch = new DataView(new ArrayBuffer(8));

function bits32(value: number): bigint {
  scratch.setFloat32(0, value);
  return BigInt(scratch.getUint32(0));
}

function bits64(value: number): bigint {
  scratch.setFloat64(0, value);
  return scratch.getBigUint64(0);
}

/** The word that NaNs of a type are taken for. */
const NAN = 0x7ff8n;

function plain32(word: bigint): bigint {
  return (word & 0x7fffffffn) > 0x7f800000n ? NAN : word;
}

function plain64(word: bigint): bigint {
  return (word & (2n ** 63n - 1n)) > 0x7ff0000000000000n ? NAN : word;
}

/** A product and sum of binary32 numbers, and what it must be. */
function fused(a: number, b: number, c: number): readonly [own: bigint, expected: bigint] {
  const own = compute("fma.rn.f32", ["f32", "f32", "f32", "f32"], [a, b, c].map(bits32));
  return [plain32(own), plain32(bits32(fusedMultiplyAdd(a, b, c, 32)))];
}

describe("floats", () => {
  const single = fc.float();
  const near = fc.constantFrom(
    0,
    -0,
    1,
    1.5,
    2 ** -126,
    2 ** -149,
    3.4028234663852886e38,
    Infinity,
    -Infinity,
    Number.NaN,
  );
  const float = fc.oneof(single, near);
  const double = fc.oneof(fc.double(), near);

  test.each<readonly [name: string, exact: (a: number, b: number, c: number) => number, operands: number]>([
    ["add.rn", (a, b) => a + b, 2],
    ["sub.rn", (a, b) => a - b, 2],
    ["mul.rn", (a, b) => a * b, 2],
    ["div.rn", (a, b) => a / b, 2],
    ["sqrt.rn", (a) => Math.sqrt(a), 1],
    ["min", (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b)), 2],
    ["max", (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b)), 2],
  ])("%s", (name, exact, operands) => {
    fc.assert(
      fc.property(float, float, float, (a, b, c) => {
        const words = [a, b, c].slice(0, operands).map(bits32);
        const expected = Math.fround(exact(a, b, c));
        expect(plain32(compute(`${name}.f32`, Array<Kind>(operands + 1).fill("f32"), words))).toBe(
          plain32(bits32(expected)),
        );
      }),
      { numRuns: 60 },
    );
    fc.assert(
      fc.property(double, double, double, (a, b, c) => {
        const words = [a, b, c].slice(0, operands).map(bits64);
        const expected = exact(a, b, c);
        expect(plain64(compute(`${name}.f64`, Array<Kind>(operands + 1).fill("f64"), words))).toBe(
          plain64(bits64(expected)),
        );
      }),
      { numRuns: 60 },
    );
  });

  test("fma.rn.f32 rounds once, also where a sum that is rounded twice would be wrong", () => {
    for (const [own, expected] of [
      fused(1 + 2 ** -12, 1 + 2 ** -12, 2 ** -60),
      fused(1 + 2 ** -23, 1 + 2 ** -23, -(2 ** -60)),
    ])
      expect(own).toBe(expected);
    fc.assert(
      fc.property(float, float, float, (a, b, c) => {
        const [own, expected] = fused(a, b, c);
        expect(own).toBe(expected);
      }),
      { numRuns: 200 },
    );
  });

  test.each<readonly [opcode: string, kinds: readonly Kind[], word: bigint, expected: bigint]>([
    ["cvt.rzi.s32.f32", ["s32", "f32"], bits32(-2.9), BigInt.asUintN(32, -2n)],
    ["cvt.rzi.s32.f32", ["s32", "f32"], bits32(3e9), 2n ** 31n - 1n],
    ["cvt.rzi.u32.f32", ["u32", "f32"], bits32(-1), 0n],
    ["cvt.rzi.s32.f32", ["s32", "f32"], bits32(Number.NaN), 0n],
    ["cvt.rzi.s32.f64", ["s32", "f64"], bits64(Number.NaN), 2n ** 31n],
    ["cvt.rzi.u64.f64", ["u64", "f64"], bits64(2 ** 63), 2n ** 63n],
    ["cvt.rzi.s64.f64", ["s64", "f64"], bits64(1e300), 2n ** 63n - 1n],
    ["cvt.rzi.s64.f32", ["s64", "f32"], bits32(Number.NaN), 2n ** 63n],
    ["cvt.rn.f32.s64", ["f32", "s64"], 2n ** 60n + 2n ** 36n + 1n, bits32(2 ** 60 + 2 ** 37)],
    ["cvt.rn.f64.u64", ["f64", "u64"], 2n ** 64n - 1n, bits64(2 ** 64)],
    ["cvt.rni.f32.f32", ["f32", "f32"], bits32(2.5), bits32(2)],
    ["cvt.rni.f32.f32", ["f32", "f32"], bits32(-0.5), bits32(-0)],
    ["cvt.rmi.f64.f64", ["f64", "f64"], bits64(-0.5), bits64(-1)],
    ["ex2.approx.ftz.f32", ["f32", "f32"], bits32(-130), 0n],
    ["ex2.approx.f32", ["f32", "f32"], bits32(-130), bits32(2 ** -130)],
    ["sqrt.approx.ftz.f32", ["f32", "f32"], bits32(2 ** -130), 0n],
  ])("%s %j of 0x%x", (opcode, kinds, word, expected) => {
    expect(compute(opcode, kinds, [word])).toBe(expected);
  });
});
