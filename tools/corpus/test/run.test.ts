// SPDX-License-Identifier: Apache-2.0
// Runs: programs that end the compiler or take too long do not end the run, and our corpus compiles, a slice of it in
// each test run. `npm run corpus` takes all of it.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { Service, compileAll, differencesText, openClangs, readPrograms, summaryOf, timesText } from "@muxkit/corpus";
import { causesOf, compareAll, reasonOf, wrongCauses } from "@muxkit/corpus";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const KERNELS = join(import.meta.dirname, "../kernels");
const NOW = { name: "now", root: ROOT };

/** One of so many programs is compiled in each test run. */
const SLICE = 16;

/** Clang alone takes a gibibyte to load, and machines are busy. */
const PATIENCE = 300_000;

test("a service outlives requests that end its process or take too long", { timeout: PATIENCE }, async () => {
  const file = join(import.meta.dirname, "troubled-process.ts");
  const service = new Service<{ readonly does: string }, string>({
    file,
    words: ["hello"],
    limitMs: 10_000,
    memory: 64,
  });
  const ask = (does: string): Promise<unknown> => service.ask({ does });
  expect(await ask("answer")).toEqual({ answer: "hello" });
  expect(await ask("loop")).toEqual({ failure: "no end within 10 s" });
  expect(await ask("throw")).toEqual({ failure: expect.stringMatching(/status 1\): Error: no reply$/u) as unknown });
  expect(await ask("exhaust")).toEqual({ failure: expect.stringContaining("heap") as unknown });
  expect(await ask("answer")).toEqual({ answer: "hello" });
  service.close();
});

test("every program of the corpus names its construct, and there are enough", () => {
  const programs = readPrograms([KERNELS]);
  const files = [...new Set(programs.map(({ file }) => file))];
  const texts = files.map((file) => readFileSync(file, "utf8"));
  expect(files.filter((_, i) => !/^\/\/ SPDX[^\n]*\n\/\/ construct: \S/u.test(texts[i] ?? ""))).toEqual([]);
  expect(files.length).toBeGreaterThanOrEqual(120);
});

test("a slice of the corpus compiles, and clang says the same of it", { timeout: PATIENCE }, async () => {
  const programs = readPrograms([KERNELS]).filter(({ name }, i) => i % SLICE === 0 && !name.startsWith("large/"));
  const results = await compileAll(programs, { sides: [NOW], rounds: 0, limitMs: 60_000, kernels: false });
  const clangs = await openClangs(60_000);
  const { found, unjudged } = await compareAll(results, clangs);
  for (const { close } of clangs) close();
  const wrong = wrongCauses(causesOf(found, reasonOf));
  expect(wrong, differencesText(wrong)).toEqual([]);
  expect(unjudged).toEqual([]);
  // A program that both refuse would be no difference.
  expect(results.filter(({ times }) => !times.has("now")).map(({ program }) => program.name)).toEqual([]);
});

test("times of two checkouts in turn, and what is told of them", { timeout: PATIENCE }, async () => {
  const programs = readPrograms([join(KERNELS, "stencils")]);
  const sides = [NOW, { name: "before", root: ROOT }];
  const results = await compileAll(programs, { sides, rounds: 1, limitMs: 60_000, kernels: true });
  const { programs: count, thread, phases, ops } = summaryOf(results, "before");
  expect(count).toBe(programs.length);
  expect(ops).toBeGreaterThan(100);
  for (const phase of ["frontEnd", "passes", "vectoriser", "codeGenerator"] as const)
    expect(phases[phase], phase).toBeGreaterThan(0);
  expect(Object.values(phases).reduce((sum, time) => sum + time, 0)).toBeCloseTo(thread, 3);
  expect(timesText(results)).toMatch(/slowest kernels, alone\n +[\d.]+ {2}\S+\.cl: \w+\n[^]*before \/ now, geometric/u);
});
