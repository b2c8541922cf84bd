// SPDX-License-Identifier: Apache-2.0
// The server as it is installed: bundled scripts, with and without what the engine made of them before.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build, places } from "@muxkit/icd";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Driver, HAS_LOADER, compile, makeDriver, removeDriver, run } from "./rig.ts";

const PACKAGE: string = fileURLToPath(new URL("..", import.meta.url));
const START: string = join(PACKAGE, "dist", "program", "start.cjs");
const LIMIT = 200_000;

describe.skipIf(!HAS_LOADER)("a bundled server", () => {
  let driver: Driver;
  let program: string;
  let code: string;
  beforeAll(() => {
    execFileSync(process.execPath, ["../../tools/build/bundle.ts"], {
      cwd: PACKAGE,
      stdio: ["ignore", "ignore", "inherit"],
    });
    driver = makeDriver();
    program = compile(driver, "semantics.c");
    code = join(driver.folder, "code");
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  const serve = (...words: readonly string[]): unknown => {
    const { status, output, errors } = run(driver, program, [], {
      MUXKIT_ICD_SERVER: [process.execPath, START, ...words].join("\n"),
    });
    return { status, errors, failed: output.split("\n").filter((line) => line.startsWith("not ok")) };
  };
  const RIGHT = { status: 0, errors: "", failed: [] };

  test(
    "serves without a folder for code",
    () => {
      expect(serve()).toEqual(RIGHT);
    },
    LIMIT,
  );

  test(
    "writes the engine's code cache in the practice run, starts from it, and starts when its files are damaged",
    () => {
      expect(spawnSync(process.execPath, [START, code, "practise"], { encoding: "utf8" })).toMatchObject({
        status: 0,
        stdout: "",
        stderr: "",
      });
      const kept = readdirSync(code).map((name) => name.replace(/\.cjs-.*$/u, ""));
      expect(kept).toEqual(expect.arrayContaining(["compiler-part", "server-part"]));
      expect(serve(code)).toEqual(RIGHT);
      for (const name of readdirSync(code)) writeFileSync(join(code, name), "no code");
      expect(serve(code)).toEqual(RIGHT);
      rmSync(code, { recursive: true });
      expect(serve("/proc/nowhere")).toEqual(RIGHT);
    },
    LIMIT,
  );

  test(
    "is what the installed driver starts, and has practised by then",
    () => {
      const where = places({ XDG_DATA_HOME: join(driver.folder, "installed") });
      build(where, join(PACKAGE, "dist", "esm", "main.js"), process.env);
      expect(readdirSync(join(where.folder, "code")).length).toBeGreaterThan(1);
      const { status, output } = run(driver, program, [], {
        OCL_ICD_VENDORS: where.vendors,
        OPENCL_VENDOR_PATH: where.vendors,
      });
      expect(status).toBe(0);
      expect(output).toContain("ok there is one platform");
      expect(existsSync(where.library)).toBe(true);
    },
    LIMIT,
  );
});
