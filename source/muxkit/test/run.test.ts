// SPDX-License-Identifier: Apache-2.0
// muxkit run: the benchmark's job files, their inputs, and the messages on files that are no jobs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openDeviceSync } from "muxkit";
import { afterAll, expect, test } from "vitest";

import { main } from "../source/command/main.ts";
import { makeElements, randomWord } from "../source/job/inputs.ts";
import { fnv1a } from "../source/job/statistics.ts";

const folder = mkdtempSync(join(tmpdir(), "muxkit-run-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const suite = join(import.meta.dirname, "../../../benchmarks/suite");

function run(...args: string[]): { readonly code: number; readonly out: string; readonly error: string } {
  let out = "";
  let error = "";
  const code = main(args, {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
  });
  return { code, out, error };
}

test("inputs are those of the benchmark's README, bit for bit", () => {
  expect([0, 1, 2, 3].map((i) => randomWord(1, i).toString(16).padStart(8, "0"))).toEqual([
    "a087eaf3",
    "00b349c9",
    "8706c4eb",
    "fb2627fd",
  ]);
  const hashes = (
    [
      ["float", "rand:1:-1:1"],
      ["double", "rand:16:-1:1"],
      ["half", "rand:18:-1:1"],
      ["uint", "rand:31"],
      ["uchar", "rand:41"],
      ["int", "randint:7:-50:50"],
      ["uint", "rowptr:36:0:8"],
      ["ulong", "rand:5"],
    ] as const
  ).map(([type, init]) => fnv1a(makeElements(type, 1000, init, ".")));
  expect(hashes).toEqual([
    "f60d6116",
    "7745b8ae",
    "0d00f85e",
    "0f56d961",
    "c6611abe",
    "4e4f1de1",
    "af458a4a",
    "5c2a7b41",
  ]);
});

test("a job yields the fields of oclrun, and its outputs as files", () => {
  const { code, out, error } = run(
    "run",
    join(suite, "tiny/saxpy.json"),
    "--json",
    "--dump",
    folder,
    "--runs",
    "2",
    "--warmup",
    "1",
    "--inputs",
  );
  expect(error).toBe("");
  expect(code).toBe(0);
  const report: Record<string, unknown> = JSON.parse(out);
  expect(Object.keys(report)).toEqual(
    expect.arrayContaining([
      "name",
      "platform",
      "device",
      "driver",
      "options",
      "enqueues",
      "setup_ms",
      "build_ms",
      "upload_ms",
      "first_ms",
      "read_ms",
      "runs",
      "median_ms",
      "min_ms",
      "max_ms",
      "mean_ms",
      "window_ms",
      "own_cpu",
      "outputs",
      "inputs",
    ]),
  );
  expect(report["runs"]).toBe(2);
  const x = makeElements("float", 1000, "rand:1:-1:1", ".");
  const y = makeElements("float", 1000, "rand:2:-1:1", ".");
  const bytes = readFileSync(join(folder, "saxpy.arg3.float.bin"));
  const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  expect(values).toHaveLength(1000);
  for (const [i, value] of values.entries())
    expect(Math.abs(value - (2.5 * Number(x[i]) + Number(y[i])))).toBeLessThan(1e-6);
});

test("--local auto and --options; text for people", () => {
  const { code, out } = run(
    "run",
    join(suite, "tiny/vecadd4.json"),
    "--local",
    "auto",
    "--options",
    "-cl-fast-relaxed-math",
    "--threads",
    "1",
  );
  expect(code).toBe(0);
  expect(out).toMatch(/^vecadd4: kernel \w+, .* 1 threads\n/u);
});

test("--binary runs an executable instead of the source", () => {
  const device = openDeviceSync();
  const program = device.program(
    `kernel void vecadd4(global const float4* a, global const float4* b, global float4* c) {
      c[get_global_id(0)] = a[get_global_id(0)] - b[get_global_id(0)];
    }`,
  );
  const path = join(folder, "difference.bin");
  writeFileSync(path, program.binary);
  device.close();
  const outputOf = (...more: readonly string[]): unknown => {
    const report: Record<string, unknown> = JSON.parse(
      run("run", join(suite, "tiny/vecadd4.json"), "--json", "--runs", "1", ...more).out,
    );
    return report["outputs"];
  };
  expect(outputOf("--binary", path)).not.toEqual(outputOf());
  expect(run("run", join(suite, "tiny/vecadd4.json"), "--binary", join(folder, "none.bin"))).toMatchObject({
    code: 1,
    error: expect.stringMatching(
      /vecadd4: the executable .*none\.bin cannot be read: there is no such file or folder/u,
    ),
  });
});

test("missing, damaged and senseless job files", () => {
  const job = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  expect(run("run", join(folder, "none.json"))).toMatchObject({
    code: 1,
    error: expect.stringMatching(/none\.json: the job file cannot be read: there is no such file or folder/u),
  });
  expect(run("run", job("broken.json", '{ "name": '))).toMatchObject({
    code: 1,
    error: expect.stringMatching(/broken\.json: the job file is not JSON/u),
  });
  expect(run("run", job("list.json", "[]"))).toMatchObject({
    code: 1,
    error: expect.stringMatching(/the job is not an object/u),
  });
  const base = { name: "j", source: "k.cl", kernel: "k", global: [4], args: [] as unknown[] };
  const bad = (change: object): string => run("run", job("bad.json", JSON.stringify({ ...base, ...change }))).error;
  expect(bad({ global: [0] })).toMatch(/needs "global", a list of one to three positive sizes/u);
  expect(bad({ local: [1, 1] })).toMatch(/1 global sizes and 2 local sizes/u);
  expect(bad({ args: [{ buffer: "quad", count: 4 }] })).toMatch(/argument 0 has a buffer of "quad"; there are char/u);
  expect(bad({ args: [{ buffer: "int", count: 0 }] })).toMatch(
    /argument 0 has "count" 0; it must be an integer of at least 1/u,
  );
  expect(bad({ args: [{ colour: 1 }] })).toMatch(/argument 0 is of an unknown kind: it has colour/u);
  expect(bad({ args: [{ buffer: "int", count: 4, init: "primes" }] })).toMatch(
    /"primes" is not known to the generator/u,
  );
  expect(bad({ args: [{ buffer: "int", count: 4, init: "file:gone.bin" }] })).toMatch(/gone\.bin cannot be read/u);
  expect(bad({})).toMatch(/j: the source .*k\.cl cannot be read/u);
  writeFileSync(join(folder, "k.cl"), `kernel void k(global int* x) { *x = 1 }`);
  expect(bad({})).toMatch(/clBuildProgram[^]*k|error/u);
  writeFileSync(join(folder, "k.cl"), `kernel void k(global int* x) { *x = 1; }`);
  expect(bad({ kernel: "other" })).toMatch(/no kernel "other"; it has k/u);
  expect(bad({ args: [] })).toMatch(/argument 0 \(int\* x\) of the kernel "k" is not set/u);
  expect(bad({ args: [{ uint: 3 }] })).toMatch(/requires a buffer or null/u);
});

test("wrong command lines exit with code 2 and one sentence", () => {
  expect(run("chek").error).toMatch(/unknown command "chek"; available: .*; did you mean check\?\n$/u);
  expect(run("info", "--jsn")).toMatchObject({
    code: 2,
    error: "muxkit info: Unknown option '--jsn'; did you mean --json?; muxkit info [--json] [--config]\n",
  });
  expect(run("info", "-h").out).toBe(run("info", "--help").out);
  expect(run("fly")).toMatchObject({
    code: 2,
    error: expect.stringMatching(
      /^muxkit: unknown command "fly"; available: run, compile, check, explain, vectorize, spirv, info, cache, create-target(?:, \w+)*\n$/u,
    ),
  });
  expect(run("run")).toMatchObject({ code: 2, error: "muxkit run: exactly one job file is required\n" });
  expect(run("run", "a.json", "--runs", "none")).toMatchObject({
    code: 2,
    error: 'muxkit run: --runs must be a number of at least 1, not "none"\n',
  });
  expect(run("run", "a.json", "--fast")).toMatchObject({ code: 2, error: expect.stringMatching(/--fast/u) });
  expect(run("run", "a.json", "--local", "big")).toMatchObject({
    code: 2,
    error: expect.stringMatching(/--local takes auto or job/u),
  });
  expect(run()).toMatchObject({ code: 2, out: expect.stringMatching(/muxkit run JOB\.json/u) });
  expect(run("--help").code).toBe(0);
  expect(run("run", "--help").out).toMatch(/--min-ms T/u);
  expect(run("--version").out).toBe("0.1.0\n");
  expect(run("info").out).toMatch(/OpenCL 3\.0 Muxkit[^]*threads/u);
  expect(JSON.parse(run("info", "--json").out)).toMatchObject({ language: "OpenCL C 1.2 Muxkit 0.1.0" });
});
