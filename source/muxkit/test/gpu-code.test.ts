// SPDX-License-Identifier: Apache-2.0
// Code that a driver compiled for a GPU is kept beside the built programs, without being asked for: tried with a
// library in C in place of NVIDIA's driver, in processes of their own.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "muxkit-gpu-code-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const library = join(folder, "library");
const stub = join(import.meta.dirname, "../../../modules/cuda/test/libcuda-stub.c");
mkdirSync(library);
const hasCompiler = spawnSync("cc", ["--version"]).error === undefined;
if (hasCompiler) execFileSync("cc", ["-shared", "-fPIC", "-w", "-o", join(library, "libcuda.so.1"), stub]);
else console.warn("there is no cc: the store of code of GPUs is not tried");

const ARGUMENTS = [
  "--conditions=source",
  join(import.meta.dirname, "device-choice-child.ts"),
  JSON.stringify([{ name: "Stub 0" }]),
];

function environment(cache: string): NodeJS.ProcessEnv {
  return { ...process.env, MUXKIT_CACHE: cache, MUXKIT_GPU: "", LD_LIBRARY_PATH: library };
}

function run(cache: string): string {
  return execFileSync(process.execPath, ARGUMENTS, { encoding: "utf8", env: environment(cache) });
}

test.skipIf(!hasCompiler)("code is kept, and mended when it is damaged", () => {
  const cache = join(folder, "one");
  // The library adds one to the first element.
  expect(run(cache)).toContain("Stub 0 2 2 3");
  const [name = "", ...others] = readdirSync(join(cache, "gpu"));
  expect(name).toMatch(/^cubin-[\da-f]{64}$/u);
  expect(others).toEqual([]);
  const file = join(cache, "gpu", name);
  const whole = readFileSync(file);
  expect(whole.toString("latin1", 32)).toMatch(/^compiled /u);
  writeFileSync(file, whole.subarray(0, 40));
  expect(run(cache)).toContain("Stub 0 2 2 3");
  expect(readFileSync(file)).toEqual(whole);
});

test.skipIf(!hasCompiler)("processes that keep the same code at the same time leave one whole file", async () => {
  const cache = join(folder, "many");
  const ends = await Promise.all(
    Array.from(
      { length: 2 },
      () =>
        new Promise<number | null>((resolve) => {
          spawn(process.execPath, ARGUMENTS, { env: environment(cache), stdio: "ignore" }).on("exit", resolve);
        }),
    ),
  );
  expect(ends).toEqual([0, 0]);
  const names = readdirSync(join(cache, "gpu"));
  expect(names.length).toBe(1);
  expect(readFileSync(join(cache, "gpu", names[0] ?? "")).toString("latin1", 32)).toMatch(/^compiled /u);
});
