// SPDX-License-Identifier: Apache-2.0
// Cold compiles beside other compilers: what is read, what is summed up, and one file by all that are here.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  type BesideName,
  type BesideRow,
  besideNames,
  besideSummary,
  besideText,
  compileBeside,
  cpuSecondsIn,
  frontEndSecondsIn,
  openTools,
} from "@muxkit/corpus";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "muxkit-beside-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Machines are busy. */
const PATIENCE = 300_000;

function isHere(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function row(name: string, times: Readonly<Partial<Record<BesideName, number>>>): BesideRow {
  const list = Object.entries(times) as [BesideName, number][];
  return {
    name,
    times: new Map(list.map(([tool, seconds]) => [tool, { seconds, frontEnd: Number.NaN }])),
    failures: new Map(),
  };
}

test("processor seconds are user and system, behind whatever the compiler wrote", () => {
  expect(cpuSecondsIn("a.cl:1:2: warning: cpu 7.5 1.5 is no time\ncpu 1.250 0.500\n")).toBeCloseTo(1.75);
  expect(cpuSecondsIn("cpu 0.000 0.000")).toBe(0);
  expect(cpuSecondsIn("bash: no such command\n")).toBeNull();
});

test("seconds of the front end, where they were told", () => {
  expect(frontEndSecondsIn("front end 0.750000, all 1.250000\n")).toBe(0.75);
  expect(frontEndSecondsIn("")).toBeNaN();
});

test("names of compilers are in the order of the table, and a wrong one is an error", () => {
  expect(besideNames("clang, cold")).toEqual(["cold", "clang"]);
  expect(() => besideNames("pocl,gcc")).toThrow('--beside: "gcc" is none of cold, pocl, clang');
});

test("means are over the programs that both compile, and those above 1.5 times are counted", () => {
  const rows = [
    row("a.cl", { cold: 1, pocl: 1, clang: 0.25 }),
    row("b.cl", { cold: 4, pocl: 1 }),
    row("c.cl", { cold: 100 }),
    row("d.cl", { pocl: 100 }),
    row("e.cl", { cold: 3, pocl: 2 }),
  ];
  const summary = besideSummary(rows, "pocl");
  expect(summary).toMatchObject({ programs: 3, tooSlow: 1 });
  expect(summary?.ours).toBeCloseTo(12 ** (1 / 3));
  expect(summary?.theirs).toBeCloseTo(2 ** (1 / 3));
  expect(summary?.ratio).toBeCloseTo(6 ** (1 / 3));
  expect(besideSummary(rows, "clang")).toMatchObject({ programs: 1, ratio: 4, tooSlow: 1 });
  expect(besideSummary([row("c.cl", { cold: 1 })], "pocl")).toBeNull();
});

test("the table begins with the largest ratio, and names what failed", () => {
  const text = besideText([
    row("even.cl", { cold: 1, pocl: 1 }),
    { ...row("broken.cl", { cold: 2 }), failures: new Map([["pocl", "error: no such thing"] as const]) },
    row("slow.cl", { cold: 4, pocl: 1 }),
  ]);
  expect(text.split("\n").slice(2, 5)).toEqual([
    "     4.00     1.00        -        -     4.00        -  slow.cl",
    "     1.00     1.00        -        -     1.00        -  even.cl",
    "     2.00        -        -        -        -        -  broken.cl",
  ]);
  expect(text).toContain("2 programs, geometric means: ours 2.00 s, pocl 1.00 s, ratio 2.00; 1 above 1.5 times pocl");
  expect(text).toContain("not measured: broken.cl: pocl: error: no such thing");
});

test.runIf(isHere("bash"))(
  "one file by each compiler that is here, and one that all refuse",
  {
    timeout: PATIENCE,
  },
  async () => {
    const texts = {
      "good.cl": "kernel void f(global int *p) { p[get_global_id(0)] *= 3; }",
      "bad.cl": "kernel void f( {",
    };
    const programs = Object.entries(texts).map(([name, text]) => {
      const file = join(folder, name);
      writeFileSync(file, text);
      return { name, file, options: ["-D", "UNUSED=1", "-cl-wfv=auto"] };
    });
    const { tools, missing, close } = await openTools(["cold", "pocl", "clang"]);
    const names = tools.map(({ name }) => name);
    expect(names.includes("clang"), missing.join("\n")).toBe(isHere("clang"));
    // PoCL registers itself under this name in Debian.
    const hasPocl = existsSync("/etc/OpenCL/vendors/pocl.icd") && existsSync("/usr/include/CL/cl.h");
    expect(names.includes("pocl") || !hasPocl, missing.join("\n")).toBe(true);
    expect(names.length + missing.length).toBe(3);
    const [good, bad] = await compileBeside(programs, tools, { rounds: 1, limitMs: PATIENCE / 4 });
    close();
    expect([...(good?.times.keys() ?? [])], besideText(good === undefined ? [] : [good])).toEqual(names);
    for (const [name, { seconds }] of good?.times ?? []) expect(seconds, name).toBeGreaterThan(0);
    const { frontEnd, seconds } = good?.times.get("pocl") ?? { frontEnd: 0, seconds: 1 };
    expect(frontEnd).toBeLessThan(seconds + 0.01);
    expect([...(bad?.failures.keys() ?? [])]).toEqual(names);
    expect(bad?.times.size).toBe(0);
  },
);
