// SPDX-License-Identifier: Apache-2.0
// The calls of commands on pages do what the pages say: each is run, from the sources, in order. Programs of pages are
// checked by scripts/check-packages.ts, where the packages are installed.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { commandsOf, contributorPages, snippetsOf, userPages } from "../snippets.ts";

const PROGRAMS = resolve(import.meta.dirname, "..", "clone");

const KERNEL = `kernel void blur(global float* out, global const float* in, local float* tile) {
  size_t i = get_global_id(0);
  tile[get_local_id(0)] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[get_local_id(0)] * 0.5f;
}
`;

/** Calls that are not run, and why. */
const NOT_RUN: readonly { readonly call: RegExp; readonly reason: string }[] = [
  { call: /^muxkit icd /u, reason: "installs the driver; tools/icd/test/install.test.ts runs these" },
  { call: /strength/u, reason: "the pass that the page adds" },
];

const pages = [...new Set([...userPages(), ...contributorPages()])];
const folder = mkdtempSync(join(tmpdir(), "muxkit-pages-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A folder with the files that pages speak of. */
function workPlace(name: string): string {
  const place = join(folder, name.replaceAll(/\W+/gu, "-"));
  mkdirSync(join(place, "out"), { recursive: true });
  for (const file of ["kernel", "kernels", "k", "saxpy", "my"]) writeFileSync(join(place, `${file}.cl`), KERNEL);
  for (const file of ["a", "b", "c"])
    writeFileSync(join(place, `${file}.cl`), KERNEL.replaceAll("blur", `blur_${file}`));
  return place;
}

for (const page of pages) {
  const calls = snippetsOf(page)
    .flatMap(commandsOf)
    .filter((words) => NOT_RUN.every(({ call }) => !call.test(words.join(" "))));
  if (calls.length === 0) continue;
  describe(`on ${page}`, () => {
    const place = workPlace(page);
    test.each(calls.map((words) => [words.join(" "), words] as const))("%s", (_title, [program = "", ...args]) => {
      const run = spawnSync(process.execPath, [join(PROGRAMS, `${program}.mjs`), ...args], {
        cwd: place,
        encoding: "utf8",
        env: { ...process.env, MUXKIT_CACHE: "off" },
      });
      expect(run.status, run.stderr).toBe(0);
    });
  });
}

test("the calls are found", () => {
  const found = pages.flatMap(snippetsOf).flatMap(commandsOf);
  expect(found.length).toBeGreaterThan(25);
  expect(found).toContainEqual(["clc", "-c", "a.cl", "b.cl"]);
  for (const { call } of NOT_RUN) expect(found.some((words) => call.test(words.join(" ")))).toBe(true);
});
