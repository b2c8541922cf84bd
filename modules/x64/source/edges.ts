// SPDX-License-Identifier: Apache-2.0
// What edges do: moves between where a block leaves values and where the next one expects them.
import { at } from "@muxkit/cargo";

import { STEP, type Step } from "./allocation.ts";
import type { MachineFunction, MachineValue } from "./machine-function.ts";
import { type Move, sequenceMoves } from "./parallel-moves.ts";
import { BANK_BASE, REGISTERS, type RegisterFile } from "./registers.ts";

/** What is decided of all blocks, and the slots of the frame. */
export interface EdgeState {
  readonly machine: MachineFunction;
  readonly file: RegisterFile;
  /** For each block, the value in each register at its beginning and at its end, -1 for none. */
  readonly entries: Int32Array[];
  readonly exits: Int32Array[];
  /** For each block, its parameters that arrive in their slots. */
  readonly memoryParameters: (readonly MachineValue[])[];
  readonly slots: number[];
  readonly slotOf: Int32Array;
}

/** The slot of a value, which it gets if it has none. */
export function slotFor(state: EdgeState, value: MachineValue): number {
  const known = state.slotOf[value] ?? -1;
  if (known !== -1) return known;
  state.slots.push(state.machine.bytes[value] ?? 8);
  state.slotOf[value] = state.slots.length - 1;
  return state.slots.length - 1;
}

/** Slots as places of moves are behind the registers. */
const slotPlace = (slot: number): number => REGISTERS + slot;

/** One step for a move; a slot goes to a slot through a register of the value's bank. */
function stepOf(state: EdgeState, { to, from }: Move, bytes: number, bank: number, busy: ReadonlySet<number>): Step {
  if (to < REGISTERS) {
    if (from < REGISTERS) return { kind: STEP.move, a: to, b: from, c: bytes, d: 0 };
    return { kind: STEP.load, a: to, b: from - REGISTERS, c: 0, d: 0 };
  }
  if (from < REGISTERS) return { kind: STEP.store, a: to - REGISTERS, b: from, c: 0, d: 0 };
  const base = BANK_BASE[bank] ?? 0;
  const numbers = state.file.allocatable[bank] ?? [];
  const free = numbers.find((number) => !busy.has(base + number));
  if (free !== undefined) return { kind: STEP.copySlot, a: to - REGISTERS, b: from - REGISTERS, c: base + free, d: -1 };
  state.slots.push(bank === 1 ? 64 : 8);
  const register = base + (numbers[0] ?? 0);
  return { kind: STEP.copySlot, a: to - REGISTERS, b: from - REGISTERS, c: register, d: state.slots.length - 1 };
}

/** The steps for moves at once. `kept` are registers that hold something beside them. */
function steps(
  state: EdgeState,
  moves: readonly (Move & { value: MachineValue })[],
  kept: Iterable<number>,
): readonly Step[] {
  const busy = new Set(kept);
  const values = new Map<number, MachineValue>();
  for (const { to, from, value } of moves) {
    for (const place of [to, from]) {
      if (place < REGISTERS) busy.add(place);
      values.set(place, value);
    }
  }
  const { banks, bytes } = state.machine;
  const sequence = sequenceMoves(moves, (place) => {
    const value = values.get(place) ?? 0;
    const bank = banks[value] ?? 0;
    const base = BANK_BASE[bank] ?? 0;
    const free = (state.file.allocatable[bank] ?? []).find((number) => !busy.has(base + number));
    let aside = base + (free ?? 0);
    if (free === undefined) {
      state.slots.push(bytes[value] ?? 8);
      aside = slotPlace(state.slots.length - 1);
    } else busy.add(aside);
    values.set(aside, value);
    return aside;
  });
  return sequence.map((move) => {
    const value = values.get(move.from) ?? 0;
    return stepOf(state, move, bytes[value] ?? 8, banks[value] ?? 0, busy);
  });
}

/** Where each value is at the end of a block. */
function placesAtEnd(state: EdgeState, block: number): (value: MachineValue) => number {
  const places = new Map<MachineValue, number>();
  at(state.exits, block).forEach((value, register) => {
    if (value !== -1) places.set(value, register);
  });
  return (value) => places.get(value) ?? slotPlace(slotFor(state, value));
}

/** The steps on the edge from a block to its successor. */
export function edgeSteps(state: EdgeState, from: number, to: number): readonly Step[] {
  const { machine } = state;
  const ending = machine.endingOf(from);
  const given = at(ending.arguments, ending.successors.indexOf(to));
  const argumentOf = new Map(machine.parametersOf(to).map((parameter, n) => [parameter, at(given, n)]));
  const placeOf = placesAtEnd(state, from);
  const moves: (Move & { value: MachineValue })[] = [];
  const kept: number[] = [];
  at(state.entries, to).forEach((value, register) => {
    if (value === -1) return;
    const source = argumentOf.get(value) ?? value;
    moves.push({ to: register, from: placeOf(source), value: source });
    kept.push(register);
  });
  for (const parameter of at(state.memoryParameters, to)) {
    const source = argumentOf.get(parameter) ?? parameter;
    moves.push({ to: slotPlace(slotFor(state, parameter)), from: placeOf(source), value: source });
  }
  return steps(state, moves, kept);
}

/** The steps that bring results to their registers. */
export function returnSteps(state: EdgeState, block: number): readonly Step[] {
  const { machine, file } = state;
  const placeOf = placesAtEnd(state, block);
  const taken = [0, 0, 0];
  const moves = (machine.endingOf(block).arguments[0] ?? []).map((value) => {
    const bank = machine.banks[value] ?? 0;
    const number = at(at(file.results, bank), taken[bank] ?? 0);
    taken[bank] = (taken[bank] ?? 0) + 1;
    return { to: (BANK_BASE[bank] ?? 0) + number, from: placeOf(value), value };
  });
  return steps(state, moves, []);
}
