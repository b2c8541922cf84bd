// SPDX-License-Identifier: Apache-2.0
// Programs with kernels in TypeScript, as users write them: compiled when their files are loaded, and ahead of time by
// the plugin of esbuild, whose bundle has no compiler. Both do the same.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

import { kernels } from "muxkit/esbuild";

const TIMEOUT = 120_000;
const here = fileURLToPath(new URL(".", import.meta.url));
const entry = join(here, "typescript-programs/all.ts");
// Below the package, so that its own names are found.
const folder = mkdtempSync(join(here, "programs-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

type Outcomes = Readonly<Record<string, unknown>>;

async function run(...args: readonly string[]): Promise<Outcomes> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=source", ...args], {
    timeout: TIMEOUT,
    env: { ...process.env, MUXKIT_CACHE: "off", NODE_OPTIONS: "" },
  });
  return JSON.parse(stdout) as Outcomes;
}

let loaded: Outcomes;
let bundled: Outcomes;
let bundle = "";

beforeAll(async () => {
  const outfile = join(folder, "all.mjs");
  await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    outfile,
    external: ["muxkit/*"],
    logLevel: "silent",
    plugins: [kernels()],
  });
  bundle = readFileSync(outfile, "utf8");
  [loaded, bundled] = await Promise.all([run("--import", "muxkit/sycl/register", entry), run(outfile)]);
}, TIMEOUT);

/** What programs make; the first is at run time, the second ahead of time where that differs. */
const EXPECTED: Readonly<Record<string, (isLoaded: boolean) => unknown>> = {
  bitonic: () => true,
  constants: (isLoaded) => ({
    plain: [306.5, 306.5],
    first: [152, 152],
    second: [199, 199],
    again: [152, 152],
    specialised: isLoaded ? [408, 408] : null,
    defaults: [3, 1.5, "5"],
  }),
  images: (isLoaded) => ({
    row: [0.19, 0.5, 0.5, 0.81, 0.81, 0.5, 0.5, 0.19],
    numbers: [-18, -50, -50, -81, -81, -50, -50, -18],
    host: isLoaded ? [0.19, 0.5, 0.5, 0.81, 0.81, 0.5, 0.5, 0.19] : null,
  }),
  // A glider has moved by two cells in each direction.
  life: () => [35, 52, 66, 67, 68],
  queens: () => 92,
  rays: () => [0, 0, 0, 0, 65, 77, 82, 84, 84, 82, 77, 36, 61, 74, 82, 86],
  reductions: (isLoaded) => ({
    sum: 1000 + 2 * 45_257,
    most: 95,
    bits: 0,
    best: 95,
    place: 30,
    product: 3 ** 10,
    least: [0, 0],
    host: isLoaded ? [45_257, 95, 30, 1003] : null,
  }),
  values: () => ({ v: [0.5, 1, 0.5, 0.5, 0.5, 0.5, 1.5, 0.5], sums: [30, 7, 23] }),
};

test.each(Object.entries(EXPECTED))("%s", (name, expected) => {
  expect(loaded[name]).toEqual(expected(true));
  expect(bundled[name]).toEqual(expected(false));
});

test("each program has its outcome", () => {
  expect(Object.keys(loaded).toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
});

test("the bundle has neither kernels as text nor a compiler", () => {
  expect(bundle).not.toContain("getId(");
  expect(bundle).not.toContain("kernel void");
  expect(bundle).toContain('from "muxkit/sycl/runtime"');
});
