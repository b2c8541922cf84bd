// SPDX-License-Identifier: Apache-2.0
// Allocations of the target's own that fail on purpose: the error is that memory is short, nothing is taken, and a
// second try works.
import { halDeviceOf } from "@muxkit/hal";
import { type MuxDevice, MuxResult } from "@muxkit/mux";

import { type Shared, codeName, entryPointOf, lacksFeature, validCall } from "./calls.ts";
import { type UnitMuxCase, type UnitMuxRefusals, verify } from "./case.ts";
import type { EntryPointRules } from "./entry-point-rules.ts";

/** Calls that take more allocations than this never end. */
const MOST_ALLOCATIONS = 1000;

/** Refusals of a device of the hardware layer: its memory and its programs. Null: it is none. */
function halRefusals(device: MuxDevice): UnitMuxRefusals | null {
  const hal = halDeviceOf(device);
  if (hal === null) return null;
  let [count, at, refused] = [0, 0, false];
  const taken = new Set<number>();
  const isRefused = (): boolean => {
    if (++count !== at) return false;
    refused = true;
    return true;
  };
  const [allocate, free, load] = [hal.allocate.bind(hal), hal.free.bind(hal), hal.load.bind(hal)];
  hal.allocate = (size, alignment) => {
    const address = isRefused() ? null : allocate(size, alignment);
    if (address !== null) taken.add(address);
    return address;
  };
  hal.free = (address) => {
    taken.delete(address);
    free(address);
  };
  hal.load = (binary) =>
    isRefused()
      ? { ok: false, error: { code: MuxResult.error_out_of_memory, message: "there is no memory for the program" } }
      : load(binary);
  return {
    refuseAt: (number) => {
      [count, at, refused] = [0, number, false];
    },
    hasRefused: () => refused,
    taken: () => [taken.size],
  };
}

/** Devices of the hardware layer whose calls were replaced. */
const found = new WeakMap<MuxDevice, UnitMuxRefusals>();

/** How the target's allocations are refused; null: they cannot be refused. */
function refusalsOf({ world }: Shared): UnitMuxRefusals | null {
  const { device, setup } = world;
  if (setup.refusals !== undefined) return setup.refusals;
  const known = found.get(device) ?? halRefusals(device);
  if (known !== null) found.set(device, known);
  return known;
}

function tryCall(
  refusals: UnitMuxRefusals,
  name: string,
  args: readonly unknown[],
  number: number,
): { readonly result: ReturnType<ReturnType<typeof entryPointOf>>; readonly isRefused: boolean } {
  refusals.refuseAt(number);
  try {
    const result = entryPointOf(name)(...args);
    return { result, isRefused: refusals.hasRefused() };
  } finally {
    refusals.refuseAt(0);
  }
}

function refuseEach(shared: Shared, refusals: UnitMuxRefusals, name: string): void {
  const { world } = shared;
  for (let number = 1; number < MOST_ALLOCATIONS; number++) {
    const what = `${name}, allocation ${number} refused`;
    const { args, look, end } = validCall(world, name);
    const before = refusals.taken(world.device).join();
    const { result, isRefused } = tryCall(refusals, name, args, number);
    if (result.ok) look?.(result.value);
    else {
      verify(
        isRefused && result.error.code === MuxResult.error_out_of_memory,
        `${what}: the answer is ${result.error.name} (${result.error.message}); ` +
          `${codeName(MuxResult.error_out_of_memory)} is right`,
      );
      const after = refusals.taken(world.device).join();
      verify(after === before, `${what}: ${before} was taken before and ${after} is afterwards`);
      const { result: again } = tryCall(refusals, name, args, 0);
      verify(again.ok, again.ok ? "" : `${what}: a second try answers ${again.error.name}: ${again.error.message}`);
      look?.(again.value);
    }
    end?.();
    if (!isRefused) return;
  }
  verify(false, `${name} takes more than ${MOST_ALLOCATIONS} allocations`);
}

/** Each allocation that a right call makes is refused once. */
export function refusalCases(shared: Shared, { name }: EntryPointRules): UnitMuxCase[] {
  return [
    {
      entryPoint: name,
      name: "each allocation is refused once: the error reports it, nothing leaks, a second try works",
      tests: "refusals",
      run: () => {
        const { world } = shared;
        const refusals = refusalsOf(shared);
        if (refusals !== null && !lacksFeature(world, name)) refuseEach(shared, refusals, name);
      },
    },
  ];
}
