// SPDX-License-Identifier: Apache-2.0
// Machines and processes in which machine code does not run: kernels compute the same by WebAssembly, and
// `nativeStatus`, which `muxkit info` prints, says why. What such a machine has not is taken away by a preload.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const IS_SUPPORTED = process.platform === "linux" && process.arch === "x64";
if (!IS_SUPPORTED) process.stderr.write("!! machine code is tested on Linux on x86-64 only\n");

const folder = mkdtempSync(join(tmpdir(), "muxkit-native-elsewhere-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What a machine of a kind says, with a folder for what is kept, and options of Node. */
function run(machine: string, cache: string = join(folder, machine), options: readonly string[] = []): unknown {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawnSync(
    process.execPath,
    [
      "--conditions=source",
      "--disable-warning=ExperimentalWarning",
      ...options,
      "--require",
      join(import.meta.dirname, "native-elsewhere-preload.cjs"),
      join(import.meta.dirname, "native-elsewhere-program.ts"),
    ],
    { encoding: "utf8", env: { ...env, MUXKIT_TEST_MACHINE: machine, MUXKIT_CACHE: cache } },
  );
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

const WASM = { failure: null, isRight: true, section: ".wasm", tier: null };

describe.skipIf(!IS_SUPPORTED)("where machine code cannot run", () => {
  test("this machine runs it", () => {
    expect(run("here")).toMatchObject({ failure: null, isRight: true, section: ".x64.3", reason: null });
  });

  test.each([
    ["arm", /^Native code runs on Linux on x86-64, and this is linux on arm64\.$/u],
    ["no proc", /^Native code is not used, because \/proc\/self\/auxv cannot be read /u],
  ])("it is WebAssembly, is not promised to compilers, and says why: %s", (machine, reason) => {
    expect(run(machine)).toMatchObject({ ...WASM, features: [], reason: expect.stringMatching(reason) as unknown });
  });

  test.each([
    ["noexec", /^Native code is not used, because nothing in .* may be executed; its folder may be mounted noexec\.$/u],
    ["seccomp", /^Native code is not used, because nothing in .* may be executed; /u],
    [
      "another C library",
      /^Native code is not used, because the bridge .* could not be loaded: .*symbol not found\.$/u,
    ],
  ])("the bridge cannot be loaded, and says why: %s", (machine, reason) => {
    expect(run(machine)).toMatchObject({ ...WASM, reason: expect.stringMatching(reason) as unknown });
  });

  test("a processor whose list of features has no AVX2 is promised nothing", () => {
    expect(run("no AVX2")).toMatchObject({ failure: null, isRight: true, features: [] });
  });

  test("a folder for the bridge that cannot be made, or that others may write", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const open = join(folder, "open");
    mkdirSync(join(open, "native"), { recursive: true });
    chmodSync(join(open, "native"), 0o777);
    expect(run("here", file)).toMatchObject({
      ...WASM,
      reason: expect.stringMatching(/cannot be written to/u) as unknown,
    });
    expect(run("here", open)).toMatchObject({
      ...WASM,
      reason: expect.stringMatching(/^Others may write/u) as unknown,
    });
  });

  test("a process whose engine guards no memories", () => {
    expect(run("here", undefined, ["--disable-wasm-trap-handler"])).toMatchObject(WASM);
  });

  test("threads that start when the bridge's file is gone have it all the same", () => {
    expect(run("file is removed")).toMatchObject({ failure: null, isRight: true, section: ".x64.3" });
  });
});
