// SPDX-License-Identifier: Apache-2.0
// The checks of conformance, on the driver: a slice of them here, and all where MUXKIT_CONFORMANCE=whole is set. PoCL
// runs the same, where it is installed: it shows that the checks are right.
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { AREAS, type Verdicts, compileConformance, runConformance } from "./conformance/harness.ts";
import { POCL_DIFFERENCES, differenceOf } from "./conformance/pocl.table.ts";
import { type Driver, HAS_LOADER, HAS_POCL, POCL_VENDORS, makeDriver, removeDriver } from "./rig.ts";

const IS_WHOLE = process.env["MUXKIT_CONFORMANCE"] === "whole";
const LIMIT = IS_WHOLE ? 3_600_000 : 300_000;
const WORDS: readonly string[] = IS_WHOLE ? ["whole"] : [];
/** Checks of a slice, and of everything. */
const LEAST = IS_WHOLE ? 6000 : 2000;

/** The checks that do not hold, with their reasons. */
function failures({ checks, reasons }: Verdicts): readonly string[] {
  return [...checks].flatMap(([name, holds]) => (holds ? [] : [`${name} (${reasons.get(name) ?? "no reason"})`]));
}

describe.skipIf(!HAS_LOADER)("conformance", () => {
  let driver: Driver;
  let program: string;
  beforeAll(() => {
    driver = makeDriver();
    program = compileConformance(driver.folder);
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  test(
    "every check holds on the driver",
    () => {
      const verdicts = runConformance(program, driver.environment, WORDS, LIMIT);
      expect(failures(verdicts)).toEqual([]);
      expect({ status: verdicts.status, errors: verdicts.errors }).toEqual({ status: 0, errors: "" });
      expect(verdicts.checks.size).toBeGreaterThan(LEAST);
      const areas = new Set([...verdicts.checks.keys()].map((name) => name.slice(0, name.indexOf(":"))));
      expect([...areas]).toEqual([...AREAS]);
    },
    LIMIT,
  );

  test.skipIf(!HAS_POCL || !IS_WHOLE)(
    "what does not hold on PoCL is in the table of differences, and nothing else is there",
    () => {
      const environment = {
        ...driver.environment,
        OCL_ICD_VENDORS: POCL_VENDORS,
        OPENCL_VENDOR_PATH: POCL_VENDORS,
      };
      // An area that crashes PoCL must not keep the others from running.
      const found = AREAS.map((area) => runConformance(program, environment, [area, ...WORDS], LIMIT));
      const failed = found.flatMap(({ checks }) => [...checks].flatMap(([name, holds]) => (holds ? [] : [name])));
      expect(failed.filter((name) => differenceOf(name) === undefined)).toEqual([]);
      const met = new Set(failed.map((name) => differenceOf(name)));
      expect(POCL_DIFFERENCES.filter((difference) => !met.has(difference))).toEqual([]);
      // It lacks sub-groups, pipes and some scopes of atomics.
      expect(found.reduce((sum, { checks }) => sum + checks.size, 0)).toBeGreaterThan(5000);
    },
    LIMIT,
  );
});
