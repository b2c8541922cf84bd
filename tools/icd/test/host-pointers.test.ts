// SPDX-License-Identifier: Apache-2.0
// Objects with memory of the program's: their maps copy where something may have been written, and nowhere else.
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Driver, HAS_LOADER, compile, makeDriver, removeDriver, run } from "./rig.ts";

const LIMIT = 200_000;
const WAYS: readonly (readonly [name: string, environment: NodeJS.ProcessEnv])[] = [
  ["device memory that is mapped", {}],
  ["a ring alone", { MUXKIT_ICD_ADDON: "off" }],
];
/** Lines of host_pointers.c. */
const CONTRACTS = 20;

describe.skipIf(!HAS_LOADER).each(WAYS)("memory of the program's with %s", (_, environment) => {
  let driver: Driver;
  beforeAll(() => {
    driver = makeDriver();
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  test.each([1, 2, 3, 4])(
    "maps copy what was written since, and have what a model has (seed %i)",
    (seed) => {
      const { status, output, errors } = run(driver, compile(driver, "host_pointers.c"), [String(seed)], environment);
      const lines = output.trim().split("\n");
      expect({ status, errors, wrong: lines.filter((line) => !line.startsWith("ok ")) }).toEqual({
        status: 0,
        errors: "",
        wrong: [],
      });
      expect(lines).toHaveLength(CONTRACTS);
    },
    LIMIT,
  );
});
