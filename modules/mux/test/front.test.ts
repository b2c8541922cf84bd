// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { type Result, ok } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  MuxAddressCapabilities,
  muxAllocateMemory,
  MuxAllocationCapabilities,
  MuxAllocationType,
  MuxAtomicCapabilities,
  muxBindBufferMemory,
  MuxBuffer,
  muxCloneCommandBuffer,
  MuxCommandBuffer,
  muxCommandCopyBuffer,
  muxCommandCopyBufferRegions,
  muxCommandFillBuffer,
  muxCommandNDRange,
  muxCommandReadBuffer,
  muxCreateBuffer,
  muxCreateBuiltInKernel,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxCreateFence,
  muxCreateImage,
  muxCreateQueryPool,
  muxCreateSemaphore,
  muxDestroyBuffer,
  muxDestroyCommandBuffer,
  muxDestroyDevice,
  muxDestroyFence,
  muxDestroySemaphore,
  MuxDevice,
  type MuxDeviceInfo,
  MuxDeviceType,
  muxDispatch,
  MuxEndianness,
  type MuxError,
  MuxFence,
  muxFinalizeCommandBuffer,
  MuxFloatingPointCapabilities,
  muxFreeMemory,
  muxGetDeviceInfos,
  muxGetQueue,
  muxGetSubDeviceInfo,
  MuxIntegerCapabilities,
  MuxKernel,
  muxMapMemory,
  MuxMemory,
  MuxMemoryProperty,
  MuxQueue,
  muxResetCommandBuffer,
  MuxResult,
  MuxSemaphore,
  MuxSharedLocalMemoryType,
  type MuxTarget,
  muxUnmapMemory,
  registerTarget,
  STUB_TARGET,
} from "@muxkit/mux";

const info: MuxDeviceInfo = {
  id: 0,
  deviceName: "test device",
  deviceType: MuxDeviceType.accelerator,
  khronosVendorId: 0,
  devicePriority: 0,
  allocationCapabilities: MuxAllocationCapabilities.alloc_device,
  addressCapabilities: MuxAddressCapabilities.bits32,
  atomicCapabilities: MuxAtomicCapabilities.bits32,
  cacheCapabilities: 0,
  halfCapabilities: 0,
  floatCapabilities: MuxFloatingPointCapabilities.inf_nan | MuxFloatingPointCapabilities.rte,
  doubleCapabilities: 0,
  integerCapabilities:
    MuxIntegerCapabilities.bits8 |
    MuxIntegerCapabilities.bits16 |
    MuxIntegerCapabilities.bits32 |
    MuxIntegerCapabilities.bits64,
  customBufferCapabilities: 0,
  endianness: MuxEndianness.little,
  sharedLocalMemoryType: MuxSharedLocalMemoryType.virtual,
  builtinKernelDeclarations: "",
  maxConcurrentWorkItems: 64,
  maxWorkGroupSizeX: 64,
  maxWorkGroupSizeY: 8,
  maxWorkGroupSizeZ: 4,
  maxWorkWidth: 1,
  clockFrequency: 0,
  computeUnits: 1,
  bufferAlignment: 128,
  memorySize: 1 << 20,
  allocationSize: 1 << 20,
  cacheSize: 0,
  cachelineSize: 64,
  sharedLocalMemorySize: 1024,
  nativeVectorWidth: 4,
  preferredVectorWidth: 4,
  imageSupport: false,
  image2dArrayWrites: false,
  image3dWrites: false,
  maxImageDimension1d: 0,
  maxImageDimension2d: 0,
  maxImageDimension3d: 0,
  maxImageArrayLayers: 0,
  maxStorageImages: 0,
  maxSampledImages: 0,
  maxSamplers: 0,
  queueTypes: [1],
  queryCounterSupport: false,
  descriptorsUpdatable: false,
  canCloneCommandBuffers: true,
  supportsBuiltinKernels: false,
  maxSubGroupCount: 0,
  subGroupsSupportIfp: false,
  maxHardwareCounters: 0,
  supportsWorkGroupCollectives: false,
  supportsGenericAddressSpace: false,
  subGroupSizes: [],
  codeFeatures: [],
  languageExtensions: [],
};

/** Completions that the target has not reported yet. */
const pending: (() => void)[] = [];

/** A target that keeps its calls and runs nothing: the front is what is tested. */
const target: MuxTarget = {
  ...STUB_TARGET,
  name: "front test",
  getDeviceInfos: (number) => [{ ...info, id: number }],
  createDevice: (own) => ok(new MuxDevice({ info: own, target })),
  allocateMemory: (device, size, _heap, properties) => ok(new MuxMemory({ device, size, properties, handle: 0 })),
  mapMemory: (_device, _memory, _offset, size) => ok(new Uint8Array(size)),
  unmapMemory: () => ok(),
  createBuffer: (device, size) =>
    ok(new MuxBuffer({ device, memoryRequirements: { size, alignment: 128, supportedHeaps: 1 } })),
  bindBufferMemory: () => ok(),
  getQueue: (device) => ok(new MuxQueue({ device })),
  createFence: (device) => ok(new MuxFence({ device })),
  createSemaphore: (device) => ok(new MuxSemaphore({ device })),
  createCommandBuffer: (device) => ok(new MuxCommandBuffer({ device })),
  finalizeCommandBuffer: () => ok(),
  resetCommandBuffer: () => ok(),
  cloneCommandBuffer: (device) => ok(new MuxCommandBuffer({ device })),
  commandReadBuffer: () => ok(),
  commandFillBuffer: () => ok(),
  commandCopyBuffer: () => ok(),
  commandCopyBufferRegions: () => ok(),
  commandNDRange: () => ok(),
  dispatch: (_queue, commandBuffer, _fence, _waits, _signals, done, completed) => {
    pending.push(() => {
      done?.(commandBuffer, null);
      completed();
    });
    return ok();
  },
};
registerTarget(target);

function value<T>(result: Result<T, MuxError>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function problem(result: Result<unknown, MuxError>): MuxError | null {
  return result.ok ? null : result.error;
}

function openDevice(): MuxDevice {
  const infos = value(muxGetDeviceInfos(MuxDeviceType.accelerator));
  const [device] = value(muxCreateDevices(infos.slice(0, 1), DEFAULT_ALLOCATOR));
  if (device === undefined) throw new Error("no device");
  return device;
}

interface Rig {
  readonly device: MuxDevice;
  readonly memory: MuxMemory;
  readonly buffer: MuxBuffer;
  readonly commands: MuxCommandBuffer;
}

function rig(): Rig {
  const device = openDevice();
  const memory = value(
    muxAllocateMemory(
      device,
      4096,
      1,
      MuxMemoryProperty.host_visible,
      MuxAllocationType.alloc_device,
      0,
      DEFAULT_ALLOCATOR,
    ),
  );
  const buffer = value(muxCreateBuffer(device, 1024, DEFAULT_ALLOCATOR));
  value(muxBindBufferMemory(device, memory, buffer, 128));
  return { device, memory, buffer, commands: value(muxCreateCommandBuffer(device, null, DEFAULT_ALLOCATOR)) };
}

test("ids encode kind, target and device", () => {
  const { device, buffer } = rig();
  expect(device.id >>> 16).toBe(3);
  expect(buffer.id >>> 16).toBe(1);
  expect(buffer.id & 255).toBe(device.info.id);
});

test("kinds of devices that do not exist are refused; none of a kind is an empty list", () => {
  expect(problem(muxGetDeviceInfos(0))?.name).toBe("error_invalid_value");
  expect(value(muxGetDeviceInfos(MuxDeviceType.gpu_virtual))).toEqual([]);
});

test("an allocator without callbacks, and one that refuses", () => {
  const device = openDevice();
  expect(problem(muxCreateBuffer(device, 16, { allocate: () => true } as never))?.code).toBe(
    MuxResult.error_null_allocator_callback,
  );
  expect(problem(muxCreateBuffer(device, 16, { allocate: () => false, free: () => undefined }))?.code).toBe(
    MuxResult.error_out_of_memory,
  );
});

test.each([
  ["size 0", (device: MuxDevice) => muxAllocateMemory(device, 0, 1, 2, 0, 0, DEFAULT_ALLOCATOR), "size"],
  [
    "no property",
    (device: MuxDevice) => muxAllocateMemory(device, 1, 1, 0, 0, 0, DEFAULT_ALLOCATOR),
    "memoryProperties",
  ],
  [
    "an unknown property",
    (device: MuxDevice) => muxAllocateMemory(device, 1, 1, 1 << 9, 0, 0, DEFAULT_ALLOCATOR),
    "memoryProperties",
  ],
  [
    "an alignment of 3",
    (device: MuxDevice) => muxAllocateMemory(device, 1, 1, 2, 0, 3, DEFAULT_ALLOCATOR),
    "alignment",
  ],
  ["a size that is no number", (device: MuxDevice) => muxCreateBuffer(device, Number.NaN, DEFAULT_ALLOCATOR), "size"],
  ["a queue that is not there", (device: MuxDevice) => muxGetQueue(device, 0, 1), "queueIndex"],
  [
    "no queries",
    (device: MuxDevice) => muxCreateQueryPool(value(muxGetQueue(device, 0, 0)), 0, 0, [], DEFAULT_ALLOCATOR),
    "queryCount",
  ],
])("%s is an error that names the argument", (_, call, argument) => {
  const wrong = problem(call(openDevice()));
  expect(wrong?.code).toBe(MuxResult.error_invalid_value);
  expect(wrong?.argument).toBe(argument);
  expect(wrong?.message).toMatch(/^mux\w+: /u);
});

test("features that a device lacks", () => {
  const device = openDevice();
  expect(problem(muxCreateImage(device, 1, 0x10d210b5, 4, 4, 1, 0, 0, 0, DEFAULT_ALLOCATOR))?.name).toBe(
    "error_feature_unsupported",
  );
  expect(problem(muxCreateBuiltInKernel(device, "copy", DEFAULT_ALLOCATOR))?.name).toBe("error_feature_unsupported");
});

test("binding: alignment, range, memory of another device", () => {
  const { device, memory } = rig();
  const buffer = value(muxCreateBuffer(device, 1024, DEFAULT_ALLOCATOR));
  expect(problem(muxBindBufferMemory(device, memory, buffer, 64))?.message).toContain("no multiple of 128");
  expect(problem(muxBindBufferMemory(device, memory, buffer, 3200))?.message).toContain("past the end");
  expect(problem(muxBindBufferMemory(device, memory, buffer, Number.MAX_SAFE_INTEGER - 127))?.code).toBe(
    MuxResult.error_invalid_value,
  );
  expect(problem(muxBindBufferMemory(openDevice(), memory, buffer, 0))?.message).toContain("belongs to device");
});

test("use after destroy is an error that names the object", () => {
  const { device, buffer, commands, memory } = rig();
  expect(muxDestroyBuffer(device, buffer, DEFAULT_ALLOCATOR).ok).toBe(true);
  expect(problem(muxDestroyBuffer(device, buffer, DEFAULT_ALLOCATOR))?.message).toContain("has been destroyed");
  expect(problem(muxCommandReadBuffer(commands, buffer, 0, new Uint8Array(4), []))?.argument).toBe("buffer");
  const other = value(muxCreateBuffer(device, 128, DEFAULT_ALLOCATOR));
  value(muxBindBufferMemory(device, memory, other, 0));
  value(muxFreeMemory(device, memory, DEFAULT_ALLOCATOR));
  expect(problem(muxCommandReadBuffer(commands, other, 0, new Uint8Array(4), []))?.message).toContain(
    "memory that has been freed",
  );
});

test("an object of another kind is refused", () => {
  const { device, memory, commands } = rig();
  expect(problem(muxCommandReadBuffer(commands, memory as never, 0, new Uint8Array(4), []))?.message).toContain(
    "must be a MuxBuffer, not a memory",
  );
  expect(problem(muxDestroyBuffer(device, null as never, DEFAULT_ALLOCATOR))?.code).toBe(MuxResult.error_invalid_value);
});

test("a buffer that is not bound cannot be used", () => {
  const { device, commands } = rig();
  const loose = value(muxCreateBuffer(device, 16, DEFAULT_ALLOCATOR));
  expect(problem(muxCommandReadBuffer(commands, loose, 0, new Uint8Array(4), []))?.message).toContain("not bound");
});

test("mapping: twice, not mapped, past the end", () => {
  const { device, memory } = rig();
  expect(problem(muxUnmapMemory(device, memory))?.message).toContain("is not mapped");
  expect(value(muxMapMemory(device, memory, 0, 16)).length).toBe(16);
  expect(problem(muxMapMemory(device, memory, 0, 16))?.message).toContain("mapped already");
  value(muxUnmapMemory(device, memory));
  expect(problem(muxMapMemory(device, memory, 4090, 16))?.message).toContain("past the end");
});

test("states: recording, finalized, in flight", () => {
  const { device, buffer, commands } = rig();
  const queue = value(muxGetQueue(device, 0, 0));
  expect(problem(muxDispatch(queue, commands, null, [], [], null))?.message).toContain("still recording");
  expect(problem(muxCloneCommandBuffer(device, DEFAULT_ALLOCATOR, commands))?.message).toContain("still recording");
  value(muxFinalizeCommandBuffer(commands));
  expect(problem(muxCommandReadBuffer(commands, buffer, 0, new Uint8Array(4), []))?.message).toContain("is finalized");
  const fence = value(muxCreateFence(device, DEFAULT_ALLOCATOR));
  const semaphore = value(muxCreateSemaphore(device, DEFAULT_ALLOCATOR));
  let completed = 0;
  value(muxDispatch(queue, commands, fence, [], [semaphore], () => completed++));
  expect(problem(muxDispatch(queue, commands, null, [], [], null))?.message).toContain("in flight");
  expect(problem(muxResetCommandBuffer(commands))?.message).toContain("in flight");
  expect(problem(muxDestroyCommandBuffer(device, commands, DEFAULT_ALLOCATOR))?.message).toContain("in flight");
  const again = value(muxCloneCommandBuffer(device, DEFAULT_ALLOCATOR, commands));
  expect(problem(muxDispatch(queue, again, fence, [], [], null))?.argument).toBe("fence");
  expect(problem(muxDispatch(queue, again, null, [semaphore, semaphore], [], null))?.message).toContain("twice");
  for (const done of pending.splice(0)) done();
  expect(completed).toBe(1);
  value(muxResetCommandBuffer(commands));
  expect(value(muxCommandReadBuffer(commands, buffer, 0, new Uint8Array(4), [])).commandBuffer).toBe(commands);
});

test("sync-points end with their recording", () => {
  const { buffer, commands } = rig();
  const sync = value(muxCommandFillBuffer(commands, buffer, 0, 16, new Uint8Array(4), []));
  value(muxResetCommandBuffer(commands));
  expect(problem(muxCommandFillBuffer(commands, buffer, 0, 16, new Uint8Array(4), [sync]))?.message).toContain(
    "no sync-point of this recording",
  );
});

test("objects of a destroyed device are dead", () => {
  const { device, buffer, commands } = rig();
  value(muxDestroyDevice(device, DEFAULT_ALLOCATOR));
  expect(problem(muxCommandFillBuffer(commands, buffer, 0, 16, new Uint8Array(4), []))?.message).toContain(
    "of a device that has been destroyed",
  );
});

test("a fence and a semaphore of a dispatch in flight stay", () => {
  const { device, commands } = rig();
  const [fence, semaphore] = [
    value(muxCreateFence(device, DEFAULT_ALLOCATOR)),
    value(muxCreateSemaphore(device, DEFAULT_ALLOCATOR)),
  ];
  value(muxFinalizeCommandBuffer(commands));
  value(muxDispatch(value(muxGetQueue(device, 0, 0)), commands, fence, [], [semaphore], null));
  expect(problem(muxDestroyFence(device, fence, DEFAULT_ALLOCATOR))?.message).toContain("in flight");
  expect(problem(muxDestroySemaphore(device, semaphore, DEFAULT_ALLOCATOR))?.message).toContain("in flight");
  for (const done of pending.splice(0)) done();
  expect(muxDestroyFence(device, fence, DEFAULT_ALLOCATOR).ok).toBe(true);
  expect(muxDestroySemaphore(device, semaphore, DEFAULT_ALLOCATOR).ok).toBe(true);
});

test("devices that cannot all be opened free what was allocated", () => {
  let bytes = 0;
  const counting = {
    allocate: (more: number) => {
      bytes += more;
      return true;
    },
    free: (less: number) => {
      bytes -= less;
    },
  };
  expect(
    problem(muxCreateDevices([...value(muxGetDeviceInfos(MuxDeviceType.accelerator)), { ...info }], counting))
      ?.argument,
  ).toBe("deviceInfos");
  expect(bytes).toBe(0);
});

test("infos of parts: fewer compute units, of devices that have parts", () => {
  const [whole] = value(muxGetDeviceInfos(MuxDeviceType.accelerator));
  expect(whole).toBeDefined();
  const known = whole as MuxDeviceInfo;
  expect(problem(muxGetSubDeviceInfo({ ...known }, 1))?.message).toMatch(/none that muxGetDeviceInfos gave/u);
  for (const units of [0, 0.5, known.computeUnits + 1])
    expect(problem(muxGetSubDeviceInfo(known, units))?.argument).toBe("computeUnits");
  expect(problem(muxGetSubDeviceInfo(known, 1))?.name).toBe("error_feature_unsupported");
});

test("sync-points belong to their command buffer", () => {
  const { device, buffer, commands } = rig();
  const other = value(muxCreateCommandBuffer(device, null, DEFAULT_ALLOCATOR));
  const sync = value(muxCommandFillBuffer(other, buffer, 0, 16, new Uint8Array(4), []));
  expect(problem(muxCommandFillBuffer(commands, buffer, 0, 16, new Uint8Array(4), [sync]))?.argument).toBe(
    "syncPointsInWaitList",
  );
});

test("fills and copies: ranges, multiples, overlap", () => {
  const { buffer, commands } = rig();
  expect(problem(muxCommandFillBuffer(commands, buffer, 2, 16, new Uint8Array(4), []))?.message).toContain("multiples");
  expect(problem(muxCommandFillBuffer(commands, buffer, 0, 256, new Uint8Array(256), []))?.message).toContain(
    "128 is the most",
  );
  expect(problem(muxCommandCopyBuffer(commands, buffer, 0, buffer, 8, 16, []))?.message).toContain("overlap");
  expect(muxCommandCopyBuffer(commands, buffer, 0, buffer, 16, 16, []).ok).toBe(true);
  expect(problem(muxCommandCopyBuffer(commands, buffer, 1020, buffer, 0, 16, []))?.argument).toBe("srcOffset");
});

test("boxes: the last row, a zero side, boxes that overlap", () => {
  const { buffer, commands } = rig();
  const box = {
    region: { x: 4, y: 4, z: 1 },
    srcOrigin: { x: 0, y: 0, z: 0 },
    dstOrigin: { x: 0, y: 0, z: 0 },
    srcDesc: { x: 16, y: 64 },
    dstDesc: { x: 16, y: 64 },
  };
  const away = { ...box, dstOrigin: { x: 8, y: 8, z: 0 } };
  expect(problem(muxCommandCopyBufferRegions(commands, buffer, buffer, [away], []))).toBeNull();
  expect(
    problem(muxCommandCopyBufferRegions(commands, buffer, buffer, [{ ...box, region: { x: 0, y: 4, z: 1 } }], []))
      ?.message,
  ).toContain("no empty side");
  expect(
    problem(muxCommandCopyBufferRegions(commands, buffer, buffer, [{ ...box, srcOrigin: { x: 0, y: 62, z: 0 } }], []))
      ?.message,
  ).toContain("past the end of the source");
  expect(
    problem(
      muxCommandCopyBufferRegions(commands, buffer, buffer, [away, { ...away, dstOrigin: { x: 10, y: 10, z: 0 } }], []),
    )?.message,
  ).toContain("write the same bytes");
});

test("launches: dimensions, sizes, limits, descriptors, parts", () => {
  const { device, buffer, commands } = rig();
  const part = { device, preferredLocalSize: [1, 1, 1], localMemorySize: 0, argumentTypes: [0, 3] } as const;
  const kernel = new MuxKernel(part);
  const descriptors = [
    { type: 0, buffer, offset: 0 },
    { type: 3, data: new Uint8Array(4) },
  ] as const;
  const good = {
    descriptors,
    localSize: [8, 1, 1] as const,
    globalOffset: [0, 0, 0],
    globalSize: [64, 1, 1],
    dimensions: 1,
    firstGroup: null,
    groupCount: null,
  };
  const launch = (change: Partial<Parameters<typeof muxCommandNDRange>[2]>): string | undefined =>
    problem(muxCommandNDRange(commands, kernel, { ...good, ...change }, []))?.message;
  const narrow = Object.assign(new MuxKernel(part), { maxWorkItems: 4 });
  expect(problem(muxCommandNDRange(commands, narrow, good, []))?.message).toContain(
    "8 work-items in a group; 1 to 4 is possible",
  );
  expect(launch({})).toBeUndefined();
  expect(launch({ dimensions: 4 })).toContain("1 to 3");
  expect(launch({ globalSize: [0] })).toContain("global size of 0");
  expect(launch({ globalSize: [2 ** 32] })).toContain("global size");
  expect(launch({ globalOffset: [2 ** 32 - 8] })).toContain("more than 4294967296 ids");
  expect(launch({ localSize: [65, 1, 1] })).toContain("1 to 64");
  expect(launch({ localSize: [64, 2, 1], dimensions: 2, globalSize: [64, 2] })).toContain("1 to 64 is possible");
  expect(launch({ descriptors: descriptors.slice(1) })).toContain("1 descriptors for 2 arguments");
  expect(launch({ descriptors: [descriptors[1], descriptors[0]] })).toContain("argument 0");
  expect(launch({ descriptors: [{ ...descriptors[0], offset: -4 }, descriptors[1]] })).toContain("an offset of -4");
  expect(launch({ descriptors: [{ ...descriptors[0], offset: 1024 }, descriptors[1]] })).toContain(
    "past the end of its buffer",
  );
  expect(launch({ descriptors: [{ type: 5 }, descriptors[1]] })).toBeUndefined();
  expect(launch({ firstGroup: [4, 0, 0], groupCount: [4, 1, 1] })).toBeUndefined();
  expect(launch({ firstGroup: [4, 0, 0], groupCount: [5, 1, 1] })).toContain("of 8 in dimension 0");
  expect(launch({ deadline: 0 })).toBeUndefined();
  for (const change of [{ deadline: 5 }, { watch: () => () => undefined }])
    expect(launch(change)).toContain("the device does not stop launches");
});

test("the stub answers feature_unsupported", () => {
  const device = new MuxDevice({ info: { ...info, id: 200 }, target: STUB_TARGET });
  expect(problem(muxCreateBuffer(device, 16, DEFAULT_ALLOCATOR))?.name).toBe("error_feature_unsupported");
});
