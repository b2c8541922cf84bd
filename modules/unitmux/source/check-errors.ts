// SPDX-License-Identifier: Apache-2.0
// Wrong combinations of parameters, by the check that sees them.
import {
  type MuxBuffer,
  MuxDescriptorType,
  type MuxImage,
  MuxImageType,
  type MuxKernel,
  MuxMemoryProperty,
  MuxQueryType,
  MuxResult,
  idLimit,
  muxMapMemory,
  muxUnmapMemory,
} from "@muxkit/mux";

import { BUFFER_BYTES, IMAGE_SIDE, type World, must } from "./world.ts";

/** Arguments by parameter name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A change of a right call that makes it wrong. */
export interface WrongCall {
  readonly name: string;
  /** New values of some parameters. */
  readonly change: (args: Arguments, world: World) => Arguments;
  readonly code?: MuxResult;
}

/** Greatest number that can be counted: sums with it wrap. */
const MOST = 2 ** 53 - 1;
const call = (name: string, change: (args: Arguments, world: World) => Arguments): WrongCall => ({ name, change });
const set = (name: string, values: Arguments): WrongCall => call(name, () => values);

const unmapped = call("not mapped", (_, world) => ({ memory: world.memory() }));

const box = (part: object): object => ({
  region: { x: 2, y: 2, z: 1 },
  srcOrigin: { x: 0, y: 0, z: 0 },
  dstOrigin: { x: 0, y: 0, z: 0 },
  srcDesc: { x: 8, y: 64 },
  dstDesc: { x: 4, y: 16 },
  ...part,
});

const REGIONS: readonly WrongCall[] = [
  set("an empty side", { regions: [box({ region: { x: 0, y: 1, z: 1 } })] }),
  set("a negative origin", { regions: [box({ srcOrigin: { x: -1, y: 0, z: 0 } })] }),
  set("wider than a row of the source", {
    regions: [box({ region: { x: 9, y: 2, z: 1 }, dstDesc: { x: 16, y: 64 } })],
  }),
  set("wider than a row of the target", { regions: [box({ region: { x: 5, y: 2, z: 1 } })] }),
  set("past the end of the source", { regions: [box({ srcOrigin: { x: 0, y: 1000, z: 0 } })] }),
  set("past the end of the target", { regions: [box({ dstOrigin: { x: 0, y: 1000, z: 0 } })] }),
  set("so far that sums wrap", { regions: [box({ srcOrigin: { x: 0, y: MOST, z: 0 } })] }),
  set("slices shorter than their rows", { regions: [box({ region: { x: 2, y: 2, z: 2 }, srcDesc: { x: 8, y: 8 } })] }),
  set("two that write the same bytes", { regions: [box({}), box({ srcOrigin: { x: 4, y: 0, z: 0 } })] }),
];

const image = (name: string, offset: string): readonly WrongCall[] => [
  set(`${name} reaches outside the image`, { [offset]: { x: IMAGE_SIDE, y: 0, z: 0 } }),
  set(`${name} reaches outside the image in y`, { [offset]: { x: 0, y: IMAGE_SIDE, z: 0 } }),
];

function launch(args: Arguments): Readonly<Record<string, unknown>> & { readonly descriptors: readonly unknown[] } {
  return args["options"] as never;
}

const ndrange = (name: string, values: object): WrongCall =>
  call(name, (args) => ({ options: { ...launch(args), ...values } }));
const descriptors = (name: string, make: (list: readonly unknown[], world: World) => readonly unknown[]): WrongCall =>
  call(name, (args, world) => ({ options: { ...launch(args), descriptors: make(launch(args).descriptors, world) } }));
const ids = (args: Arguments): number => idLimit((args["kernel"] as MuxKernel).device.info);
const limit =
  (axis: "X" | "Y" | "Z") =>
  (args: Arguments): number =>
    (args["kernel"] as MuxKernel).device.info[`maxWorkGroupSize${axis}`];

const bufferAt = (buffer: unknown, offset: number = 0): object => ({ type: MuxDescriptorType.buffer, buffer, offset });

/** Buffers that no argument can be. */
const BUFFERS: readonly { readonly name: string; readonly make: (world: World) => object }[] = [
  { name: "a buffer that is not bound", make: (world) => bufferAt(world.unboundBuffer()) },
  { name: "a destroyed buffer", make: (world) => bufferAt(world.destroyed("MuxBuffer")) },
  { name: "a buffer whose memory was freed", make: (world) => bufferAt(world.orphan()) },
  { name: "a buffer of another device", make: ({ other }) => bufferAt(other.buffer()) },
  { name: "an object that is no buffer", make: (world) => bufferAt(world.fence()) },
  { name: "an offset past the buffer", make: (world) => bufferAt(world.buffer(), BUFFER_BYTES) },
  { name: "an offset before the buffer", make: (world) => bufferAt(world.buffer(), -4) },
  { name: "an offset that is no number", make: (world) => bufferAt(world.buffer(), Number.NaN) },
];

/** Wrong calls by check. */
export const CHECK_ERRORS: Readonly<Record<string, readonly WrongCall[]>> = {
  memoryRange: [
    set("past the end", { offset: BUFFER_BYTES }),
    set("over the end", { offset: 1, size: BUFFER_BYTES }),
    set("so far that the sum wraps", { offset: MOST, size: 2 }),
  ],
  mappable: [
    call("mapped already", (_, world) => {
      const memory = world.memory();
      must(muxMapMemory(world.device, memory, 0, 16));
      return { memory };
    }),
    call("not visible to the host", (_, world) => ({
      memory: world.memory(BUFFER_BYTES, MuxMemoryProperty.device_local),
    })),
  ],
  mapped: [
    unmapped,
    call("not mapped any more", (_, world) => {
      const memory = world.memory();
      must(muxMapMemory(world.device, memory, 0, 16));
      must(muxUnmapMemory(world.device, memory));
      return { memory };
    }),
  ],
  bindBuffer: [
    set("an offset that is not aligned", { offset: 1 }),
    call("memory that is too small", (_, world) => ({ memory: world.memory(BUFFER_BYTES / 2) })),
    call("past the end", (args) => ({ offset: (args["buffer"] as MuxBuffer).memoryRequirements.alignment * 1024 })),
  ],
  bindImage: [
    set("an offset that is not aligned", { offset: 1 }),
    call("memory that is too small", (_, world) => ({ memory: world.memory(4) })),
  ],
  imageSize: [
    set("wider than the device goes", { width: 2 ** 40 }),
    set("one dimension with a height", { type: MuxImageType.image_1d, height: 2, depth: 1 }),
    set("two dimensions with a depth", { depth: 2 }),
    set("three dimensions without a depth", { type: MuxImageType.image_3d, depth: 0 }),
    set("no height", { height: 0 }),
    set("more layers than the device goes", { arrayLayers: 2 ** 40 }),
  ],
  queueIndex: [set("a queue that there is not", { queueIndex: 1000 })],
  queryConfigs: [
    set("configurations for durations", { queryCounterConfigs: [{ uuid: 0, data: null }] }),
    {
      name: "counters that the device lacks",
      change: () => ({
        queryType: MuxQueryType.counter,
        queryCounterConfigs: [0, 1, 2].map(() => ({ uuid: 0x7fff_ffff, data: null })),
      }),
      code: MuxResult.error_feature_unsupported,
    },
  ],
  queryRange: [
    set("past the last query", { queryIndex: 1000 }),
    set("so far that the sum wraps", { queryIndex: MOST, queryCount: 2 }),
  ],
  bufferHost: [set("past the end", { offset: BUFFER_BYTES }), set("so far that the sum wraps", { offset: MOST })],
  copyBuffer: [
    set("past the end of the source", { srcOffset: BUFFER_BYTES }),
    set("past the end of the target", { dstOffset: BUFFER_BYTES }),
    set("so far that the sum wraps", { srcOffset: MOST, size: 2 }),
    call("source and target overlap", (args) => ({
      dstBuffer: args["srcBuffer"],
      srcOffset: 0,
      dstOffset: 4,
      size: 8,
    })),
  ],
  fillBuffer: [
    set("an offset that is no multiple of the pattern", { offset: 1 }),
    set("a size that is no multiple of the pattern", { size: 7 }),
    set("a pattern of more than 128 bytes", { offset: 0, size: 256, pattern: new Uint8Array(256) }),
    set("past the end", { offset: BUFFER_BYTES }),
    set("so far that the sum wraps", { offset: MOST - 1, size: 2, pattern: new Uint8Array(1) }),
  ],
  regionsRead: REGIONS,
  regionsWrite: REGIONS,
  regionsCopy: [
    ...REGIONS,
    call("source and target overlap", (args) => ({
      dstBuffer: args["srcBuffer"],
      regions: [box({ dstDesc: { x: 8, y: 64 }, dstOrigin: { x: 1, y: 1, z: 0 } })],
    })),
  ],
  imageRegion: image("the box", "offset"),
  imageHost: [
    set("a row shorter than the box's", { rowSize: 1 }),
    set("a slice shorter than the box's", { sliceSize: 1 }),
    call("an array that is too small", (args) => ({
      hostPointer: new Uint8Array((args["image"] as MuxImage).pixelSize - 1),
    })),
    set("rows that the array has no room for", { extent: { x: 1, y: 2, z: 1 }, rowSize: 64 }),
    set("slices so large that sums wrap", { extent: { x: 1, y: 2, z: 1 }, rowSize: MOST, sliceSize: MOST }),
  ],
  colorSize: [
    set("more than 16 bytes", { color: new Uint8Array(17) }),
    call("less than a texel", (args) => ({ color: new Uint8Array((args["image"] as MuxImage).pixelSize - 1) })),
  ],
  imageCopy: [
    ...image("the source", "srcOffset"),
    ...image("the target", "dstOffset"),
    call("source and target overlap", (args) => ({
      dstImage: args["srcImage"],
      srcOffset: { x: 0, y: 0, z: 0 },
      dstOffset: { x: 0, y: 0, z: 0 },
    })),
  ],
  imageToBuffer: [...image("the source", "srcOffset"), set("past the end of the buffer", { dstOffset: BUFFER_BYTES })],
  bufferToImage: [...image("the target", "dstOffset"), set("past the end of the buffer", { srcOffset: BUFFER_BYTES })],
  ndrange: [
    set("no lists", { options: {} }),
    ndrange("no dimensions", { dimensions: 0 }),
    ndrange("four dimensions", { dimensions: 4 }),
    ndrange("fewer sizes than dimensions", { dimensions: 2 }),
    ndrange("a global size of 0", { globalSize: [0] }),
    call("a global size of more than the device counts", (args) => ({
      options: { ...launch(args), globalSize: [ids(args)] },
    })),
    call("more ids than the device counts", (args) => ({
      options: { ...launch(args), globalOffset: [ids(args) - 2] },
    })),
    ndrange("a local size of 0", { localSize: [0, 1, 1] }),
    ndrange("a local size of 0 in a dimension that is not used", { localSize: [1, 0, 1] }),
    ndrange("a local size of one number", { localSize: [1] }),
    ndrange("a negative offset", { globalOffset: [-1] }),
    call("a local size that the device does not have", (args) => ({
      options: { ...launch(args), localSize: [limit("X")(args) + 1, 1, 1] },
    })),
    call("more work-items than a group has", (args) => ({
      options: {
        ...launch(args),
        dimensions: 3,
        globalSize: [1, 1, 1],
        globalOffset: [0, 0, 0],
        localSize: [limit("X")(args), limit("Y")(args), limit("Z")(args)],
      },
    })),
    ndrange("half of a part", { firstGroup: [0, 0, 0] }),
    ndrange("a part past the range", { firstGroup: [4, 0, 0], groupCount: [1, 1, 1] }),
    ndrange("an empty part", { firstGroup: [0, 0, 0], groupCount: [0, 1, 1] }),
    descriptors("too few arguments", (list) => list.slice(1)),
    descriptors("an argument of another kind", (list) => [list[1], list[1]]),
    descriptors("an unknown kind", (list) => [{ type: 99 }, list[1]]),
    descriptors("bytes that are none", (list) => [list[0], { type: MuxDescriptorType.plain_old_data, data: null }]),
    ...BUFFERS.map(({ name, make }) => descriptors(name, (list, world) => [make(world), list[1]])),
  ],
  updateSupport: [
    set("more indices than descriptors", { argIndices: [0, 1] }),
    set("an index that is no whole number", { argIndices: [-1] }),
    ...BUFFERS.map(({ name, make }) => call(name, (_, world) => ({ argIndices: [0], descriptors: [make(world)] }))),
    set("an unknown kind", { descriptors: [{ type: 99 }] }),
    set("bytes that are none", { descriptors: [{ type: MuxDescriptorType.plain_old_data, data: null }] }),
  ],
};

/** Checks that only look at a feature of the device: the suite sees to them where the device lacks it. */
export const FEATURE_CHECKS: readonly string[] = [
  "cachedHost",
  "counterSupport",
  "queueCounterSupport",
  "cloneSupport",
  "builtinSupport",
];
