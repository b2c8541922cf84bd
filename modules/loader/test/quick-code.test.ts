// SPDX-License-Identifier: Apache-2.0
// Which launches run quick code, and when the full form takes its place (docs/decisions/067-compile-budget.md).
import { type LaunchFacts, type Module, buildProgram, openclC } from "@muxkit/compiler";
import { compilers } from "@muxkit/host-compiler";
import { HOST_COMPILER_FACTS } from "@muxkit/host-compiler/facts";
import {
  type CompileAnswer,
  type CompileJob,
  KernelVariants,
  type LaunchCode,
  type ProgramStore,
  compileAnswers,
  lateLibrary,
} from "@muxkit/loader";
import { expect, test } from "vitest";

import { hostDevice, must } from "./host-device.ts";

const DEVICE = hostDevice();

/** `large` takes far longer to compile than `small`; `shared` has a variable of the program. */
const LARGE = `kernel void large(global float *x) {
  float y = x[get_local_id(0)];
  ${Array.from({ length: 400 }, (_, i) => `y = y * ${i + 2}.5f + x[get_local_id(0) + ${i}];`).join("\n  ")}
  x[get_local_id(0)] = y;
}
`;
const SMALL = "kernel void small(global int *x) { x[get_local_id(0)]++; }\n";
const SHARED = `global int total;\n${LARGE.replace("float y", "total = 1; float y")}`;

const FACTS: LaunchFacts = { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true, arguments: [null] };

/** A late program, a thread that answers when it is told to, and what it was asked for. */
function late(
  source: string,
  {
    budget,
    store = null,
    hasThread = true,
  }: { readonly budget?: number; readonly store?: ProgramStore | null; readonly hasThread?: boolean } = {},
): { readonly module: Module; readonly variants: KernelVariants; readonly jobs: CompileJob[]; open: () => void } {
  const jobs: CompileJob[] = [];
  const answers: CompileAnswer[] = [];
  const answer = compileAnswers({ compilers });
  let isOpen = false;
  const library = lateLibrary([{ ...HOST_COMPILER_FACTS, build: "one" }], () => ({ compilers }), store, {
    ...(budget === undefined ? {} : { compileBudget: () => budget }),
    startThread: () =>
      hasThread
        ? {
            post: (job) => {
              jobs.push(job);
              answers.push(answer(job));
            },
            receive: () => (isOpen ? (answers.shift() ?? null) : null),
          }
        : null,
  });
  const [compiler] = library.compilers;
  const module = must(compiler?.createContext().createTarget(DEVICE.info, null) ?? failed()).createModule();
  must(buildProgram(module, openclC(source), "-cl-std=CL2.0"));
  return { module, variants: new KernelVariants(module, DEVICE), jobs, open: () => (isOpen = true) };
}

function failed(): { readonly ok: false; readonly error: { readonly message: string } } {
  return { ok: false, error: { message: "no compiler" } };
}

/** A store in memory. */
function memory(): ProgramStore & { readonly files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  return { files, read: (name) => files.get(name) ?? null, write: (name, bytes) => void files.set(name, bytes) };
}

const launch = (variants: KernelVariants, kernel: string, items: number = 64): LaunchCode =>
  variants.find(kernel, FACTS, items, false);

test("a kernel beyond the budget begins with quick code, and its full form takes over when it has come again often", () => {
  const { variants, jobs, open } = late(LARGE);
  const { code: quick, isFinal } = launch(variants, "large");
  expect(quick).not.toBeNull();
  expect(isFinal).toBe(false);
  for (let i = 1; i < 16; i++) {
    const again = launch(variants, "large");
    expect([again.code, again.isFinal]).toEqual([quick, false]);
  }
  expect(jobs).toHaveLength(0);
  expect(launch(variants, "large").code).toBe(quick);
  expect(jobs.map(({ facts }) => facts?.localSize)).toEqual([[0, 0, 0]]);
  open();
  const full = launch(variants, "large");
  expect(full.code).not.toBe(quick);
  expect(full.code).not.toBeNull();
  expect(launch(variants, "large").code).toBe(full.code);
  expect(jobs).toHaveLength(1);
  must(variants.free());
});

test("work-items bring the full form, and many of them the variant for their size in its place", () => {
  const some = late(LARGE);
  launch(some.variants, "large", 2 ** 16);
  launch(some.variants, "large", 2 ** 16);
  expect(some.jobs).toHaveLength(0);
  launch(some.variants, "large", 64);
  expect(some.jobs.map(({ facts }) => facts?.localSize)).toEqual([[0, 0, 0]]);
  const many = late(LARGE, { budget: 0 });
  launch(many.variants, "large", 2 ** 18);
  launch(many.variants, "large", 2 ** 18);
  launch(many.variants, "large", 2 ** 18);
  expect(many.jobs.map(({ facts }) => facts?.localSize)).toEqual([[64, 1, 1]]);
  many.open();
  const { code } = launch(many.variants, "large", 2 ** 18);
  expect(launch(many.variants, "large", 2 ** 18)).toEqual({ code, isFinal: true });
  must(some.variants.free());
  must(many.variants.free());
});

test.each<[why: string, source: string, kernel: string, items: number, options: Parameters<typeof late>[1]]>([
  ["it is cheap", SMALL, "small", 64, {}],
  ["the budget is large", LARGE, "large", 64, { budget: 1e9 }],
  ["the first launch pays for the full form", LARGE, "large", 2 ** 24, {}],
  ["kernels share variables of the program", SHARED, "large", 64, { budget: 0 }],
])("the full form is made at once where %s", (_why, source, kernel, items, options) => {
  const { variants } = late(source, options);
  expect(launch(variants, kernel, items)).toMatchObject({ code: null });
  must(variants.free());
});

test("a budget of 0 gives every first launch quick code", () => {
  const { variants } = late(SMALL, { budget: 0 });
  expect(launch(variants, "small", 2 ** 24).code).not.toBeNull();
  must(variants.free());
});

test("where there is no thread the full form is made, at once or as soon as that is known", () => {
  const module = must(
    lateLibrary([HOST_COMPILER_FACTS], () => ({ compilers }), null, { compileBudget: () => 0 })
      .compilers[0]?.createContext()
      .createTarget(DEVICE.info, null) ?? failed(),
  ).createModule();
  must(buildProgram(module, openclC(LARGE)));
  const alone = new KernelVariants(module, DEVICE);
  expect(launch(alone, "large").code).toBeNull();
  must(alone.free());

  const { module: other, variants } = late(`${LARGE}${SMALL}`, { hasThread: false });
  const { code: quick } = launch(variants, "large");
  expect(quick).not.toBeNull();
  for (let i = 0; i < 2; i++) launch(variants, "large", 2 ** 16);
  const { code: full } = launch(variants, "large");
  expect(full).not.toBe(quick);
  expect(full).not.toBeNull();
  // The thread was refused by now.
  expect(other.getKernel("small")?.createQuickKernel?.(FACTS, 64, 0)).toBeNull();
  must(variants.free());
});

test("generic code that is there is run, and nothing is made quickly", () => {
  const { variants } = late(LARGE, { budget: 0 });
  expect(variants.find("large", FACTS, 64, true).code).toBeNull();
  must(variants.free());
});

test("what a process launches again after another one has is hot at once, and the full form is kept for the next", () => {
  const store = memory();
  launch(late(LARGE, { store }).variants, "large");
  const second = late(LARGE, { store });
  const { code: quick } = launch(second.variants, "large");
  expect(quick).not.toBeNull();
  expect(second.jobs).toHaveLength(0);
  launch(second.variants, "large");
  expect(second.jobs).toHaveLength(1);
  second.open();
  expect(launch(second.variants, "large").code).not.toBe(quick);
  const third = late(LARGE, { store });
  expect(launch(third.variants, "large").code).not.toBeNull();
  for (let i = 0; i < 20; i++) launch(third.variants, "large");
  expect(third.jobs).toHaveLength(0);
  // It is the same code that is made at once where nothing is quick.
  const kept = must(third.module.createKernelBinary("large"));
  const made = must(late(LARGE, { budget: 1e9 }).module.createKernelBinary("large"));
  expect(kept).toEqual(made);
});

test("binaries are the full form, whatever was launched before", () => {
  const { module, variants } = late(LARGE, { budget: 0 });
  launch(variants, "large");
  const other = late(LARGE, { budget: 1e9 }).module;
  expect(must(module.createBinary())).toEqual(must(other.createBinary()));
  expect(must(module.createPortableBinary(true))).toEqual(must(other.createPortableBinary(true)));
  must(variants.free());
});
