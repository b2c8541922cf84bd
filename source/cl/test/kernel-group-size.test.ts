// SPDX-License-Identifier: Apache-2.0
// Kernels that run in smaller groups than their device allows: a GPU has so many registers for a group.
import { ok } from "@muxkit/cargo";
import { type Device, clCreateCommandQueue, clEnqueueNDRangeKernel, clGetKernelWorkGroupInfo } from "@muxkit/opencl";
import { ptxDriver } from "@muxkit/ptx-interpreter";
import { expect, test } from "vitest";

import { expectError } from "./rig.ts";
import { Rig, gpusOf, intsOf, setArguments } from "./several-memories-rig.ts";

const SOURCE = `
kernel void plain(global int* out) { out[get_global_id(0)] = get_local_size(0); }
kernel __attribute__((work_group_size_hint(128, 1, 1))) void hinted(global int* out) {
  out[get_global_id(0)] = get_local_size(0);
}
kernel __attribute__((reqd_work_group_size(16, 2, 1))) void required(global int* out) { out[get_global_id(0)] = 1; }`;

/** A GPU whose driver says that kernels run in groups of so many work-items; null: as they say themselves. */
function gpu(most: number | null): Device {
  const driver = ptxDriver({});
  const opened = driver.open(0);
  if (!opened.ok) throw new Error(opened.error.message);
  if (most !== null) opened.value.mostItems = () => ok(most);
  const [device] = gpusOf(driver);
  if (device === undefined) throw new Error("the target lists no device");
  return device;
}

test("a kernel that needs many registers says its largest group, and larger ones are refused", () => {
  const device = gpu(96);
  const rig = new Rig([device]);
  const queue = clCreateCommandQueue(rig.context, device);
  const [plain, hinted] = rig.kernels(SOURCE, "plain", "hinted");
  if (plain === undefined || hinted === undefined) throw new Error("there are two kernels");
  const out = rig.ints(...new Int32Array(384));
  expect(clGetKernelWorkGroupInfo(plain, device, "CL_KERNEL_WORK_GROUP_SIZE")).toBe(96);
  setArguments(plain, out);
  expectError(
    () => clEnqueueNDRangeKernel(queue, plain, 1, null, [384], [128]),
    "CL_INVALID_WORK_GROUP_SIZE",
    /128 work-items; the kernel has at most 96/u,
  );
  clEnqueueNDRangeKernel(queue, plain, 1, null, [384], [96]);
  expect(new Set(intsOf(queue, out))).toEqual(new Set([96]));
  // A hint that it cannot follow counts for nothing.
  setArguments(hinted, out);
  clEnqueueNDRangeKernel(queue, hinted, 1, null, [384], null);
  expect(new Set(intsOf(queue, out))).toEqual(new Set([64]));
});

test("a kernel for groups of one size runs in no larger ones", () => {
  const device = gpu(null);
  const rig = new Rig([device]);
  const [plain, required] = rig.kernels(SOURCE, "plain", "required");
  if (plain === undefined || required === undefined) throw new Error("there are two kernels");
  expect(clGetKernelWorkGroupInfo(plain, device, "CL_KERNEL_WORK_GROUP_SIZE")).toBe(1024);
  expect(clGetKernelWorkGroupInfo(required, device, "CL_KERNEL_WORK_GROUP_SIZE")).toBe(32);
});
