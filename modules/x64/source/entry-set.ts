// SPDX-License-Identifier: Apache-2.0
// Which values are in registers where a block begins, and in which ones.
import { at } from "@muxkit/cargo";

import type { BlockWalk } from "./block-walk.ts";
import type { EdgeState } from "./edges.ts";
import type { Flow } from "./flow.ts";
import type { MachineValue } from "./machine-function.ts";
import { LOOP_DISTANCE, type LiveSet } from "./next-use.ts";
import { BANKS } from "./machine-function.ts";
import { BANK_BASE, REGISTERS } from "./registers.ts";

/** For one predecessor, the register of each value, or of the argument of each parameter. */
type Places = ReadonlyMap<MachineValue, number>;

function placesOf(state: EdgeState, from: number, block: number): Places {
  const { machine } = state;
  const ending = machine.endingOf(from);
  const given = at(ending.arguments, ending.successors.indexOf(block));
  const places = new Map<MachineValue, number>();
  at(state.exits, from).forEach((value, register) => {
    if (value !== -1) places.set(value, register);
  });
  machine.parametersOf(block).forEach((parameter, n) => {
    const register = places.get(given[n] ?? -1);
    if (register !== undefined) places.set(parameter, register);
  });
  return places;
}

/** The values of one bank to be in registers, nearest first within each kind. */
function chooseValues(
  candidates: readonly MachineValue[],
  walk: BlockWalk,
  registers: number,
  places: readonly Places[],
  loopPressure: number,
  isHeader: boolean,
): readonly MachineValue[] {
  const sorted = candidates.toSorted((a, b) => walk.distance(a) - walk.distance(b));
  if (isHeader) {
    const used = sorted.filter((value) => walk.distance(value) < LOOP_DISTANCE);
    const through = sorted.slice(used.length);
    // What only lives through the loop stays if the loop leaves it a register all the time.
    const spare = Math.max(0, registers - Math.max(used.length, loopPressure - through.length));
    return [...used.slice(0, registers), ...through.slice(0, spare)];
  }
  const held = (value: MachineValue): number => places.filter((place) => place.has(value)).length;
  const everywhere = sorted.filter((value) => held(value) === places.length);
  const somewhere = sorted.filter((value) => held(value) > 0 && held(value) < places.length);
  return [...everywhere, ...somewhere].slice(0, registers);
}

/** The value in each register at the beginning of a block, -1 for none. */
export function chooseEntry(
  state: EdgeState,
  flow: Flow,
  walk: BlockWalk,
  live: LiveSet,
  loopPressure: readonly number[],
  block: number,
): Int32Array {
  const { machine, file } = state;
  const places = at(flow.predecessors, block)
    .filter((from) => state.exits[from] !== undefined)
    .map((from) => placesOf(state, from, block));
  const candidates = [...live.values, ...machine.parametersOf(block).filter((parameter) => walk.isLive(parameter))];
  const valueIn = new Int32Array(REGISTERS).fill(-1);
  for (let bank = 0; bank < BANKS; bank++) {
    const numbers = at(file.allocatable, bank);
    const chosen = chooseValues(
      candidates.filter((value) => machine.banks[value] === bank),
      walk,
      numbers.length,
      places,
      loopPressure[bank] ?? 0,
      flow.loops[block] === block,
    );
    const base = BANK_BASE[bank] ?? 0;
    const isAllowed = (register: number): boolean => numbers.includes(register - base) && valueIn[register] === -1;
    const late = chosen.filter((value) => {
      const register = places[0]?.get(value);
      if (register === undefined || !isAllowed(register)) return true;
      valueIn[register] = value;
      return false;
    });
    for (const value of late) {
      const hint = walk.hint(value);
      const register = isAllowed(hint) ? hint : base + (numbers.find((number) => valueIn[base + number] === -1) ?? 0);
      valueIn[register] = value;
    }
  }
  return valueIn;
}
