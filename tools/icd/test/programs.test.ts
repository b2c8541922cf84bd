// SPDX-License-Identifier: Apache-2.0
// Native programs through the loader of OpenCL: their output must match their contracts.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { present, remains, serversOf, until } from "./remains.ts";
import { type Driver, HAS_LOADER, compile, has, makeDriver, removeDriver, run, script } from "./rig.ts";

const HAS_PYOPENCL =
  HAS_LOADER && spawnSync("/usr/bin/python3", ["-c", "import pyopencl"], { stdio: "ignore" }).status === 0;
const LIMIT = 200_000;
const MUXKIT = fileURLToPath(new URL("../../../scripts/clone/muxkit.mjs", import.meta.url));
/** `sums` of kernels.cl there, made by clang 14. */
const BITCODE = fileURLToPath(new URL("../../../modules/spirv/test/bitcode/kernels.bc", import.meta.url));
/** What clpeak measures within half a minute each, and its output; the whole run is a separate check. */
const MEASUREMENTS: readonly (readonly [option: string, rate: RegExp])[] = [
  ["--global-bandwidth", /Global memory bandwidth \(GBPS\)\n(?: +float\d* *: [\d.]+\n){5}/u],
  ["--compute-sp", /Single-precision compute \(GFLOPS\)\n(?: +float\d* *: [\d.]+\n){5}/u],
  ["--kernel-latency", /Kernel launch latency : [\d.]+ us/u],
];

describe.skipIf(!HAS_LOADER)("programs of C and C++", () => {
  let driver: Driver;
  beforeAll(() => {
    driver = makeDriver();
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  test(
    "every contract that semantics.c names holds",
    () => {
      const { status, output, errors } = run(driver, compile(driver, "semantics.c"));
      expect(output.split("\n").filter((line) => line.startsWith("not ok"))).toEqual([]);
      expect({ status, errors }).toEqual({ status: 0, errors: "" });
      expect(output).toContain("said 4711");
      expect(output.split("\n").filter((line) => line.startsWith("ok ")).length).toBeGreaterThan(38);
    },
    LIMIT,
  );

  test(
    "modules in bitcode and in SPIR-V are built, compiled and linked, with what they say of arguments and constants",
    () => {
      const module = join(driver.folder, "scale.spv");
      execFileSync(process.execPath, [MUXKIT, "spirv", "as", script("scale.spvasm"), "-o", module]);
      const { status, output, errors } = run(driver, compile(driver, "modules.c"), [BITCODE, module]);
      expect(output.split("\n").filter((line) => !line.startsWith("ok "))).toEqual([""]);
      expect({ status, errors }).toEqual({ status: 0, errors: "" });
    },
    LIMIT,
  );

  test(
    "failing calls are logged with MUXKIT_ICD_LOG=1",
    () => {
      const { errors } = run(driver, compile(driver, "semantics.c"), [], { MUXKIT_ICD_LOG: "1" });
      expect(errors).toContain(
        "muxkit: clEnqueueCopyBuffer: CL_MEM_COPY_OVERLAP: source and target overlap; copy through another buffer\n",
      );
      expect(errors).toMatch(/clBuildProgram: CL_BUILD_PROGRAM_FAILURE: .*unknown/su);
    },
    LIMIT,
  );

  test.skipIf(!has("c++"))(
    "Khronos' C++ bindings build, compile, link and throw",
    () => {
      const { status, output, errors } = run(driver, compile(driver, "exceptions.cpp"));
      expect({ status, errors, output }).toEqual({ status: 0, errors: "", output: output.replaceAll("not ok", "") });
    },
    LIMIT,
  );

  test(
    "without a server there is no platform, and one line reports the reason",
    () => {
      const { status, output, errors } = run(driver, compile(driver, "semantics.c"), [], {
        MUXKIT_ICD_SERVER: "/nowhere/node",
      });
      expect({ status, output }).toEqual({ status: 1, output: "not ok there is one platform\n" });
      expect(errors).toMatch(/^muxkit: the server did not come up \(\/nowhere\/node .*\); there is no platform\n$/u);
    },
    LIMIT,
  );

  test(
    "a program continues with errors when its server is killed in the middle of a command",
    async () => {
      const child = spawn(compile(driver, "semantics.c"), ["--wait"], {
        env: driver.environment,
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.on("data", (text: Buffer) => {
        output += text.toString();
      });
      const ended = new Promise<number | null>((resolve) => {
        child.on("close", resolve);
      });
      expect(await until(() => output.includes("ready"), 60_000)).toBe(true);
      const [server] = serversOf(driver);
      expect(server).toBeDefined();
      process.kill(server ?? 0, "SIGKILL");
      expect(await ended).toBe(0);
      expect(output).toContain("ok calls answer an error when the server is gone");
    },
    LIMIT,
  );

  test(
    "a server ends when its program is killed in the middle of a command",
    async () => {
      const child = spawn(compile(driver, "semantics.c"), ["--wait"], {
        env: driver.environment,
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.on("data", (text: Buffer) => {
        output += text.toString();
      });
      expect(await until(() => output.includes("ready"), 60_000)).toBe(true);
      const [server] = serversOf(driver);
      expect(server).toBeDefined();
      child.kill("SIGKILL");
      expect(await until(() => serversOf(driver).length === 0, 10_000)).toBe(true);
    },
    LIMIT,
  );
});

describe.skipIf(!HAS_LOADER || !has("clinfo"))("clinfo", () => {
  test(
    "prints everything without an error",
    () => {
      const driver = makeDriver();
      const { status, output, errors } = run(driver, "clinfo", [], { MUXKIT_ICD_LOG: "0" });
      removeDriver(driver);
      expect({ status, errors }).toEqual({ status: 0, errors: "" });
      expect(output).toMatch(/Platform Name +Muxkit/u);
      expect(
        output.split("\n").filter((line) => /error|failed|INVALID/iu.test(line) && !/Error Correction/u.test(line)),
      ).toEqual([]);
    },
    LIMIT,
  );
});

describe.skipIf(!HAS_PYOPENCL)("PyOpenCL", () => {
  test(
    "its libraries compute what numpy computes",
    () => {
      const driver = makeDriver();
      const { status, output, errors } = run(driver, "/usr/bin/python3", ["-W", "ignore", script("arrays.py")]);
      removeDriver(driver);
      expect({
        status,
        errors,
        wrong: output.split("\n").filter((line) => !line.startsWith("ok ") && line !== ""),
      }).toEqual({ status: 0, errors: "", wrong: [] });
    },
    LIMIT,
  );
});

describe.skipIf(!HAS_LOADER || !has("clpeak"))("clpeak", () => {
  test.each(MEASUREMENTS)(
    "%s completes with its rates",
    async (option, rate) => {
      const driver = makeDriver();
      const before = present(driver);
      const { status, output, errors } = run(driver, "clpeak", [option], {}, LIMIT);
      const left = await remains(driver, before);
      removeDriver(driver);
      expect({ status, errors, left }).toEqual({ status: 0, errors: "", left: [] });
      expect(output).toMatch(rate);
      expect(output).not.toMatch(/failed|error|abort/iu);
    },
    LIMIT,
  );
});
