// SPDX-License-Identifier: Apache-2.0
// Native programs on a GPU, for which an interpreter of PTX stands, alone and beside the processor in one context.
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Driver, HAS_LOADER, compile, makeDriver, removeDriver, run } from "./rig.ts";

const LIMIT = 200_000;
/** What servers load: the sources of this tree. */
const GPU: NodeJS.ProcessEnv = {
  MUXKIT_TARGETS: fileURLToPath(new URL("gpu-target.ts", import.meta.url)),
  MUXKIT_GPU: "off",
  NODE_OPTIONS: "--conditions=source",
};

describe.skipIf(!HAS_LOADER)("GPUs for native programs", () => {
  let driver: Driver;
  beforeAll(() => {
    driver = makeDriver();
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  test.each([{}, { MUXKIT_ICD_ADDON: "off" }])(
    "a context of all devices: every one sees what the others wrote (%o)",
    (more) => {
      const { output, errors } = run(driver, compile(driver, "both_devices.c"), [], { ...GPU, ...more });
      expect(errors).toBe("");
      expect(output).toMatch(/^device cpu, muxkit host.*\ndevice gpu, PTX interpreter\nok 2 devices\n$/u);
    },
    LIMIT,
  );

  test(
    "MUXKIT_DEVICE=gpu: programs find the GPU alone, and graphs of commands give what a model has",
    () => {
      const program = compile(driver, "graph.c");
      const { output, errors } = run(driver, program, ["1", "2"], { ...GPU, MUXKIT_DEVICE: "gpu" });
      expect(errors).toBe("");
      expect(output).toBe("ok graph 1\nok graph 2\n");
    },
    LIMIT,
  );
});
