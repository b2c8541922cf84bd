// SPDX-License-Identifier: Apache-2.0
/**
 * What machine functions compute, before and after allocation, with an abstract meaning: each definition is a hash of
 * the form, of which definition it is, of what is no register, and of the uses. So whatever the allocator mixes up
 * changes a hash, and the trace of all instructions shows where.
 */
import { at } from "@muxkit/cargo";
import { type Allocation, type MachineFunction, type RegisterFile, STEP } from "@muxkit/x64";

const REGISTERS = 56;
const BANK_BASE = [0, 16, 48];

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x85eb_ca6b);
  return (mixed ^ (mixed >>> 15)) | 0;
}

/** What is the same for an instruction wherever its registers are. */
function seedOf(machine: MachineFunction, instruction: number): number {
  let hash = mix(7, machine.forms[instruction] ?? 0);
  for (const operand of machine.operands[instruction] ?? []) {
    if (typeof operand !== "number") hash = mix(mix(hash, operand.scale), operand.displacement);
  }
  return hash;
}

/** The hashes of all instructions that ran, and of the results. */
export interface Trace {
  readonly hashes: readonly number[];
  readonly isCut: boolean;
}

const MOST_INSTRUCTIONS = 1500;

/** Runs a function on values. */
export function interpretValues(machine: MachineFunction): Trace {
  const values = new Map<number, number>();
  const valueOf = (value: number): number => values.get(value) ?? Number.NaN;
  const hashes: number[] = [];
  machine.parametersOf(0).forEach((parameter, n) => values.set(parameter, 1000 + n));
  let block = 0;
  let last = 0;
  for (;;) {
    for (let instruction = machine.firstOf(block); instruction < machine.endOf(block); instruction++) {
      let hash = seedOf(machine, instruction);
      const useEnd = machine.useEnds[instruction] ?? 0;
      for (let n = machine.firstUse(instruction); n < useEnd; n++) hash = mix(hash, valueOf(machine.useValues[n] ?? 0));
      const first = machine.firstDefinition(instruction);
      const end = machine.definitionEnds[instruction] ?? 0;
      for (let n = first; n < end; n++) values.set(machine.definitionValues[n] ?? 0, mix(hash, n - first));
      hashes.push(hash);
      last = hash;
    }
    const ending = machine.endingOf(block);
    if (ending.kind === "return") {
      for (const value of ending.arguments[0] ?? []) hashes.push(valueOf(value));
      return { hashes, isCut: false };
    }
    if (hashes.length > MOST_INSTRUCTIONS) return { hashes, isCut: true };
    const way = ending.kind === "branch" ? last & 1 : 0;
    const given = at(ending.arguments, way).map(valueOf);
    block = at(ending.successors, way);
    machine.parametersOf(block).forEach((parameter, n) => values.set(parameter, given[n] ?? 0));
  }
}

/** Registers and slots while an allocated function runs; what was never written has a value of its own. */
class Places {
  readonly registers: Int32Array = Int32Array.from({ length: REGISTERS }, (_, n) => -1_000_000 - n);
  readonly slots: Map<number, number> = new Map();

  slot(slot: number): number {
    return this.slots.get(slot) ?? -2_000_000 - slot;
  }

  register(register: number): number {
    return this.registers[register] ?? 0;
  }
}

function runInstruction(allocation: Allocation, instruction: number, places: Places): number {
  const { machine, useRegisters, definitionRegisters } = allocation;
  let hash = seedOf(machine, instruction);
  const useEnd = machine.useEnds[instruction] ?? 0;
  for (let n = machine.firstUse(instruction); n < useEnd; n++) hash = mix(hash, places.register(useRegisters[n] ?? 0));
  const first = machine.firstDefinition(instruction);
  const end = machine.definitionEnds[instruction] ?? 0;
  for (let n = first; n < end; n++) places.registers[definitionRegisters[n] ?? 0] = mix(hash, n - first);
  return hash;
}

/** Runs an allocated function on registers and slots. */
export function interpretRegisters(allocation: Allocation, file: RegisterFile): Trace {
  const { machine, steps } = allocation;
  const places = new Places();
  const hashes: number[] = [];
  const taken = [0, 0, 0];
  const next = (bank: number): number => {
    const n = taken[bank] ?? 0;
    taken[bank] = n + 1;
    return n;
  };
  machine.parametersOf(0).forEach((parameter, n) => {
    const bank = machine.banks[parameter] ?? 0;
    places.registers[(BANK_BASE[bank] ?? 0) + at(at(file.parameters, bank), next(bank))] = 1000 + n;
  });
  let block = 0;
  let last = 0;
  for (;;) {
    for (const { kind, a, b, c, d } of steps[block] ?? []) {
      if (kind === STEP.instruction) {
        last = runInstruction(allocation, a, places);
        hashes.push(last);
      } else if (kind === STEP.move) places.registers[a] = places.register(b);
      else if (kind === STEP.load) places.registers[a] = places.slot(b);
      else if (kind === STEP.store) places.slots.set(a, places.register(b));
      else {
        const kept = places.register(c);
        places.slots.set(a, places.slot(b));
        // A register that is not put aside is lost.
        places.registers[c] = d === -1 ? places.slot(b) : kept;
      }
    }
    const ending = machine.endingOf(block);
    if (ending.kind === "return") {
      taken.fill(0);
      for (const value of ending.arguments[0] ?? []) {
        const bank = machine.banks[value] ?? 0;
        hashes.push(places.register((BANK_BASE[bank] ?? 0) + at(at(file.results, bank), next(bank))));
      }
      return { hashes, isCut: false };
    }
    if (hashes.length > MOST_INSTRUCTIONS) return { hashes, isCut: true };
    block = at(ending.successors, ending.kind === "branch" ? last & 1 : 0);
  }
}

/** What breaks a constraint of an instruction, for all instructions that are reached. */
export function brokenConstraints(allocation: Allocation, file: RegisterFile): readonly string[] {
  const { machine, useRegisters, definitionRegisters, steps, order } = allocation;
  const broken: string[] = [];
  const isAllowed = (register: number, bank: number): boolean => {
    const number = register - (BANK_BASE[bank] ?? 0);
    return at(file.allocatable, bank).includes(number);
  };
  const reached = order.flatMap((block) => (steps[block] ?? []).filter((step) => step.kind === STEP.instruction));
  for (const { a: instruction } of reached) {
    const say = (what: string): void => void broken.push(`instruction ${instruction}: ${what}`);
    const firstUse = machine.firstUse(instruction);
    const useEnd = machine.useEnds[instruction] ?? 0;
    for (let n = firstUse; n < useEnd; n++) {
      const register = useRegisters[n] ?? -1;
      if (!isAllowed(register, machine.banks[machine.useValues[n] ?? 0] ?? 0)) say(`use ${n} in ${register}`);
      if (machine.useFixed[n] !== -1 && machine.useFixed[n] !== register) say(`use ${n} is not where it must be`);
    }
    const written: number[] = [];
    for (let n = machine.firstDefinition(instruction); n < (machine.definitionEnds[instruction] ?? 0); n++) {
      const register = definitionRegisters[n] ?? -1;
      if (!isAllowed(register, machine.banks[machine.definitionValues[n] ?? 0] ?? 0))
        say(`definition ${n} in ${register}`);
      if (machine.definitionFixed[n] !== -1 && machine.definitionFixed[n] !== register)
        say(`definition ${n} is elsewhere`);
      const tied = machine.definitionTied[n] ?? -1;
      if (tied !== -1 && useRegisters[firstUse + tied] !== register)
        say(`definition ${n} is not in its use's register`);
      if (written.includes(register)) say("two definitions in one register");
      written.push(register);
    }
    if (machine.areDistinct[instruction] === true) {
      const vectors = [...useRegisters.subarray(firstUse, useEnd)].filter(
        (register) => register >= 16 && register < 48,
      );
      if (new Set(vectors).size !== vectors.length) say("two vectors that must differ are one register");
    }
  }
  return broken;
}
