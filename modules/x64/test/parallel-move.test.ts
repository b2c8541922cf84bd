// SPDX-License-Identifier: Apache-2.0
// Moves that happen at once, in any order and with cycles, between registers and places on the stack.
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { GENERAL, MachineFunction, PSEUDO, VECTOR } from "../source/machine-function.ts";
import { FIRST_SLOT, ParallelMoves } from "../source/parallel-move.ts";

const SLOTS = 6;

/** What each location holds after the instructions, when each held its own number before. */
function run(fn: MachineFunction, code: readonly number[]): ReadonlyMap<number, number> {
  const held = new Map<number, number>();
  const read = (location: number): number => held.get(location) ?? location;
  for (const instruction of code) {
    const first = fn.firstOperand[instruction] ?? 0;
    const register = fn.value[first] ?? 0;
    const slot = FIRST_SLOT + (fn.immediate[instruction] ?? 0);
    if (fn.form[instruction] === PSEUDO.copy) held.set(register, read(fn.value[first + 1] ?? 0));
    else if (fn.form[instruction] === PSEUDO.loadSlot) held.set(register, read(slot));
    else held.set(slot, read(register));
  }
  return held;
}

const locations = [
  ...[0, 1, 2, 3].map((location) => ({ location, registerClass: GENERAL })),
  ...[16, 17, 18].map((location) => ({ location, registerClass: VECTOR })),
  ...Array.from({ length: SLOTS }, (_, i) => ({
    location: FIRST_SLOT + i,
    registerClass: i % 2 === 0 ? GENERAL : VECTOR,
  })),
];

test("every target gets what its source held before", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: locations.length, maxLength: locations.length }), (picks) => {
      const fn = new MachineFunction("moves");
      for (let i = 0; i < SLOTS; i++) fn.slotBytes.push(i % 2 === 0 ? 8 : 32);
      const moves = new ParallelMoves(fn);
      const wanted = new Map<number, number>();
      locations.forEach(({ location, registerClass }, i) => {
        const sources = locations.filter((one) => one.registerClass === registerClass);
        const source = sources[(picks[i] ?? 0) % (sources.length + 1)];
        if (source === undefined) return;
        wanted.set(location, source.location);
        moves.add(location, source.location, registerClass, registerClass === GENERAL ? 8 : 32);
      });
      const code: number[] = [];
      moves.write(code);
      const held = run(fn, code);
      for (const [target, source] of wanted) expect(held.get(target) ?? target).toBe(source);
      const again: number[] = [];
      moves.write(again);
      expect(again).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
