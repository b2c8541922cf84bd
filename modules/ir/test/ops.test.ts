// SPDX-License-Identifier: Apache-2.0
// What ops compute on constants: every corner case of op-cases.txt, and exact arithmetic against slow definitions.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import {
  type AtomicKind,
  type Constant,
  F16,
  F32,
  F64,
  I32,
  OPS,
  Op,
  type Type,
  bigintToFloat32,
  bigintValue,
  constantBits,
  constantVector,
  evaluate,
  floatBitsOfNumber,
  fusedMultiplyAdd,
  isFloat,
  laneOperation,
  numberOfFloatBits,
  parseConstant,
  parseModule,
  printConstant,
  recastLanes,
  scalarOf,
  vectorType,
} from "@muxkit/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";

interface Case {
  readonly text: string;
  readonly op: number;
  readonly kind: AtomicKind;
  readonly operands: readonly Constant[];
  readonly expected: Constant;
}

function types(list: string): Type[] {
  const module = parseModule(`module "t" pointers 4 size_t 32\nfunc @f(${list})`);
  if (!module.ok) throw new Error(`${list}: ${module.error.message}`);
  return module.value.functions.get("f")?.parameters.map(({ type }) => type) ?? [];
}

function constant(text: string, type: Type | undefined): Constant {
  const result = type === undefined ? null : parseConstant(text, type);
  if (result?.ok !== true) throw new Error(`${text} is no ${type?.text ?? "operand"}`);
  return result.value;
}

/** Parts between commas outside of brackets. */
const parts = (list: string): string[] => list.split(/,(?![^<]*>)/u).map((part) => part.trim());

function readCases(): Case[] {
  const cases: Case[] = [];
  let op = -1;
  let kind: AtomicKind = "exchange";
  let operandTypes: Type[] = [];
  let result: Type | undefined;
  for (const line of readFileSync(join(import.meta.dirname, "op-cases.txt"), "utf8").split("\n")) {
    if (line.startsWith(";") || line === "") continue;
    const [, name, word = "exchange", list = "", type = ""] =
      /^(\w+)(?: \{(\w+)\})? \((.*)\) -> (.+)$/u.exec(line) ?? [];
    if (name !== undefined) {
      kind = word as AtomicKind;
      op = OPS.findIndex((row) => row.name === name);
      const all = types([...parts(list), type].map((text, i) => `%${i}: ${text}`).join(", "));
      operandTypes = all.slice(0, -1);
      result = all.at(-1);
      continue;
    }
    const [left = "", right = ""] = line.split(" = ");
    cases.push({
      text: `${OPS[op]?.name ?? "?"} ${line}`,
      op,
      kind,
      operands: parts(left).map((text, i) => constant(text, operandTypes[i])),
      expected: constant(right, result),
    });
  }
  return cases;
}

const cases = readCases();

function plainLane(lane: Constant): string {
  return isFloat(lane.type) && Number.isNaN(numberOfFloatBits(bigintValue(lane), lane.type.bits))
    ? "nan"
    : printConstant(lane);
}

/** One form for all NaNs. */
function plain(value: Constant | null): string {
  if (value === null) return "nothing";
  return value.lanes.length > 0 ? value.lanes.map(plainLane).join(", ") : plainLane(value);
}

/** Ops that move bits keep every NaN as it is. */
const MOVES = new Set([
  Op.FNEG,
  Op.FABS,
  Op.FCOPYSIGN,
  Op.BITCAST,
  Op.SELECT,
  Op.EXTRACT,
  Op.INSERT,
  Op.BUILD,
  Op.SPLAT,
]);

test("every corner case", () => {
  const wrong = cases.flatMap(({ text, op, kind, operands, expected }) => {
    const value = evaluate(op, expected.type, operands, { kind });
    const same = MOVES.has(op) ? value === expected : plain(value) === plain(expected);
    return same ? [] : [`${text}: ${plain(value)}`];
  });
  expect(wrong).toEqual([]);
  expect(cases.length).toBeGreaterThan(250);
});

test("every op with a value of its operands alone has cases", () => {
  const covered = new Set(cases.map(({ op }) => op));
  const missing = OPS.filter(
    (row, op) =>
      !covered.has(op) &&
      (laneOperation(op, 32, 32) !== null ||
        ["bitcast", "select", "splat", "build", "extract", "insert", "lanes-vote", "lanes-reduce"].includes(row.rule)),
  ).map(({ name }) => name);
  expect(missing).toEqual([]);
});

function widen(lane: Constant): Constant {
  return constantVector(vectorType(lane.type, 3), [lane, constantBits(lane.type, 0), lane]);
}

test("ops of vectors are ops of lanes", () => {
  const wrong = cases.flatMap(({ text, op, operands, expected }) => {
    if (expected.type.kind === "vector" || laneOperation(op, 32, 32) === null) return [];
    const value = evaluate(op, vectorType(expected.type, 3), operands.map(widen));
    const [first, , last] = value?.lanes ?? [];
    return plain(first ?? null) === plain(expected) && first === last ? [] : [text];
  });
  expect(wrong).toEqual([]);
});

test("a shuffle picks lanes; -1 gives zero", () => {
  const type = vectorType(I32, 2);
  const [left, right] = [constant("<1, 2>", type), constant("<3, 4>", type)];
  expect(evaluate(Op.SHUFFLE, vectorType(I32, 4), [left, right], { lanes: [3, -1, 0, 2] })).toBe(
    constant("<4, 0, 1, 3>", vectorType(I32, 4)),
  );
});

test("what has no value of its operands alone has none", () => {
  for (const op of [Op.LOAD, Op.CALL, Op.GLOBAL_ID, Op.BR, Op.ALLOCA, Op.BARRIER])
    expect(evaluate(op, I32, [constant("1", I32)])).toBeNull();
  expect(evaluate(Op.ADD, I32, [])).toBeNull();
});

const f32 = (value: number): Constant => constantBits(F32, Number(floatBitsOfNumber(value, 32)));
const floats32 = fc.float({ noDefaultInfinity: true, noNaN: true });

test("f32 sums, products and quotients are rounded once", () => {
  fc.assert(
    fc.property(floats32, floats32, (a, b) => {
      for (const [op, exact] of [
        [Op.FADD, a + b],
        [Op.FSUB, a - b],
        [Op.FMUL, a * b],
        [Op.FDIV, a / b],
      ] as const) {
        expect(plain(evaluate(op, F32, [f32(a), f32(b)]))).toBe(plain(f32(Math.fround(exact))));
      }
    }),
  );
});

/** The value of a finite float as a fraction of 2^1200. */
const SCALE = 1200n;
function scaled(value: number): bigint {
  const bits = floatBitsOfNumber(value, 64);
  const exponent = Number((bits >> 52n) & 2047n);
  const mantissa = (bits & ((1n << 52n) - 1n)) | (exponent === 0 ? 0n : 1n << 52n);
  const magnitude = (mantissa << SCALE) << BigInt(Math.max(0, Math.max(exponent, 1) - 1075));
  const shifted = magnitude >> BigInt(Math.max(0, 1075 - Math.max(exponent, 1)));
  return bits >> 63n === 1n ? -shifted : shifted;
}

test("fma gives the nearest float to the exact value", () => {
  const between = fc.float({ min: Math.fround(-1e10), max: Math.fround(1e10), noNaN: true });
  fc.assert(
    fc.property(between, between, between, (a, b, c) => {
      const result = fusedMultiplyAdd(a, b, c, 32);
      expect(Math.fround(result)).toBe(result);
      const exact = scaled(a) * scaled(b) + (scaled(c) << SCALE);
      const error = (value: number): bigint => {
        const difference = (scaled(value) << SCALE) - exact;
        return difference < 0n ? -difference : difference;
      };
      const bits = Number(floatBitsOfNumber(result, 32));
      const neighbours = [bits + 1, bits - 1]
        .map((other) => numberOfFloatBits(BigInt(other >>> 0), 32))
        .filter((other) => Number.isFinite(other) && Math.sign(other) === Math.sign(result));
      for (const other of neighbours) expect(error(result) <= error(other)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test("fma of doubles: exact products keep their error terms", () => {
  fc.assert(
    fc.property(fc.double({ min: 1, max: 2, noNaN: true }), fc.double({ min: 1, max: 2, noNaN: true }), (a, b) => {
      const product = a * b;
      const error = fusedMultiplyAdd(a, b, -product, 64);
      expect(scaled(a) * scaled(b)).toBe((scaled(product) + scaled(error)) << SCALE);
    }),
  );
});

test("64-bit integers become f32 in one rounding", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (value) => {
      const result = bigintToFloat32(value);
      expect(Math.fround(result)).toBe(result);
      const gap = (other: number): bigint => {
        const difference = BigInt(other) - value;
        return difference < 0n ? -difference : difference;
      };
      const bits = Number(floatBitsOfNumber(result, 32));
      const neighbours = [bits + 1, bits - 1]
        .map((other) => numberOfFloatBits(BigInt(other >>> 0), 32))
        .filter((near) => Number.isInteger(near));
      for (const near of neighbours) expect(gap(result) <= gap(near)).toBe(true);
    }),
  );
});

test("lanes of another width hold the same bits", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(255), { minLength: 8, maxLength: 8 }), (bytes) => {
      const lanes = bytes.map(BigInt);
      for (const width of [1, 16, 32, 64]) expect(recastLanes(recastLanes(lanes, 8, width), width, 8)).toEqual(lanes);
    }),
  );
});

test("NaN that arithmetic makes is the quiet NaN", () => {
  const nan = constantBits(F32, 0xffa00001);
  expect(printConstant(evaluate(Op.FADD, F32, [nan, nan]) ?? nan)).toBe("0x7fc00000");
  expect(printConstant(evaluate(Op.FPEXT, F64, [nan]) ?? nan)).toBe("0x7ff8000000000000");
  expect(printConstant(evaluate(Op.FPTRUNC, F16, [nan]) ?? nan)).toBe("0x7e00");
  expect(scalarOf(vectorType(F32, 2))).toBe(F32);
});
