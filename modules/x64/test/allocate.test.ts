// SPDX-License-Identifier: Apache-2.0
// The allocator: random functions compute the same before and after, all constraints hold, and what an allocator gets
// wrong is found; loops keep in registers what they use; values that only live through a loop are not loaded in it.
import { InternalError, at } from "@muxkit/cargo";
import { ADDRESS, formOf } from "@muxkit/x64-assembler";
import { describe, expect, test } from "vitest";

import {
  type Allocation,
  BANK,
  type MachineAddress,
  MachineFunction,
  type MachineValue,
  NO_VALUE,
  STEP,
  type Step,
  allocateRegisters,
  registerFile,
} from "@muxkit/x64";

import { sequenceMoves } from "../source/parallel-moves.ts";
import { type Trace, brokenConstraints, interpretRegisters, interpretValues } from "./interpret.ts";
import { Random } from "./random.ts";
import { type Shape, randomFunction } from "./random-function.ts";

/** Functions of each kind; `MUXKIT_RANDOM_FUNCTIONS` asks for more. */
const FUNCTIONS = Number(process.env["MUXKIT_RANDOM_FUNCTIONS"] ?? "600");

function shapeOf(seed: number, vectors: 16 | 32): Shape {
  return { blocks: 1 + (seed % 13), instructions: 3 + ((seed * 7) % 60), vectors };
}

/** Where two traces differ first, -1 for nowhere. */
function firstDifference(a: Trace, b: Trace): number {
  if (a.isCut !== b.isCut || a.hashes.length !== b.hashes.length) return Math.min(a.hashes.length, b.hashes.length);
  return a.hashes.findIndex((hash, n) => hash !== b.hashes[n]);
}

describe.each([16, 32] as const)("random functions with %s vector registers", (vectors) => {
  const file = registerFile(vectors);

  test("compute the same in registers, and no constraint is broken", () => {
    const wrong: string[] = [];
    const kinds = new Set<number>();
    let cut = 0;
    for (let seed = 0; seed < FUNCTIONS; seed++) {
      const machine = randomFunction(seed, shapeOf(seed, vectors));
      const before = interpretValues(machine);
      const allocation = allocateRegisters(machine, file);
      const difference = firstDifference(before, interpretRegisters(allocation, file));
      if (difference !== -1) wrong.push(`seed ${seed} differs at ${difference}`);
      wrong.push(...brokenConstraints(allocation, file).map((text) => `seed ${seed}: ${text}`));
      for (const step of allocation.steps.flat()) kinds.add(step.kind);
      cut += Number(before.isCut);
    }
    expect(wrong).toEqual([]);
    // All kinds of steps were needed, and both short and endless runs happened.
    expect(kinds).toEqual(new Set(Object.values(STEP)));
    expect(cut).toBeGreaterThan(FUNCTIONS / 100);
    expect(cut).toBeLessThan(FUNCTIONS / 2);
  });

  test("are allocated the same way each time", () => {
    const once = allocateRegisters(randomFunction(17, shapeOf(17, vectors)), file);
    const twice = allocateRegisters(randomFunction(17, shapeOf(17, vectors)), file);
    expect(twice.steps).toEqual(once.steps);
    expect(twice.useRegisters).toEqual(once.useRegisters);
  });
});

/** The allocation without one step. */
function without(allocation: Allocation, block: number, n: number): Allocation {
  const steps = allocation.steps.map((all, m) => (m === block ? all.toSpliced(n, 1) : all));
  return { ...allocation, steps };
}

/** The allocation with one number of a step changed. */
function changed(allocation: Allocation, block: number, n: number, change: (step: Step) => Step): Allocation {
  const steps = allocation.steps.map((all, m) => (m === block ? all.with(n, change(at(all, n))) : all));
  return { ...allocation, steps };
}

describe("mistakes of an allocator are found by random functions", () => {
  const file = registerFile(16);
  const kinds: readonly (readonly [
    string,
    number,
    (allocation: Allocation, block: number, n: number) => Allocation,
  ])[] = [
    ["a lost move", STEP.move, without],
    ["a lost load", STEP.load, without],
    ["a lost store", STEP.store, without],
    ["a lost copy of a slot", STEP.copySlot, without],
    ["a move to the next register", STEP.move, (...all) => changed(...all, (step) => ({ ...step, a: step.a ^ 1 }))],
    ["a move from the next register", STEP.move, (...all) => changed(...all, (step) => ({ ...step, b: step.b ^ 1 }))],
    ["a load from the next slot", STEP.load, (...all) => changed(...all, (step) => ({ ...step, b: step.b + 1 }))],
    ["a store to the next slot", STEP.store, (...all) => changed(...all, (step) => ({ ...step, a: step.a + 1 }))],
    [
      "a register that is not put aside",
      STEP.copySlot,
      (...all) => changed(...all, (step) => ({ ...step, d: -1, c: 0 })),
    ],
  ];

  test.each(kinds)("%s", (_, kind, mutate) => {
    const random = new Random(kind);
    let tried = 0;
    let found = 0;
    for (let seed = 0; seed < 150; seed++) {
      const machine = randomFunction(seed, shapeOf(seed, 16));
      const before = interpretValues(machine);
      const allocation = allocateRegisters(machine, file);
      const places = allocation.steps.flatMap((all, block) =>
        all.flatMap((step, n) => (step.kind === kind ? [[block, n] as const] : [])),
      );
      if (places.length === 0) continue;
      const [block, n] = random.of(places);
      tried++;
      found += Number(firstDifference(before, interpretRegisters(mutate(allocation, block, n), file)) !== -1);
    }
    expect(tried).toBeGreaterThan(30);
    // Many are on paths that a run does not take.
    expect(found / tried).toBeGreaterThan(0.15);
  });

  test("the register of a use", () => {
    let found = 0;
    for (let seed = 0; seed < 100; seed++) {
      const machine = randomFunction(seed, shapeOf(seed, 16));
      const before = interpretValues(machine);
      const allocation = allocateRegisters(machine, file);
      const first = machine.firstOf(0);
      const use = machine.firstUse(first + new Random(seed).below(machine.endOf(0) - first));
      const useRegisters = allocation.useRegisters.slice();
      useRegisters[use] = (useRegisters[use] ?? 0) ^ 1;
      found += Number(firstDifference(before, interpretRegisters({ ...allocation, useRegisters }, file)) !== -1);
    }
    expect(found).toBeGreaterThan(70);
  });
});

const LOAD = formOf("vmovups y, y/m256");
const FUSED = formOf("vfmadd231ps y, y, y/m256");
const COMPARE = formOf("cmp r32, r32/m32");
const ADD = formOf("add r32, r32/m32");

/** The address in a value. */
function address(base: MachineValue): MachineAddress {
  return { kind: ADDRESS.kernel, base, index: NO_VALUE, scale: 0, displacement: 0 };
}

/** A loop that carries `carried` vectors in parameters, with `through` more that are used after it only. */
function loopFunction(carried: number, through: number) {
  const machine = new MachineFunction();
  const general = (): MachineValue => machine.value(BANK.general, 8);
  const vector = (): MachineValue => machine.value(BANK.vector, 32);
  const loaded = (base: MachineValue): MachineValue => {
    const value = vector();
    machine.add(LOAD, [value, address(base)]);
    return value;
  };
  const [pointer, count] = [general(), general()];
  const entry = machine.block(pointer, count);
  machine.begin(entry);
  const late = Array.from({ length: through }, () => loaded(pointer));
  const start = Array.from({ length: carried }, () => loaded(pointer));
  const parameters = start.map(vector);
  const index = general();
  const header = machine.block(index, ...parameters);
  const results = parameters.map(vector);
  const exit = machine.block(...results);
  machine.end({ kind: "jump", condition: 0, successors: [header], arguments: [[count, ...start]] });
  machine.begin(header);
  const x = loaded(index);
  const sums = parameters.map((parameter) => {
    const sum = vector();
    machine.add(FUSED, [parameter, sum, x, x]);
    return sum;
  });
  const next = general();
  machine.add(ADD, [index, next, pointer]);
  machine.add(COMPARE, [next, count]);
  machine.end({ kind: "branch", condition: 5, successors: [header, exit], arguments: [[next, ...sums], sums] });
  machine.begin(exit);
  for (const value of [...late, ...results]) machine.add(formOf("vmovups m256, y"), [address(pointer), value]);
  machine.end({ kind: "return", condition: 0, successors: [], arguments: [[count]] });
  return { machine, header };
}

function countOf(steps: readonly Step[], kind: number): number {
  return steps.filter((step) => step.kind === kind).length;
}

describe("loops", () => {
  const file = registerFile(16);
  /** The steps of the loop: its header's, and those of the edge back, in the block that splits it. */
  const stepsOfLoop = (carried: number, through: number): readonly Step[] => {
    const { machine, header } = loopFunction(carried, through);
    const allocation = allocateRegisters(machine, file);
    const back = machine.endingOf(header).successors[0] ?? 0;
    return [...at(allocation.steps, header), ...at(allocation.steps, back)];
  };

  test("what fits stays in registers, and parameters return to where they were without moves", () => {
    const steps = stepsOfLoop(15, 0);
    expect([STEP.load, STEP.store, STEP.move].map((kind) => countOf(steps, kind))).toEqual([0, 0, 0]);
  });

  test("what only lives through the loop is not loaded in it", () => {
    const steps = stepsOfLoop(10, 20);
    expect([STEP.load, STEP.store, STEP.move].map((kind) => countOf(steps, kind))).toEqual([0, 0, 0]);
  });

  test("of what does not fit, only the excess is loaded", () => {
    const steps = stepsOfLoop(20, 0);
    // 20 sums and what is added, in 16 registers: what is evicted is loaded once a round.
    expect(countOf(steps, STEP.load) + countOf(steps, STEP.copySlot)).toBeLessThanOrEqual(12);
  });
});

/** Where a cycle puts something aside. */
function aside(): number {
  return 9;
}

describe("moves at once", () => {
  test("have the effect of all together, with random registers and slots", () => {
    const random = new Random(3);
    const wrong: string[] = [];
    for (let round = 0; round < 2000; round++) {
      const count = 1 + random.below(8);
      const targets = Array.from({ length: 10 }, (_, n) => n).toSorted(() => random.below(3) - 1);
      const moves = targets.slice(0, count).map((to) => ({ to, from: random.below(10) }));
      const places = new Map(Array.from({ length: 10 }, (_, n) => [n, n]));
      let free = 100;
      for (const { to, from } of sequenceMoves(moves, () => free++)) places.set(to, places.get(from) ?? -1);
      if (moves.some(({ to, from }) => places.get(to) !== from)) wrong.push(JSON.stringify(moves));
    }
    expect(wrong).toEqual([]);
  });

  test("a cycle costs one move more, a chain none", () => {
    expect(
      sequenceMoves(
        [
          { to: 1, from: 2 },
          { to: 2, from: 1 },
        ],
        aside,
      ),
    ).toHaveLength(3);
    expect(
      sequenceMoves(
        [
          { to: 1, from: 2 },
          { to: 2, from: 3 },
        ],
        aside,
      ),
    ).toEqual([
      { to: 1, from: 2 },
      { to: 2, from: 3 },
    ]);
    expect(sequenceMoves([{ to: 1, from: 1 }], aside)).toEqual([]);
  });
});

/** A function with one value, to which something is added. */
function one(add: (machine: MachineFunction, value: MachineValue) => void): () => void {
  return () => {
    const machine = new MachineFunction();
    const value = machine.value(BANK.general, 8);
    machine.begin(machine.block(value));
    add(machine, value);
  };
}

describe("defects of the caller", () => {
  test.each([
    ["too few operands", one((machine, value) => machine.add(ADD, [value, value]))],
    ["too many operands", one((machine, value) => machine.add(ADD, [value, value, value, value]))],
    [
      "an address where none can be",
      one((machine, value) =>
        machine.add(formOf("bswap r32"), [{ kind: 2, base: value, index: -1, scale: 0, displacement: 0 }, 0]),
      ),
    ],
    ["an instruction outside of a block", () => new MachineFunction().add(ADD, [0, 0, 0])],
    ["a block in a block", one((machine) => machine.begin(machine.block()))],
    [
      "a block without an end",
      () => {
        const machine = new MachineFunction();
        machine.block();
        allocateRegisters(machine, registerFile(16));
      },
    ],
    [
      "more parameters than registers for them",
      () => {
        const machine = new MachineFunction();
        machine.begin(machine.block(...Array.from({ length: 7 }, () => machine.value(BANK.general, 8))));
        machine.end({ kind: "return", condition: 0, successors: [], arguments: [[]] });
        allocateRegisters(machine, registerFile(16));
      },
    ],
  ])("%s", (_, act) => {
    expect(act).toThrow(InternalError);
  });
});
