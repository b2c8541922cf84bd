// SPDX-License-Identifier: Apache-2.0
// Native code on devices: results, faults, deadlines, ends of devices and processes, code that comes and goes.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ok } from "@muxkit/cargo";
import { markVerifiedCode, writeExecutable } from "@muxkit/metadata";
import { afterEach, describe, expect, test } from "vitest";

import type { Command } from "../source/command.ts";
import type { CoreSettings } from "../source/device-core.ts";
import type { Code } from "../source/code-store.ts";
import type { Launch } from "../source/launch.ts";
import { loadExecutable } from "../source/load-executable.ts";
import { LoadedExecutable } from "../source/loaded-executable.ts";
import { NativeDevice, type NativeOwner } from "../source/native-device.ts";
import { nativeStatus } from "../source/native-status.ts";
import { type Rig, VARIANT, openCore, words, workersUp } from "./core-rig.ts";
import { argument, kernel, testImage, variant } from "./executable-rig.ts";
import { LARGE_OBJECT, NATIVE_INDEX, NATIVE_KERNELS, type NativeKernel, REFUSED } from "./native-kernels.ts";

const IS_SUPPORTED = process.platform === "linux" && process.arch === "x64";
if (!IS_SUPPORTED) process.stderr.write("!! native code is tested on Linux on x86-64 only\n");

const rigs: Rig[] = [];
afterEach(() => {
  for (const { core } of rigs.splice(0)) core.close();
});

interface NativeRig extends Rig {
  readonly code: Code;
  native(name: NativeKernel, groups: number, args: readonly number[], options?: Partial<Launch>): Command;
}

/** Places a code object on a device. */
function place(rig: Rig, object: Uint8Array, isOwn: boolean = true): Code {
  const { native } = rig.core;
  if (!native.ok) throw new Error(native.error);
  const placed = native.value.place(object, isOwn);
  if (!placed.ok) throw new Error(placed.error.message);
  return placed.value.code;
}

function openNative(options: Partial<CoreSettings> = {}): NativeRig {
  const rig = openCore({ native: "on", ...options });
  rigs.push(rig);
  const code = place(rig, NATIVE_KERNELS, false);
  return {
    ...rig,
    code,
    native: (name, groups, args, extra = {}) =>
      rig.launch("empty", groups, args, {
        kernelName: name,
        kernel: { code, functionIndex: NATIVE_INDEX[name], variant: VARIANT },
        ...extra,
      }),
  };
}

/** Whether the system has larger pages for who asks for them. */
const HAS_LARGE_PAGES = existsSync("/sys/kernel/mm/transparent_hugepage/enabled");

/** Whether the system was advised to give an address of this process large pages. */
function isAdvised(address: number): boolean {
  let isIn = false;
  for (const line of readFileSync("/proc/self/smaps", "utf8").split("\n")) {
    const range = /^([0-9a-f]+)-([0-9a-f]+) /u.exec(line);
    if (range !== null) isIn = Number(`0x${range[1]}`) <= address && address < Number(`0x${range[2]}`);
    else if (isIn && line.startsWith("VmFlags:")) return line.includes(" hg");
  }
  return false;
}

const LARGE = { cost: { perItem: 1e9, measured: true } };

describe.skipIf(!IS_SUPPORTED)("native code", () => {
  test("large blocks of memory are advised to have large pages, small ones are not", () => {
    const { core } = openNative();
    const { memory } = core;
    const base = core.native.ok ? core.native.value.memoryAddress : 0;
    const addressOf = (bytes: number): number => {
      const block = memory.allocate(bytes);
      if (!block.ok) throw new Error(block.error);
      return base + block.value.address + (bytes >> 1);
    };
    expect([2 ** 12, 2 ** 20, 2 ** 23, 2 ** 26].map((bytes) => isAdvised(addressOf(bytes)))).toEqual(
      HAS_LARGE_PAGES ? [false, false, true, true] : [false, false, false, false],
    );
  });

  test("runs every group once, on all threads and between WebAssembly", async () => {
    const rig = openNative({ threads: 3 });
    await workersUp(rig);
    const out = words(rig, 20_000);
    expect(rig.run([rig.native("fill", 20_000, [out.address, 5])])).toBeNull();
    expect(out.view().every((value, n) => value === n + 5)).toBe(true);
    const more = [rig.launch("slow", 20_000, [out.address, 50]), rig.native("slow", 20_000, [out.address, 50])];
    expect(rig.run([...more, ...more])).toBeNull();
    expect(await rig.runLater(more)).toBeNull();
    expect(out.view().every((value, n) => value >= n + 6 && value <= n + 11)).toBe(true);
  });

  test("two devices of one thread have their own memories, also after they have grown", () => {
    const two = [openNative({ threads: 1 }), openNative({ threads: 1 })];
    const outs = two.map((rig) => words(rig, 64));
    for (let round = 0; round < 3; round++) {
      for (const [n, rig] of two.entries()) {
        expect(rig.run([rig.native("fill", 64, [outs[n]?.address ?? 0, 100 * n + round])])).toBeNull();
        const grown = words(rig, 20_000_000);
        expect(rig.run([rig.native("fill", 1, [grown.address + 79_000_000, 7])])).toBeNull();
        expect(grown.view()[19_750_000]).toBe(7);
      }
      for (const [n, out] of outs.entries()) expect(out.view()[63]).toBe(100 * n + round + 63);
    }
  });

  test.each([
    ["outside", /accessed memory outside of the device's memory/u],
    ["divide", /divided an integer by zero/u],
    ["unreachable", /reached code that must not be reached/u],
    ["leaves", /stopped early without having been cancelled/u],
  ] as const)("a kernel's fault is its command's error: %s", async (name, message) => {
    const rig = openNative({ helps: name !== "divide" });
    if (name === "divide") await workersUp(rig);
    expect(rig.run([rig.native(name, 3, [])])).toMatch(message);
    const out = words(rig, 4);
    expect(rig.run([rig.native("fill", 4, [out.address, 1])])).toBeNull();
    expect([...out.view()]).toEqual([1, 2, 3, 4]);
  });

  test("an exhausted stack is a fault", () => {
    const rig = openNative();
    const code = place(rig, REFUSED.deep);
    const deep = rig.launch("empty", 1, [], {
      kernelName: "deep",
      kernel: { code, functionIndex: 0, variant: VARIANT },
    });
    expect(rig.run([deep])).toMatch(/used too much stack/u);
  });

  test.each(["endless", "stubborn"] as const)(
    "a deadline stops the host thread, with and without workers: %s",
    (name) => {
      for (const threads of [1, 2]) {
        const rig = openNative({ threads });
        const launch = rig.native(name, 4, [], { deadline: 40 });
        expect(rig.run([launch])).toBe(`kernel "${name}" was stopped: it ran longer than its deadline of 40 ms`);
        const out = words(rig, 4);
        expect(rig.run([rig.native("fill", 4, [out.address, 1])])).toBeNull();
        expect(rig.core.pool.terminated).toBe(0);
      }
    },
  );

  test.each([true, false])(
    "a deadline stops workers, which live on; while the event loop waits: %s",
    async (isLater) => {
      const rig = openNative({ helps: false, threads: 3 });
      await workersUp(rig);
      const out = words(rig, 400);
      const launch = rig.native("scribbling", 4, [out.address, 5], { deadline: 100, ...LARGE });
      const failure = isLater ? await rig.runLater([launch]) : rig.run([launch]);
      expect(failure).toMatch(/deadline of 100 ms/u);
      out.view()[0] = 7;
      expect(rig.core.pool.terminated).toBe(0);
      expect(rig.run([rig.native("slow", 400, [out.address, 1])])).toBeNull();
      expect([out.view()[0], out.view()[1]]).toEqual([8, 1]);
    },
  );

  test("a deadline stops all threads at once, when a small launch has started the workers", async () => {
    const rig = openNative({ threads: 2 });
    const out = words(rig, 4);
    expect(rig.run([rig.native("fill", 4, [out.address, 1], { deadline: 60_000 })])).toBeNull();
    expect(rig.core.pool.slots).toBe(2);
    await workersUp(rig);
    // Both threads take work-groups of it.
    expect(rig.run([rig.native("stubborn", 4, [], { deadline: 300 })])).toMatch(/deadline of 300 ms/u);
  });

  test("a fault of one thread stops the others, the host thread too", async () => {
    const rig = openNative({ threads: 2 });
    await workersUp(rig);
    const out = words(rig, 4);
    // One work-group a thread: `stubborn` on the one, the fault on the other.
    expect(rig.run([rig.native("stubborn", 2, [], { deadline: 300, ...LARGE })])).toMatch(/deadline of 300 ms/u);
    expect(rig.run([rig.native("fill", 4, [out.address, 3])])).toBeNull();
  });

  test("a device can be closed while its workers never leave", async () => {
    const rig = openNative({ helps: false });
    await workersUp(rig);
    const pending = rig.batch([rig.native("stubborn", 4, [], LARGE)]);
    const dispatched = pending.dispatch({
      waits: [],
      signals: [],
      fence: 0,
      deadline: 0,
      part: 0,
      callback: null,
      done: () => {},
    });
    expect(dispatched.ok).toBe(true);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    rig.core.close();
  });

  test("a process ends although its workers never leave", () => {
    const child = spawnSync(
      process.execPath,
      ["--conditions=source", "--disable-warning=ExperimentalWarning", join(import.meta.dirname, "native-child.ts")],
      { encoding: "utf8", timeout: 60_000 },
    );
    expect([child.stdout, child.status, child.signal]).toEqual(["running\n", 5, null]);
  });

  test("pages are used again, and code that was removed is not found", () => {
    const rig = openNative();
    const out = words(rig, 4);
    const code = place(rig, NATIVE_KERNELS);
    const fill = rig.launch("empty", 4, [out.address, 1], {
      kernel: { code, functionIndex: NATIVE_INDEX.fill, variant: VARIANT },
    });
    expect(rig.run([fill])).toBeNull();
    rig.core.code.remove(code);
    expect(rig.run([fill])).toMatch(/code/u);
    // Far more than the space has room for.
    for (let n = 0; n < 100; n++) rig.core.code.remove(place(rig, LARGE_OBJECT));
    expect(rig.run([rig.native("fill", 4, [out.address, 2])])).toBeNull();
    expect([...out.view()]).toEqual([2, 3, 4, 5]);
  });

  test("code of others is verified", () => {
    const { core } = openNative();
    if (!core.native.ok) throw new Error(core.native.error);
    for (const object of Object.values(REFUSED)) {
      const placed = core.native.value.place(object, false);
      expect(!placed.ok && placed.error.message).toMatch(/^the code is refused: /u);
    }
    const broken = core.native.value.place(NATIVE_KERNELS.subarray(0, 200), false);
    expect(!broken.ok && broken.error).toMatchObject({ code: "invalid_binary" });
  });
});

describe.skipIf(!IS_SUPPORTED)("executables with native sections", () => {
  const section = { name: ".x64.3", bytes: NATIVE_KERNELS, features: ["x64.3"], patches: [] };
  const fill = kernel("fill", [argument("out", "pointer", 0), argument("value", "value", 4)], {
    variants: [variant("fill"), variant("fill", { section: ".x64.3", vectorWidth: 8, engineFeatures: ["x64.3"] })],
  });
  const both = testImage({ code: [...testImage().code, section], kernels: [fill] });
  const onlyNative = testImage({
    code: [section],
    features: ["x64.3"],
    kernels: [kernel("fill", fill.arguments, { variants: [variant("fill", { section: ".x64.3" })] })],
  });

  function sectionsOf(options: Partial<CoreSettings>, image: typeof both): readonly string[] | string {
    const { core } = openCore(options);
    const loaded = LoadedExecutable.load(core, image, null);
    const found = loaded.ok
      ? (loaded.value.kernel("fill")?.variants ?? []).map(({ variant: { section: name } }) => name)
      : loaded.error.message;
    core.close();
    return found;
  }

  test("are taken where the device runs native code, else WebAssembly is", () => {
    expect(sectionsOf({ native: "on" }, both)).toEqual([".x64.3"]);
    expect(sectionsOf({ native: "auto" }, both)).toEqual([".x64.3"]);
    expect(sectionsOf({ native: "off" }, both)).toEqual([".wasm"]);
    expect(sectionsOf({ native: "on", shared: false, memoryLimit: 2 ** 27 }, both)).toEqual([".wasm"]);
  });

  test("are not verified again where they are marked as verified", () => {
    const code = [...testImage().code, { ...section, bytes: REFUSED.deep }];
    const name = "deep";
    const deep = kernel(name, [], {
      variants: [variant(name, { section: ".x64.3", engineFeatures: ["x64.3"] })],
    });
    const bytes = writeExecutable({ ...both, code, kernels: [deep] });
    const { core } = openNative();
    const load = (executable: Uint8Array): string => {
      const loaded = loadExecutable(core, executable, null);
      return loaded.ok ? "loaded" : loaded.error.message;
    };
    const refused = /^section "\.x64\.3": the code is refused: /u;
    expect(load(bytes)).toMatch(refused);
    markVerifiedCode(bytes, () => false);
    expect(load(bytes)).toMatch(refused);
    markVerifiedCode(bytes);
    expect(load(bytes)).toBe("loaded");
    expect(load(new Uint8Array(bytes))).toMatch(refused);
  });

  test("of the highest tier that the device may run are taken, for the launches that each can run", () => {
    const wide = { ...section, name: ".x64.4", features: ["x64.3", "x64.4"] };
    const tiers = {
      ...both,
      code: [...both.code, wide],
      kernels: both.kernels.map((one) => ({
        ...one,
        variants: [
          ...one.variants,
          variant("fill", { section: ".x64.4", vectorWidth: 8, engineFeatures: ["x64.3", "x64.4"] }),
        ],
      })),
    };
    expect(sectionsOf({ native: "on", nativeTier: "x64.3" }, tiers)).toEqual([".x64.3"]);
    const isWide = nativeStatus({ engine: { native: "on" } }).tier === "x64.4";
    expect(sectionsOf({ native: "on", nativeTier: "x64.4" }, tiers)).toEqual([isWide ? ".x64.4" : ".x64.3"]);
  });

  test("need a device that runs native code where they have nothing else", () => {
    expect(sectionsOf({ native: "on" }, onlyNative)).toEqual([".x64.3"]);
    expect(sectionsOf({ native: "off" }, onlyNative)).toMatch(
      /^the executable needs x64\.3, and the engine has .*\. Native code is not used, because the setting MUXKIT_NATIVE is off\.$/u,
    );
  });

  test("are refused where the verifier refuses them, and replaced by WebAssembly where no space is left", () => {
    const refused = { ...both, code: [...testImage().code, { ...section, bytes: REFUSED.system }] };
    expect(sectionsOf({ native: "on" }, refused)).toMatch(/^section "\.x64\.3": the code is refused: /u);
    const { parts } = openCore().core.settings;
    const { native } = parts;
    const opened = native?.open();
    if (native === null || opened?.ok !== true) throw new Error("there is no native code");
    const code = { ...opened.value, place: () => 0 };
    const full = {
      ...parts,
      native: {
        ...native,
        device: (_: unknown, __: unknown, owner: NativeOwner) => ok(new NativeDevice(code, owner, 0, ["x64.3"])),
      },
    };
    expect(sectionsOf({ native: "on", parts: full }, both)).toEqual([".wasm"]);
    expect(sectionsOf({ native: "on", parts: full }, onlyNative)).toMatch(
      /^section "\.x64\.3": no space is left for \d+ bytes of native code/u,
    );
  });
});
