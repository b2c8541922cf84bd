// SPDX-License-Identifier: Apache-2.0
// Other code takes over launches that run: each work-group runs once, whenever the code comes and whatever it does.
import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";

import type { Command } from "../source/command.ts";
import type { CoreSettings } from "../source/device-core.ts";
import type { Launch, LaunchSuccessor } from "../source/launch.ts";
import { LoadedExecutable } from "../source/loaded-executable.ts";
import { HostKernel } from "../source/objects.ts";
import { type Rig, openCore, words, workersUp } from "./core-rig.ts";
import { kernel, testImage, variant } from "./executable-rig.ts";
import type { KERNEL_INDEX } from "./kernels.ts";
import { NATIVE_KERNELS, type NativeKernel } from "./native-kernels.ts";

const IS_SUPPORTED = process.platform === "linux" && process.arch === "x64";
if (!IS_SUPPORTED) process.stderr.write("!! takeovers by machine code are tested on Linux on x86-64 only\n");

const rigs: Rig[] = [];
afterEach(() => {
  for (const { core } of rigs.splice(0)) core.close();
});

function open(options: Partial<CoreSettings> = {}): Rig {
  const rig = openCore({ native: "auto", threads: 1, ...options });
  rigs.push(rig);
  return rig;
}

/** A kernel of a name, which machine code of perhaps another name runs. */
function nativeKernel({ core }: Rig, name: string, by: NativeKernel, privateBytes: number = 0): HostKernel {
  const image = testImage({
    code: [{ name: ".x64.3", bytes: NATIVE_KERNELS, features: ["x64.3"], patches: [] }],
    features: ["x64.3"],
    kernels: [kernel(name, [], { variants: [variant(by, { section: ".x64.3", privateBytes })] })],
  });
  const loaded = LoadedExecutable.load(core, image, null);
  const found = loaded.ok ? loaded.value.kernel(name) : null;
  if (!loaded.ok || found === null) throw new Error(loaded.ok ? "there is no kernel" : loaded.error.message);
  return new HostKernel(found, loaded.value);
}

/** Answers with a kernel when it is asked for the nth time, from 0 on; counts the questions. */
function atQuestion(n: number, make: () => HostKernel): LaunchSuccessor & { readonly asked: () => number } {
  let count = 0;
  return { after: 0, ask: () => (count++ < n ? "later" : make()), asked: () => count };
}

type Kernel = keyof typeof KERNEL_INDEX;

function launch(
  rig: Rig,
  name: Kernel,
  groups: number,
  args: readonly number[],
  successor: LaunchSuccessor,
  options: Partial<Launch> = {},
): Command {
  return rig.launch(name, groups, args, { successor, ...options });
}

/** Claims of one group: what kernels cost is noted after each run. */
const slow = (): Partial<Launch> => ({ cost: { perItem: 1e9, measured: true } });
const VALUE = 1000;

/** How many of the groups of {@link mixed} ran by machine code; fails for any that did not run once, by either. */
function nativeGroups(view: Int32Array): number {
  let count = 0;
  for (const [x, value] of view.entries()) {
    // WebAssembly counts up, machine code writes its argument and the group.
    if (value !== 1 && value !== VALUE + x) throw new Error(`group ${x} has written ${value}`);
    if (value !== 1) count++;
  }
  return count;
}

/** A launch whose groups tell which code ran them. */
function mixed(rig: Rig, groups: number, successor: LaunchSuccessor, options: Partial<Launch> = {}): Int32Array {
  const out = words(rig, groups);
  out.view().fill(0);
  expect(rig.run([launch(rig, "slow", groups, [out.address, VALUE], successor, options)])).toBeNull();
  return out.view();
}

describe.skipIf(!IS_SUPPORTED)("a launch that other code takes over", () => {
  test("runs the groups after the question by it, on one thread", () => {
    const rig = open();
    const by = nativeKernel(rig, "slow", "fill");
    for (const n of [0, 1, 2]) {
      const successor = atQuestion(n, () => by);
      const view = mixed(rig, 20, successor, slow());
      expect(nativeGroups(view)).toBeGreaterThan(0);
      expect([view[0], view[19]]).toEqual([1, VALUE + 19]);
    }
  });

  test("runs each group once, on any number of threads, whenever the code comes", async () => {
    const some = [1, 2, 3].map((threads) => open({ threads }));
    const kernels = some.map((rig) => nativeKernel(rig, "slow", "fill"));
    await Promise.all(some.map((rig) => workersUp(rig)));
    let both = 0;
    fc.assert(
      fc.property(
        fc.nat(2),
        fc.integer({ min: 1, max: 5000 }),
        fc.nat(12),
        fc.constantFrom(1e9, 1e3, 1),
        (which, groups, n, perItem) => {
          const [rig, by] = [some[which] as Rig, kernels[which] as HostKernel];
          const successor = atQuestion(n, () => by);
          const count = nativeGroups(mixed(rig, groups, successor, { cost: { perItem, measured: true } }));
          if (count > 0 && count < groups) both++;
        },
      ),
      { numRuns: 150 },
    );
    expect(both).toBeGreaterThan(10);
  });

  test("goes on by it on threads that have not the time to ask, too", async () => {
    const rig = open({ threads: 2, helps: false });
    const by = nativeKernel(rig, "slow", "fill");
    await workersUp(rig);
    const out = words(rig, 3000);
    out.view().fill(0);
    const successor = atQuestion(3, () => by);
    const one = launch(rig, "slow", 3000, [out.address, 100_000], successor, slow());
    expect(await rig.runLater([one])).toBeNull();
    expect(out.view().every((value, x) => value === 1 || value === 100_000 + x)).toBe(true);
    expect([out.view()[0], out.view()[2999]]).toEqual([1, 102_999]);
  });

  test("begins by its own code when it is dispatched again, and gives back what that took", () => {
    const rig = open();
    const by = nativeKernel(rig, "slow", "fill", 100_000);
    const { core } = rig;
    // The first one makes the arenas that later ones share.
    mixed(
      rig,
      8,
      atQuestion(0, () => by),
      slow(),
    );
    const [rows, memory] = [core.rowsUsed, core.memory.views.bytes.length];
    for (let n = 0; n < 100; n++) {
      const out = words(rig, 8);
      out.view().fill(0);
      const batch = rig.batch([
        launch(
          rig,
          "slow",
          8,
          [out.address, VALUE],
          atQuestion(0, () => by),
          slow(),
        ),
      ]);
      batch.free();
      const view = mixed(
        rig,
        8,
        atQuestion(0, () => by),
        slow(),
      );
      expect([view[0], view[7]]).toEqual([1, VALUE + 7]);
      if (n === 0) continue;
      expect(core.rowsUsed).toBe(rows);
    }
    expect(core.memory.views.bytes.length).toBe(memory);
  });

  test("fails by a fault of the code that took it over", () => {
    const rig = open();
    for (const [name, message] of [
      ["outside", /accessed memory outside of the device's memory/u],
      ["divide", /divided an integer by zero/u],
      ["unreachable", /reached code that must not be reached/u],
      ["leaves", /stopped early without having been cancelled/u],
    ] as const) {
      const by = nativeKernel(rig, "slow", name);
      const out = words(rig, 20);
      expect(
        rig.run([
          launch(
            rig,
            "slow",
            20,
            [out.address, 5],
            atQuestion(2, () => by),
            slow(),
          ),
        ]),
      ).toMatch(message);
    }
    const trap = launch(
      rig,
      "trap",
      20,
      [],
      atQuestion(40, () => nativeKernel(rig, "trap", "fill")),
      slow(),
    );
    expect(rig.run([trap])).toMatch(/divided an integer by zero/u);
  });

  test.each(["endless", "stubborn"] as const)("stops at its deadline in the code that took it over: %s", (name) => {
    for (const threads of [1, 2]) {
      const rig = open({ threads });
      const out = words(rig, 100);
      const by = nativeKernel(rig, "slow", name);
      const one = launch(
        rig,
        "slow",
        100,
        [out.address, 1_000_000],
        atQuestion(1, () => by),
        {
          ...slow(),
          deadline: 300,
        },
      );
      expect(rig.run([one])).toBe('kernel "slow" was stopped: it ran longer than its deadline of 300 ms');
      nativeGroups(
        mixed(
          rig,
          20,
          atQuestion(0, () => nativeKernel(rig, "slow", "fill")),
          slow(),
        ),
      );
      expect(rig.core.pool.terminated).toBe(0);
    }
  });

  test("can be stopped by who watches it", async () => {
    const rig = open({ threads: 2, helps: false });
    const by = nativeKernel(rig, "slow", "stubborn");
    await workersUp(rig);
    const out = words(rig, 100);
    let stop: (() => string) | null = null;
    const watched = launch(
      rig,
      "slow",
      100,
      [out.address, 1_000_000],
      atQuestion(1, () => by),
      {
        ...slow(),
        watch: (stopping) => {
          stop = stopping;
          return () => {};
        },
      },
    );
    setTimeout(() => stop?.(), 300);
    expect(await rig.runLater([watched])).toBe('kernel "slow" failed');
  });

  test("is not asked for any more once there will be none, and goes on when the question fails", () => {
    const rig = open();
    let count = 0;
    const never: LaunchSuccessor = {
      after: 0,
      ask: () => {
        count++;
        return "never";
      },
    };
    expect(nativeGroups(mixed(rig, 20, never, slow()))).toBe(0);
    const failing: LaunchSuccessor = {
      after: 0,
      ask: () => {
        count++;
        throw new Error("the question");
      },
    };
    expect(nativeGroups(mixed(rig, 20, failing, slow()))).toBe(0);
    expect(count).toBe(2);
  });

  test("is asked with an estimate, and not before its time", () => {
    const rig = open();
    const estimates: number[] = [];
    const out = words(rig, 200);
    const asking: LaunchSuccessor = {
      after: 5,
      ask: (remaining) => {
        estimates.push(remaining);
        return "later";
      },
    };
    // Groups of about a millisecond.
    const begin = rig.core.clock();
    expect(rig.run([launch(rig, "slow", 100, [out.address, 1_500_000], asking, slow())])).toBeNull();
    const took = (rig.core.clock() - begin) / 1e6;
    expect(estimates.length).toBeGreaterThan(3);
    expect(estimates[0]).toBeLessThan(took * 4);
    expect(estimates.at(-1)).toBeLessThan(took / 4);
    const early: LaunchSuccessor = { after: 1e6, ask: () => "never" };
    expect(nativeGroups(mixed(rig, 20, early, slow()))).toBe(0);
  });

  test("keeps to its own code where the other does not take it", () => {
    const rig = open();
    for (const by of [nativeKernel(rig, "fill", "fill"), nativeKernel(open(), "slow", "fill")])
      expect(
        nativeGroups(
          mixed(
            rig,
            20,
            atQuestion(0, () => by),
            slow(),
          ),
        ),
      ).toBe(0);
    const only = nativeKernel(rig, "slow", "fill");
    // Of one group there is no rest.
    const single = atQuestion(0, () => only);
    expect(nativeGroups(mixed(rig, 1, single, slow()))).toBe(0);
    expect(single.asked()).toBe(0);
  });
});
