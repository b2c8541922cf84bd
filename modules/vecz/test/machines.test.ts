// SPDX-License-Identifier: Apache-2.0
// The vectoriser follows the machine that it is given: an invented one with 32 registers of 32 bytes, and one with
// 64-bit pointers. Each test compares with WebAssembly on the same function, so that both numbers are seen.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import {
  type Constant,
  type IrFunction,
  LAYOUT_64,
  type Module,
  Op,
  type Type,
  constantInt,
  describeVerifierError,
  isPointer,
  parseModule,
  scalarOf,
  verifyModule,
} from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import { type ParameterFacts, chooseWidth, costOf, splitLoops, vectorize } from "@muxkit/vecz";
import { WASM_MACHINE } from "@muxkit/wasm";
import { expect, test } from "vitest";

import { Random, randomConstant } from "../../ir/test/random-module.ts";
import { compareLanes, requestOf } from "./lanes.ts";

/** 32 registers of 32 bytes, masks in registers of their own, cheap gathers, byte lanes resized in one step. */
const WIDE: MachineTarget = {
  ...WASM_MACHINE,
  name: "wide",
  registers: { vectorBytes: 32, vectors: 32, scalars: 16, maskLaneBytes: 0 },
  costs: { ...WASM_MACHINE.costs, gatherLane: 1, gatherKnownLane: 1, spill: 5 },
  resizeFactor: 8,
  limits: { ...WASM_MACHINE.limits, mostLanes: 32 },
};

const WIDE_64: MachineTarget = { ...WIDE, name: "wide, 64 bits", layout: LAYOUT_64 };

const HEAD_32 = 'module "m" pointers 4 4 4 4 4 size_t 32\n';
const HEAD_64 = 'module "m" pointers 8 8 8 8 8 size_t 64\n';

function parsed(text: string): Module {
  const result = parseModule(text);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  expect(verifyModule(result.value).map(describeVerifierError)).toEqual([]);
  return result.value;
}

function functionOf(module: Module): IrFunction {
  const fn = module.functions.get("f");
  if (fn === undefined) throw new Error("the module has a function @f");
  return fn;
}

/** A function that reads, computes so many sums and writes. */
function sums(count: number, type: string): string {
  const lines = Array.from({ length: count }, (_, i) => `  %s${i + 1} = fadd %s${i}, %s0: ${type}`);
  return `${HEAD_32}func @f(%p: ptr<global>) {
^e:
  %s0 = load %p {align 4}: ${type}
${lines.join("\n")}
  store %s${count}, %p {align 4}
  ret
}
`;
}

function width(machine: MachineTarget, count: number): number {
  return chooseWidth(functionOf(parsed(sums(count, "f32"))), machine, 64, true);
}

test("the width follows the bytes of a register and the line of the cache", () => {
  // What only moves data fills a line of 64 bytes, whatever that takes.
  expect([width(WASM_MACHINE, 2), width(WIDE, 2)]).toEqual([16, 16]);
  // Two registers hide latencies of small functions, one is enough for long ones.
  expect([width(WASM_MACHINE, 60), width(WIDE, 60)]).toEqual([8, 16]);
  expect([width(WASM_MACHINE, 200), width(WIDE, 200)]).toEqual([4, 8]);
  expect(width({ ...WIDE, limits: { ...WIDE.limits, mostLanes: 4 } }, 200)).toBe(4);
});

test("loops are split by the number of registers and the bytes of each", () => {
  const text = readFileSync(join(import.meta.dirname, "split-cases", "tile.ir"), "utf8");
  const parts = (machine: MachineTarget): number => splitLoops(functionOf(parsed(text)), machine);
  expect(parts(WASM_MACHINE)).toBe(3);
  expect(parts(WIDE)).toBe(1);
  // As wide, but as few as WebAssembly has: 12 sums and what they are made of just do not fit.
  expect(parts({ ...WIDE, registers: { ...WIDE.registers, vectors: 12 } })).toBeGreaterThan(1);
});

test("costs follow the table, the registers that a value fills and the price of a spill", () => {
  const sum = functionOf(parsed(sums(10, "<16 x f32>")));
  // 12 instructions on 4 registers of 16 bytes, or 2 of 32.
  expect(costOf(sum, WASM_MACHINE) - costOf(sum, WIDE)).toBe(12 * 2);
  const gather = functionOf(
    parsed(`${HEAD_32}func @f(%p: ptr<global>, %i: <8 x i32>, %m: <8 x i1>) -> <8 x f32> {
^e:
  %a = address %p, %i {scale 4}: <8 x ptr<global>>
  %v = gather %a, %m {align 4}: <8 x f32>
  ret %v
}
`),
  );
  expect(costOf(gather, WASM_MACHINE) - costOf(gather, WIDE)).toBe(8 * (4 - 1) + 1 + 1);
  const dear = { ...WIDE, costs: { ...WIDE.costs, ops: { ...WIDE.costs.ops, [Op.FADD]: [{ perRegister: 10 }] } } };
  expect(costOf(sum, dear) - costOf(sum, WIDE)).toBe(10 * 2 * 9);
});

test("a mask costs no vector register where masks have their own", () => {
  const text = `${HEAD_32}func @f(%x: <4 x f32>, %n: i32) -> <4 x i1> {
^e:
  br ^loop(0: i32)
^loop(%k: i32):
${Array.from(
  { length: 20 },
  (_, i) => `  %y${i} = fadd %x, %x: <4 x f32>
  %m${i} = fgt %y${i}, %x: <4 x i1>`,
).join("\n")}
${Array.from({ length: 19 }, (_, i) => `  %a${i} = and ${i === 0 ? "%m0" : `%a${i - 1}`}, %m${i + 1}: <4 x i1>`).join(
  "\n",
)}
  %k1 = add %k, 1: i32
  %more = ult %k1, %n: i1
  cond_br %more, ^loop(%k1: i32), ^end
^end:
  ret %a18
}
`;
  const fn = functionOf(parsed(text));
  const few: MachineTarget = { ...WASM_MACHINE, registers: { ...WASM_MACHINE.registers, maskLaneBytes: 0 } };
  expect(costOf(fn, WASM_MACHINE)).toBeGreaterThan(costOf(fn, few));
});

test("bit-width narrowing asks which lanes the machine multiplies", () => {
  const text = `${HEAD_32}func @f(%p: ptr<global>, %q: ptr<global>, %x: i32) {
^e:
  %a = address %p, %x {scale 1}: ptr<global>
  %u = load %a {align 1}: i8
  %b = address %q, %x {scale 1}: ptr<global>
  %v = load %b {align 1}: i8
  %c = zext %u: i32
  %d = zext %v: i32
  %m = mul %c, %d: i32
  %h = lshr %m, 8: i32
  %t = trunc %h: i8
  store %t, %a {align 1}
  ret
}
`;
  const bits = (machine: MachineTarget): number[] => {
    const module = parsed(text);
    const facts = new Map<number, ParameterFacts>([[2, { shape: 1, lowZeros: 3 }]]);
    const made = vectorize(functionOf(module), { ...requestOf(module, 8, facts), machine });
    if (!made.ok) throw new Error(made.refusal);
    return made.variants.general.fn.blocks.flatMap(({ instructions }) =>
      instructions.flatMap(({ op, type }) => (op === Op.MUL && type.kind === "vector" ? [scalarOf(type).bits] : [])),
    );
  };
  expect(bits(WASM_MACHINE)).toEqual([16]);
  const { [Op.MUL]: multiply, ...others } = WASM_MACHINE.support;
  expect(multiply?.vector).toEqual([16, 32, 64]);
  expect(bits({ ...WASM_MACHINE, support: { ...others, [Op.MUL]: { scalar: [32, 64], vector: [32] } } })).toEqual([32]);
});

/** How the last access of a function is written on a machine, and whether there is a variant that passes a test. */
function accessOf(text: string, machine: MachineTarget): { readonly kind: string; readonly isTested: boolean } {
  const module = parsed(text);
  const facts = new Map<number, ParameterFacts>([[1, { shape: 1, lowZeros: 0 }]]);
  const made = vectorize(functionOf(module), { ...requestOf(module, 8, facts), machine });
  if (!made.ok) throw new Error(made.refusal);
  const { general, tested } = made.variants;
  const shown = (tested ?? general).accesses.at(-1);
  return { kind: shown?.kind ?? "none", isTested: tested !== null };
}

function storing(head: string, type: string): string {
  return `${head}func @f(%p: ptr<global>, %x: ${type}) {
^e:
  %a = address %p, %x {scale 4}: ptr<global>
  store 7: i32, %a {align 4}
  ret
}
`;
}

test("strided loads are wide loads as far as the machine's limit goes, and gathers beyond it", () => {
  const text = `${HEAD_32}func @f(%p: ptr<global>, %x: i32) -> f32 {
^e:
  %x4 = shl %x, 2: i32
  %a = address %p, %x4 {scale 4}: ptr<global>
  %v = load %a {align 4}: f32
  ret %v
}
`;
  const limited = (stridedElements: number): string =>
    accessOf(text, { ...WASM_MACHINE, limits: { ...WASM_MACHINE.limits, stridedElements } }).kind;
  expect([limited(4), limited(2)]).toEqual(["strided", "gathered"]);
});

test("divergent blocks are predicated as far as the machine's limit goes, and branched around beyond it", () => {
  const text = `${HEAD_32}func @f(%p: ptr<global>, %x: i32) -> i32 {
^e:
  %odd = and %x, 1: i32
  %c = eq %odd, 0: i32: i1
  cond_br %c, ^a, ^j(%x: i32)
^a:
  %y = mul %x, %x: i32
  %z = add %y, 7: i32
  br ^j(%z: i32)
^j(%r: i32):
  ret %r
}
`;
  const branches = (predicatedInstructions: number): number => {
    const module = parsed(text);
    const machine = { ...WASM_MACHINE, limits: { ...WASM_MACHINE.limits, predicatedInstructions } };
    const facts = new Map<number, ParameterFacts>([[1, { shape: null, lowZeros: 0 }]]);
    const made = vectorize(functionOf(module), { ...requestOf(module, 8, facts), machine });
    if (!made.ok) throw new Error(made.refusal);
    return made.variants.general.fn.blocks.filter(({ terminator }) => terminator.op === Op.COND_BR).length;
  };
  expect([branches(10), branches(1)]).toEqual([0, 1]);
});

test("an index that is narrower than a pointer may wrap: lanes are neighbours only where it cannot", () => {
  expect(accessOf(storing(HEAD_32, "i32"), WIDE).kind).toBe("contiguous");
  expect(accessOf(storing(HEAD_64, "i64"), WIDE_64).kind).toBe("contiguous");
  expect(accessOf(storing(HEAD_64, "i32"), WIDE_64).kind).toBe("gathered");
  const module = parsed(storing(HEAD_64, "i32"));
  const aligned = new Map<number, ParameterFacts>([[1, { shape: 1, lowZeros: 3 }]]);
  const made = vectorize(functionOf(module), { ...requestOf(module, 8, aligned), machine: WIDE_64 });
  expect(made.ok && made.variants.general.accesses.map(({ kind }) => kind)).toEqual(["contiguous"]);
});

function storingByNumber(type: string): string {
  return `${HEAD_64}func @f(%p: ptr<global>, %x: ${type}) {
^e:
  %s = shl %x, 2: ${type}
  %a = inttoptr %s: ptr<global>
  store 7: i32, %a {align 4}
  ret
}
`;
}

test("a 32-bit number that becomes a 64-bit pointer has no steps, a 64-bit number has", () => {
  expect(accessOf(storingByNumber("i64"), WIDE_64).kind).toBe("contiguous");
  expect(accessOf(storingByNumber("i32"), WIDE_64).kind).toBe("gathered");
});

test("comparisons of 64-bit ids with bounds are tested for once a vector", () => {
  const text = `${HEAD_64}func @f(%p: ptr<global>, %x: i64, %n: i64) {
^e:
  %c = ult %x, %n: i1
  cond_br %c, ^a, ^j
^a:
  %b = address %p, %x {scale 4}: ptr<global>
  store 7: i32, %b {align 4}
  br ^j
^j:
  ret
}
`;
  expect(accessOf(text, WIDE_64)).toEqual({ kind: "contiguous", isTested: true });
});

const CASES = join(import.meta.dirname, "cases");
const NAMES = readdirSync(CASES).filter((name) => name.endsWith(".ir") && !name.endsWith(".after.ir"));

/** A case with 64-bit pointers; null where it uses memory that only a launch has. */
function case64(
  name: string,
): { readonly module: Module; readonly width: number; readonly facts: ReadonlyMap<number, ParameterFacts> } | null {
  const text = readFileSync(join(CASES, name), "utf8");
  const result = parseModule(text.replace(HEAD_32, HEAD_64));
  if (!result.ok || verifyModule(result.value).length > 0) return null;
  const [lanes = "", ...facts] = /^; lanes: (.+)$/mu.exec(text)?.[1]?.split(";") ?? [];
  const usesLaunch = functionOf(result.value).blocks.some(({ instructions }) =>
    instructions.some(({ operands }) =>
      operands.some((value) => value.kind === "parameter" && value.block === null && isPointer(value.type)),
    ),
  );
  if (lanes.includes("sub-group") || usesLaunch) return null;
  return {
    module: result.value,
    width: Number(lanes),
    facts: new Map(
      facts.map((one): [number, ParameterFacts] => {
        const [, position, shape = "", zeros = "0"] =
          /^(\d+) (varying|stride -?\d+)(?: zeros (\d+))?$/u.exec(one.trim()) ?? [];
        return [
          Number(position),
          { shape: shape === "varying" ? null : Number(shape.slice(7)), lowZeros: Number(zeros) },
        ];
      }),
    ),
  };
}

test("with 64-bit pointers vectors give what single work-items give", () => {
  let compared = 0;
  for (const name of NAMES) {
    const one = case64(name);
    if (one === null) continue;
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed);
      const small = (type: Type): Constant =>
        type.kind === "int" ? constantInt(type, random.below(9) - 1) : randomConstant(random, type);
      const difference = compareLanes(one.module, "f", one.width, one.facts, random, small)?.difference ?? "";
      expect(`${name}: ${difference}`).toBe(`${name}: `);
    }
    compared++;
  }
  expect(compared).toBeGreaterThan(8);
});
