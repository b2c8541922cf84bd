// SPDX-License-Identifier: Apache-2.0
// Bytes on all ways between programs and their objects, with device memory that both processes map and without.
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { present, remains } from "./remains.ts";
import { type Driver, HAS_LOADER, compile, makeDriver, removeDriver, run } from "./rig.ts";

const LIMIT = 200_000;
const WAYS: readonly (readonly [name: string, environment: NodeJS.ProcessEnv])[] = [
  ["device memory that is mapped", {}],
  ["a ring alone", { MUXKIT_ICD_ADDON: "off" }],
];
/** The contracts of moves.c: each line begins with `ok`. */
const CONTRACTS: readonly RegExp[] = [
  /^ok buffers in a queue in order: \d{3,} moves$/u,
  /^ok images in a queue in order: \d{3,} moves$/u,
  /^ok a child reads what is mapped$/u,
  /^ok two maps are read$/u,
  /^ok maps are counted$/u,
  /^ok each map ends once$/u,
  /^ok a map that waits is not complete$/u,
  /^ok it is written when it ends$/u,
  /^ok buffers in a queue in order, with times: \d{3,} moves$/u,
  /^ok images in a queue in order, with times: \d{3,} moves$/u,
  /^ok buffers in a queue without order: \d{3,} moves$/u,
  /^ok images in a queue without order: \d{3,} moves$/u,
  /^ok the times of a move contain it$/u,
  /^ok a status tells of a read$/u,
  /^ok a wait tells of a read$/u,
  /^ok a callback tells of a read$/u,
  /^ok another queue tells of a read$/u,
  /^ok none of them is done before the user's event$/u,
  /^ok more moves than the stage holds are right$/u,
  /^ok reads that fail bring nothing$/u,
  /^ok a child's moves are refused$/u,
  /^ok a child's moves touch nothing that its parent has on the way$/u,
  /^ok images of shapes that are known are what they should be$/u,
  /^ok images that cannot be are refused each time$/u,
];

describe.skipIf(!HAS_LOADER).each(WAYS)("moves through %s", (_, environment) => {
  let driver: Driver;
  beforeAll(() => {
    driver = makeDriver();
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  test.each([1, 2, 3])(
    "every read, write and map of objects gives what a model has (seed %i)",
    async (seed) => {
      const before = present(driver);
      const { status, output, errors } = run(driver, compile(driver, "moves.c"), [String(seed), "12"], environment);
      const lines = output.trim().split("\n");
      expect({ status, errors, wrong: lines.filter((line) => !line.startsWith("ok ")) }).toEqual({
        status: 0,
        errors: "",
        wrong: [],
      });
      expect(CONTRACTS.filter((contract) => !lines.some((line) => contract.test(line)))).toEqual([]);
      expect(await remains(driver, before)).toEqual([]);
    },
    LIMIT,
  );
});
