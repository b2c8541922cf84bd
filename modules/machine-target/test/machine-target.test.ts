// SPDX-License-Identifier: Apache-2.0
// The helpers on an invented machine: what they look up is what the description says.
import {
  F16,
  F32,
  F64,
  I1,
  I32,
  I64,
  I8,
  LAYOUT_32,
  LAYOUT_64,
  LOCAL,
  GLOBAL,
  Op,
  VOID,
  parseModule,
  pointerType,
  vectorType,
} from "@muxkit/ir";
import {
  type MachineTarget,
  addressType,
  costOfOp,
  costOfResize,
  genericMachine,
  isLibcall,
  isNative,
  lanesPerRegister,
  narrowOpCost,
  privateBytes,
  registersOf,
  vectorRegistersHeld,
} from "@muxkit/machine-target";
import { expect, test } from "vitest";

const PLAIN = genericMachine(LAYOUT_32);
const MACHINE: MachineTarget = {
  ...PLAIN,
  layout: LAYOUT_64,
  registers: { vectorBytes: 32, vectors: 32, scalars: 16, maskLaneBytes: 0 },
  costs: {
    ...PLAIN.costs,
    ops: {
      [Op.MUL]: [{ shape: "vector", bits: 64, perRegister: 8 }, { shape: "scalar", fixed: 3 }, { perRegister: 2 }],
      [Op.SDIV]: [{ shape: "vector", fixed: 1, perLane: 22 }, { fixed: 20 }],
      [Op.ATOMIC_RMW]: [{ addressSpace: LOCAL, fixed: 3 }, { fixed: 20 }],
      [Op.SHL]: [{ shape: "vector", amounts: "own", perLane: 4 }, { perRegister: 1 }],
    },
    narrowOps: { [Op.MUL]: { 32: 2 } },
  },
  support: { [Op.FMA]: { scalar: [32], vector: [32, 64], libcall: [16] } },
};

test("registers follow the bytes of a register; masks may have their own", () => {
  expect([F32, F64, I8].map((type) => lanesPerRegister(MACHINE, type))).toEqual([8, 4, 32]);
  expect([vectorType(F32, 16), vectorType(I8, 4), I32].map((type) => registersOf(MACHINE, type))).toEqual([2, 1, 1]);
  expect(
    [vectorType(I1, 16), vectorType(I32, 16), F32, I32, VOID].map((type) => vectorRegistersHeld(MACHINE, type)),
  ).toEqual([0, 2, 1, 0, 0]);
  expect(vectorRegistersHeld(PLAIN, vectorType(I1, 16))).toBe(4);
  const pointers = vectorType(pointerType(GLOBAL), 8);
  expect([registersOf(PLAIN, pointers), registersOf(MACHINE, pointers)]).toEqual([2, 2]);
  expect([addressType(PLAIN), addressType(MACHINE)]).toEqual([I32, I64]);
});

test("the first row whose conditions hold gives the cost; an op without one costs its registers", () => {
  expect(costOfOp(MACHINE, Op.MUL, { type: vectorType(I64, 8) })).toBe(16);
  expect(costOfOp(MACHINE, Op.MUL, { type: I64 })).toBe(3);
  expect(costOfOp(MACHINE, Op.MUL, { type: vectorType(I32, 16) })).toBe(4);
  expect(costOfOp(MACHINE, Op.SDIV, { type: vectorType(I32, 4) })).toBe(89);
  expect(costOfOp(MACHINE, Op.SDIV, { type: I32 })).toBe(20);
  expect(costOfOp(MACHINE, Op.ATOMIC_RMW, { type: I32, pointer: pointerType(LOCAL) })).toBe(3);
  expect(costOfOp(MACHINE, Op.ATOMIC_RMW, { type: I32, pointer: pointerType(GLOBAL) })).toBe(20);
  expect(costOfOp(MACHINE, Op.SHL, { type: vectorType(I32, 8), amounts: "own" })).toBe(32);
  expect(costOfOp(MACHINE, Op.SHL, { type: vectorType(I32, 8), amounts: "one" })).toBe(1);
  expect(costOfOp(MACHINE, Op.SHL, { type: vectorType(I32, 8) })).toBe(1);
  expect(costOfOp(MACHINE, Op.SHL, { type: I32, amounts: "own" })).toBe(1);
  expect(costOfOp(MACHINE, Op.FADD, { type: vectorType(F32, 16) })).toBe(2);
  expect(costOfOp(MACHINE, Op.STORE, { type: VOID })).toBe(1);
  expect([8, 32].map((bits) => narrowOpCost(MACHINE, Op.MUL, bits))).toEqual([1, 2]);
});

/** Costs of some changes of width on a machine with this factor. */
function resizeCosts(resizeFactor: number): number[] {
  return [
    [8, 8],
    [8, 16],
    [8, 32],
    [16, 32],
    [32, 16],
    [32, 8],
    [1, 16],
  ].map(([from = 0, to = 0]) => costOfResize({ ...PLAIN, resizeFactor }, from, to));
}

test("lanes change their width in steps, of which each writes registers", () => {
  expect(resizeCosts(2)).toEqual([0, 2, 6, 4, 6, 7, 2]);
  expect(resizeCosts(8)).toEqual([0, 2, 4, 4, 6, 5, 2]);
});

test("support tells what one instruction does, and what only the library does", () => {
  expect([F32, F64, vectorType(F64, 2)].map((type) => isNative(MACHINE, Op.FMA, type))).toEqual([true, false, true]);
  expect([F16, F64].map((type) => isLibcall(MACHINE, Op.FMA, type))).toEqual([true, false]);
  expect([isNative(MACHINE, Op.ADD, I32), isLibcall(MACHINE, Op.ADD, I32)]).toEqual([true, false]);
});

/** A function with a frame that calls one with a frame of so many bytes. */
const framesOf = (alloca: number): string => `module "m" pointers 4 4 4 4 4 size_t 32
func @leaf(%x: i32) -> i32 {
^entry:
  ${alloca === 0 ? "" : `%v = alloca {[${alloca} x i8], align 16}: ptr<private>`}
  ret %x
}
func @top(%x: i32) -> i32 {
^entry:
  %v = alloca {[32 x i8], align 16}: ptr<private>
  %r = call @leaf %x: i32
  ret %r
}`;

function privateBytesOf(alloca: number, passed: number): number {
  const parsed = parseModule(framesOf(alloca));
  if (!parsed.ok) throw new Error(`${parsed.error.line}: ${parsed.error.message}`);
  const top = parsed.value.functions.get("top");
  if (top === undefined) throw new Error("no function");
  return privateBytes({ ...PLAIN, stack: { ...PLAIN.stack, alignment: 16 } }, top, () => passed);
}

test("private bytes count frames on the deepest way, and what calls pass where callees have no frame over it", () => {
  expect([
    privateBytesOf(0, 0),
    privateBytesOf(48, 0),
    privateBytesOf(0, 64),
    privateBytesOf(48, 64),
    privateBytesOf(128, 64),
  ]).toEqual([32, 80, 96, 96, 160]);
});
