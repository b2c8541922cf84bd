// SPDX-License-Identifier: Apache-2.0
// The strength of the random kernels. All wrong rewrites: `npm run differential -- --mutants --write`; here some of
// them, at the kernels that the page names.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { MUTANTS, mutated, readPage, superviseHunt } from "@muxkit/kernel-generator";
import { afterAll, describe, expect, test } from "vitest";

const page = readFileSync(join(import.meta.dirname, "../../../docs/mutants.md"), "utf8");
const seeds = readPage(page);

test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
  "the text that %s changes is there once",
  (_, mutant) => {
    expect(mutated(mutant)).toContain(mutant.to);
  },
);

test("there are thirty and more, each with a name of its own, and the page names a kernel that finds each", () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(30);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect([...seeds.keys()]).toEqual(MUTANTS.map(({ name }) => name));
});

test("some are found again", async () => {
  const names = ["vector-truth-is-one", "address-offset-lost", "live-value-lost", "narrow-shift-mask"];
  const program = join(import.meta.dirname, "../source/mutation/main.ts");
  const { stdout } = await promisify(execFile)(
    "node",
    ["--conditions=source", program, "--recorded", "--alone", ...names],
    // The page names a kernel that some way shows the mutant with.
    { env: { ...process.env, KERNEL_SUITE: "whole" } },
  );
  const found = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { readonly name: string; readonly seed: number | null });
  expect(found.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const { name, seed } of found) expect(seed, name).not.toBeNull();
}, 300_000);

describe("a hunt in a process of its own", () => {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-hunt-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const huntWith = (text: string): ReturnType<typeof superviseHunt> => {
    const program = join(folder, "job.mjs");
    writeFileSync(program, text);
    return superviseHunt({ program, words: ["some"], mostMs: 3000 });
  };

  test("returns what it found", async () => {
    expect(
      await huntWith(
        `process.send({ kernel: 1, seed: 1 });
        process.send({ result: { kernels: 1, seed: 1, shown: 'x' } });
        process.disconnect();`,
      ),
    ).toEqual({ kernels: 1, seed: 1, shown: "x" });
  });

  test("has found the mutant where a kernel does not end, or the process does", async () => {
    expect(await huntWith("process.send({ kernel: 2, seed: 20 }, () => { for (;;); });")).toEqual({
      kernels: 2,
      seed: 20,
      shown: "does not end",
    });
    expect(await huntWith("process.send({ kernel: 3, seed: 30 }, () => process.exit(7));")).toEqual({
      kernels: 3,
      seed: 30,
      shown: "the process ended with 7",
    });
  });

  test("is an error where it comes to no kernel", async () => {
    await expect(huntWith("process.exit(3);")).rejects.toThrow(/ended with 3 before its first kernel: some/u);
  });
});
