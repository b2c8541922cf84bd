// SPDX-License-Identifier: Apache-2.0
// When kernels are compiled again for their launches.
import { type Result, err } from "@muxkit/cargo";
import { type Kernel, type LaunchFacts, type Module, buildProgram, compilerError, openclC } from "@muxkit/compiler";
import { hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { KernelVariants, launchFacts } from "@muxkit/loader";
import {
  DEFAULT_ALLOCATOR,
  MuxDeviceType,
  type MuxDevice,
  muxCreateDevices,
  muxDestroyDevice,
  muxGetDeviceInfos,
  registerTarget,
} from "@muxkit/mux";
import { afterAll, expect, test } from "vitest";

function must<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const number = registerTarget(hostTarget({ threads: 1, isolated: true }));
const info = must(muxGetDeviceInfos(MuxDeviceType.cpu)).find(({ id }) => (id & 0xff) === number);
if (info === undefined) throw new Error("the host lists no device");
const [DEVICE] = must(muxCreateDevices([info], DEFAULT_ALLOCATOR)) as readonly [MuxDevice];
afterAll(() => {
  must(muxDestroyDevice(DEVICE, DEFAULT_ALLOCATOR));
});

/** A program whose kernels record the facts of each recompilation, which then fails. */
function noting(
  key: (facts: LaunchFacts) => string | null,
  isLate: boolean = false,
): { readonly variants: KernelVariants; readonly made: string[] } {
  const made: string[] = [];
  const kernel: Pick<Kernel, "specializationKey" | "createSpecializedKernel"> = {
    specializationKey: key,
    createSpecializedKernel: (facts) => {
      made.push(key(facts) ?? "");
      return err(compilerError("feature_unsupported", "only noted"));
    },
  };
  const module = { getKernel: () => kernel } as unknown as Module;
  const late = (): Module => {
    made.push("asked");
    return module;
  };
  return { variants: new KernelVariants(isLate ? late : module, DEVICE), made };
}

const FACTS: LaunchFacts = { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true };

test("a local size alone is worth a variant when enough work-items have been launched with it", () => {
  const { variants, made } = noting(({ localSize }) => localSize.join("x"));
  expect(variants.find("k", FACTS, 2 ** 17).isFinal).toBe(false);
  expect(variants.find("k", { ...FACTS, localSize: [32, 1, 1] }, 2 ** 20).isFinal).toBe(false);
  expect(variants.find("k", FACTS, 2 ** 17).isFinal).toBe(false);
  expect(made).toEqual([]);
  expect(variants.find("k", FACTS, 64).isFinal).toBe(true);
  expect(variants.find("k", FACTS, 64).isFinal).toBe(true);
  expect(made).toEqual(["64x1x1"]);
});

test("small launches that come again and again are known again, and large ones still get their variant", () => {
  const { variants, made } = noting(({ localSize }) => localSize.join("x"));
  for (let launch = 0; launch < 64; launch++) expect(variants.find("k", FACTS, 64).isFinal).toBe(false);
  expect(variants.find("k", FACTS, 64)).toEqual({ code: null, isFinal: true });
  expect(variants.find("k", FACTS, 2 ** 18).isFinal).toBe(false);
  expect(made).toEqual([]);
  expect(variants.find("k", FACTS, 2 ** 18).isFinal).toBe(true);
  expect(made).toEqual(["64x1x1"]);
});

test("formats of images are worth a variant from the second launch on", () => {
  const { variants, made } = noting(() => "image");
  const facts: LaunchFacts = { ...FACTS, arguments: [null, { kind: "image", order: 1, channelType: 2 }] };
  expect(variants.find("k", facts, 1).isFinal).toBe(false);
  expect(variants.find("k", facts, 1).isFinal).toBe(true);
  expect(made).toEqual(["image"]);
});

test("kernels that gain nothing have nothing to wait for, nor have launches of too many kinds", () => {
  const none = noting(() => null);
  expect(none.variants.find("k", FACTS, 2 ** 30)).toEqual({ code: null, isFinal: true });
  expect(none.variants.find("k", FACTS, 2 ** 30)).toEqual({ code: null, isFinal: true });
  expect(none.made).toEqual([]);
  const { variants } = noting(({ localSize }) => localSize.join("x"));
  for (let size = 1; size <= 8; size++)
    expect(variants.find("k", { ...FACTS, localSize: [size, 1, 1] }, 1).isFinal).toBe(false);
  expect(variants.find("k", { ...FACTS, localSize: [9, 1, 1] }, 1).isFinal).toBe(true);
});

test("the compiler of a binary is consulted when a variant is to be made, and its decision holds from then on", () => {
  const { variants, made } = noting(({ localSize: [x] }) => (x === 64 ? "64" : null), true);
  expect(variants.find("k", FACTS, 2 ** 18).isFinal).toBe(false);
  expect(variants.find("k", { ...FACTS, localSize: [32, 1, 1] }, 2 ** 18).isFinal).toBe(false);
  expect(made).toEqual([]);
  expect(variants.find("k", FACTS, 64)).toEqual({ code: null, isFinal: true });
  expect(made).toEqual(["asked", "64"]);
  expect(variants.find("k", { ...FACTS, localSize: [32, 1, 1] }, 64)).toEqual({ code: null, isFinal: true });
  expect(made).toEqual(["asked", "64"]);
});

test("a binary that no compiler reads runs its own variants", () => {
  const variants = new KernelVariants(() => null, DEVICE);
  expect(variants.find("k", FACTS, 2 ** 18).isFinal).toBe(false);
  expect(variants.find("k", FACTS, 2 ** 18)).toEqual({ code: null, isFinal: true });
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

test("variants are code of the runtime's device, without any API above", () => {
  const [compiler] = compilers;
  const target = must(compiler?.createContext().createTarget(DEVICE.info, null) ?? err({ message: "no compiler" }));
  const module = target.createModule();
  const source = `kernel void k(global float* x, local float* t) {
    t[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)];
  }`;
  must(buildProgram(module, openclC(source)));
  const variants = new KernelVariants(module, DEVICE);
  expect(variants.find("k", FACTS, 2 ** 18)).toEqual({ code: null, isFinal: false });
  const { code, isFinal } = variants.find("k", FACTS, 64);
  expect(isFinal).toBe(true);
  expect(code).not.toBeNull();
  expect(variants.find("k", FACTS, 64).code).toBe(code);
  expect(variants.free()).toEqual({ ok: true, value: undefined });
});
