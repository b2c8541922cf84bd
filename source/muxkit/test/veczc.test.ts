// SPDX-License-Identifier: Apache-2.0
// veczc: functions for several work-items, from OpenCL C and IR.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readIncludeFile, buildProgram, openclC } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { HOST_COMPILER } from "@muxkit/host-compiler";
import { afterAll, expect, test } from "vitest";

import { runCommand } from "../source/command/main.ts";
import { VECTORIZE } from "../source/command/vectorize.ts";

const folder = mkdtempSync(join(tmpdir(), "veczc-"));
const source = join(folder, "k.cl");
writeFileSync(
  source,
  `kernel void twice(global float* x, int n) { size_t i = get_global_id(0); if (i < n) x[i] *= 2.0f; }
kernel void other(global int* x) { x[get_global_id(1)] = 1; }
`,
);
afterAll(() => rmSync(folder, { recursive: true }));

function veczc(...args: string[]): { readonly code: number; readonly out: string; readonly error: string } {
  let [out, error] = ["", ""];
  const code = runCommand("veczc", VECTORIZE, args, {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
  });
  return { code, out, error };
}

test("every kernel is vectorised, with what it costs", () => {
  const { code, out } = veczc(source);
  expect(code).toBe(0);
  expect(out).toMatch(/^; @twice, 16 lanes along x, [\d.]+ for one work-item alone\n/u);
  expect(out).toMatch(/masked_store %\d+, %\d+, %\d+/u);
  // The second variant is for vectors that pass a test, and needs no mask.
  expect(out).toContain("func @twice.v16.tested(");
  expect(out).toContain("func @other.v16(");
});

test("width, axis, one kernel and the analyses can be requested", () => {
  const { out } = veczc(source, "--kernel", "other", "--width", "4", "--axis", "y", "--analyses");
  expect(out).toContain("; @other, 4 lanes along y");
  expect(out).not.toContain("twice");
  expect(out).toMatch(/global_id 1: i32 +; stride 1/u);
  expect(out).toMatch(/store <4 x i32>|store splat\(1\): <4 x i32>/u);
});

test("IR is accepted too, and mistakes are reported", () => {
  const file = join(folder, "f.ir");
  writeFileSync(
    file,
    'module "m" pointers 4 4 4 4 4 size_t 32\n\nfunc @f() -> i32 {\n^0:\n  %0 = local_id ' +
      "0: i32\n  %1 = mul %0, %0: i32\n  ret %1\n}\n",
  );
  expect(veczc(file, "--width=4").out).toContain("func @f.v4() -> <4 x i32>");
  expect(veczc(source, "--width", "3")).toMatchObject({
    code: 2,
    error: expect.stringMatching(/--width takes 2, 4, 8, 16, not "3"/u),
  });
  expect(veczc(source, "--axis", "w")).toMatchObject({
    code: 2,
    error: expect.stringMatching(/--axis takes x, y, z/u),
  });
  expect(veczc(source, "--kernel", "none")).toMatchObject({
    code: 1,
    error: expect.stringMatching(/there is no function "none"; there are twice, other/u),
  });
  expect(veczc(source, "--options", "-DX", join(folder, "more"))).toMatchObject({ code: 2 });
});

test("--remarks reports what a build makes of each kernel, word for word as the build log does", () => {
  const file = join(folder, "parted.cl");
  writeFileSync(join(folder, "one.h"), "#define ONE 1\n");
  writeFileSync(
    file,
    `#include "one.h"
kernel void k(global int* o) {
  o[get_global_id(0)] = ONE;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (o[0] == 7)
    for (;;) o[1]++;
}
kernel void l(global int* o) { o[get_global_id(0)] = 2; }
`,
  );
  const { code, out } = veczc(file, "--remarks", "--kernel=k");
  expect(code).toBe(0);
  const target = HOST_COMPILER.createContext().createTarget(hostDeviceInfo({}, 1), null);
  if (!target.ok) throw new Error(target.error.message);
  const module = target.value.createModule();
  const input = openclC(readFileSync(file, "utf8"), { headers: [], readFile: readIncludeFile });
  expect(buildProgram(module, input, `-cl-wfv=auto -S ${file} -I ${folder}`).ok).toBe(true);
  expect(module.createBinary().ok).toBe(true);
  const sentences = module.log
    .split("\n")
    .filter((line) => line.includes("note: kernel k"))
    .map((line) => line.replace(/^.*note: /u, ""));
  expect(
    out
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/^.*?: (?=kernel)/u, "")),
  ).toEqual(sentences);
  expect(out).toContain(`${file}:6:`);
  expect(veczc(file, "--kernel=k").out).toContain("; a build cuts it at its barriers");
  expect(veczc(file, "--remarks", "--kernel=none")).toMatchObject({
    code: 1,
    error: expect.stringMatching(/there is no kernel "none"; there are k, l/u),
  });
  expect(veczc(join(folder, "f.ir"), "--remarks")).toMatchObject({ code: 2 });
});

test("passes by name, those of the lowering among them", () => {
  const { code, out, error } = veczc(source, "--local-size=16", "--print-after=vectorize", "--verify-each");
  expect(code).toBe(0);
  expect(error).toMatch(/^; after vectorize\nmodule [^]*^func @twice\.body\.v\d+\(/mu);
  expect(out).toMatch(/^func @twice\(.*kernel_entry/mu);
  expect(veczc(source, "--passes=mem2rag")).toMatchObject({
    code: 2,
    error: expect.stringMatching(
      /unknown pass "mem2rag"; did you mean mem2reg\? The passes are verify, .*work-item-loops/u,
    ),
  });
  expect(veczc("--list-passes").out).toMatch(/^barrier-regions +Cuts kernels at their barriers/mu);
});
