// SPDX-License-Identifier: Apache-2.0
// The suite of the runtime API, on a GPU that is an array.
import { cudaTargetOf, overSerial } from "@muxkit/cuda";
import { writeExecutable } from "@muxkit/metadata";
import { unitMuxCases } from "@muxkit/unitmux";
import { expect, test } from "vitest";

import { fillExecutable } from "./image.ts";
import { MemoryDriver } from "./memory-driver.ts";

test("every case of the suite passes", () => {
  const driver = new MemoryDriver(2 ** 27).fills();
  const target = cudaTargetOf(overSerial(driver));
  const failures: string[] = [];
  for (const { entryPoint, name, run } of unitMuxCases({ target, executable: writeExecutable(fillExecutable()) })) {
    try {
      run();
    } catch (error) {
      failures.push(`${entryPoint}: ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  expect(failures).toEqual([]);
});
