// SPDX-License-Identifier: Apache-2.0
// A library whose server replies wrongly: it returns errors, and neither crashes nor hangs its program. Compiled so
// that reading or writing beyond any memory is found out.
import { existsSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { present, remains } from "./remains.ts";
import {
  CHECKS,
  type Driver,
  HAS_LOADER,
  MAIN,
  compile,
  compileChecked,
  hasChecks,
  makeDriver,
  removeDriver,
  run,
} from "./rig.ts";

/** True for a line that a sanitizer writes. */
const isReport = (line: string): boolean => /ERROR: |runtime error: |SUMMARY: /u.test(line);

const HAS_CHECKS = HAS_LOADER && hasChecks();
// MUXKIT_FUZZ_RUNS sets a larger number: a thousand take half a minute.
const SESSIONS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? 400);
const LIMIT = 200_000 + SESSIONS * 100;
const ENVIRONMENT = { ASAN_OPTIONS: "detect_leaks=0:exitcode=23:allocator_may_return_null=1" };

describe.skipIf(!HAS_CHECKS)("wrong answers", () => {
  let driver: Driver;
  beforeAll(() => {
    driver = makeDriver();
    compileChecked(driver);
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  test(
    "answers of the server, changed at random, end in errors",
    async () => {
      const before = present(driver);
      const [hostile, answers, kept] = [
        compile(driver, "hostile.c"),
        compile(driver, "answers.c", CHECKS),
        join(driver.folder, "kept"),
      ];
      const server = [hostile, "record", kept, process.execPath, "--conditions=source", MAIN, "serve"].join("\n");
      // What is kept are frames on the socket.
      const recorded = run(driver, answers, [], { ...ENVIRONMENT, MUXKIT_ICD_SERVER: server, MUXKIT_ICD_ADDON: "off" });
      expect({ status: recorded.status, errors: recorded.errors, isKept: existsSync(kept) }).toEqual({
        status: 0,
        errors: "",
        isKept: true,
      });
      // Every transfer, whatever it is, is said to be one that the library moves itself.
      const told = run(driver, answers, ["0", "1", hostile, kept], ENVIRONMENT, LIMIT);
      expect({ output: told.output, reports: told.errors.split("\n").filter(isReport) }).toEqual({
        output: "ok 1 sessions with wrong answers\n",
        reports: [],
      });
      const { output, errors } = run(driver, answers, ["1", String(SESSIONS), hostile, kept], ENVIRONMENT, LIMIT);
      const reports = errors.split("\n").filter(isReport);
      expect({ output, reports }).toEqual({ output: `ok ${SESSIONS} sessions with wrong answers\n`, reports: [] });
      expect(await remains(driver, before)).toEqual([]);
    },
    LIMIT,
  );
});
