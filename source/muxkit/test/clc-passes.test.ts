// SPDX-License-Identifier: Apache-2.0
// clc --emit ir: passes by name over OpenCL C and IR.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { clc } from "./commands.ts";

const folder = mkdtempSync(join(tmpdir(), "clc-passes-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const source = join(folder, "k.cl");
writeFileSync(
  source,
  `kernel void k(global int* x) { int s = N; s += 1 + 2; x[0] = s; }
`,
);

test("OpenCL C in, IR out, through passes", () => {
  expect(clc(source, "-DN=4", "--emit", "ir").out).toMatch(/alloca/u);
  const { code, out, error } = clc(source, "-DN=4", "--passes", "mem2reg,simplify,dce", "--verify-each");
  expect(code).toBe(0);
  expect(error).toBe("");
  expect(out).toMatch(/store 7: i32, %0 \{align 4\}/u);
  expect(out).not.toMatch(/alloca/u);
});

test("what a pass changed, as lines of before and after", () => {
  const { error } = clc(source, "-DN=4", "--passes", "mem2reg,simplify,dce,gvn", "--print-changed");
  expect(error).toMatchInlineSnapshot(`
    "; mem2reg changed
    in @k
      …
        argument "x" "int*" pointer global size 4 align 4
      ^1:
    -   %2 = alloca {i32, align 4}: ptr<private>
    -   %3 = alloca {ptr<global>, align 4}: ptr<private>
        br ^4
      ^4:
    -   store %0, %3 {align 4}
    -   store 4: i32, %2 {align 4}
    -   %5 = load %2 {align 4}: i32
    -   %6 = add %5, 3: i32
    -   store %6, %2 {align 4}
    -   %7 = load %3 {align 4}: ptr<global>
    -   %8 = load %2 {align 4}: i32
    -   store %8, %7 {align 4}
    +   %6 = add 4, 3: i32
    +   store %6, %0 {align 4}
        ret
      }

    ; simplify changed
    in @k
      …
        br ^4
      ^4:
    -   %6 = add 4, 3: i32
    -   store %6, %0 {align 4}
    +   store 7: i32, %0 {align 4}
        ret
      }

    ; dce changed nothing
    ; gvn changed nothing
    "
  `);
});

test("the module after passes, and the time that they took", () => {
  expect(clc(source, "-DN=4", "--passes", "mem2reg,dce", "--print-after", "dce").error).toMatch(/^; after dce\n/u);
  expect(clc(source, "-DN=4", "--passes", "mem2reg,dce", "--print-after-all").error.match(/; after /gu)).toHaveLength(
    2,
  );
  const { error } = clc(source, "-DN=4", "--passes", "default", "--time-passes", "--verify-each", "--check-analyses");
  expect(error).toMatch(/^; pass +ms +share +before +after\n(?:; [\w-]+ +[\d.]+ +[\d.]+% +\d+ +\d+\n)+$/u);
  expect(error).toMatch(/^; mem2reg /mu);
  expect(error).toMatch(/^; all +[\d.]+ +100\.0% +12 +2$/mu);
});

const barrier = join(folder, "barrier.cl");
writeFileSync(
  barrier,
  `kernel void k(global int* x, local int* l) {
  size_t i = get_local_id(0);
  l[i] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = l[i ^ 1];
}
`,
);

/** What was printed at passes, and of which functions. */
function printed(error: string): readonly string[] {
  return [...error.matchAll(/^; (?:before|after) .*|^(?:func|kernel) @[\w.]+/gmu)].map(([line]) => line);
}

test("the passes of the lowering are named like the others: a module before and after them", () => {
  const { code, error } = clc(barrier, "--print-after=kernel-bodies,vectorize", "--print-before=cancellation-checks");
  expect(code).toBe(0);
  expect(printed(error)).toEqual([
    "; after kernel-bodies",
    "func @k.body",
    "; after vectorize",
    "func @k.body.region.0",
    "func @k.body.region.1",
    "func @k.body.region.0.v8",
    "func @k.body.region.1.v8",
    "; before cancellation-checks",
    "func @k.body.region.0",
    "func @k.body.region.1",
    "func @k.body.region.0.v8",
    "func @k.body.region.1.v8",
    "func @k",
    "func @wasm.set_stack",
    "func @env.clock",
    "func @muxkit.poll",
  ]);
  // Work-item parameters have their names.
  expect(error).toMatch(/@k\.body\(.*%local\.x: i32, .*%linear: i32\) inline always work_item\(2\) \{/u);
});

test("a pass that the list has several times is numbered where it is printed", () => {
  const { error } = clc(barrier, "--print-after=barrier-regions", "--print-before=locality-barriers");
  expect(error.match(/^; (?:before|after) .*$/gmu)).toEqual([
    "; before locality-barriers (1 of 2)",
    "; after barrier-regions (1 of 2)",
    "; before locality-barriers (2 of 2)",
    "; after barrier-regions (2 of 2)",
  ]);
  expect(clc(source, "-DN=4", "--passes=dce,mem2reg,dce", "--print-changed").error.match(/^; .*$/gmu)).toEqual([
    expect.stringMatching(/^; dce \(1 of 2\) changed/u),
    expect.stringMatching(/^; mem2reg changed/u),
    expect.stringMatching(/^; dce \(2 of 2\) changed/u),
  ]);
});

test("a local size lowers for launches of it", () => {
  const { error } = clc(barrier, "--local-size=64", "--print-after=fix-launch-sizes", "--verify-each", "--time-passes");
  expect(error).toMatch(/^; after fix-launch-sizes$/mu);
  expect(error).toMatch(/^; work-item-loops /mu);
  for (const wrong of ["0", "1,2,3,4", "x"])
    expect(clc(barrier, "--local-size", wrong)).toMatchObject({
      code: 2,
      error: expect.stringMatching(/--local-size takes one to three positive sizes/u),
    });
});

test("IR of one pass of the lowering goes into the next as text", () => {
  const file = join(folder, "lowered.ir");
  const first = clc(
    barrier,
    "--passes=default,link-library,add-work-item-parameters,lower-work-item-queries",
    "-o",
    file,
    "--emit=ir",
  );
  expect(first).toMatchObject({ code: 0, error: "" });
  const { code, out } = clc(file, "--passes=barrier-regions,work-item-loops,drop-unreached");
  expect(code).toBe(0);
  expect(out).toMatch(/^func @k\(.*\) -> i32 kernel_entry \{$/mu);
});

test("IR in and out: writing and reading again changes nothing", () => {
  const file = join(folder, "k.ir");
  expect(clc(source, "-DN=4", "--emit=ir", "-o", file)).toMatchObject({ code: 0, out: "" });
  expect(clc(file).out).toBe(readFileSync(file, "utf8"));
});

test("what cannot be read, does not compile, or does not exist", () => {
  expect(clc(join(folder, "none.cl"))).toMatchObject({
    code: 1,
    error: expect.stringMatching(/none\.cl cannot be read: there is no such file or folder/u),
  });
  expect(clc(source)).toMatchObject({
    code: 1,
    error: expect.stringMatching(/k\.cl:1:40: error: "N" is not declared/u),
  });
  const broken = join(folder, "broken.ir");
  writeFileSync(broken, 'module "m" pointers 4 size_t 32\nfunc @f() {\n^0:\n  jump\n}\n');
  expect(clc(broken)).toMatchObject({ code: 1, error: expect.stringMatching(/broken\.ir:4: /u) });
  expect(clc(source, "--passes", "mem2rag")).toMatchObject({
    code: 2,
    error: expect.stringMatching(
      /unknown pass "mem2rag"; did you mean mem2reg\? The passes are verify, .*link-builtins/u,
    ),
  });
  expect(clc(source, "-x", "c")).toMatchObject({ code: 2, error: 'clc: -x takes cl, ir, spir, spirv, not "c"\n' });
  expect(clc()).toMatchObject({ code: 2, error: expect.stringMatching(/an input is required/u) });
  expect(clc("--list-passes").out).toMatch(/^mem2reg +Promotes private variables to SSA values\.$/mu);
  expect(clc("--help").out).toMatch(/--print-changed/u);
});
