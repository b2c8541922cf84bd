// SPDX-License-Identifier: Apache-2.0
/**
 * Live values and how far their next uses are, at the beginning of each block.
 *
 * The distance of a value is the number of instructions to its nearest use on any path; leaving a loop counts as a long
 * way, so that what is used after a loop is far while the loop runs (Braun and Hack, "Register spilling and live-range
 * splitting for SSA-form programs", 2009). Data flow backwards over the blocks until nothing gets nearer. Cost: values
 * live at block boundaries, times the depth of loops.
 */
import { at } from "@muxkit/cargo";

import { type Flow, loopsLeft } from "./flow.ts";
import type { MachineFunction, MachineValue } from "./machine-function.ts";

/** What one loop exit is worth in instructions. */
export const LOOP_DISTANCE = 100_000;

/** No use. */
export const NEVER = 0x3fff_ffff;

/** Live values at a place, each with the distance of its next use. */
export interface LiveSet {
  readonly values: readonly MachineValue[];
  readonly distances: readonly number[];
}

const EMPTY: LiveSet = { values: [], distances: [] };

/** Distances of values at one place; cheap to clear. */
export class Distances {
  readonly #distances: Int32Array;
  readonly #epochs: Int32Array;
  #epoch: number = 0;
  /** Values that were set; some may have been taken out again. */
  readonly #members: MachineValue[] = [];

  constructor(values: number) {
    this.#distances = new Int32Array(values);
    this.#epochs = new Int32Array(values);
    this.clear();
  }

  clear(): void {
    this.#epoch++;
    this.#members.length = 0;
  }

  /** {@link NEVER} for what is not live. */
  get(value: MachineValue): number {
    return this.#epochs[value] === this.#epoch ? (this.#distances[value] ?? NEVER) : NEVER;
  }

  set(value: MachineValue, distance: number): void {
    if (this.#epochs[value] !== this.#epoch) {
      this.#epochs[value] = this.#epoch;
      this.#members.push(value);
    }
    this.#distances[value] = distance;
  }

  /** All live values. */
  take(): LiveSet {
    const values = this.#members.filter((value) => this.get(value) !== NEVER);
    return { values, distances: values.map((value) => this.get(value)) };
  }
}

/** Adds what is live at the end of a block, distances counted from there. */
export function addLiveOut(
  machine: MachineFunction,
  flow: Flow,
  liveIn: readonly LiveSet[],
  block: number,
  distances: Distances,
): void {
  const ending = machine.endingOf(block);
  if (ending.kind === "return") for (const value of ending.arguments[0] ?? []) distances.set(value, 0);
  ending.successors.forEach((successor, n) => {
    const far = LOOP_DISTANCE * loopsLeft(flow, block, successor);
    const nearer = (value: MachineValue, distance: number): void => {
      const sum = Math.min(distance + far, NEVER - 1);
      if (sum < distances.get(value)) distances.set(value, sum);
    };
    const { values, distances: below } = liveIn[successor] ?? EMPTY;
    values.forEach((value, m) => nearer(value, (below[m] ?? NEVER) + 1));
    for (const value of at(ending.arguments, n)) nearer(value, 1);
  });
}

/** Goes backwards over a block: `distances` are those at its end, and become those at its beginning. */
function walkBack(machine: MachineFunction, block: number, distances: Distances): LiveSet {
  const end = machine.endOf(block);
  const first = machine.firstOf(block);
  const length = end - first;
  const out = distances.take();
  out.values.forEach((value, n) => distances.set(value, Math.min((out.distances[n] ?? 0) + length, NEVER - 1)));
  for (let instruction = end - 1; instruction >= first; instruction--) {
    const definitionEnd = machine.definitionEnds[instruction] ?? 0;
    for (let n = machine.firstDefinition(instruction); n < definitionEnd; n++) {
      distances.set(machine.definitionValues[n] ?? 0, NEVER);
    }
    const useEnd = machine.useEnds[instruction] ?? 0;
    for (let n = machine.firstUse(instruction); n < useEnd; n++) {
      distances.set(machine.useValues[n] ?? 0, instruction - first);
    }
  }
  for (const parameter of machine.parametersOf(block)) distances.set(parameter, NEVER);
  return distances.take();
}

/** The live values at the beginning of each block, without its parameters. */
export function analyseNextUses(machine: MachineFunction, flow: Flow): readonly LiveSet[] {
  const liveIn: LiveSet[] = Array.from({ length: machine.blockCount }, () => EMPTY);
  const distances = new Distances(machine.banks.length);
  let isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (const block of flow.order.toReversed()) {
      distances.clear();
      addLiveOut(machine, flow, liveIn, block, distances);
      const now = walkBack(machine, block, distances);
      const before = liveIn[block] ?? EMPTY;
      const sum = (set: LiveSet): number => set.distances.reduce((a, b) => a + b, 0);
      if (now.values.length !== before.values.length || sum(now) !== sum(before)) {
        liveIn[block] = now;
        isChanged = true;
      }
    }
  }
  return liveIn;
}

/** The most values of each bank that live at once in a block; `distances` are those at its end. */
export function blockPressure(machine: MachineFunction, block: number, distances: Distances): readonly number[] {
  const live = [0, 0, 0];
  const count = (value: MachineValue, by: number): void => {
    const bank = machine.banks[value] ?? 0;
    live[bank] = (live[bank] ?? 0) + by;
  };
  for (const value of distances.take().values) count(value, 1);
  const most = [...live];
  for (let instruction = machine.endOf(block) - 1; instruction >= machine.firstOf(block); instruction--) {
    const definitionEnd = machine.definitionEnds[instruction] ?? 0;
    for (let n = machine.firstDefinition(instruction); n < definitionEnd; n++) {
      const value = machine.definitionValues[n] ?? 0;
      if (distances.get(value) !== NEVER) count(value, -1);
      distances.set(value, NEVER);
    }
    const useEnd = machine.useEnds[instruction] ?? 0;
    for (let n = machine.firstUse(instruction); n < useEnd; n++) {
      const value = machine.useValues[n] ?? 0;
      if (distances.get(value) === NEVER) count(value, 1);
      distances.set(value, 0);
    }
    live.forEach((value, bank) => {
      most[bank] = Math.max(most[bank] ?? 0, value);
    });
  }
  return most;
}
