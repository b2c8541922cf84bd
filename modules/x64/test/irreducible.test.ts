// SPDX-License-Identifier: Apache-2.0
// Loops that control enters in two places: what is alive in them is found, and the allocator keeps it.
import { expect, test } from "vitest";

import { allocateRegisters } from "../source/allocate.ts";
import { form, MachineBuilder } from "../source/machine-builder.ts";
import { GENERAL, type MachineBlock, MachineFunction, PSEUDO } from "../source/machine-function.ts";
import { nextUses } from "../source/next-use.ts";
import { interpret } from "./machine-interpreter.ts";

const FEW: readonly Uint8Array[] = [Uint8Array.of(0, 1, 2, 3), Uint8Array.of(16, 17), Uint8Array.of()];

/** The entry goes to either of two blocks, which go to each other or out; each uses what the other does not. */
function twoEntries(): { readonly fn: MachineFunction; readonly values: readonly number[] } {
  const fn = new MachineFunction("two entries");
  const [entry, left, right, out] = Array.from({ length: 4 }, () => fn.newBlock()) as [
    MachineBlock,
    MachineBlock,
    MachineBlock,
    MachineBlock,
  ];
  const build = new MachineBuilder(fn, entry);
  const values = Array.from({ length: 6 }, (_, i) => {
    build.pseudo(-100, i, 0, []);
    return build.addResult(GENERAL, 8);
  });
  const use = (value: number): void => build.pseudo(-101, 0, 0, [value]);
  const compare = (): void => {
    build.emit(form("cmp r32, r32/m32"), [values[0] as number, values[1] as number]);
  };
  compare();
  build.branch(4, left, right);
  build.block = left;
  use(values[2] as number);
  use(values[3] as number);
  compare();
  build.branch(5, right, out);
  build.block = right;
  use(values[4] as number);
  use(values[5] as number);
  compare();
  build.branch(6, left, out);
  build.block = out;
  build.pseudo(PSEUDO.ret, 0, 0, [values[0] as number], [0]);
  return { fn, values };
}

test("both blocks have alive what either uses", () => {
  const { fn, values } = twoEntries();
  const { live, liveFirst, liveEnd } = nextUses(fn);
  for (const block of [1, 2])
    expect(live.slice(liveFirst[block], liveEnd[block]).toSorted()).toEqual(Int32Array.from(values));
  expect(live.slice(liveFirst[3], liveEnd[3])).toEqual(Int32Array.from(values.slice(0, 1)));
});

test("they compute the same with few registers", () => {
  const seeds = Array.from({ length: 40 }, (_, i) => i);
  const before = seeds.map((seed) => interpret(twoEntries().fn, seed));
  const { fn } = twoEntries();
  allocateRegisters(fn, FEW);
  expect(seeds.map((seed) => interpret(fn, seed))).toEqual(before);
});
