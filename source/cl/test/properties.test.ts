// SPDX-License-Identifier: Apache-2.0
// Objects with lists of properties, the calls of earlier versions, clocks, names of functions, and what is refused
// since our devices lack the feature.
import {
  CL_DEVICE_TYPE_ACCELERATOR,
  CL_DEVICE_TYPE_ALL,
  CL_DEVICE_TYPE_CPU,
  CL_DEVICE_TYPE_DEFAULT,
  CL_DEVICE_TYPE_GPU,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_ONLY,
  CL_QUEUE_ON_DEVICE,
  CL_QUEUE_ON_DEVICE_DEFAULT,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUE_PRIORITY_HIGH_KHR,
  CL_QUEUE_PRIORITY_LOW_KHR,
  CL_QUEUE_PRIORITY_MED_KHR,
  CL_QUEUE_PROFILING_ENABLE,
  CL_QUEUE_THROTTLE_HIGH_KHR,
  CL_QUEUE_THROTTLE_LOW_KHR,
  CL_QUEUE_THROTTLE_MED_KHR,
  type CommandQueue,
  type Context,
  type ContextProperties,
  type Device,
  type Event,
  type ImageFormat,
  type MemoryProperties,
  type Platform,
  type Program,
  type QueuePropertyList,
  type SamplerProperties,
  clBuildProgram,
  clCreateBufferWithProperties,
  clCreateCommandQueueWithProperties,
  clCreateCommandQueueWithPropertiesKHR,
  clCreateContext,
  clCreateContextFromType,
  clCreateImage2D,
  clCreateImage3D,
  clCreateImageWithProperties,
  clCreatePipe,
  clCreateProgramWithBuiltInKernels,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateSamplerWithProperties,
  clCreateUserEvent,
  clEnqueueBarrier,
  clEnqueueMarker,
  clEnqueueNDRangeKernel,
  clEnqueueTask,
  clEnqueueWaitForEvents,
  clFinish,
  clGetCommandQueueInfo,
  clGetContextInfo,
  clGetDeviceAndHostTimer,
  clGetDeviceInfo,
  clGetEventInfo,
  clGetEventProfilingInfo,
  clGetExtensionFunctionAddress,
  clGetExtensionFunctionAddressForPlatform,
  clGetHostTimer,
  clGetImageInfo,
  clGetMemObjectInfo,
  clGetPipeInfo,
  clGetPlatformInfo,
  clGetSamplerInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseEvent,
  clReleaseKernel,
  clSetCommandQueueProperty,
  clSetDefaultDeviceCommandQueue,
  clSetProgramReleaseCallback,
  clSetUserEventStatus,
  clUnloadCompiler,
  clUnloadPlatformCompiler,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, expectError, int, ints, kernelOf, newQueue, platform, readInts } from "./rig.ts";

const RGBA8: ImageFormat = { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" };

test("clCreateCommandQueueWithProperties: what it was made with is what its queries answer", () => {
  const given: QueuePropertyList = {
    CL_QUEUE_PROPERTIES: CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    CL_QUEUE_PRIORITY_KHR: CL_QUEUE_PRIORITY_LOW_KHR,
    CL_QUEUE_THROTTLE_KHR: CL_QUEUE_THROTTLE_MED_KHR,
  };
  const queue = clCreateCommandQueueWithProperties(context, device, given);
  expect(clGetCommandQueueInfo(queue, "CL_QUEUE_PROPERTIES")).toBe(3);
  expect(clGetCommandQueueInfo(queue, "CL_QUEUE_PROPERTIES_ARRAY")).toEqual(given);
  expect(clGetCommandQueueInfo(queue, "CL_QUEUE_DEVICE_DEFAULT")).toBe(null);
  expectError(
    () => clGetCommandQueueInfo(queue, "CL_QUEUE_SIZE"),
    "CL_INVALID_COMMAND_QUEUE",
    /only on-device queues have a size/u,
  );
  const data = ints(1);
  clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", data, int(1)), 1, null, [1], null);
  // Without order, the read would not wait by itself.
  clFinish(queue);
  expect(readInts(queue, data)).toEqual([2]);
  expect(clGetCommandQueueInfo(clCreateCommandQueueWithProperties(context, device), "CL_QUEUE_PROPERTIES_ARRAY")).toBe(
    null,
  );
  expect(
    clGetCommandQueueInfo(clCreateCommandQueueWithProperties(context, device, {}), "CL_QUEUE_PROPERTIES_ARRAY"),
  ).toEqual({});
});

test.each([CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR])(
  "clCreateCommandQueueWithProperties: priority %i is taken",
  (priority) => {
    const queue = clCreateCommandQueueWithProperties(context, device, { CL_QUEUE_PRIORITY_KHR: priority });
    expect(clGetCommandQueueInfo(queue, "CL_QUEUE_PROPERTIES_ARRAY")).toEqual({ CL_QUEUE_PRIORITY_KHR: priority });
  },
);

test.each([CL_QUEUE_THROTTLE_HIGH_KHR, CL_QUEUE_THROTTLE_MED_KHR, CL_QUEUE_THROTTLE_LOW_KHR])(
  "clCreateCommandQueueWithProperties: throttle %i is taken",
  (throttle) => {
    const queue = clCreateCommandQueueWithProperties(context, device, { CL_QUEUE_THROTTLE_KHR: throttle });
    expect(clGetCommandQueueInfo(queue, "CL_QUEUE_PROPERTIES_ARRAY")).toEqual({ CL_QUEUE_THROTTLE_KHR: throttle });
  },
);

const ON_DEVICE = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
const BAD_QUEUES: readonly (readonly [
  list: QueuePropertyList,
  name: "CL_INVALID_VALUE" | "CL_INVALID_QUEUE_PROPERTIES",
  message: RegExp,
])[] = [
  [
    { CL_QUEUE_COLOUR: 1 } as QueuePropertyList,
    "CL_INVALID_VALUE",
    /CL_QUEUE_COLOUR is not a property of queues; the properties are CL_QUEUE_PROPERTIES/u,
  ],
  [{ CL_QUEUE_PROPERTIES: 16 }, "CL_INVALID_VALUE", /0x10 are not supported/u],
  [{ CL_QUEUE_PROPERTIES: CL_QUEUE_ON_DEVICE }, "CL_INVALID_VALUE", /requires CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE/u],
  [{ CL_QUEUE_PROPERTIES: CL_QUEUE_ON_DEVICE_DEFAULT }, "CL_INVALID_VALUE", /requires CL_QUEUE_ON_DEVICE/u],
  [{ CL_QUEUE_SIZE: 1024 }, "CL_INVALID_VALUE", /CL_QUEUE_SIZE is a size in bytes/u],
  [{ CL_QUEUE_PRIORITY_KHR: 3 }, "CL_INVALID_VALUE", /the priority 3 is not one of/u],
  [{ CL_QUEUE_THROTTLE_KHR: 0 }, "CL_INVALID_VALUE", /the throttle 0 is not one of/u],
  [{ CL_QUEUE_PROPERTIES: ON_DEVICE }, "CL_INVALID_QUEUE_PROPERTIES", /no on-device queues/u],
  [
    { CL_QUEUE_PROPERTIES: ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, CL_QUEUE_SIZE: 1024 },
    "CL_INVALID_QUEUE_PROPERTIES",
    /no on-device queues/u,
  ],
];

test.each(BAD_QUEUES)("clCreateCommandQueueWithProperties: %o is %s", (list, name, message) => {
  expectError(() => clCreateCommandQueueWithProperties(context, device, list), name, message);
  expectError(() => clCreateCommandQueueWithPropertiesKHR(context, device, list), name, message);
});

test("clCreateCommandQueueWithProperties: CL_INVALID_CONTEXT, CL_INVALID_DEVICE", () => {
  expectError(
    () => clCreateCommandQueueWithProperties({} as Context, device),
    "CL_INVALID_CONTEXT",
    /expected an object of type Context/u,
  );
  expectError(
    () => clCreateCommandQueueWithProperties(context, {} as Device),
    "CL_INVALID_DEVICE",
    /does not belong to this context/u,
  );
});

test("clCreateCommandQueueWithPropertiesKHR: CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_VALUE, CL_INVALID_QUEUE_PROPERTIES", () => {
  expectError(
    () => clCreateCommandQueueWithPropertiesKHR({} as Context, device),
    "CL_INVALID_CONTEXT",
    /^clCreateCommandQueueWithPropertiesKHR: expected an object of type Context/u,
  );
  expectError(
    () => clCreateCommandQueueWithPropertiesKHR(context, {} as Device),
    "CL_INVALID_DEVICE",
    /does not belong to this context/u,
  );
  expectError(
    () => clCreateCommandQueueWithPropertiesKHR(context, device, { CL_QUEUE_PROPERTIES: 16 }),
    "CL_INVALID_VALUE",
    /0x10 are not supported/u,
  );
  expectError(
    () => clCreateCommandQueueWithPropertiesKHR(context, device, { CL_QUEUE_PROPERTIES: ON_DEVICE }),
    "CL_INVALID_QUEUE_PROPERTIES",
    /no on-device queues/u,
  );
});

test("clSetCommandQueueProperty: CL_INVALID_OPERATION for what there is, CL_INVALID_VALUE for what there is not, CL_INVALID_COMMAND_QUEUE", () => {
  const queue = newQueue();
  expectError(
    () => clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, true),
    "CL_INVALID_OPERATION",
    /cannot be enabled later/u,
  );
  expectError(
    () => clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, false),
    "CL_INVALID_OPERATION",
    /cannot be disabled later/u,
  );
  expectError(() => clSetCommandQueueProperty(queue, 64, true), "CL_INVALID_VALUE", /0x40/u);
  expectError(
    () => clSetCommandQueueProperty({} as CommandQueue, 1, true),
    "CL_INVALID_COMMAND_QUEUE",
    /expected an object of type CommandQueue/u,
  );
});

test("clSetDefaultDeviceCommandQueue: CL_INVALID_OPERATION whatever the queue is, CL_INVALID_CONTEXT, CL_INVALID_DEVICE", () => {
  const queue = newQueue();
  expectError(
    () => clSetDefaultDeviceCommandQueue(context, device, queue),
    "CL_INVALID_OPERATION",
    /no default queue/u,
  );
  expectError(
    () => clSetDefaultDeviceCommandQueue({} as Context, device, queue),
    "CL_INVALID_CONTEXT",
    /expected an object of type Context/u,
  );
  expectError(
    () => clSetDefaultDeviceCommandQueue(context, {} as Device, queue),
    "CL_INVALID_DEVICE",
    /does not belong to this context/u,
  );
  clReleaseCommandQueue(queue);
  for (const wrong of [queue, null as unknown as CommandQueue])
    expectError(
      () => clSetDefaultDeviceCommandQueue(context, device, wrong),
      "CL_INVALID_OPERATION",
      /no default queue/u,
    );
});

test("clCreateContextFromType: a device of the kind, and the properties that were passed", () => {
  for (const type of [
    CL_DEVICE_TYPE_CPU,
    CL_DEVICE_TYPE_DEFAULT,
    CL_DEVICE_TYPE_ALL,
    CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU,
  ]) {
    const properties: ContextProperties = { CL_CONTEXT_PLATFORM: platform, CL_CONTEXT_INTEROP_USER_SYNC: true };
    const own = clCreateContextFromType(type, null, properties);
    expect(clGetContextInfo(own, "CL_CONTEXT_DEVICES")).toEqual([device]);
    expect(clGetContextInfo(own, "CL_CONTEXT_PROPERTIES")).toEqual(properties);
    clReleaseContext(own);
  }
  expect(clGetContextInfo(clCreateContextFromType(CL_DEVICE_TYPE_CPU), "CL_CONTEXT_PROPERTIES")).toBe(null);
});

test("clCreateContextFromType: CL_DEVICE_NOT_FOUND, CL_INVALID_DEVICE_TYPE, CL_INVALID_PLATFORM, CL_INVALID_PROPERTY", () => {
  expectError(
    () => clCreateContextFromType(CL_DEVICE_TYPE_ACCELERATOR),
    "CL_DEVICE_NOT_FOUND",
    /no device of this type/u,
  );
  expectError(() => clCreateContextFromType(0), "CL_INVALID_DEVICE_TYPE", /0 is not a device type/u);
  const bad: readonly (readonly [ContextProperties, "CL_INVALID_PLATFORM" | "CL_INVALID_PROPERTY", RegExp])[] = [
    [{ CL_CONTEXT_PLATFORM: {} as Platform }, "CL_INVALID_PLATFORM", /not a platform/u],
    [
      { CL_CONTEXT_COLOUR: 1 } as ContextProperties,
      "CL_INVALID_PROPERTY",
      /CL_CONTEXT_COLOUR is not a property of contexts/u,
    ],
    [{ CL_CONTEXT_INTEROP_USER_SYNC: 1 as unknown as boolean }, "CL_INVALID_PROPERTY", /true or false, not 1/u],
  ];
  for (const [properties, name, message] of bad) {
    expectError(() => clCreateContextFromType(CL_DEVICE_TYPE_CPU, null, properties), name, message);
    expectError(() => clCreateContext([device], null, properties), name, message);
  }
});

test("clCreateBufferWithProperties: no properties or an empty list; CL_INVALID_PROPERTY, CL_INVALID_CONTEXT, CL_INVALID_BUFFER_SIZE", () => {
  const plain = clCreateBufferWithProperties(context, null, CL_MEM_COPY_HOST_PTR, 8, Int32Array.of(3, 4));
  expect(readInts(newQueue(), plain)).toEqual([3, 4]);
  expect(clGetMemObjectInfo(plain, "CL_MEM_PROPERTIES")).toBe(null);
  expect(clGetMemObjectInfo(clCreateBufferWithProperties(context, {}, 1, 8), "CL_MEM_PROPERTIES")).toEqual({});
  expectError(
    () => clCreateBufferWithProperties(context, { CL_MEM_COLOUR: 1 } as unknown as MemoryProperties, 1, 8),
    "CL_INVALID_PROPERTY",
    /CL_MEM_COLOUR is not a property/u,
  );
  expectError(
    () => clCreateBufferWithProperties({} as Context, null, 1, 8),
    "CL_INVALID_CONTEXT",
    /clCreateBufferWithProperties: expected an object of type Context/u,
  );
  expectError(
    () => clCreateBufferWithProperties(context, null, 1, 0),
    "CL_INVALID_BUFFER_SIZE",
    /clCreateBufferWithProperties: a buffer has/u,
  );
});

test("clCreateImageWithProperties: no properties or an empty list; CL_INVALID_PROPERTY, CL_INVALID_CONTEXT, CL_INVALID_IMAGE_DESCRIPTOR", () => {
  const image = clCreateImageWithProperties(context, {}, CL_MEM_READ_ONLY, RGBA8, {
    type: "CL_MEM_OBJECT_IMAGE2D",
    width: 4,
    height: 4,
  });
  expect(clGetMemObjectInfo(image, "CL_MEM_PROPERTIES")).toEqual({});
  expect(clGetImageInfo(image, "CL_IMAGE_WIDTH")).toBe(4);
  expectError(
    () =>
      clCreateImageWithProperties(context, { CL_MEM_COLOUR: 1 } as unknown as MemoryProperties, 1, RGBA8, {
        type: "CL_MEM_OBJECT_IMAGE1D",
        width: 4,
      }),
    "CL_INVALID_PROPERTY",
    /CL_MEM_COLOUR/u,
  );
  expectError(
    () => clCreateImageWithProperties({} as Context, null, 1, RGBA8, { type: "CL_MEM_OBJECT_IMAGE1D", width: 4 }),
    "CL_INVALID_CONTEXT",
    /expected an object of type Context/u,
  );
  expectError(
    () => clCreateImageWithProperties(context, null, 1, RGBA8, { type: "CL_MEM_OBJECT_IMAGE1D", width: 0 }),
    "CL_INVALID_IMAGE_DESCRIPTOR",
    /clCreateImageWithProperties: /u,
  );
});

test("clCreateImage2D and clCreateImage3D make what clCreateImage makes; CL_INVALID_IMAGE_SIZE, CL_INVALID_CONTEXT, CL_INVALID_HOST_PTR", () => {
  const flat = clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, RGBA8, 2, 2, 12, new Uint8Array(24));
  expect(clGetMemObjectInfo(flat, "CL_MEM_TYPE")).toBe("CL_MEM_OBJECT_IMAGE2D");
  expect(clGetImageInfo(flat, "CL_IMAGE_HEIGHT")).toBe(2);
  const solid = clCreateImage3D(context, 1, RGBA8, 2, 3, 4);
  expect(clGetMemObjectInfo(solid, "CL_MEM_TYPE")).toBe("CL_MEM_OBJECT_IMAGE3D");
  expect(clGetImageInfo(solid, "CL_IMAGE_DEPTH")).toBe(4);
  expectError(
    () => clCreateImage2D(context, 1, RGBA8, 2, 0),
    "CL_INVALID_IMAGE_SIZE",
    /clCreateImage2D: the sizes and pitches do not describe an image/u,
  );
  expectError(() => clCreateImage2D(context, 1, RGBA8, 2, 2, 16), "CL_INVALID_IMAGE_SIZE", /clCreateImage2D/u);
  expectError(() => clCreateImage2D(context, 1, RGBA8, 100_000, 2), "CL_INVALID_IMAGE_SIZE", /clCreateImage2D/u);
  expectError(
    () => clCreateImage3D(context, 1, RGBA8, 2, 2, 0),
    "CL_INVALID_IMAGE_SIZE",
    /at least two slices, not 0/u,
  );
  expectError(
    () => clCreateImage2D({} as Context, 1, RGBA8, 2, 2),
    "CL_INVALID_CONTEXT",
    /expected an object of type Context/u,
  );
  expectError(
    () => clCreateImage3D({} as Context, 1, RGBA8, 2, 2, 2),
    "CL_INVALID_CONTEXT",
    /expected an object of type Context/u,
  );
  expectError(
    () => clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, RGBA8, 2, 2),
    "CL_INVALID_HOST_PTR",
    /require an array/u,
  );
  expectError(
    () => clCreateImage3D(context, CL_MEM_COPY_HOST_PTR, RGBA8, 2, 2, 2, 0, 0, new Uint8Array(8)),
    "CL_INVALID_HOST_PTR",
    /the array has 8 bytes/u,
  );
});

test("clCreateSamplerWithProperties: the defaults are normalised, clamped, nearest", () => {
  const plain = clCreateSamplerWithProperties(context);
  expect(clGetSamplerInfo(plain, "CL_SAMPLER_NORMALIZED_COORDS")).toBe(true);
  expect(clGetSamplerInfo(plain, "CL_SAMPLER_ADDRESSING_MODE")).toBe("CL_ADDRESS_CLAMP");
  expect(clGetSamplerInfo(plain, "CL_SAMPLER_FILTER_MODE")).toBe("CL_FILTER_NEAREST");
  expect(clGetSamplerInfo(plain, "CL_SAMPLER_PROPERTIES")).toBe(null);
  const given: SamplerProperties = {
    CL_SAMPLER_ADDRESSING_MODE: "CL_ADDRESS_MIRRORED_REPEAT",
    CL_SAMPLER_FILTER_MODE: "CL_FILTER_LINEAR",
  };
  const sampler = clCreateSamplerWithProperties(context, given);
  expect(clGetSamplerInfo(sampler, "CL_SAMPLER_PROPERTIES")).toEqual(given);
  expect(clGetSamplerInfo(sampler, "CL_SAMPLER_ADDRESSING_MODE")).toBe("CL_ADDRESS_MIRRORED_REPEAT");
  expect(
    clGetSamplerInfo(clCreateSampler(context, true, "CL_ADDRESS_NONE", "CL_FILTER_NEAREST"), "CL_SAMPLER_PROPERTIES"),
  ).toBe(null);
});

test("clCreateSamplerWithProperties: CL_INVALID_VALUE, CL_INVALID_CONTEXT", () => {
  expectError(
    () => clCreateSamplerWithProperties(context, { CL_SAMPLER_COLOUR: 1 } as SamplerProperties),
    "CL_INVALID_VALUE",
    /CL_SAMPLER_COLOUR is not a property/u,
  );
  expectError(
    () => clCreateSamplerWithProperties(context, { CL_SAMPLER_FILTER_MODE: "CL_FILTER_CUBIC" as "CL_FILTER_LINEAR" }),
    "CL_INVALID_VALUE",
    /CL_FILTER_CUBIC is not a filter mode/u,
  );
  expectError(
    () =>
      clCreateSamplerWithProperties(context, {
        CL_SAMPLER_NORMALIZED_COORDS: false,
        CL_SAMPLER_ADDRESSING_MODE: "CL_ADDRESS_REPEAT",
      }),
    "CL_INVALID_VALUE",
    /requires normalised coordinates/u,
  );
  expectError(
    () => clCreateSamplerWithProperties({} as Context),
    "CL_INVALID_CONTEXT",
    /clCreateSamplerWithProperties: expected an object of type Context/u,
  );
});

test("clGetPipeInfo: a pipe is made without properties", () => {
  expect(clGetPipeInfo(clCreatePipe(context, 0, 4, 8), "CL_PIPE_PROPERTIES")).toBe(null);
});

test("clGetDeviceAndHostTimer and clGetHostTimer: both clocks advance together, and events are on the device's", () => {
  const queue = newQueue(CL_QUEUE_PROFILING_ENABLE);
  const before = clGetDeviceAndHostTimer(device);
  const event = clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", ints(1), int(1)), 1, null, [1], null);
  clFinish(queue);
  const after = clGetDeviceAndHostTimer(device);
  const host = clGetHostTimer(device);
  expect(host).toBeGreaterThanOrEqual(after.hostTimestamp);
  expect(after.deviceTimestamp - before.deviceTimestamp).toBeCloseTo(after.hostTimestamp - before.hostTimestamp, -2);
  // The offset between the clocks is measured.
  expect(clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_END")).toBeGreaterThan(before.deviceTimestamp - 1e6);
  expect(clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_END")).toBeLessThan(after.deviceTimestamp + 1e6);
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_HOST_TIMER_RESOLUTION")).toBeGreaterThan(0);
  expectError(() => clGetDeviceAndHostTimer({} as Device), "CL_INVALID_DEVICE", /the value is not a device/u);
  expectError(() => clGetHostTimer({} as Device), "CL_INVALID_DEVICE", /the value is not a device/u);
});

test("clGetExtensionFunctionAddressForPlatform: functions of extensions that the platform names; CL_INVALID_PLATFORM", () => {
  expect(clGetPlatformInfo(platform, "CL_PLATFORM_EXTENSIONS").split(" ")).toContain("cl_khr_create_command_queue");
  const create = clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR");
  expect(create).toBe(clCreateCommandQueueWithPropertiesKHR);
  expect(clGetCommandQueueInfo(create(context, device, {}), "CL_QUEUE_CONTEXT")).toBe(context);
  for (const name of ["clCreateBuffer", "clNothingKHR", "constructor"]) {
    expect(clGetExtensionFunctionAddressForPlatform(platform, name)).toBe(null);
    expect(clGetExtensionFunctionAddress(name)).toBe(null);
  }
  expect(clGetExtensionFunctionAddress("clCreateCommandQueueWithPropertiesKHR")).toBe(create);
  expectError(
    () => clGetExtensionFunctionAddressForPlatform({} as Platform, "clCreateCommandQueueWithPropertiesKHR"),
    "CL_INVALID_PLATFORM",
    /the value is not a platform/u,
  );
});

test("clUnloadPlatformCompiler and clUnloadCompiler: programs can be built afterwards; CL_INVALID_PLATFORM", () => {
  clUnloadPlatformCompiler(platform);
  clUnloadCompiler();
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  expectError(
    () => {
      clUnloadPlatformCompiler({} as Platform);
    },
    "CL_INVALID_PLATFORM",
    /the value is not a platform/u,
  );
});

test("clEnqueueMarker, clEnqueueBarrier and clEnqueueWaitForEvents keep the order that they promise", () => {
  const queue = newQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const gate = clCreateUserEvent(context);
  const data = ints(1);
  const held = clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", data, int(1)), 1, null, [1], null, [gate]);
  const marker = clEnqueueMarker(queue);
  expect(clGetEventInfo(marker, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_MARKER");
  clEnqueueWaitForEvents(queue, [held]);
  const later = clEnqueueNDRangeKernel(queue, kernelOf(SOURCE, "add", data, int(10)), 1, null, [1], null);
  clEnqueueBarrier(queue);
  const last = clEnqueueMarker(queue);
  const statuses = (): number[] =>
    [marker, later, last].map((event) => clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS"));
  expect(statuses()).toEqual([3, 3, 3]);
  clSetUserEventStatus(gate, 0);
  clFinish(queue);
  expect(statuses()).toEqual([0, 0, 0]);
  expect(readInts(queue, data)).toEqual([12]);
});

test("clEnqueueWaitForEvents: CL_INVALID_VALUE, CL_INVALID_EVENT, CL_INVALID_CONTEXT, CL_INVALID_COMMAND_QUEUE", () => {
  const queue = newQueue();
  expectError(
    () => {
      clEnqueueWaitForEvents(queue, []);
    },
    "CL_INVALID_VALUE",
    /list of events is empty/u,
  );
  expectError(
    () => {
      clEnqueueWaitForEvents(queue, [{} as Event]);
    },
    "CL_INVALID_EVENT",
    /expected an object of type Event/u,
  );
  const gone = clCreateUserEvent(context);
  clReleaseEvent(gone);
  expectError(
    () => {
      clEnqueueWaitForEvents(queue, [gone]);
    },
    "CL_INVALID_EVENT",
    /has been released/u,
  );
  const foreign = clCreateUserEvent(clCreateContext([device]));
  expectError(
    () => {
      clEnqueueWaitForEvents(queue, [foreign]);
    },
    "CL_INVALID_CONTEXT",
    /another context/u,
  );
  expectError(
    () => {
      clEnqueueWaitForEvents({} as CommandQueue, [gone]);
    },
    "CL_INVALID_COMMAND_QUEUE",
    /expected an object of type CommandQueue/u,
  );
});

test("clEnqueueTask: one work-item; CL_INVALID_KERNEL, CL_INVALID_KERNEL_ARGS, CL_INVALID_WORK_GROUP_SIZE", () => {
  const queue = newQueue();
  const data = ints(1, 1);
  const event = clEnqueueTask(queue, kernelOf(SOURCE, "add", data, int(4)));
  expect(clGetEventInfo(event, "CL_EVENT_COMMAND_TYPE")).toBe("CL_COMMAND_TASK");
  expect(readInts(queue, data)).toEqual([5, 1]);
  expectError(() => clEnqueueTask(queue, kernelOf(SOURCE, "add", data)), "CL_INVALID_KERNEL_ARGS", /argument 1/u);
  expectError(
    () =>
      clEnqueueTask(
        queue,
        kernelOf(`kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(void) {}`, "eight"),
      ),
    "CL_INVALID_WORK_GROUP_SIZE",
    /requires the local size 8/u,
  );
  const gone = kernelOf(SOURCE, "add", data, int(1));
  clReleaseKernel(gone);
  expectError(() => clEnqueueTask(queue, gone), "CL_INVALID_KERNEL", /has been released/u);
});

test("clCreateProgramWithBuiltInKernels: CL_INVALID_VALUE for names that no device has, CL_INVALID_DEVICE, CL_INVALID_CONTEXT", () => {
  expect(clGetDeviceInfo(device, "CL_DEVICE_BUILT_IN_KERNELS")).toEqual([]);
  expect(clGetDeviceInfo(device, "CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION")).toEqual([]);
  expectError(
    () => clCreateProgramWithBuiltInKernels(context, [device], "fill"),
    "CL_INVALID_VALUE",
    /"fill" is not a built-in kernel/u,
  );
  expectError(
    () => clCreateProgramWithBuiltInKernels(context, [], "fill"),
    "CL_INVALID_VALUE",
    /list of devices is empty/u,
  );
  expectError(
    () => clCreateProgramWithBuiltInKernels(context, [{} as Device], "fill"),
    "CL_INVALID_DEVICE",
    /does not belong to this context/u,
  );
  expectError(
    () => clCreateProgramWithBuiltInKernels({} as Context, [device], "fill"),
    "CL_INVALID_CONTEXT",
    /expected an object of type Context/u,
  );
});

test("clSetProgramReleaseCallback: CL_INVALID_OPERATION whatever the callback is, CL_INVALID_PROGRAM", () => {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  expectError(
    () => clSetProgramReleaseCallback(program, () => undefined),
    "CL_INVALID_OPERATION",
    /no device of the program supports destructors/u,
  );
  expectError(
    () => clSetProgramReleaseCallback(program, null as unknown as () => void),
    "CL_INVALID_OPERATION",
    /no device of the program supports destructors/u,
  );
  expectError(
    () => clSetProgramReleaseCallback({} as Program, () => undefined),
    "CL_INVALID_PROGRAM",
    /expected an object of type Program/u,
  );
});
