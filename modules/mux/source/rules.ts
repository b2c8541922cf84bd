// SPDX-License-Identifier: Apache-2.0
// The checks that look at several parameters at once; the schema names them, and the generated entry points call them.
//
// An entry point checks its single parameters first (checks.ts), then these in the schema's order, and returns the
// first error. So a rule may rely on living objects of the right class and on valid numbers; only members of option
// structures and lists, which have no check of their own, are checked here. A rule is a pure function of the parameters
// by name: it returns an error or null and changes nothing, so a refused call has no effect.
//
// The end of a range or box in a buffer is computed by sums and products that are null when they leave the safe
// integers, so a rounded one never passes. Two boxes overlap when they overlap along x, y and z.
//
// Cost: constant, except for lists: descriptors are linear, regions quadratic, because each one is compared with those
// before it.
import { checkedAdd, checkedMultiply, isCount } from "@muxkit/cargo";

import { type Checked, invalid, muxSharesObjects } from "./checks.ts";
import { idLimit } from "./device-info.ts";
import { muxError } from "./error.ts";
import {
  MuxAllocationCapabilities,
  MuxDescriptorType,
  MuxImageType,
  MuxMemoryProperty,
  MuxQueryType,
  MuxResult,
} from "./generated/enums.ts";
import {
  MuxBuffer,
  type MuxBufferRegionInfo,
  type MuxDescriptorInfo,
  type MuxDevice,
  type MuxExtent2d,
  type MuxExtent3d,
  MuxImage,
  type MuxKernel,
  type MuxMemory,
  type MuxNDRangeOptions,
  type MuxOffset3d,
  type MuxQueryCounterConfig,
  type MuxQueryPool,
  type MuxQueue,
} from "./generated/structs.ts";
import { isHandle } from "./handles.ts";

/** `offset` to `offset + size` is within `whole`; sums that are no safe integer do not. */
function within(entry: string, argument: string, offset: number, size: number, whole: number, what: string): Checked {
  const end = checkedAdd(offset, size);
  return end !== null && end <= whole
    ? null
    : invalid(entry, argument, `reaches from ${offset} over ${size} bytes, past the end of ${what} of ${whole} bytes`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function unsupported(entry: string, what: string): Checked {
  return muxError(MuxResult.error_feature_unsupported, entry, "", `${entry}: the device ${what}`);
}

export function memoryRange(
  entry: string,
  { memory, offset, size }: { readonly memory: MuxMemory; readonly offset: number; readonly size: number },
): Checked {
  return within(entry, "offset", offset, size, memory.size, "memory");
}

export function mappable(entry: string, { memory }: { readonly memory: MuxMemory }): Checked {
  if ((memory.properties & MuxMemoryProperty.host_visible) === 0)
    return invalid(entry, "memory", "is not host_visible and cannot be mapped");
  return memory.state.isMapped ? invalid(entry, "memory", "is mapped already; unmap it first") : null;
}

export function mapped(entry: string, { memory }: { readonly memory: MuxMemory }): Checked {
  return memory.state.isMapped ? null : invalid(entry, "memory", "is not mapped");
}

export function cachedHost(entry: string, { device }: { readonly device: MuxDevice }): Checked {
  return (device.info.allocationCapabilities & MuxAllocationCapabilities.cached_host) !== 0
    ? null
    : unsupported(entry, "makes no memory of the host's arrays (cached_host)");
}

function bindable(
  entry: string,
  memory: MuxMemory,
  { memoryRequirements }: { readonly memoryRequirements: MuxBuffer["memoryRequirements"] },
  offset: number,
): Checked {
  if (offset % memoryRequirements.alignment !== 0)
    return invalid(entry, "offset", `is ${offset}, no multiple of ${memoryRequirements.alignment}`);
  return within(entry, "offset", offset, memoryRequirements.size, memory.size, "memory");
}

export function bindBuffer(
  entry: string,
  { memory, buffer, offset }: { readonly memory: MuxMemory; readonly buffer: MuxBuffer; readonly offset: number },
): Checked {
  return bindable(entry, memory, buffer, offset);
}

export function bindImage(
  entry: string,
  { memory, image, offset }: { readonly memory: MuxMemory; readonly image: MuxImage; readonly offset: number },
): Checked {
  return bindable(entry, memory, image, offset);
}

export function imageSize(
  entry: string,
  {
    device,
    type,
    width,
    height,
    depth,
    arrayLayers,
  }: {
    readonly device: MuxDevice;
    readonly type: MuxImageType;
    readonly width: number;
    readonly height: number;
    readonly depth: number;
    readonly arrayLayers: number;
  },
): Checked {
  const { info } = device;
  if (!info.imageSupport) return unsupported(entry, "has no images");
  const limit = [info.maxImageDimension1d, info.maxImageDimension2d, info.maxImageDimension3d][type] ?? 0;
  if (width > limit) return invalid(entry, "width", `is ${width}; the device goes to ${limit}`);
  if (type === MuxImageType.image_1d ? height !== 1 : height < 1 || height > limit)
    return invalid(
      entry,
      "height",
      `is ${height}; ${type === MuxImageType.image_1d ? "it must be 1" : `1 to ${limit} is possible`}`,
    );
  if (type === MuxImageType.image_3d ? depth < 1 || depth > limit : depth !== 1)
    return invalid(
      entry,
      "depth",
      `is ${depth}; ${type === MuxImageType.image_3d ? `1 to ${limit} is possible` : "it must be 1"}`,
    );
  return arrayLayers <= info.maxImageArrayLayers
    ? null
    : invalid(entry, "arrayLayers", `is ${arrayLayers}; the device goes to ${info.maxImageArrayLayers}`);
}

export function counterSupport(entry: string, { device }: { readonly device: MuxDevice }): Checked {
  return device.info.queryCounterSupport ? null : unsupported(entry, "has no hardware counters");
}

export function queueCounterSupport(entry: string, { queue }: { readonly queue: MuxQueue }): Checked {
  return counterSupport(entry, queue);
}

export function queueIndex(
  entry: string,
  {
    device,
    queueType,
    queueIndex: index,
  }: { readonly device: MuxDevice; readonly queueType: number; readonly queueIndex: number },
): Checked {
  const total = device.info.queueTypes[queueType] ?? 0;
  return index < total
    ? null
    : invalid(entry, "queueIndex", `is ${index}; the device has ${total} queue${total === 1 ? "" : "s"} of this kind`);
}

export function cloneSupport(entry: string, { device }: { readonly device: MuxDevice }): Checked {
  return device.info.canCloneCommandBuffers ? null : unsupported(entry, "does not clone command buffers");
}

export function updateSupport(
  entry: string,
  {
    commandBuffer,
    argIndices,
    descriptors,
  }: {
    readonly commandBuffer: { readonly device: MuxDevice };
    readonly argIndices: readonly number[];
    readonly descriptors: readonly MuxDescriptorInfo[];
  },
): Checked {
  if (!commandBuffer.device.info.descriptorsUpdatable) return unsupported(entry, "does not update descriptors");
  if (!argIndices.every(isCount))
    return invalid(entry, "argIndices", `must be whole numbers from 0, are ${argIndices.join(", ")}`);
  if (argIndices.length !== descriptors.length)
    return invalid(entry, "descriptors", `are ${descriptors.length} for ${argIndices.length} arguments`);
  for (const [i, descriptor] of descriptors.entries()) {
    const wrong = descriptorProblem(descriptor, commandBuffer.device);
    if (wrong !== null) return invalid(entry, "descriptors", `has for argument ${argIndices[i]} ${wrong}`);
  }
  return null;
}

export function builtinSupport(entry: string, { device }: { readonly device: MuxDevice }): Checked {
  return device.info.supportsBuiltinKernels ? null : unsupported(entry, "has no built-in kernels");
}

export function queryConfigs(
  entry: string,
  {
    queue,
    queryType,
    queryCount,
    queryCounterConfigs,
  }: {
    readonly queue: MuxQueue;
    readonly queryType: MuxQueryType;
    readonly queryCount: number;
    readonly queryCounterConfigs: readonly MuxQueryCounterConfig[];
  },
): Checked {
  if (queryType === MuxQueryType.duration)
    return queryCounterConfigs.length === 0
      ? null
      : invalid(entry, "queryCounterConfigs", "must be empty for durations");
  return (
    counterSupport(entry, queue) ??
    (queryCounterConfigs.length === queryCount
      ? null
      : invalid(entry, "queryCounterConfigs", `are ${queryCounterConfigs.length} for ${queryCount} queries`))
  );
}

export function queryRange(
  entry: string,
  {
    queryPool,
    queryIndex,
    queryCount,
  }: { readonly queryPool: MuxQueryPool; readonly queryIndex: number; readonly queryCount: number },
): Checked {
  const end = checkedAdd(queryIndex, queryCount);
  return end !== null && end <= queryPool.count
    ? null
    : invalid(entry, "queryIndex", `reaches from ${queryIndex} over ${queryCount} of ${queryPool.count} queries`);
}

const size = (buffer: MuxBuffer): number => buffer.memoryRequirements.size;

export function bufferHost(
  entry: string,
  {
    buffer,
    offset,
    hostPointer,
  }: { readonly buffer: MuxBuffer; readonly offset: number; readonly hostPointer: Uint8Array },
): Checked {
  return within(entry, "offset", offset, hostPointer.length, size(buffer), "a buffer");
}

export function copyBuffer(
  entry: string,
  part: {
    readonly srcBuffer: MuxBuffer;
    readonly srcOffset: number;
    readonly dstBuffer: MuxBuffer;
    readonly dstOffset: number;
    readonly size: number;
  },
): Checked {
  const outside =
    within(entry, "srcOffset", part.srcOffset, part.size, size(part.srcBuffer), "a buffer") ??
    within(entry, "dstOffset", part.dstOffset, part.size, size(part.dstBuffer), "a buffer");
  if (outside !== null) return outside;
  const isOverlapping =
    part.srcBuffer === part.dstBuffer &&
    part.srcOffset < part.dstOffset + part.size &&
    part.dstOffset < part.srcOffset + part.size;
  return isOverlapping ? invalid(entry, "dstOffset", "makes source and target overlap") : null;
}

export function fillBuffer(
  entry: string,
  {
    buffer,
    offset,
    size: length,
    pattern,
  }: { readonly buffer: MuxBuffer; readonly offset: number; readonly size: number; readonly pattern: Uint8Array },
): Checked {
  if (pattern.length > 128) return invalid(entry, "pattern", `has ${pattern.length} bytes; 128 is the most`);
  if (length % pattern.length !== 0 || offset % pattern.length !== 0)
    return invalid(entry, "size", `and offset must be multiples of the pattern's ${pattern.length} bytes`);
  return within(entry, "offset", offset, length, size(buffer), "a buffer");
}

/** Bytes from the start of a memory range to the end of a box in it; null: too many to count. */
function boxEnd(origin: MuxExtent3d, region: MuxExtent3d, pitch: MuxExtent2d): number | null {
  const rows = checkedMultiply(origin.y + region.y - 1, pitch.x);
  const slices = checkedMultiply(origin.z + region.z - 1, pitch.y);
  const sum = rows === null || slices === null ? null : checkedAdd(rows, slices);
  return sum === null ? null : checkedAdd(sum, origin.x + region.x);
}

interface Side {
  readonly name: string;
  readonly bytes: number;
  readonly origin: (region: MuxBufferRegionInfo) => MuxExtent3d;
  readonly pitch: (region: MuxBufferRegionInfo) => MuxExtent2d;
}

const source = (bytes: number): Side => ({
  name: "source",
  bytes,
  origin: (r) => r?.srcOrigin,
  pitch: (r) => r?.srcDesc,
});
const target = (bytes: number): Side => ({
  name: "target",
  bytes,
  origin: (r) => r?.dstOrigin,
  pitch: (r) => r?.dstDesc,
});

/**
 * A box alone may begin anywhere, even so that its rows cross the ends of the range's own; `asPlane`: it must not, so
 * that boxes can be compared by their origins.
 */
function boxFits(entry: string, index: number, region: MuxBufferRegionInfo, side: Side, asPlane: boolean): Checked {
  if (![region, region?.region, side.origin(region), side.pitch(region)].every(isObject))
    return invalid(entry, "regions", `at ${index} must have a box, origins and pitches`);
  const { region: box } = region;
  const origin = side.origin(region);
  const pitch = side.pitch(region);
  const numbers = [box.x, box.y, box.z, origin.x, origin.y, origin.z, pitch.x, pitch.y];
  if (!numbers.every(isCount) || box.x < 1 || box.y < 1 || box.z < 1)
    return invalid(entry, "regions", `at ${index} must have whole numbers and no empty side`);
  const x = (asPlane ? origin.x : 0) + box.x;
  const y = (asPlane ? origin.y : 0) + box.y;
  if (x > pitch.x && box.y * box.z > 1)
    return invalid(
      entry,
      "regions",
      `at ${index}: a row of the ${side.name} has ${pitch.x} bytes, the box reaches to ${x}`,
    );
  if (box.z > 1 && pitch.y < y * pitch.x)
    return invalid(
      entry,
      "regions",
      `at ${index}: a slice of the ${side.name} has ${pitch.y} bytes, the box needs ${y * pitch.x}`,
    );
  const end = boxEnd(origin, box, pitch);
  return end !== null && end <= side.bytes
    ? null
    : invalid(entry, "regions", `at ${index} reaches past the end of the ${side.name} of ${side.bytes} bytes`);
}

function overlaps(a: MuxExtent3d, b: MuxExtent3d, left: MuxExtent3d, right: MuxExtent3d): boolean {
  return (
    a.x < b.x + right.x &&
    b.x < a.x + left.x &&
    a.y < b.y + right.y &&
    b.y < a.y + left.y &&
    a.z < b.z + right.z &&
    b.z < a.z + left.z
  );
}

function boxes(
  entry: string,
  regions: readonly MuxBufferRegionInfo[],
  from: Side,
  to: Side,
  isOneBuffer: boolean,
): Checked {
  const asPlane = regions.length > 1;
  for (const [index, region] of regions.entries()) {
    const outside = boxFits(entry, index, region, from, asPlane) ?? boxFits(entry, index, region, to, asPlane);
    if (outside !== null) return outside;
    for (const [other, earlier] of regions.entries()) {
      if (other < index && overlaps(region.dstOrigin, earlier.dstOrigin, region.region, earlier.region))
        return invalid(entry, "regions", `at ${other} and ${index} write the same bytes`);
      if (isOneBuffer && overlaps(region.dstOrigin, earlier.srcOrigin, region.region, earlier.region))
        return invalid(entry, "regions", `at ${index} writes what ${other} reads`);
    }
  }
  return null;
}

export function regionsRead(
  entry: string,
  {
    buffer,
    hostPointer,
    regions,
  }: { readonly buffer: MuxBuffer; readonly hostPointer: Uint8Array; readonly regions: readonly MuxBufferRegionInfo[] },
): Checked {
  return boxes(entry, regions, source(size(buffer)), target(hostPointer.length), false);
}

export function regionsWrite(
  entry: string,
  {
    buffer,
    hostPointer,
    regions,
  }: { readonly buffer: MuxBuffer; readonly hostPointer: Uint8Array; readonly regions: readonly MuxBufferRegionInfo[] },
): Checked {
  return boxes(entry, regions, source(hostPointer.length), target(size(buffer)), false);
}

export function regionsCopy(
  entry: string,
  {
    srcBuffer,
    dstBuffer,
    regions,
  }: { readonly srcBuffer: MuxBuffer; readonly dstBuffer: MuxBuffer; readonly regions: readonly MuxBufferRegionInfo[] },
): Checked {
  return boxes(entry, regions, source(size(srcBuffer)), target(size(dstBuffer)), srcBuffer === dstBuffer);
}

/** Sides of an image as coordinates count them: layers are y of a 1-D array and z of a 2-D array. */
function sides(image: MuxImage): MuxExtent3d {
  const layers = Math.max(1, image.arrayLayers);
  if (image.type === MuxImageType.image_1d) return { x: image.size.x, y: layers, z: 1 };
  return image.type === MuxImageType.image_2d ? { x: image.size.x, y: image.size.y, z: layers } : image.size;
}

function inImage(entry: string, argument: string, image: MuxImage, offset: MuxOffset3d, extent: MuxExtent3d): Checked {
  const whole = sides(image);
  const fits = offset.x + extent.x <= whole.x && offset.y + extent.y <= whole.y && offset.z + extent.z <= whole.z;
  return fits
    ? null
    : invalid(entry, argument, `lets the box reach outside the image of ${whole.x} x ${whole.y} x ${whole.z}`);
}

export function imageRegion(
  entry: string,
  { image, offset, extent }: { readonly image: MuxImage; readonly offset: MuxOffset3d; readonly extent: MuxExtent3d },
): Checked {
  return inImage(entry, "offset", image, offset, extent);
}

/** The host's rows and slices hold the box's, and its array holds the slices. */
export function imageHost(
  entry: string,
  {
    image,
    extent,
    rowSize,
    sliceSize,
    hostPointer,
  }: {
    readonly image: MuxImage;
    readonly extent: MuxExtent3d;
    readonly rowSize: number;
    readonly sliceSize: number;
    readonly hostPointer: Uint8Array;
  },
): Checked {
  const tightRow = extent.x * image.pixelSize;
  const row = rowSize || tightRow;
  if (row < tightRow) return invalid(entry, "rowSize", `is ${rowSize}; a row of the box has ${tightRow} bytes`);
  const slice = sliceSize || row * extent.y;
  if (slice < row * extent.y)
    return invalid(entry, "sliceSize", `is ${sliceSize}; a slice of the box has ${row * extent.y} bytes`);
  const end = (extent.z - 1) * slice + (extent.y - 1) * row + tightRow;
  return end <= hostPointer.length
    ? null
    : invalid(entry, "hostPointer", `has ${hostPointer.length} bytes; the box needs ${end}`);
}

export function colorSize(
  entry: string,
  { image, color }: { readonly image: MuxImage; readonly color: Uint8Array },
): Checked {
  return color.length <= 16 && color.length >= image.pixelSize
    ? null
    : invalid(entry, "color", `has ${color.length} bytes; ${image.pixelSize} to 16 are possible`);
}

export function imageCopy(
  entry: string,
  part: {
    readonly srcImage: MuxImage;
    readonly dstImage: MuxImage;
    readonly srcOffset: MuxOffset3d;
    readonly dstOffset: MuxOffset3d;
    readonly extent: MuxExtent3d;
  },
): Checked {
  if (part.srcImage.pixelSize !== part.dstImage.pixelSize)
    return invalid(entry, "dstImage", "has texels of another size than the source");
  const outside =
    inImage(entry, "srcOffset", part.srcImage, part.srcOffset, part.extent) ??
    inImage(entry, "dstOffset", part.dstImage, part.dstOffset, part.extent);
  if (outside !== null) return outside;
  return part.srcImage === part.dstImage && overlaps(part.srcOffset, part.dstOffset, part.extent, part.extent)
    ? invalid(entry, "dstOffset", "makes source and target overlap")
    : null;
}

const texels = (image: MuxImage, extent: MuxExtent3d): number => image.pixelSize * extent.x * extent.y * extent.z;

export function imageToBuffer(
  entry: string,
  part: {
    readonly srcImage: MuxImage;
    readonly dstBuffer: MuxBuffer;
    readonly srcOffset: MuxOffset3d;
    readonly dstOffset: number;
    readonly extent: MuxExtent3d;
  },
): Checked {
  return (
    inImage(entry, "srcOffset", part.srcImage, part.srcOffset, part.extent) ??
    within(entry, "dstOffset", part.dstOffset, texels(part.srcImage, part.extent), size(part.dstBuffer), "a buffer")
  );
}

export function bufferToImage(
  entry: string,
  part: {
    readonly srcBuffer: MuxBuffer;
    readonly dstImage: MuxImage;
    readonly srcOffset: number;
    readonly dstOffset: MuxOffset3d;
    readonly extent: MuxExtent3d;
  },
): Checked {
  return (
    inImage(entry, "dstOffset", part.dstImage, part.dstOffset, part.extent) ??
    within(entry, "srcOffset", part.srcOffset, texels(part.dstImage, part.extent), size(part.srcBuffer), "a buffer")
  );
}

/** What is wrong with one argument's value, as words that follow "has for argument N". */
function descriptorProblem(descriptor: MuxDescriptorInfo, device: MuxDevice): string | null {
  if (!isObject(descriptor)) return "no descriptor";
  switch (descriptor.type) {
    case MuxDescriptorType.buffer:
    case MuxDescriptorType.image: {
      const object: unknown = descriptor.type === MuxDescriptorType.buffer ? descriptor.buffer : descriptor.image;
      const isUsable =
        (isHandle(object, MuxBuffer) || isHandle(object, MuxImage)) &&
        object.state.isAlive &&
        object.state.memory?.state.isAlive === true;
      if (!isUsable || isHandle(object, MuxBuffer) !== (descriptor.type === MuxDescriptorType.buffer))
        return "an object that is of another kind, destroyed or not bound";
      if (!muxSharesObjects(object.device, device)) return "an object of another device";
      if (descriptor.type === MuxDescriptorType.image) return null;
      if (!isCount(descriptor.offset)) return `an offset of ${descriptor.offset}`;
      return descriptor.offset < size(descriptor.buffer) ? null : "an offset past the end of its buffer";
    }
    case MuxDescriptorType.shared_local_buffer:
      return isCount(descriptor.size) && descriptor.size > 0 ? null : `local memory of ${descriptor.size} bytes`;
    case MuxDescriptorType.plain_old_data:
    case MuxDescriptorType.custom_buffer:
      return descriptor.data instanceof Uint8Array ? null : "no bytes";
    case MuxDescriptorType.sampler:
      return isObject(descriptor.sampler) ? null : "no sampler";
    case MuxDescriptorType.null_buffer:
      return null;
    default:
      return "a descriptor of an unknown kind";
  }
}

function descriptorsProblem(entry: string, kernel: MuxKernel, { descriptors }: MuxNDRangeOptions): Checked {
  const kinds = kernel.argumentTypes;
  if (kinds !== null && kinds.length !== descriptors.length)
    return invalid(entry, "options", `has ${descriptors.length} descriptors for ${kinds.length} arguments`);
  for (const [index, descriptor] of descriptors.entries()) {
    const wrong = descriptorProblem(descriptor, kernel.device);
    if (wrong !== null) return invalid(entry, "options", `has for argument ${index} ${wrong}`);
    const wanted = kinds?.[index];
    const isNull = descriptor.type === MuxDescriptorType.null_buffer && wanted === MuxDescriptorType.buffer;
    if (wanted !== undefined && wanted !== descriptor.type && !isNull)
      return invalid(
        entry,
        "options",
        `has a descriptor of kind ${descriptor.type} for argument ${index}, which takes kind ${wanted}`,
      );
  }
  return null;
}

/** A launch has all its lists. */
function isLaunch(options: unknown): options is MuxNDRangeOptions {
  return (
    isObject(options) &&
    "descriptors" in options &&
    Array.isArray(options.descriptors) &&
    "localSize" in options &&
    Array.isArray(options.localSize) &&
    "globalOffset" in options &&
    Array.isArray(options.globalOffset) &&
    "globalSize" in options &&
    Array.isArray(options.globalSize)
  );
}

export function ndrange(
  entry: string,
  { kernel, options }: { readonly kernel: MuxKernel; readonly options: MuxNDRangeOptions },
): Checked {
  const { info } = kernel.device;
  if (!isLaunch(options)) return invalid(entry, "options", "must be an object with lists of descriptors and sizes");
  const { dimensions, globalSize, globalOffset, localSize, deadline, watch } = options;
  if (!info.stopsLaunches && (deadline || watch)) return unsupported(entry, "does not stop launches");
  if (![1, 2, 3].includes(dimensions))
    return invalid(entry, "options", `has ${dimensions} dimensions; 1 to 3 are possible`);
  if (globalSize.length < dimensions || globalOffset.length < dimensions)
    return invalid(entry, "options", `has fewer sizes or offsets than ${dimensions} dimensions`);
  const limits = [info.maxWorkGroupSizeX, info.maxWorkGroupSizeY, info.maxWorkGroupSizeZ];
  const ids = idLimit(info);
  for (let axis = 0; axis < dimensions; axis++) {
    const global = globalSize[axis] ?? 0;
    const local = localSize[axis] ?? 0;
    if (!isCount(global) || global === 0 || global >= ids)
      return invalid(
        entry,
        "options",
        `has a global size of ${global} in dimension ${axis}; 1 to ${ids - 1} is possible`,
      );
    if (!isCount(globalOffset[axis] ?? 0) || (globalOffset[axis] ?? 0) + global > ids)
      return invalid(
        entry,
        "options",
        `has a global offset of ${globalOffset[axis]} in dimension ${axis}: more than ${ids} ids`,
      );
    if (!isCount(local) || local === 0 || local > (limits[axis] ?? 0))
      return invalid(
        entry,
        "options",
        `has a local size of ${local} in dimension ${axis}; 1 to ${limits[axis]} is possible`,
      );
  }
  if (localSize.length !== 3 || !localSize.every((side) => isCount(side) && side > 0))
    return invalid(entry, "options", `has a local size of ${localSize.join(", ")}; three positive numbers are wanted`);
  const items = localSize[0] * localSize[1] * localSize[2];
  const most = kernel.maxWorkItems ?? info.maxConcurrentWorkItems;
  if (items > most) return invalid(entry, "options", `has ${items} work-items in a group; 1 to ${most} is possible`);
  return partProblem(entry, options) ?? descriptorsProblem(entry, kernel, options);
}

function partProblem(
  entry: string,
  { firstGroup, groupCount, globalSize, localSize, dimensions }: MuxNDRangeOptions,
): Checked {
  if (firstGroup === null && groupCount === null) return null;
  if (!Array.isArray(firstGroup) || !Array.isArray(groupCount))
    return invalid(entry, "options", "has only one of firstGroup and groupCount");
  for (const axis of [0, 1, 2]) {
    const total = axis < dimensions ? Math.ceil((globalSize[axis] ?? 1) / (localSize[axis] ?? 1)) : 1;
    const first = firstGroup[axis] ?? 0;
    const groups = groupCount[axis] ?? 0;
    if (!isCount(first) || !isCount(groups) || groups === 0 || first + groups > total)
      return invalid(entry, "options", `has groups ${first} to ${first + groups} of ${total} in dimension ${axis}`);
  }
  return null;
}
