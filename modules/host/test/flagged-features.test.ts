// SPDX-License-Identifier: Apache-2.0
// Features behind flags of the engine: they are on where a setting asks for them and the engine has them, and code that
// needs one that is off is refused with a sentence.
import { afterEach, expect, test } from "vitest";

import { hostDeviceInfo } from "../source/device-info.ts";
import { FLAGGED_FEATURES, compileOptimized, engineFeatures, runnableFeatures, turnOn } from "../source/engine.ts";
import { loadExecutable } from "../source/load-executable.ts";
import { SYSTEM } from "#system";
import { webAssembly } from "../source/web-assembly.ts";
import { type Rig, openCore } from "./core-rig.ts";
import { kernel, testExecutable } from "./executable-rig.ts";
import { KERNELS } from "./kernels.ts";

const HAS_THEM = SYSTEM.v8OnX64() >= 13;

const open: Rig[] = [];
afterEach(() => {
  for (const rig of open.splice(0)) rig.core.close();
});

/** The message of the error that an executable gives that needs features of the engine. */
function refusal(features: readonly string[]): string {
  const rig = openCore({});
  open.push(rig);
  const loaded = loadExecutable(rig.core, testExecutable({ features, kernels: [kernel("empty", [])] }), null);
  return loaded.ok ? "" : loaded.error.message;
}

// The order matters: what is on stays on.
test("nothing is on that nobody asked for", () => {
  expect(turnOn([])).toEqual([]);
  expect([...runnableFeatures()]).toEqual([...engineFeatures()]);
  expect(hostDeviceInfo({}, 0).codeFeatures).not.toContain("revectorize");
  expect(refusal(["fp16"])).toMatch(/^the executable needs fp16, and the engine has simd/u);
});

test.runIf(HAS_THEM)("a device has those that its options ask for, and the process can run their code", () => {
  const info = hostDeviceInfo({ engine: { features: ["fp16"] } }, 0);
  expect(info.codeFeatures).toContain("fp16");
  expect(info.codeFeatures).not.toContain("revectorize");
  expect(info.deviceName).toContain("fp16");
  // Another device without the option makes no such code.
  expect(hostDeviceInfo({}, 0).codeFeatures).not.toContain("fp16");
  expect(refusal(["fp16"])).toBe("");
  expect(turnOn(FLAGGED_FEATURES)).toEqual(FLAGGED_FEATURES);
  expect(runnableFeatures().has("revectorize")).toBe(true);
  // The flags around a compilation leave code that runs.
  const { exports } = new webAssembly.Instance(compileOptimized(new Uint8Array(KERNELS.bytes)), {
    env: { memory: new webAssembly.Memory({ initial: 1, maximum: 65_536, shared: true }), clock: () => 0 },
  });
  const { empty } = exports;
  expect(typeof empty === "function" ? empty(0, 0, 0, 0, 0) : null).toBe(0);
});

test.runIf(!HAS_THEM)("an engine without them has none", () => {
  expect(turnOn(FLAGGED_FEATURES)).toEqual([]);
});

test("a name that is no feature is an error", () => {
  const features = ["fp17"] as unknown as readonly "fp16"[];
  expect(() => hostDeviceInfo({ engine: { features } }, 0)).toThrow(
    'openDevice({ engine: { features } }): a list of fp16, revectorize is needed, not ["fp17"]',
  );
});
