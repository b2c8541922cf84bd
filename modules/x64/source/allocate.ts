// SPDX-License-Identifier: Apache-2.0
/**
 * Register allocation on SSA form: spilling by furthest next use, then assignment on the way, moves on edges.
 *
 * Braun and Hack, "Register spilling and live-range splitting for SSA-form programs" (2009): Belady's rule on a flow
 * graph. Of the values in registers, the one whose next use is furthest gives its register up; what is used only after
 * a loop is far while the loop runs. What is in registers where a block begins is decided by what its predecessors
 * have, and at the head of a loop by what the loop uses first. Since pressure never exceeds the registers, there is one
 * for each value: the walk in reverse post-order that decides what stays also takes the registers, with hints from
 * parameters, tied operands and fixed ones.
 *
 * A value that was ever given up has a slot of the frame, stored to once, right after its definition: in SSA form
 * nothing can be newer. Where the blocks on both sides of an edge disagree, the edge moves, loads and stores.
 *
 * Phases: split critical edges; flow graph and loops; next uses; one walk over blocks; edges; stores. Cost: linear in
 * instructions times registers, next to that of next uses.
 */
import { assert, at } from "@muxkit/cargo";

import { type Allocation, STEP, type Step } from "./allocation.ts";
import { BlockWalk } from "./block-walk.ts";
import { type EdgeState, edgeSteps, returnSteps } from "./edges.ts";
import { chooseEntry } from "./entry-set.ts";
import { type Flow, analyseFlow, splitCriticalEdges } from "./flow.ts";
import type { MachineFunction } from "./machine-function.ts";
import { Distances, addLiveOut, analyseNextUses, blockPressure } from "./next-use.ts";
import { BANK_BASE, REGISTERS, type RegisterFile } from "./registers.ts";

/** Values in registers where the function begins. */
function parametersInRegisters(machine: MachineFunction, file: RegisterFile): Int32Array {
  const valueIn = new Int32Array(REGISTERS).fill(-1);
  const taken = [0, 0, 0];
  for (const parameter of machine.parametersOf(0)) {
    const bank = machine.banks[parameter] ?? 0;
    const number = file.parameters[bank]?.[taken[bank] ?? 0];
    assert(number !== undefined, "a function has more parameters than registers for them");
    taken[bank] = (taken[bank] ?? 0) + 1;
    valueIn[(BANK_BASE[bank] ?? 0) + number] = parameter;
  }
  return valueIn;
}

/** Stores after the definitions of values that have a slot, among the steps of a block. */
function addStores(
  machine: MachineFunction,
  state: EdgeState,
  definitionRegisters: Int32Array,
  block: number,
  steps: readonly Step[],
): readonly Step[] {
  const result: Step[] = [];
  const store = (value: number, register: number): void => {
    const slot = state.slotOf[value] ?? -1;
    if (slot !== -1) result.push({ kind: STEP.store, a: slot, b: register, c: 0, d: 0 });
  };
  const entry = at(state.entries, block);
  const parameters = new Set(machine.parametersOf(block));
  entry.forEach((value, register) => {
    if (parameters.has(value)) store(value, register);
  });
  for (const step of steps) {
    result.push(step);
    if (step.kind !== STEP.instruction) continue;
    const end = machine.definitionEnds[step.a] ?? 0;
    for (let n = machine.firstDefinition(step.a); n < end; n++) {
      store(machine.definitionValues[n] ?? 0, definitionRegisters[n] ?? 0);
    }
  }
  return result;
}

/** The most values of each bank that live at once in each loop. */
function loopPressures(
  machine: MachineFunction,
  flow: Flow,
  pressures: readonly (readonly number[])[],
): readonly number[][] {
  const most: number[][] = Array.from({ length: machine.blockCount }, () => [0, 0, 0]);
  for (const block of flow.order) {
    for (let loop = flow.loops[block] ?? -1; loop !== -1; loop = flow.outer[loop] ?? -1) {
      const row = at(most, loop);
      at(pressures, block).forEach((value, bank) => {
        row[bank] = Math.max(row[bank] ?? 0, value);
      });
    }
  }
  return most;
}

/** Gives each value a register wherever it is used. Changes the function: critical edges are split. @public */
export function allocateRegisters(machine: MachineFunction, file: RegisterFile): Allocation {
  splitCriticalEdges(machine);
  const flow = analyseFlow(machine);
  const liveIn = analyseNextUses(machine, flow);
  const distances = new Distances(machine.banks.length);
  const pressures = liveIn.map((_, block) => {
    if ((flow.places[block] ?? -1) === -1) return [0, 0, 0];
    distances.clear();
    addLiveOut(machine, flow, liveIn, block, distances);
    return blockPressure(machine, block, distances);
  });
  const loops = loopPressures(machine, flow, pressures);
  const state: EdgeState = {
    machine,
    file,
    entries: [],
    exits: [],
    memoryParameters: [],
    slots: [],
    slotOf: new Int32Array(machine.banks.length).fill(-1),
  };
  const walk = new BlockWalk(machine, file, state);
  const steps: (readonly Step[])[] = Array.from({ length: machine.blockCount }, () => []);
  for (const block of flow.order) {
    distances.clear();
    addLiveOut(machine, flow, liveIn, block, distances);
    walk.prepare(block, distances);
    const entry =
      block === 0
        ? parametersInRegisters(machine, file)
        : chooseEntry(state, flow, walk, at(liveIn, block), at(loops, block), block);
    state.entries[block] = entry;
    const inRegisters = new Set(entry);
    state.memoryParameters[block] = machine
      .parametersOf(block)
      .filter((parameter) => !inRegisters.has(parameter) && walk.isLive(parameter));
    steps[block] = walk.run(block, entry);
    state.exits[block] = walk.residents();
  }
  const leading: (readonly Step[])[] = [];
  const trailing: (readonly Step[])[] = [];
  for (const block of flow.order) {
    const ending = machine.endingOf(block);
    const [from] = at(flow.predecessors, block);
    const [to] = ending.successors;
    // After a branch, the edge's moves are in the block that only the branch leads to.
    const isAfterBranch = block !== 0 && from !== undefined && machine.endingOf(from).kind === "branch";
    leading[block] = isAfterBranch ? edgeSteps(state, from, block) : [];
    if (ending.kind === "return") trailing[block] = returnSteps(state, block);
    else trailing[block] = ending.kind === "jump" && to !== undefined ? edgeSteps(state, block, to) : [];
  }
  // All slots are known now.
  for (const block of flow.order) {
    const own = addStores(machine, state, walk.definitionRegisters, block, steps[block] ?? []);
    steps[block] = [...(leading[block] ?? []), ...own, ...(trailing[block] ?? [])];
  }
  return {
    machine,
    useRegisters: walk.useRegisters,
    definitionRegisters: walk.definitionRegisters,
    order: flow.order,
    steps,
    slots: state.slots,
    slotOf: state.slotOf,
  };
}
