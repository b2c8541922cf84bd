// SPDX-License-Identifier: Apache-2.0
// Sub-devices: counts, references, what their queries answer, and how many threads work for their queues.
import { hostDevice } from "@muxkit/host";
import {
  CL_MEM_READ_WRITE,
  type CommandQueue,
  type Context,
  type Device,
  type DevicePartition,
  type ErrorName,
  type Kernel,
  type SubDevice,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clCreateSubDevices,
  clEnqueueFillBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clFinish,
  clFlush,
  clGetContextInfo,
  clGetDeviceInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseDevice,
  clReleaseMemObject,
  clRetainDevice,
  clSetKernelArg,
  clWaitForEventsAsync,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, device, expectError, int } from "./rig.ts";

test("clCreateSubDevices: equal parts, with what their queries answer", () => {
  const parts = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 });
  expect(parts).toHaveLength(2);
  for (const part of parts) {
    expect(clGetDeviceInfo(part, "CL_DEVICE_MAX_COMPUTE_UNITS")).toBe(1);
    expect(clGetDeviceInfo(part, "CL_DEVICE_PARENT_DEVICE")).toBe(device);
    expect(clGetDeviceInfo(part, "CL_DEVICE_PARTITION_TYPE")).toEqual({ CL_DEVICE_PARTITION_EQUALLY: 1 });
    expect(clGetDeviceInfo(part, "CL_DEVICE_REFERENCE_COUNT")).toBe(1);
    expect(clGetDeviceInfo(part, "CL_DEVICE_NAME")).toBe(clGetDeviceInfo(device, "CL_DEVICE_NAME"));
    expect(clGetDeviceInfo(part, "CL_DEVICE_COMPILER_AVAILABLE")).toBe(true);
  }
  expect(clGetDeviceInfo(device, "CL_DEVICE_PARENT_DEVICE")).toBe(null);
  expect(clGetDeviceInfo(device, "CL_DEVICE_PARTITION_TYPE")).toBe(null);
  expect(clGetDeviceInfo(device, "CL_DEVICE_PARTITION_MAX_SUB_DEVICES")).toBe(2);
  expect(clGetDeviceInfo(device, "CL_DEVICE_PARTITION_PROPERTIES")).toEqual([
    "CL_DEVICE_PARTITION_EQUALLY",
    "CL_DEVICE_PARTITION_BY_COUNTS",
  ]);
  expect(clGetDeviceInfo(device, "CL_DEVICE_PARTITION_AFFINITY_DOMAIN")).toBe(0);
});

test("clCreateSubDevices: by counts, and parts of parts", () => {
  const [whole] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_BY_COUNTS: [2] }) as [SubDevice];
  expect(clGetDeviceInfo(whole, "CL_DEVICE_MAX_COMPUTE_UNITS")).toBe(2);
  const parts = clCreateSubDevices(whole, { CL_DEVICE_PARTITION_BY_COUNTS: [1, 1] });
  expect(parts.map((part) => clGetDeviceInfo(part, "CL_DEVICE_MAX_COMPUTE_UNITS"))).toEqual([1, 1]);
  expect(parts.map((part) => clGetDeviceInfo(part, "CL_DEVICE_PARENT_DEVICE"))).toEqual([whole, whole]);
});

const REFUSED: readonly (readonly [name: string, partition: DevicePartition, error: ErrorName, message: RegExp])[] = [
  [
    "no property",
    {} as DevicePartition,
    "CL_INVALID_VALUE",
    /one of CL_DEVICE_PARTITION_EQUALLY.* is required, not nothing/u,
  ],
  [
    "two properties",
    { CL_DEVICE_PARTITION_EQUALLY: 1, CL_DEVICE_PARTITION_BY_COUNTS: [1] },
    "CL_INVALID_VALUE",
    /is required, not CL_DEVICE_PARTITION_EQUALLY and/u,
  ],
  [
    "an unknown property",
    { CL_DEVICE_PARTITION_BY_COLOUR: 1 } as unknown as DevicePartition,
    "CL_INVALID_VALUE",
    /not CL_DEVICE_PARTITION_BY_COLOUR/u,
  ],
  ["parts of nothing", { CL_DEVICE_PARTITION_EQUALLY: 0 }, "CL_INVALID_VALUE", /0 is not a number of compute units/u],
  [
    "parts greater than the device",
    { CL_DEVICE_PARTITION_EQUALLY: 3 },
    "CL_DEVICE_PARTITION_FAILED",
    /has 2 compute units, so it has no part of 3/u,
  ],
  ["no counts", { CL_DEVICE_PARTITION_BY_COUNTS: [] }, "CL_INVALID_VALUE", /the counts are not a non-empty list/u],
  [
    "a count of nothing",
    { CL_DEVICE_PARTITION_BY_COUNTS: [1, 0] },
    "CL_INVALID_DEVICE_PARTITION_COUNT",
    /\(1, 0\) are not 1 to 2 parts/u,
  ],
  [
    "a negative count",
    { CL_DEVICE_PARTITION_BY_COUNTS: [-1] },
    "CL_INVALID_DEVICE_PARTITION_COUNT",
    /are not 1 to 2 parts/u,
  ],
  [
    "more parts than compute units",
    { CL_DEVICE_PARTITION_BY_COUNTS: [1, 1, 1] },
    "CL_INVALID_DEVICE_PARTITION_COUNT",
    /are not 1 to 2 parts/u,
  ],
  [
    "more compute units than there are",
    { CL_DEVICE_PARTITION_BY_COUNTS: [1, 2] },
    "CL_INVALID_DEVICE_PARTITION_COUNT",
    /3 compute units are requested, but the device has 2/u,
  ],
  ["affinity", { CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: 1 }, "CL_INVALID_VALUE", /cannot be partitioned by affinity/u],
];

test.each(REFUSED)("clCreateSubDevices: %s is refused", (_name, partition, error, message) => {
  expectError(() => clCreateSubDevices(device, partition), error, message);
});

test("clCreateSubDevices: CL_INVALID_DEVICE for what is no device and for a part that was released", () => {
  expectError(
    () => clCreateSubDevices({} as Device, { CL_DEVICE_PARTITION_EQUALLY: 1 }),
    "CL_INVALID_DEVICE",
    /the value is not a device/u,
  );
  const [part] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 2 }) as [SubDevice];
  clReleaseDevice(part);
  for (const call of [
    () => clCreateSubDevices(part, { CL_DEVICE_PARTITION_EQUALLY: 1 }),
    () => clCreateContext([part]),
    () => {
      clRetainDevice(part);
    },
    () => {
      clReleaseDevice(part);
    },
    () => clGetDeviceInfo(part, "CL_DEVICE_TYPE"),
  ]) {
    expectError(call, "CL_INVALID_DEVICE", /this sub-device has been released/u);
  }
});

test("clRetainDevice and clReleaseDevice count references of sub-devices; contexts keep them", () => {
  const [part] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 }) as [SubDevice];
  clRetainDevice(part);
  expect(clGetDeviceInfo(part, "CL_DEVICE_REFERENCE_COUNT")).toBe(2);
  clReleaseDevice(part);
  const { context, queue, add } = place(part);
  clReleaseDevice(part);
  expect(run(context, queue, add)).toEqual([8]);
  expect(clGetContextInfo(context, "CL_CONTEXT_DEVICES")).toEqual([part]);
});

test("clRetainDevice and clReleaseDevice: a device of the platform has no count; CL_INVALID_DEVICE", () => {
  clRetainDevice(device);
  clReleaseDevice(device);
  clReleaseDevice(device);
  expect(clGetDeviceInfo(device, "CL_DEVICE_REFERENCE_COUNT")).toBe(1);
  expectError(
    () => {
      clRetainDevice({} as Device);
    },
    "CL_INVALID_DEVICE",
    /the value is not a device/u,
  );
  expectError(
    () => {
      clReleaseDevice({} as Device);
    },
    "CL_INVALID_DEVICE",
    /the value is not a device/u,
  );
});

/** A context of a part with a queue and a kernel. */
function place(part: Device): {
  readonly context: Context;
  readonly queue: CommandQueue;
  readonly add: Kernel;
  readonly slow: Kernel;
} {
  const context = clCreateContext([part]);
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  return {
    context,
    queue: clCreateCommandQueue(context, part),
    add: clCreateKernel(program, "add"),
    slow: clCreateKernel(program, "slow"),
  };
}

function run(context: Context, queue: CommandQueue, add: Kernel): number[] {
  const data = clCreateBuffer(context, CL_MEM_READ_WRITE, 4);
  clEnqueueFillBuffer(queue, data, int(3), 0, 4);
  clSetKernelArg(add, 0, data);
  clSetKernelArg(add, 1, int(5));
  clEnqueueNDRangeKernel(queue, add, 1, null, [1], null);
  const out = int(0);
  clEnqueueReadBuffer(queue, data, true, 0, 4, out);
  return [...out];
}

function freeMemory(): number {
  return hostDevice(device.open("a test").device).host.statistics().memoryFree;
}

/** A sub-device with a queue and a command, from its beginning to its end. */
function lifetime(): void {
  const [part] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 }) as [SubDevice];
  const context = clCreateContext([part]);
  const queue = clCreateCommandQueue(context, part);
  const data = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096);
  clEnqueueFillBuffer(queue, data, int(3), 0, 4096);
  clFinish(queue);
  clReleaseMemObject(data);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  clReleaseDevice(part);
}

test("a sub-device that is made and released again leaves nothing", () => {
  lifetime();
  const before = freeMemory();
  // More than there are parts of a device at once.
  for (let i = 0; i < 300; i++) lifetime();
  expect(freeMemory()).toBe(before);
});

/** Launches that keep every thread busy that may take part, on several queues at once. */
async function busy(part: Device, queues: number): Promise<void> {
  const { context, slow } = place(part);
  const events = Array.from({ length: queues }, () => {
    const queue = clCreateCommandQueue(context, part);
    const data = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * 65_536);
    clSetKernelArg(slow, 0, data);
    clSetKernelArg(slow, 1, int(2000));
    const event = clEnqueueNDRangeKernel(queue, slow, 1, null, [65_536], [64]);
    clFlush(queue);
    return event;
  });
  await clWaitForEventsAsync(events);
}

test("the queues of a part together run on as many threads at once as it has compute units", async () => {
  const [one] = clCreateSubDevices(device, { CL_DEVICE_PARTITION_EQUALLY: 1 }) as [SubDevice];
  const { host } = hostDevice(device.open("a test").device);
  const most = { one: 0, whole: 0 };
  const watch = async (name: keyof typeof most, work: Promise<void>): Promise<void> => {
    const timer = setInterval(() => {
      most[name] = Math.max(most[name], host.statistics().running);
    }, 1);
    await work;
    clearInterval(timer);
  };
  await watch("one", busy(one, 3));
  await watch("whole", busy(device, 3));
  expect(most).toEqual({ one: 1, whole: 2 });
});
