// SPDX-License-Identifier: Apache-2.0
// When kernels are compiled again for their launches, and that they do the same then.
import { err } from "@muxkit/cargo";
import { type Kernel, type LaunchFacts, type Module, compilerError } from "@muxkit/compiler";
import {
  CL_MEM_READ_WRITE,
  KernelVariants,
  clCreateBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueWriteBuffer,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, kernelsOf, newQueue } from "./rig.ts";

/** Kernels that note for what they are compiled again, which then fails. */
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
  return { variants: new KernelVariants(isLate ? late : module, device.open("test").device), made };
}

const FACTS: LaunchFacts = { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true };

test("a local size alone is worth a form when enough work-items have been launched with it", () => {
  const { variants, made } = noting(({ localSize }) => localSize.join("x"));
  expect(variants.find("k", FACTS, 2 ** 17).isSettled).toBe(false);
  expect(variants.find("k", { ...FACTS, localSize: [32, 1, 1] }, 2 ** 20).isSettled).toBe(false);
  expect(variants.find("k", FACTS, 2 ** 17).isSettled).toBe(false);
  expect(made).toEqual([]);
  expect(variants.find("k", FACTS, 64).isSettled).toBe(true);
  expect(variants.find("k", FACTS, 64).isSettled).toBe(true);
  expect(made).toEqual(["64x1x1"]);
});

test("small launches that come again and again are known again, and large ones still get their form", () => {
  const { variants, made } = noting(({ localSize }) => localSize.join("x"));
  for (let launch = 0; launch < 64; launch++) expect(variants.find("k", FACTS, 64).isSettled).toBe(false);
  expect(variants.find("k", FACTS, 64)).toEqual({ code: null, isSettled: true });
  expect(variants.find("k", FACTS, 2 ** 18).isSettled).toBe(false);
  expect(made).toEqual([]);
  expect(variants.find("k", FACTS, 2 ** 18).isSettled).toBe(true);
  expect(made).toEqual(["64x1x1"]);
});

test("formats of images are worth a form from the second launch on", () => {
  const { variants, made } = noting(() => "image");
  const facts: LaunchFacts = { ...FACTS, arguments: [null, { kind: "image", order: 1, channelType: 2 }] };
  expect(variants.find("k", facts, 1).isSettled).toBe(false);
  expect(variants.find("k", facts, 1).isSettled).toBe(true);
  expect(made).toEqual(["image"]);
});

test("kernels that gain nothing are settled at once, and so are launches of too many kinds", () => {
  const none = noting(() => null);
  expect(none.variants.find("k", FACTS, 2 ** 30)).toEqual({ code: null, isSettled: true });
  expect(none.variants.find("k", FACTS, 2 ** 30)).toEqual({ code: null, isSettled: true });
  expect(none.made).toEqual([]);
  const { variants } = noting(({ localSize }) => localSize.join("x"));
  for (let size = 1; size <= 8; size++)
    expect(variants.find("k", { ...FACTS, localSize: [size, 1, 1] }, 1).isSettled).toBe(false);
  expect(variants.find("k", { ...FACTS, localSize: [9, 1, 1] }, 1).isSettled).toBe(true);
});

test("the compiler of a binary is asked when a form is to be made, and its word counts from then on", () => {
  const { variants, made } = noting(({ localSize: [x] }) => (x === 64 ? "64" : null), true);
  expect(variants.find("k", FACTS, 2 ** 18).isSettled).toBe(false);
  expect(variants.find("k", { ...FACTS, localSize: [32, 1, 1] }, 2 ** 18).isSettled).toBe(false);
  expect(made).toEqual([]);
  expect(variants.find("k", FACTS, 64)).toEqual({ code: null, isSettled: true });
  expect(made).toEqual(["asked", "64"]);
  expect(variants.find("k", { ...FACTS, localSize: [32, 1, 1] }, 64)).toEqual({ code: null, isSettled: true });
  expect(made).toEqual(["asked", "64"]);
});

test("a binary that no compiler reads runs its own forms", () => {
  const variants = new KernelVariants(() => null, device.open("test").device);
  expect(variants.find("k", FACTS, 2 ** 18).isSettled).toBe(false);
  expect(variants.find("k", FACTS, 2 ** 18)).toEqual({ code: null, isSettled: true });
});

const SUM = `kernel void sum(global const int* x, global int* sums, local int* t, int skipped) {
  int l = get_local_id(0), n = get_local_size(0);
  t[l] = l < skipped ? 0 : x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int h = 128; h > 0; h >>= 1) {
    if (l < h && l + h < n) t[l] += t[l + h];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) sums[get_group_id(0)] = t[0];
}`;

test.each([
  [256, 2 ** 18],
  [64, 2 ** 18],
  [48, 48 * 5500],
  [200, 2 ** 18 + 77],
])("sums of groups of %i are the same by the generic form and by their own", (size, count) => {
  const queue = newQueue();
  const numbers = Int32Array.from({ length: count }, (_, i) => (i * 7919) % 1000);
  const x = clCreateBuffer(context, CL_MEM_READ_WRITE, count * 4);
  const groups = Math.ceil(count / size);
  const sums = clCreateBuffer(context, CL_MEM_READ_WRITE, groups * 4);
  clEnqueueWriteBuffer(queue, x, true, 0, count * 4, numbers);
  const [kernel] = kernelsOf(SUM, "-cl-std=CL3.0", ["sum"], x, sums, { localBytes: size * 4 }, Int32Array.of(3));
  if (kernel === undefined) throw new Error("the program has a kernel");
  const wanted = Array.from({ length: groups }, (_, group) =>
    numbers.subarray(group * size, (group + 1) * size).reduce((total, number, i) => total + (i < 3 ? 0 : number), 0),
  );
  for (let launch = 0; launch < 3; launch++) {
    const got = new Int32Array(groups);
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [count], [size]);
    clEnqueueReadBuffer(queue, sums, true, 0, groups * 4, got);
    expect([...got]).toEqual(wanted);
  }
});
