// SPDX-License-Identifier: Apache-2.0
// The register allocator: random functions compute the same before and after, also with few registers.
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { allocateRegisters } from "../source/allocate.ts";
import { MachineBuilder } from "../source/machine-builder.ts";
import { GENERAL, MachineFunction, PSEUDO } from "../source/machine-function.ts";
import { ALLOCATABLE } from "../source/registers.ts";
import { interpret } from "./machine-interpreter.ts";
import { randomFunction, straightFunction } from "./random-function.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "200");

/** Fewer registers: those with fixed uses stay. */
const FEW: readonly Uint8Array[] = [
  Uint8Array.of(0, 1, 2, 3, 6, 7),
  Uint8Array.of(16, 17, 18, 19, 20),
  Uint8Array.of(),
];

test.each([
  ["all registers", ALLOCATABLE],
  ["few registers", FEW],
] as const)("random functions, %s", (_, registers) => {
  fc.assert(
    fc.property(fc.nat(0x7fff_ffff), fc.constantFrom(10, 40, 150, 600), (seed, size) => {
      const fn = randomFunction(seed, size);
      const before = [1, 2, 3].map((input) => interpret(fn, input));
      allocateRegisters(fn, registers);
      expect([1, 2, 3].map((input) => interpret(fn, input))).toEqual(before);
    }),
    { numRuns: RUNS },
  );
});

/** Each phase keeps more values than there are registers, and none of an earlier phase. */
function phases(count: number): MachineFunction {
  const fn = new MachineFunction("phases");
  const build = new MachineBuilder(fn, fn.newBlock());
  for (let phase = 0; phase < count; phase++) {
    const values = Array.from({ length: 10 }, (_, i) => {
      build.pseudo(-100, i, 0, []);
      return build.addResult(GENERAL, 8);
    });
    for (const value of values) build.pseudo(-101, 0, 0, [value]);
    const next = fn.newBlock();
    build.jump(next);
    build.block = next;
  }
  build.pseudo(PSEUDO.ret, 0, 0, []);
  return fn;
}

test("values that are never alive at once share places on the stack", () => {
  const [one, many] = [phases(1), phases(20)];
  const before = interpret(many, 1);
  for (const fn of [one, many]) allocateRegisters(fn, FEW);
  expect(interpret(many, 1)).toEqual(before);
  expect(one.slotBytes.length).toBeGreaterThan(3);
  expect(many.slotBytes.length).toBe(one.slotBytes.length);
});

/** The first instruction of a kind that is executed often enough to matter, by block and place. */
function places(
  fn: MachineFunction,
  isKind: (instruction: number) => boolean,
): readonly (readonly [block: number, place: number])[] {
  return fn.blocks.flatMap(({ number, instructions }) =>
    instructions.flatMap((instruction, place) => (isKind(instruction) ? [[number, place] as const] : [])),
  );
}

/** Damages that an allocator could do. */
const MUTANTS: Readonly<Record<string, (fn: MachineFunction, seed: number) => boolean>> = {
  "a lost reload": (fn, seed) => remove(fn, seed, PSEUDO.loadSlot),
  "a lost store": (fn, seed) => remove(fn, seed, PSEUDO.storeSlot),
  "a lost move": (fn, seed) => remove(fn, seed, PSEUDO.copy),
  "a swapped move": (fn, seed) => {
    const found = places(fn, (instruction) => fn.form[instruction] === PSEUDO.copy);
    const [block, place] = found[seed % Math.max(1, found.length)] ?? [-1, -1];
    const instruction = fn.blocks[block]?.instructions[place];
    if (instruction === undefined) return false;
    const first = fn.firstOperand[instruction] ?? 0;
    [fn.value[first], fn.value[first + 1]] = [fn.value[first + 1] ?? 0, fn.value[first] ?? 0];
    return true;
  },
  "a wrong register": (fn, seed) => {
    const found = places(
      fn,
      (instruction) => (fn.form[instruction] ?? 0) >= 0 && (fn.operandsOf[instruction] ?? 0) > 1,
    );
    const [block, place] = found[seed % Math.max(1, found.length)] ?? [-1, -1];
    const instruction = fn.blocks[block]?.instructions[place];
    if (instruction === undefined) return false;
    const operand = fn.firstOperand[instruction] ?? 0;
    if ((((fn.role[operand] ?? 0) >> 8) & 255) !== 0) return false;
    const register = fn.value[operand] ?? 0;
    fn.value[operand] = register < 16 ? (register + 1) % 16 : 16 + ((register - 15) % 15);
    return true;
  },
};

function remove(fn: MachineFunction, seed: number, form: number): boolean {
  const found = places(fn, (instruction) => fn.form[instruction] === form);
  const [block, place] = found[seed % Math.max(1, found.length)] ?? [-1, -1];
  if (block === -1) return false;
  fn.blocks[block]?.instructions.splice(place, 1);
  return true;
}

/** Results, or the reason why there are none. */
function results(fn: MachineFunction): string {
  try {
    return JSON.stringify([1, 2, 3, 4, 5, 6].map((input) => interpret(fn, input, 2000)));
  } catch (error) {
    return String(error);
  }
}

test.each(Object.keys(MUTANTS))("random functions find %s", (name) => {
  let made = 0;
  let found = 0;
  for (let seed = 0; seed < 60; seed++) {
    const fn = randomFunction(seed, 80);
    const expected = results(fn);
    allocateRegisters(fn, FEW);
    if (MUTANTS[name]?.(fn, seed * 7) !== true) continue;
    made++;
    if (results(fn) !== expected) found++;
  }
  expect(made).toBeGreaterThan(25);
  // What is never executed, or moves a value that nothing reads afterwards on this way, is not found.
  expect(found / made).toBeGreaterThan(0.4);
});

/** The least time of an instruction, in milliseconds. */
function timeOf(size: number): number {
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    const fn = straightFunction(size);
    const count = fn.instructionCount;
    const start = performance.now();
    allocateRegisters(fn);
    least = Math.min(least, (performance.now() - start) / count);
  }
  return least;
}

test("time is linear in size", () => {
  timeOf(4000);
  // It would be 8 if time grew with the square.
  expect(timeOf(32_000) / timeOf(4000)).toBeLessThan(5);
});
