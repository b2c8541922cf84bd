// SPDX-License-Identifier: Apache-2.0
// The stub target under the front: every entry point answers feature_unsupported, and what only destroys succeeds.
import { type Result, ok } from "@muxkit/cargo";
import * as mux from "@muxkit/mux";
import {
  DEFAULT_ALLOCATOR,
  MuxBuffer,
  MuxCommandBuffer,
  MuxDevice,
  type MuxError,
  MuxExecutable,
  MuxFence,
  MuxImage,
  MuxKernel,
  MuxLaunch,
  MuxMemory,
  MuxMemoryProperty,
  type MuxObject,
  MuxQueryPool,
  MuxQueryType,
  MuxQueue,
  MuxSemaphore,
  type MuxTarget,
  STUB_TARGET,
  registerTarget,
} from "@muxkit/mux";
import { REFERENCE_TARGET } from "@muxkit/unitmux";
import { expect, test } from "vitest";

import type { EntryPointRules, ParameterRules } from "../source/entry-point-rules.ts";
import { ENTRY_POINTS } from "../source/generated/entry-points.ts";

/** The stub, with one device that claims to have everything: nothing is refused before the stub is called. */
const stub: MuxTarget = {
  ...STUB_TARGET,
  name: "stub with a device",
  getDeviceInfos: (id) =>
    REFERENCE_TARGET.getDeviceInfos(id).map((info) => ({
      ...info,
      deviceName: "stub",
      queryCounterSupport: true,
      allocationCapabilities:
        mux.MuxAllocationCapabilities.coherent_host |
        mux.MuxAllocationCapabilities.cached_host |
        mux.MuxAllocationCapabilities.alloc_device,
    })),
  createDevice: (info) => ok(new MuxDevice({ info, target: stub })),
};
const number = registerTarget(stub);

function open(): MuxDevice {
  const infos = mux.muxGetDeviceInfos(mux.MuxDeviceType.all);
  const own = infos.ok ? infos.value.filter(({ id }) => (id & 0xff) === number) : [];
  const made = mux.muxCreateDevices(own, DEFAULT_ALLOCATOR);
  const [device] = made.ok ? made.value : [];
  if (device === undefined) throw new Error("the stub's device cannot be opened");
  return device;
}

const box = {
  region: { x: 1, y: 1, z: 1 },
  srcOrigin: { x: 0, y: 0, z: 0 },
  dstOrigin: { x: 0, y: 0, z: 0 },
  srcDesc: { x: 4, y: 4 },
  dstDesc: { x: 4, y: 4 },
};
const launch = {
  descriptors: [],
  localSize: [1, 1, 1],
  globalOffset: [0],
  globalSize: [1],
  dimensions: 1,
  firstGroup: null,
  groupCount: null,
};

/** Numbers that every entry point takes, by parameter; 1 is right for all others. */
const NUMBERS: Readonly<Record<string, number>> = {
  memoryProperties: MuxMemoryProperty.host_visible,
  offset: 0,
  srcOffset: 0,
  dstOffset: 0,
  arrayLayers: 0,
  rowSize: 0,
  sliceSize: 0,
  queueIndex: 0,
  queryIndex: 0,
  size: 4,
  commandId: 0,
  timeout: 0,
};

interface Objects {
  readonly device: MuxDevice;
  readonly memory: MuxMemory;
}

function boundTo<T extends MuxObject>(object: T, memory: MuxMemory): T {
  object.state.memory = memory;
  return object;
}

function launchOf({ device }: Objects): MuxLaunch {
  return new MuxLaunch({
    device,
    kernel: new MuxKernel({ device, preferredLocalSize: [1, 1, 1], localMemorySize: 0, argumentTypes: [] }),
  });
}

/** Makes a right argument of a type: the stub makes no objects, so these are made here. */
const MAKERS: Readonly<Record<string, (objects: Objects, parameter: ParameterRules) => unknown>> = {
  MuxDevice: ({ device }) => device,
  MuxMemory: ({ memory }) => memory,
  MuxBuffer: ({ device, memory }) =>
    boundTo(new MuxBuffer({ device, memoryRequirements: { size: 64, alignment: 4, supportedHeaps: 1 } }), memory),
  MuxImage: ({ device, memory }) =>
    boundTo(
      new MuxImage({
        device,
        memoryRequirements: { size: 64, alignment: 4, supportedHeaps: 1 },
        type: 1,
        format: 0x10d210b5,
        pixelSize: 4,
        size: { x: 4, y: 4, z: 1 },
        arrayLayers: 0,
        rowSize: 16,
        sliceSize: 64,
        tiling: 0,
      }),
      memory,
    ),
  MuxQueue: ({ device }) => new MuxQueue({ device }),
  MuxFence: ({ device }) => new MuxFence({ device }),
  MuxSemaphore: ({ device }) => new MuxSemaphore({ device }),
  MuxExecutable: ({ device }) => new MuxExecutable({ device }),
  MuxKernel: ({ device }) =>
    new MuxKernel({ device, preferredLocalSize: [1, 1, 1], localMemorySize: 0, argumentTypes: [] }),
  MuxLaunch: launchOf,
  MuxQueryPool: ({ device }) =>
    new MuxQueryPool({ device, queue: new MuxQueue({ device }), type: MuxQueryType.duration, count: 4 }),
  MuxCommandBuffer: ({ device }, { rules }) => {
    const commands = new MuxCommandBuffer({ device });
    if (rules.includes("finalized")) commands.state.phase = "finalized";
    return commands;
  },
  MuxAllocatorInfo: () => DEFAULT_ALLOCATOR,
  MuxOffset3d: () => ({ x: 0, y: 0, z: 0 }),
  MuxExtent3d: () => ({ x: 1, y: 1, z: 1 }),
  MuxNDRangeOptions: () => launch,
  MuxQueueType: () => 0,
  MuxImageType: () => 1,
  MuxAllocationType: () => 0,
  MuxQueryType: () => 0,
  MuxImageFormat: () => 0x10d210b5,
  Uint8Array: () => new Uint8Array(4),
  string: () => "anything",
  number: (_objects, { name }) => NUMBERS[name] ?? 1,
  "readonly MuxBufferRegionInfo[]": () => [box],
  "readonly MuxDescriptorInfo[]": () => [{ type: 5 }],
  "readonly MuxQueryCounterConfig[]": (_objects, { rules }) =>
    rules.includes("nonempty") ? [{ uuid: 0, data: null }] : [],
  "readonly number[]": () => [0],
  "readonly MuxSyncPoint[]": () => [],
  "readonly MuxSemaphore[]": () => [],
  "readonly MuxLaunch[]": (objects) => [launchOf(objects)],
};

function argument(objects: Objects, parameter: ParameterRules): unknown {
  const make = MAKERS[parameter.type];
  if (make !== undefined) return make(objects, parameter);
  if (parameter.type.endsWith("| null")) return null;
  if (parameter.rules.includes("callback")) return () => undefined;
  throw new Error(`no argument of type ${parameter.type}`);
}

function answer({ name, parameters, checks }: EntryPointRules): Result<unknown, MuxError> {
  const device = open();
  const memory = new MuxMemory({ device, size: 1024, properties: MuxMemoryProperty.host_visible, handle: 0 });
  memory.state.isMapped = checks.includes("mapped");
  const called: unknown = Object.entries(mux).find(([key]) => key === name)?.[1];
  if (typeof called !== "function") throw new Error(`@muxkit/mux has no ${name}`);
  return (called as (...args: readonly unknown[]) => Result<unknown, MuxError>)(
    ...parameters.map((parameter) => argument({ device, memory }, parameter)),
  );
}

const tested = ENTRY_POINTS.filter(({ name }) => name !== "muxGetDeviceInfos" && name !== "muxCreateDevices");

test.each(tested.filter(({ destroys }) => destroys === undefined))("$name is unsupported", (entry) => {
  expect(answer(entry)).toMatchObject({
    ok: false,
    error: {
      name: "error_feature_unsupported",
      entryPoint: entry.name,
      message: `${entry.name}: the stub target has no ${entry.name}`,
    },
  });
});

test.each(tested.filter(({ destroys }) => destroys !== undefined))("$name succeeds", (entry) => {
  expect(answer(entry).ok).toBe(true);
});

test("the stub itself has no devices, and opens none", () => {
  expect(STUB_TARGET.getDeviceInfos(9)).toEqual([]);
  expect(STUB_TARGET.createDevice(open().info)).toMatchObject({
    ok: false,
    error: { message: "the stub target has no muxCreateDevices" },
  });
});
