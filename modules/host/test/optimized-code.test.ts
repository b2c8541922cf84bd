// SPDX-License-Identifier: Apache-2.0
// Native code that is made before it is loaded: the engine tells which of its compilers made a function.
import { sharedMemoryPatch } from "@muxkit/kernel-abi";
import { setFlagsFromString } from "node:v8";
import { afterEach, expect, test } from "vitest";

import { loadExecutable, optimizeCode } from "../source/load-executable.ts";
import { webAssembly } from "../source/web-assembly.ts";
import { type Rig, openCore } from "./core-rig.ts";
import { kernel, testExecutable } from "./executable-rig.ts";
import { KERNELS } from "./kernels.ts";

setFlagsFromString("--allow-natives-syntax");
// oxlint-disable-next-line typescript/no-implied-eval -- the syntax is the engine's own, which no tool reads
const isBaseline = new Function("f", "return %IsLiftoffFunction(f)") as (f: unknown) => boolean;

const open: Rig[] = [];
afterEach(() => {
  for (const rig of open.splice(0)) rig.core.close();
});

/** The test kernels with an empty custom section of that many bytes, so that each test has bytes of its own. */
function executable(extraBytes: number, target: string = "host"): Uint8Array {
  const length = [(extraBytes & 0x7f) | 0x80, ((extraBytes >> 7) & 0x7f) | 0x80, extraBytes >> 14];
  const bytes = new Uint8Array([...KERNELS.bytes, 0, ...length, ...new Uint8Array(extraBytes)]);
  const code = { name: ".wasm", bytes, features: [], patches: [sharedMemoryPatch(KERNELS.memoryFlagOffset)] };
  return testExecutable({ target, code: [code], kernels: [kernel("empty", [])] });
}

/** True: the baseline compiler made what a device runs of an executable, on an engine that tiers up by itself. */
function runsBaseline(bytes: Uint8Array): boolean {
  const rig = openCore({ eager: false });
  open.push(rig);
  const loaded = loadExecutable(rig.core, bytes, null);
  if (!loaded.ok) throw new Error(loaded.error.message);
  const [one] = loaded.value.kernel("empty")?.variants ?? [];
  const module = one === undefined ? null : rig.core.code.module(one.code.slot, one.code.id);
  if (module === null) throw new Error("there is no code");
  const { exports } = new webAssembly.Instance(module, {
    env: { memory: new webAssembly.Memory({ initial: 1, maximum: 65_536, shared: true }), clock: () => 0 },
  });
  const { empty } = exports;
  if (typeof empty !== "function") throw new Error("there is no kernel");
  empty(0, 0, 0, 0, 0);
  return isBaseline(empty);
}

test("devices load native code that was made before, for as long as it is held, and make it themselves otherwise", () => {
  expect(runsBaseline(executable(1000))).toBe(true);
  for (const size of [1001, 100_000]) {
    const held = optimizeCode(executable(size));
    expect(runsBaseline(executable(size))).toBe(false);
    expect(held.length).toBe(1);
  }
});

test("there is none of bytes that this target cannot run", () => {
  expect(optimizeCode(new Uint8Array([1, 2, 3]))).toEqual([]);
  expect(optimizeCode(executable(7, "gpu"))).toEqual([]);
  const code = { name: ".wasm", bytes: new Uint8Array([0, 1, 2]), features: [], patches: [] };
  expect(optimizeCode(testExecutable({ code: [code], kernels: [kernel("empty", [])] }))).toEqual([]);
});
