// SPDX-License-Identifier: Apache-2.0
// muxkit run --explain: what the compiler made of a job's kernel, as text and as data.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { main } from "../source/command/main.ts";

const folder = mkdtempSync(join(tmpdir(), "muxkit-explain-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs --explain on a kernel of the arguments `global int* p, int n`. */
function explain(
  source: string,
  words: readonly string[] = [],
  options = "",
  local: readonly number[] = [16, 2],
): { readonly code: number; readonly text: string } {
  writeFileSync(join(folder, "k.cl"), source);
  const job = {
    name: "k",
    source: "k.cl",
    kernel: "k",
    options,
    global: [local[0] === 16 ? 64 : 60, 4],
    local,
    enqueues: 1,
    warmup: 0,
    runs: 1,
    check: { first: 0 },
    tol: { rel: 0, abs: 0 },
    args: [{ buffer: "int", count: 1024, init: "zero", access: "rw" }, { int: 3 }],
  };
  writeFileSync(join(folder, "k.json"), JSON.stringify(job));
  let text = "";
  const add = (more: string): void => {
    text += more;
  };
  const code = main(["run", join(folder, "k.json"), "--explain", ...words], { out: add, error: add });
  return { code, text: text.replaceAll(`${folder}/`, "") };
}

const EVERY_WAY = `kernel void k(global int* p, int n) {
  int x = get_global_id(0);
  int a = p[x];
  int b = p[3 * x];
  int c = p[x * n];
  int d = p[n];
  atomic_add(&p[a & 7], b + c + d);
}
`;

test("accesses are reported with their lines, and what to change", () => {
  const { code, text } = explain(EVERY_WAY);
  expect(code).toBe(0);
  expect(text).toMatch(/^kernel k, work-groups of 16 × 2 × 1/u);
  expect(text).toMatch(/work-items along x at once: /u);
  expect(text).toMatch(/contiguous {2}load {2}k\.cl:3:/u);
  expect(text).toMatch(/strided {5}load {2}k\.cl:4:/u);
  expect(text).toMatch(/gathered {4}load {2}k\.cl:5:/u);
  expect(text).toMatch(/uniform {5}load {2}k\.cl:6:/u);
  expect(text).toMatch(/one by one {2}atomic_rmw {2}k\.cl:7:/u);
  expect(text).toMatch(/to make it faster \(line 5\): make the index an id/u);
});

test("the same as data", () => {
  const { text } = explain(EVERY_WAY, ["--json"]);
  const report = JSON.parse(text) as {
    readonly kernel: string;
    readonly width: number;
    readonly dimension: number;
    readonly localSize: readonly number[];
    readonly regions: readonly {
      readonly accesses: readonly { readonly way: string; readonly place: { readonly line: number } }[];
    }[];
  };
  expect(report).toMatchObject({ kernel: "k", dimension: 0, localSize: [16, 2, 1] });
  expect(report.width).toBeGreaterThan(1);
  expect(report.regions.map(({ accesses }) => accesses.map(({ way, place }) => `${place.line} ${way}`))).toEqual([
    ["3 contiguous", "4 strided", "5 gathered", "6 uniform", "7 one by one"],
  ]);
});

test.each([
  ["-cl-wfv=never", /one work-item at a time: vectors are off/u],
  ["-cl-opt-disable", /one work-item at a time: vectors are off/u],
  ["-cl-wfv=always", /work-items along x at once/u],
])("%s decides", (options, wanted) => {
  expect(explain(EVERY_WAY, [], options).text).toMatch(wanted);
});

test("a kernel of nothing but volatile accesses under a condition runs one by one where the cost decides, and reports it", () => {
  const source = `kernel void k(global int* p, int n) {
      volatile global int* q = p + get_global_id(0) * n;
      if (q[0] > 3) {
        q[1] = q[2];
        q[3] = q[4];
        q[5] = q[6];
      }
    }`;
  expect(explain(source).text).toMatch(
    /one work-item at a time: several at once are estimated to cost more: [\d.]+ one by one, [\d.]+ a work-item in vectors\n {4}what would cost most in vectors: .* \d+ % \(lines? [3-6]/u,
  );
  expect(explain(source, [], "-cl-wfv=always").text).toMatch(/\d work-items along x at once/u);
});

test("the second variant is reported where there is one", () => {
  expect(
    explain(`kernel void k(global int* p, int n) {
      int x = get_global_id(0);
      if (x > 0 && x < n) p[x] = p[x - 1];
    }`).text,
  ).toMatch(/vectors inside the bounds/u);
});

test("regions between barriers are reported one by one", () => {
  const { text } = explain(
    `kernel void k(global int* p, int n) {
      local int t[64];
      int l = get_local_id(0) + 16 * get_local_id(1);
      t[l] = p[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      p[get_global_id(0)] = t[63 - l];
    }`,
  );
  expect(text).toMatch(/2 regions between barriers\n {2}region 0: [\s\S]*\n {2}region 1: /u);
});

test("work-items that fill no vector are reported", () => {
  const source = `kernel void k(global int* p, int n) {
      local int t[64];
      t[get_local_id(0)] = n;
      barrier(CLK_LOCAL_MEM_FENCE);
      p[get_global_id(0)] = t[15 - get_local_id(0)];
    }`;
  expect(explain(source).text).not.toMatch(/run one at a time/u);
  expect(
    explain(source.replace("kernel void", "kernel __attribute__((reqd_work_group_size(16, 2, 1))) void")).text,
  ).not.toMatch(/run one at a time/u);
  expect(explain(source, [], "", [6, 2]).text).toMatch(
    /work-groups have 6 work-items along x, of which (?:all|2) run one at a time; to fix it: a local size that is a multiple of (?:8|4) along x/u,
  );
});

test("the operations that cost most are reported with their lines", () => {
  const { text } = explain(
    `kernel void k(global int* p, int n) {
      int s = p[get_global_id(0)];
      for (int i = 0; i < n; i++)
        s = p[s & 255] ^ p[256 + (s >> 8 & 255)] ^ p[512 + (s >> 16 & 255)];
      p[get_global_id(0)] = s;
    }`,
    [],
    "-cl-wfv=always",
  );
  expect(text).toMatch(/\n {4}what costs most: gathered loads of global memory \d+ % \(line 4\)/u);
});

test("loops that work-items leave in different iterations are reported, as text and as data", () => {
  const source = `kernel void k(global int* p, int n) {
      int x = p[get_global_id(0)];
      int count = 0;
      while (x > 1) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        count++;
      }
      for (int i = 0; i < n; i++) count += i * count;
      p[get_global_id(0)] = count;
    }`;
  expect(explain(source, [], "-cl-wfv=always").text).toMatch(
    /work-items leave the loop of line [4-6] in different iterations: a vector runs as long as its last one/u,
  );
  const report = JSON.parse(explain(source, ["--json"], "-cl-wfv=always").text) as {
    readonly regions: readonly {
      readonly divergentLoops: readonly { readonly line: number }[];
      readonly costs: readonly { readonly what: string; readonly share: number }[];
    }[];
  };
  expect(report.regions.map(({ divergentLoops }) => divergentLoops.length)).toEqual([1]);
  const shares = report.regions.flatMap(({ costs }) => costs.map(({ share }) => share));
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1);
});

test("functions of the library are named by their calls", () => {
  const { text } = explain(
    `kernel void k(global float* p, int n) {
      p[get_global_id(0)] = exp(p[get_global_id(0)]) +
        exp(p[get_global_id(0)] + 1);
    }`,
  );
  expect(text).toMatch(/what costs most: calls of exp \d+ % \(lines 2, 3\)/u);
});

test("an invalid program is reported as by the compiler", () => {
  const { code, text } = explain(`kernel void k(global int* p, int n) { p = ; }`);
  expect(code).toBe(1);
  expect(text).toMatch(/k\.cl:1:\d+: error:/u);
});

function explainFile(...args: readonly string[]): { readonly code: number; readonly text: string } {
  let text = "";
  const add = (more: string): void => void (text += more);
  return { code: main(["explain", ...args], { out: add, error: add }), text };
}

test("muxkit explain takes a file of kernels, build options and a local size", () => {
  const file = join(folder, "two.cl");
  writeFileSync(
    file,
    `kernel void a(global float* x) { x[get_global_id(0)] *= F; }
kernel void b(global float* x) { x[3 * get_global_id(0)] *= F; }
`,
  );
  const both = explainFile(file, "-DF=2.0f");
  expect(both.code).toBe(0);
  expect(both.text).toMatch(/^kernel a, work-groups of 64 × 1 × 1[^]*contiguous[^]*\n\nkernel b, [^]*strided/u);
  const one = explainFile(file, "-DF=2.0f", "--kernel=b", "--local-size", "8,4", "--json");
  expect(JSON.parse(one.text)).toMatchObject([{ kernel: "b", localSize: [8, 4, 1] }]);
  expect(explainFile(file, "-DF=2.0f", "--kernel=c")).toEqual({
    code: 1,
    text: 'muxkit explain: there is no kernel "c"; there are a, b\n',
  });
  expect(explainFile(file)).toMatchObject({ code: 1, text: expect.stringContaining("two.cl:1:") });
  expect(explainFile()).toMatchObject({ code: 2, text: expect.stringContaining("exactly one file is required") });
  expect(explainFile(join(folder, "k.json"), "--kernel=k")).toMatchObject({ code: 2 });
});

test("muxkit explain and vectorize --remarks of SPIR-V name the lines of the source that it was written from", () => {
  const file = join(folder, "lines.cl");
  writeFileSync(file, EVERY_WAY);
  const quiet = { out: () => undefined, error: () => undefined };
  for (const [kind, suffix] of [
    ["spirv", "spv"],
    ["spvasm", "spvasm"],
  ] as const)
    expect(main(["compile", file, "-g", "--emit", kind, "-o", join(folder, `lines.${suffix}`)], quiet)).toBe(0);
  const [, ...wanted] = explainFile(file).text.split("\n");
  expect(wanted.join("\n")).toContain("lines.cl:4:");
  for (const suffix of [".spv", ".spvasm"]) {
    const [, ...told] = explainFile(join(folder, `lines${suffix}`)).text.split("\n");
    expect(told).toEqual(wanted);
  }
  let remarks = "";
  const out = (more: string): void => {
    remarks += more;
  };
  expect(main(["vectorize", join(folder, "lines.spv"), "--remarks"], { out, error: out })).toBe(0);
  expect(remarks).toMatch(/one by one: line 7/u);
});

test("IR is not explained, since it is not built", () => {
  const file = join(folder, "k.ir");
  writeFileSync(file, "module k\n");
  expect(explainFile(file)).toMatchObject({ code: 2, text: expect.stringMatching(/k\.ir is IR, which is not built/u) });
});
