// The strength of the random kernels. All wrong rewrites: `npm run differential -- --mutants --write`; here some of them, at the kernels that the page names.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { MUTANTS, mutated, readPage } from "@muxkit/kernel-generator";
import { expect, test } from "vitest";

const page = readFileSync(join(import.meta.dirname, "../../../docs/mutants.md"), "utf8");
const seeds = readPage(page);

test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))("the text that %s changes is there once", (_, mutant) => {
  expect(mutated(mutant)).toContain(mutant.to);
});

test("there are thirty and more, each with a name of its own, and the page names a kernel that finds each", () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(30);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect([...seeds.keys()]).toEqual(MUTANTS.map(({ name }) => name));
});

test("some are found again", async () => {
  const names = ["vector-truth-is-one", "address-offset-lost", "live-value-lost", "narrow-shift-mask"];
  const { stdout } = await promisify(execFile)("node", ["--conditions=source", join(import.meta.dirname, "../source/mutation/main.ts"), "--recorded", "--alone", ...names]);
  const found = stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as { readonly name: string; readonly seed: number | null });
  expect(found.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const { name, seed } of found) expect(seed, name).not.toBeNull();
}, 300_000);
