// SPDX-License-Identifier: Apache-2.0
// When kernels are compiled again for their launches.
import { type Result, err } from "@muxkit/cargo";
import {
  type Kernel,
  type LaunchFacts,
  type Module,
  type PendingKernel,
  type SpecializedKernel,
  argumentFacts,
  buildProgram,
  compilerError,
  launchKey,
  openclC,
} from "@muxkit/compiler";
import { compilers } from "@muxkit/host-compiler";
import { HOST_COMPILER_FACTS } from "@muxkit/host-compiler/facts";
import { type KernelSource, KernelVariants, lateLibrary, launchFacts } from "@muxkit/loader";
import { expect, test } from "vitest";

import { hostDevice, must } from "./host-device.ts";

const DEVICE = hostDevice();

/** A program whose kernels record the facts of each recompilation, which then fails. */
function noting(
  key: (facts: LaunchFacts) => string | null,
  isLate: boolean = false,
): { readonly variants: KernelVariants; readonly module: Module; readonly made: string[] } {
  const made: string[] = [];
  const kernel: Pick<Kernel, "specializationKey" | "createSpecializedKernel"> = {
    specializationKey: key,
    createSpecializedKernel: (facts) => {
      made.push(key(facts) ?? "");
      return err(compilerError("feature_unsupported", "only noted"));
    },
  };
  const module = { getKernel: () => kernel } as unknown as Module;
  const late: KernelSource = {
    find: (name) => {
      made.push("asked");
      return module.getKernel(name);
    },
    free: () => undefined,
  };
  return { variants: new KernelVariants(isLate ? late : module, DEVICE), module, made };
}

const FACTS: LaunchFacts = { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true };

test("a local size alone is worth a variant when enough work-items have been launched with it", () => {
  const { variants, made } = noting(({ localSize }) => localSize.join("x"));
  expect(variants.find("k", FACTS, 2 ** 17, true).isFinal).toBe(false);
  expect(variants.find("k", { ...FACTS, localSize: [32, 1, 1] }, 2 ** 20, true).isFinal).toBe(false);
  expect(variants.find("k", FACTS, 2 ** 17, true).isFinal).toBe(false);
  expect(made).toEqual([]);
  expect(variants.find("k", FACTS, 64, true).isFinal).toBe(true);
  expect(variants.find("k", FACTS, 64, true).isFinal).toBe(true);
  expect(made).toEqual(["64x1x1"]);
});

test("small launches that come again and again are known again, and large ones still get their variant", () => {
  const { variants, made } = noting(({ localSize }) => localSize.join("x"));
  for (let launch = 0; launch < 64; launch++) expect(variants.find("k", FACTS, 64, true).isFinal).toBe(false);
  expect(variants.find("k", FACTS, 64, true)).toEqual({ code: null, isFinal: true });
  expect(variants.find("k", FACTS, 2 ** 18, true).isFinal).toBe(false);
  expect(made).toEqual([]);
  expect(variants.find("k", FACTS, 2 ** 18, true).isFinal).toBe(true);
  expect(made).toEqual(["64x1x1"]);
});

test("formats of images are worth a variant from the second launch on", () => {
  const { variants, made } = noting(() => "image");
  const facts: LaunchFacts = { ...FACTS, arguments: [null, { kind: "image", order: 1, channelType: 2 }] };
  expect(variants.find("k", facts, 1, true).isFinal).toBe(false);
  expect(variants.find("k", facts, 1, true).isFinal).toBe(true);
  expect(made).toEqual(["image"]);
});

test("kernels that gain nothing have nothing to wait for, nor have launches of too many kinds", () => {
  const none = noting(() => null);
  expect(none.variants.find("k", FACTS, 2 ** 30, true)).toEqual({ code: null, isFinal: true });
  expect(none.variants.find("k", FACTS, 2 ** 30, true)).toEqual({ code: null, isFinal: true });
  expect(none.made).toEqual([]);
  const { variants } = noting(({ localSize }) => localSize.join("x"));
  for (let size = 1; size <= 8; size++)
    expect(variants.find("k", { ...FACTS, localSize: [size, 1, 1] }, 1, true).isFinal).toBe(false);
  expect(variants.find("k", { ...FACTS, localSize: [9, 1, 1] }, 1, true).isFinal).toBe(true);
});

test("the compiler of a binary is consulted when a variant is to be made, and its decision holds from then on", () => {
  const { variants, made } = noting(({ localSize: [x] }) => (x === 64 ? "64" : null), true);
  expect(variants.find("k", FACTS, 2 ** 18, true).isFinal).toBe(false);
  expect(variants.find("k", { ...FACTS, localSize: [32, 1, 1] }, 2 ** 18, true).isFinal).toBe(false);
  expect(made).toEqual([]);
  expect(variants.find("k", FACTS, 64, true)).toEqual({ code: null, isFinal: true });
  expect(made).toEqual(["asked", "64"]);
  expect(variants.find("k", { ...FACTS, localSize: [32, 1, 1] }, 64, true)).toEqual({ code: null, isFinal: true });
  expect(made).toEqual(["asked", "64"]);
});

test("launches of a binary's kernel run its code until another thread has found the kernel", () => {
  const { module, made } = noting(({ localSize }) => localSize.join("x"));
  let isFound = false;
  let given = 0;
  const variants = new KernelVariants(
    { find: (name) => (isFound ? module.getKernel(name) : "later"), free: () => given++ },
    DEVICE,
  );
  for (let launch = 0; launch < 100; launch++)
    expect(variants.find("k", FACTS, 2 ** 18, true)).toEqual({ code: null, isFinal: false });
  expect(made).toEqual([]);
  isFound = true;
  expect(variants.find("k", FACTS, 64, true)).toEqual({ code: null, isFinal: true });
  expect(made).toEqual(["64x1x1"]);
  expect(variants.free().ok).toBe(true);
  expect(given).toBe(1);
});

test("a binary that no compiler reads runs its own variants", () => {
  const variants = new KernelVariants({ find: () => null, free: () => undefined }, DEVICE);
  expect(variants.find("k", FACTS, 2 ** 18, true).isFinal).toBe(false);
  expect(variants.find("k", FACTS, 2 ** 18, true)).toEqual({ code: null, isFinal: true });
});

const IMAGE_FACTS: LaunchFacts = { ...FACTS, arguments: [null, { kind: "image", order: 1, channelType: 2 }] };

/** A program whose kernel takes any size; another thread compiles, as far as `polls` says. */
function anySize(polls: readonly boolean[] | null): { readonly variants: KernelVariants; readonly made: string[] } {
  const made: string[] = [];
  const failed = err(compilerError("feature_unsupported", "only noted"));
  const left = [...(polls ?? [])];
  const kernel: Pick<
    Kernel,
    "name" | "takesAnySize" | "specializationKey" | "createSpecializedKernel" | "startSpecializedKernel"
  > = {
    name: "k",
    takesAnySize: true,
    specializationKey: launchKey,
    createSpecializedKernel: (facts) => {
      made.push(`now ${launchKey(facts)}`);
      return failed;
    },
    startSpecializedKernel: (facts): PendingKernel | null => {
      if (polls === null) return null;
      made.push(`begun ${launchKey(facts)}`);
      const end = (how: string): Result<SpecializedKernel, ReturnType<typeof compilerError>> => {
        made.push(`${how} ${launchKey(facts)}`);
        return failed;
      };
      return {
        poll: () => (left.shift() === true ? end("done") : null),
        wait: () => end("waited"),
        drop: () => void end("dropped"),
      };
    },
  };
  return { variants: new KernelVariants({ getKernel: () => kernel } as unknown as Module, DEVICE), made };
}

test("a kernel without code gets the variant for its images at its first launch, for any local size", () => {
  const { variants, made } = anySize(null);
  const key = launchKey(argumentFacts(IMAGE_FACTS));
  variants.find("k", IMAGE_FACTS, 64, false);
  expect(made).toEqual([`now ${key}`]);
  variants.find("k", { ...IMAGE_FACTS, localSize: [32, 1, 1] }, 64, true);
  variants.find("k", { ...IMAGE_FACTS, localSize: [16, 1, 1] }, 64, true);
  expect(made).toEqual([`now ${key}`]);
});

test("a kernel with generic code gets the variant for its images when a launch comes again, of whatever size", () => {
  const { variants, made } = anySize(null);
  variants.find("k", IMAGE_FACTS, 64, true);
  expect(made).toEqual([]);
  variants.find("k", { ...IMAGE_FACTS, localSize: [32, 1, 1] }, 64, true);
  expect(made).toEqual([`now ${launchKey(argumentFacts(IMAGE_FACTS))}`]);
});

test("another thread compiles what is not needed yet, and launches take it up when it is ready", () => {
  const { variants, made } = anySize([false, true]);
  const key = launchKey(FACTS);
  variants.find("k", FACTS, 2 ** 18, true);
  for (const [wanted, isFinal] of [
    [[`begun ${key}`], false],
    [[`begun ${key}`], false],
    [[`begun ${key}`, `done ${key}`], true],
    [[`begun ${key}`, `done ${key}`], true],
  ] as const) {
    expect(variants.find("k", FACTS, 64, true)).toEqual({ code: null, isFinal });
    expect(made).toEqual(wanted);
  }
});

test("launches too small to gain from a variant still wait for one that has been begun", () => {
  const { variants, made } = anySize([]);
  variants.find("k", FACTS, 2 ** 18, true);
  for (let launch = 0; launch < 100; launch++) expect(variants.find("k", FACTS, 1, true).isFinal).toBe(false);
  variants.settle();
  expect(variants.find("k", FACTS, 1, true).isFinal).toBe(true);
  expect(made).toEqual([`begun ${launchKey(FACTS)}`, `waited ${launchKey(FACTS)}`]);
});

test("a program that ends gives up what another thread compiles for it, and nothing else", () => {
  const { variants, made } = anySize([]);
  const begun = FACTS;
  const other: LaunchFacts = { ...FACTS, localSize: [16, 1, 1] };
  for (const facts of [begun, begun, other]) variants.find("k", facts, 2 ** 18, true);
  expect(variants.free().ok).toBe(true);
  expect(made).toEqual([`begun ${launchKey(begun)}`, `dropped ${launchKey(begun)}`]);
  const taken = anySize([true]);
  for (let launch = 0; launch < 3; launch++) taken.variants.find("k", FACTS, 2 ** 18, true);
  expect(taken.variants.free().ok).toBe(true);
  expect(taken.made).toEqual([`begun ${launchKey(FACTS)}`, `done ${launchKey(FACTS)}`]);
});

test("facts of a launch follow from its sizes", () => {
  const sizes = { localSize: [8, 4, 1], globalSize: [64, 6, 1], globalOffset: [0, 0, 0] } as const;
  expect(launchFacts(sizes, [null])).toEqual({
    localSize: [8, 4, 1],
    uniformGroups: false,
    zeroOffset: true,
    arguments: [null],
  });
});

test.each([
  ["the compiler", compilers],
  ["a late one", lateLibrary([HOST_COMPILER_FACTS], () => ({ compilers }), null).compilers],
])("variants are code of the runtime's device, without any API above: modules of %s", (_whose, [compiler]) => {
  const target = must(compiler?.createContext().createTarget(DEVICE.info, null) ?? err({ message: "no compiler" }));
  const module = target.createModule();
  const source = `kernel void k(global float* x, local float* t) {
    t[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)];
  }`;
  must(buildProgram(module, openclC(source)));
  const variants = new KernelVariants(module, DEVICE);
  expect(variants.find("k", FACTS, 2 ** 18, true)).toEqual({ code: null, isFinal: false });
  const { code, isFinal } = variants.find("k", FACTS, 64, true);
  expect(isFinal).toBe(true);
  expect(code).not.toBeNull();
  expect(variants.find("k", FACTS, 64, true).code).toBe(code);
  expect(variants.free()).toEqual({ ok: true, value: undefined });
});
