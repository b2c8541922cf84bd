// SPDX-License-Identifier: Apache-2.0
// Random graphs of commands that do not block, on several queues, with device memory that both processes map and
// without; PoCL, where it is installed, must agree with the model too.
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { present, remains } from "./remains.ts";
import { type Driver, HAS_LOADER, HAS_POCL, POCL_VENDORS, compile, makeDriver, removeDriver, run } from "./rig.ts";

const LIMIT = 300_000;
/** The seeds of a run, and the environment of the program. */
const RUNS: readonly (readonly [name: string, first: number, last: number, environment: NodeJS.ProcessEnv])[] = [
  ["device memory that is mapped", 1, 30, {}],
  ["a ring alone", 31, 36, { MUXKIT_ICD_ADDON: "off" }],
];

function resultOf(driver: Driver, first: number, last: number, environment: NodeJS.ProcessEnv): readonly string[] {
  const { output, errors } = run(driver, compile(driver, "graph.c"), [String(first), String(last)], environment, LIMIT);
  expect(errors).toBe("");
  return output.trim().split("\n");
}

const wanted = (first: number, last: number): readonly string[] =>
  Array.from({ length: last - first + 1 }, (_, i) => `ok graph ${first + i}`);

describe.skipIf(!HAS_LOADER)("commands that do not block", () => {
  let driver: Driver;
  beforeAll(() => {
    driver = makeDriver();
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  test.each(RUNS)(
    "give what a model has, in any order that they may have, through %s",
    async (_, first, last, environment) => {
      const before = present(driver);
      expect(resultOf(driver, first, last, environment)).toEqual(wanted(first, last));
      expect(await remains(driver, before)).toEqual([]);
    },
    LIMIT,
  );

  test.skipIf(!HAS_POCL)(
    "give the same on PoCL, so the model asks for no more than OpenCL says",
    () => {
      const pocl = { OCL_ICD_VENDORS: POCL_VENDORS, OPENCL_VENDOR_PATH: POCL_VENDORS };
      expect(resultOf(driver, 1, 4, pocl)).toEqual(wanted(1, 4));
    },
    LIMIT,
  );
});
