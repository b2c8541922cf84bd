// A target that does everything at once, in plain arrays: what the suite is checked with, and the shortest whole example of a target.
import { type Result, err, ok } from "@muxkit/cargo";
import {
  MuxBuffer, MuxCommandBuffer, MuxDescriptorType, type MuxDescriptorInfo, MuxDevice, type MuxDeviceInfo, MuxDeviceType, type MuxError, MuxExecutable, type MuxExtent2d, type MuxExtent3d, MuxFence, type MuxFailure, MuxImage, MuxImageFormat,
  MuxImageTiling, MuxImageType, MuxKernel, MuxLaunch, MuxMemory, MuxMemoryProperty, type MuxNDRangeOptions, type MuxOffset3d, MuxQueryPool, MuxQueue, MuxResult, MuxSemaphore, type MuxTarget, STUB_TARGET, muxError,
} from "@muxkit/mux";

/** A kernel in TypeScript: called for each work-item with its global id and the arguments' bytes. @public */
export interface ReferenceKernel {
  /** Kinds of its arguments. */
  readonly argumentTypes: readonly MuxDescriptorType[];
  /** One work-item. */
  readonly run: (globalId: readonly number[], args: readonly DataView[]) => void;
}

/** Kernels that an executable of this target can name. */
const KERNELS: Readonly<Record<string, ReferenceKernel>> = {
  fill: {
    argumentTypes: [MuxDescriptorType.buffer, MuxDescriptorType.plain_old_data],
    run: ([x = 0], [out, value]) => out?.setInt32(x * 4, (value?.getInt32(0, true) ?? 0) + x, true),
  },
};

const MAGIC = "unitmux reference kernels: ";

/** Bytes of an executable with the kernels of some names. @public */
export function referenceExecutable(names: readonly string[]): Uint8Array {
  return new TextEncoder().encode(`${MAGIC}${names.join(" ")}`);
}

class Memory extends MuxMemory {
  readonly bytes: Uint8Array;

  constructor(device: MuxDevice, size: number, properties: number, bytes: Uint8Array) {
    super({ device, size, properties, handle: 0 });
    this.bytes = bytes;
  }
}

class Fence extends MuxFence {
  outcome: "idle" | "pending" | "done" = "idle";
  failure: MuxFailure | null = null;
}

class Semaphore extends MuxSemaphore {
  signalled = false;
  failed = false;
}

class QueryPool extends MuxQueryPool {
  readonly times: { start: bigint; end: bigint }[] = Array.from({ length: this.count }, () => ({ start: 0n, end: 0n }));
}

class Kernel extends MuxKernel {
  readonly run: ReferenceKernel["run"];

  constructor(device: MuxDevice, { argumentTypes, run }: ReferenceKernel) {
    super({ device, preferredLocalSize: [1, 1, 1], localMemorySize: 0, argumentTypes });
    this.run = run;
  }
}

class Executable extends MuxExecutable {
  readonly names: readonly string[];

  constructor(device: MuxDevice, names: readonly string[]) {
    super({ device });
    this.names = names;
  }
}

class PreparedLaunch extends MuxLaunch {
  readonly options: MuxNDRangeOptions;
  readonly descriptors: readonly MuxDescriptorInfo[];

  constructor(kernel: MuxKernel, options: MuxNDRangeOptions) {
    super({ device: kernel.device, kernel });
    this.options = options;
    this.descriptors = options.descriptors.map(kept);
  }
}

interface Launch {
  readonly kernel: Kernel;
  readonly options: MuxNDRangeOptions;
  descriptors: readonly MuxDescriptorInfo[];
}

class CommandBuffer extends MuxCommandBuffer {
  commands: { readonly launch: Launch | null; readonly run: (queue: MuxQueue, commands: CommandBuffer) => void }[] = [];
}

interface Dispatch {
  readonly commands: CommandBuffer;
  readonly fence: Fence | null;
  readonly waits: readonly Semaphore[];
  readonly signals: readonly Semaphore[];
  readonly told: ((commandBuffer: MuxCommandBuffer, error: MuxError | null) => void) | null;
  readonly completed: () => void;
}

class Queue extends MuxQueue {
  readonly waiting: Dispatch[] = [];
}

class Device extends MuxDevice {
  readonly queue: Queue = new Queue({ device: this });
}

const INFO: Omit<MuxDeviceInfo, "id"> = {
  deviceName: "unitmux reference", deviceType: MuxDeviceType.accelerator, khronosVendorId: 0, devicePriority: -1, allocationCapabilities: 7, addressCapabilities: 2, atomicCapabilities: 4, cacheCapabilities: 0,
  halfCapabilities: 0, floatCapabilities: 6, doubleCapabilities: 0, integerCapabilities: 15, customBufferCapabilities: 0, endianness: 1, sharedLocalMemoryType: 1, builtinKernelDeclarations: "fill(global int* out, int value)",
  maxConcurrentWorkItems: 64, maxWorkGroupSizeX: 64, maxWorkGroupSizeY: 8, maxWorkGroupSizeZ: 4, maxWorkWidth: 1, clockFrequency: 0, computeUnits: 1, bufferAlignment: 16, memorySize: 2 ** 24, allocationSize: 2 ** 24,
  cacheSize: 0, cachelineSize: 64, sharedLocalMemorySize: 1024, nativeVectorWidth: 4, preferredVectorWidth: 4, imageSupport: true, image2dArrayWrites: true, image3dWrites: true, maxImageDimension1d: 1024,
  maxImageDimension2d: 1024, maxImageDimension3d: 64, maxImageArrayLayers: 64, maxStorageImages: 8, maxSampledImages: 8, maxSamplers: 8, queueTypes: [1], queryCounterSupport: false, descriptorsUpdatable: true,
  canCloneCommandBuffers: true, supportsBuiltinKernels: true, maxSubGroupCount: 1, subGroupsSupportIfp: false, maxHardwareCounters: 0, supportsWorkGroupCollectives: false, supportsGenericAddressSpace: false, subGroupSizes: [1], codeFeatures: [],
};

const PIXEL_BYTES: Readonly<Record<number, number>> = { [MuxImageFormat.RGBA_unorm8]: 4, [MuxImageFormat.RGBA_sfloat32]: 16 };
const ALIGNMENT = 16;

function fail(code: MuxResult, message: string): Result<never, MuxFailure> {
  return err({ code, message });
}

/** The bytes of a buffer or image in its memory. */
function bytesOf(object: MuxBuffer | MuxImage): Uint8Array {
  const { memory, memoryOffset } = object.state;
  return memory instanceof Memory ? memory.bytes.subarray(memoryOffset, memoryOffset + object.memoryRequirements.size) : new Uint8Array(0);
}

function add(commandBuffer: MuxCommandBuffer, run: (queue: MuxQueue, commands: CommandBuffer) => void, launch: Launch | null = null): Result<void, MuxFailure> {
  (commandBuffer as CommandBuffer).commands.push({ run, launch });
  return ok();
}

/** Calls back for each row of a box: offsets of its first byte on both sides, and its bytes. */
function rows(box: MuxExtent3d, from: readonly [number, number, number], to: readonly [number, number, number], copy: (source: number, target: number) => void): void {
  for (let z = 0; z < box.z; z++) for (let y = 0; y < box.y; y++) copy(from[0] + y * from[1] + z * from[2], to[0] + y * to[1] + z * to[2]);
}

function firstByte(origin: MuxExtent3d, pitch: MuxExtent2d): number {
  return origin.x + origin.y * pitch.x + origin.z * pitch.y;
}

function copyRegions(from: Uint8Array, to: Uint8Array, regions: Parameters<MuxTarget["commandCopyBufferRegions"]>[3]): void {
  for (const { region, srcOrigin, dstOrigin, srcDesc, dstDesc } of regions) {
    rows(region, [firstByte(srcOrigin, srcDesc), srcDesc.x, srcDesc.y], [firstByte(dstOrigin, dstDesc), dstDesc.x, dstDesc.y], (source, target) => {
      to.set(from.subarray(source, source + region.x), target);
    });
  }
}

/** Where a box begins in an image and how far its rows and slices are apart. */
function inImage(image: MuxImage, offset: MuxOffset3d): [number, number, number] {
  return [offset.x * image.pixelSize + offset.y * image.rowSize + offset.z * image.sliceSize, image.rowSize, image.sliceSize];
}

/** The same for texels that lie densely, or with the pitches given. */
function packed(image: MuxImage, extent: MuxExtent3d, first: number, rowSize: number = 0, sliceSize: number = 0): [number, number, number] {
  const row = rowSize || extent.x * image.pixelSize;
  return [first, row, sliceSize || row * extent.y];
}

/** First id and end of a launch, or of the groups of it that are asked for, in a dimension. */
function idsOf({ globalSize, globalOffset, localSize, firstGroup, groupCount }: MuxNDRangeOptions, axis: number): readonly [first: number, end: number] {
  const size = globalSize[axis] ?? 1;
  const group = localSize[axis] ?? 1;
  const first = (firstGroup?.[axis] ?? 0) * group;
  const end = groupCount === null ? size : Math.min(size, first + (groupCount[axis] ?? 1) * group);
  const offset = globalOffset[axis] ?? 0;
  return [offset + first, offset + end];
}

/** Values that a launch keeps: the caller may write to its arrays again. */
function kept(descriptor: MuxDescriptorInfo): MuxDescriptorInfo {
  return descriptor.type === MuxDescriptorType.plain_old_data ? { ...descriptor, data: descriptor.data.slice() } : descriptor;
}

function runLaunch({ kernel, options, descriptors }: Launch): void {
  const views = descriptors.map((descriptor): DataView => {
    if (descriptor.type === MuxDescriptorType.buffer) {
      const bytes = bytesOf(descriptor.buffer).subarray(descriptor.offset);
      return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    const data = descriptor.type === MuxDescriptorType.plain_old_data ? descriptor.data : new Uint8Array(0);
    return new DataView(data.buffer, data.byteOffset, data.byteLength);
  });
  const [[left, right], [top, bottom], [front, back]] = [idsOf(options, 0), idsOf(options, 1), idsOf(options, 2)];
  for (let z = front; z < back; z++) for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) kernel.run([x, y, z], views);
}

function runDispatch(queue: Queue, { commands, fence, waits, signals, told, completed }: Dispatch): void {
  const failed = waits.some((semaphore) => semaphore.failed);
  for (const semaphore of waits) semaphore.signalled = false;
  if (!failed) for (const { run } of commands.commands) run(queue, commands);
  const failure: MuxFailure | null = failed ? { code: MuxResult.error_fence_failure, message: "something that this work waits for has failed" } : null;
  told?.(commands, failure === null ? null : muxError(failure.code, "muxDispatch", "", failure.message));
  for (const semaphore of signals) {
    semaphore.signalled = true;
    semaphore.failed = failed;
  }
  if (fence !== null) {
    fence.outcome = "done";
    fence.failure = failure;
  }
  completed();
}

/** Runs what can run, until nothing more can. */
function progress(queue: Queue): void {
  for (let next = queue.waiting.findIndex(({ waits }) => waits.every(({ signalled }) => signalled)); next >= 0; next = queue.waiting.findIndex(({ waits }) => waits.every(({ signalled }) => signalled))) {
    const [dispatch] = queue.waiting.splice(next, 1);
    if (dispatch !== undefined) runDispatch(queue, dispatch);
  }
}

function fenceAnswer({ outcome, failure }: Fence): Result<"ready" | "not_ready", MuxFailure> {
  if (failure !== null) return err(failure);
  return ok(outcome === "done" ? "ready" : "not_ready");
}

const queries = (pool: MuxQueryPool, first: number, count: number): { start: bigint; end: bigint }[] => (pool as QueryPool).times.slice(first, first + count);
const now = (): bigint => BigInt(Math.round(performance.now() * 1e6));

const NO_SUB_GROUPS = (): Result<never, MuxFailure> => fail(MuxResult.error_feature_unsupported, "the device has no sub-groups");

/** What the target does, whatever its device is like. */
const METHODS: MuxTarget = {
  ...STUB_TARGET,
  name: "unitmux reference",
  getQueue: (device) => ok((device as Device).queue),
  allocateMemory: (device, size, _heap, properties) => (size > INFO.allocationSize ? fail(MuxResult.error_out_of_memory, `${size} bytes are more than ${INFO.allocationSize}`) : ok(new Memory(device, size, properties, new Uint8Array(size)))),
  createMemoryFromHost: (device, array) => ok(new Memory(device, array.length, MuxMemoryProperty.host_visible | MuxMemoryProperty.host_cached, array)),
  mapMemory: (_device, memory, offset, size) => ok((memory as Memory).bytes.subarray(offset, offset + size)),
  unmapMemory: () => ok(),
  flushMappedMemoryToDevice: () => ok(),
  flushMappedMemoryFromDevice: () => ok(),
  createBuffer: (device, size) => ok(new MuxBuffer({ device, memoryRequirements: { size, alignment: ALIGNMENT, supportedHeaps: 1 } })),
  bindBufferMemory: () => ok(),
  createImage: (device, type, format, width, height, depth, arrayLayers, rowSize, sliceSize) => {
    const pixelSize = PIXEL_BYTES[format];
    if (pixelSize === undefined) return fail(MuxResult.error_feature_unsupported, `there are no images of format ${format}`);
    const row = rowSize || width * pixelSize;
    const slice = sliceSize || row * (type === MuxImageType.image_1d ? 1 : height);
    const size = slice * Math.max(depth, arrayLayers, 1);
    return ok(new MuxImage({
      device, memoryRequirements: { size, alignment: ALIGNMENT, supportedHeaps: 1 }, type, format, pixelSize, size: { x: width, y: height, z: depth }, arrayLayers, rowSize: row, sliceSize: slice, tiling: MuxImageTiling.linear,
    }));
  },
  bindImageMemory: () => ok(),
  getSupportedImageFormats: ({ info }) => (!info.imageSupport ? fail(MuxResult.error_feature_unsupported, "the device has no images") : ok(Object.keys(PIXEL_BYTES).map((format) => Number(format) as MuxImageFormat))),
  createFence: (device) => ok(new Fence({ device })),
  createSemaphore: (device) => ok(new Semaphore({ device })),
  createQueryPool: (queue, type, count) => ok(new QueryPool({ device: queue.device, queue, type, count })),
  getQueryPoolResults: (_queue, pool, index, count) => ok(queries(pool, index, count).map((times) => ({ ...times }))),
  createExecutable: (device, binary) => {
    const text = new TextDecoder().decode(binary);
    if (!text.startsWith(MAGIC)) return fail(MuxResult.error_invalid_binary, "the bytes are no list of reference kernels");
    return ok(new Executable(device, text.slice(MAGIC.length).split(" ")));
  },
  createKernel: (device, executable, name) => {
    const kernel = (executable as Executable).names.includes(name) && Object.hasOwn(KERNELS, name) ? KERNELS[name] : undefined;
    return kernel === undefined ? fail(MuxResult.error_missing_kernel, `there is no kernel "${name}"`) : ok(new Kernel(device, kernel));
  },
  createBuiltInKernel: (device, name) => {
    const kernel = Object.hasOwn(KERNELS, name) ? KERNELS[name] : undefined;
    return kernel === undefined ? fail(MuxResult.error_missing_kernel, `there is no built-in kernel "${name}"`) : ok(new Kernel(device, kernel));
  },
  queryMaxNumSubGroups: ({ device }) => (device.info.maxSubGroupCount === 0 ? NO_SUB_GROUPS() : ok(1)),
  queryLocalSizeForSubGroupCount: ({ device }) => (device.info.maxSubGroupCount === 0 ? NO_SUB_GROUPS() : ok([1, 1, 1])),
  querySubGroupSizeForLocalSize: ({ device }) => (device.info.maxSubGroupCount === 0 ? NO_SUB_GROUPS() : ok(1)),
  queryWFVInfoForLocalSize: () => ok({ status: 0, workWidth: [1, 1, 1] }),
  createCommandBuffer: (device) => ok(new CommandBuffer({ device })),
  finalizeCommandBuffer: () => ok(),
  cloneCommandBuffer: (device, commandBuffer) => {
    const clone = new CommandBuffer({ device });
    clone.commands = (commandBuffer as CommandBuffer).commands.map(({ run, launch }) => {
      const own = launch === null ? null : { ...launch, descriptors: [...launch.descriptors] };
      return { launch: own, run: own === null ? run : () => { runLaunch(own); } };
    });
    return ok(clone);
  },
  resetCommandBuffer: (commandBuffer) => {
    (commandBuffer as CommandBuffer).commands = [];
    return ok();
  },
  commandReadBuffer: (list, buffer, offset, out) => add(list, () => { out.set(bytesOf(buffer).subarray(offset, offset + out.length)); }),
  commandReadBufferRegions: (list, buffer, out, regions) => add(list, () => { copyRegions(bytesOf(buffer), out, regions); }),
  commandWriteBuffer: (list, buffer, offset, from) => add(list, () => { bytesOf(buffer).set(from, offset); }),
  commandWriteBufferRegions: (list, buffer, from, regions) => add(list, () => { copyRegions(from, bytesOf(buffer), regions); }),
  commandCopyBuffer: (list, from, fromOffset, to, toOffset, size) => add(list, () => { bytesOf(to).set(bytesOf(from).subarray(fromOffset, fromOffset + size), toOffset); }),
  commandCopyBufferRegions: (list, from, to, regions) => add(list, () => { copyRegions(bytesOf(from), bytesOf(to), regions); }),
  commandFillBuffer: (list, buffer, offset, size, pattern) => {
    const own = pattern.slice();
    return add(list, () => { for (let i = 0; i < size; i += own.length) bytesOf(buffer).set(own, offset + i); });
  },
  commandReadImage: (list, image, offset, extent, rowSize, sliceSize, out) => add(list, () => {
    rows(extent, inImage(image, offset), packed(image, extent, 0, rowSize, sliceSize), (source, target) => { out.set(bytesOf(image).subarray(source, source + extent.x * image.pixelSize), target); });
  }),
  commandWriteImage: (list, image, offset, extent, rowSize, sliceSize, from) => add(list, () => {
    rows(extent, packed(image, extent, 0, rowSize, sliceSize), inImage(image, offset), (source, target) => { bytesOf(image).set(from.subarray(source, source + extent.x * image.pixelSize), target); });
  }),
  commandFillImage: (list, image, color, offset, extent) => add(list, () => {
    rows(extent, inImage(image, offset), [0, 0, 0], (row) => { for (let x = 0; x < extent.x; x++) bytesOf(image).set(color.subarray(0, image.pixelSize), row + x * image.pixelSize); });
  }),
  commandCopyImage: (list, from, to, fromOffset, toOffset, extent) => add(list, () => {
    rows(extent, inImage(from, fromOffset), inImage(to, toOffset), (source, target) => { bytesOf(to).set(bytesOf(from).subarray(source, source + extent.x * from.pixelSize), target); });
  }),
  commandCopyImageToBuffer: (list, from, to, fromOffset, toOffset, extent) => add(list, () => {
    rows(extent, inImage(from, fromOffset), packed(from, extent, toOffset), (source, target) => { bytesOf(to).set(bytesOf(from).subarray(source, source + extent.x * from.pixelSize), target); });
  }),
  commandCopyBufferToImage: (list, from, to, fromOffset, toOffset, extent) => add(list, () => {
    rows(extent, packed(to, extent, fromOffset), inImage(to, toOffset), (source, target) => { bytesOf(to).set(bytesOf(from).subarray(source, source + extent.x * to.pixelSize), target); });
  }),
  commandNDRange: (list, kernel, options) => {
    const launch = { kernel: kernel as Kernel, options, descriptors: options.descriptors.map(kept) };
    return add(list, () => { runLaunch(launch); }, launch);
  },
  createLaunch: (kernel, options) => ok(new PreparedLaunch(kernel, options)),
  commandLaunches: (list, launches) => {
    for (const prepared of launches) {
      const { kernel, options, descriptors } = prepared as PreparedLaunch;
      const launch = { kernel: kernel as Kernel, options, descriptors };
      void add(list, () => { runLaunch(launch); }, launch);
    }
    return ok();
  },
  updateDescriptors: (list, commandId, indices, descriptors) => {
    const launch = (list as CommandBuffer).commands[commandId]?.launch ?? null;
    if (launch === null) return fail(MuxResult.error_invalid_value, `command ${commandId} is no launch`);
    const updated = [...launch.descriptors];
    for (const [i, descriptor] of descriptors.entries()) {
      const index = indices[i] ?? -1;
      const kind = launch.kernel.argumentTypes?.[index];
      if (kind !== descriptor.type) return fail(MuxResult.error_invalid_value, kind === undefined ? `the kernel has no argument ${index}` : `argument ${index} is of kind ${kind}, not ${descriptor.type}`);
      updated[index] = kept(descriptor);
    }
    launch.descriptors = updated;
    return ok();
  },
  commandUserCallback: (list, userFunction) => add(list, (queue, commands) => { userFunction(queue, commands); }),
  commandBeginQuery: (list, pool, index, count) => add(list, () => { for (const times of queries(pool, index, count)) times.start = now(); }),
  commandEndQuery: (list, pool, index, count) => add(list, () => { for (const times of queries(pool, index, count)) times.end = now(); }),
  commandResetQueryPool: (list, pool, index, count) => add(list, () => { for (const times of queries(pool, index, count)) Object.assign(times, { start: 0n, end: 0n }); }),
  dispatch: (queue, commandBuffer, fence, waits, signals, told, completed) => {
    if (fence !== null) Object.assign(fence, { outcome: "pending", failure: null });
    for (const semaphore of signals) Object.assign(semaphore, { signalled: false, failed: false });
    (queue as Queue).waiting.push({ commands: commandBuffer as CommandBuffer, fence: fence as Fence | null, waits: waits as readonly Semaphore[], signals: signals as readonly Semaphore[], told, completed });
    progress(queue as Queue);
    return ok();
  },
  tryWait: (_queue, _timeout, fence) => fenceAnswer(fence as Fence),
  waitAll: (queue) => ((queue as Queue).waiting.length === 0 ? ok() : fail(MuxResult.error_failure, "what is waited for can never complete: it waits for a semaphore that no dispatch signals")),
  tryWaitAsync: async (_queue, _timeout, fence) => fenceAnswer(fence as Fence),
  waitAllAsync: async (queue) => METHODS.waitAll(queue),
};

/** A target with its own device: what the device is like, and methods to do otherwise than the reference. @public */
export function referenceTarget(device: Partial<MuxDeviceInfo> = {}, methods: Partial<MuxTarget> = {}): MuxTarget {
  const target: MuxTarget = {
    ...METHODS,
    getDeviceInfos: (number) => [{ ...INFO, ...device, id: number }],
    createDevice: (info) => ok(new Device({ info, target })),
    ...methods,
  };
  return target;
}

/** The target, with every feature but counters. @public */
export const REFERENCE_TARGET: MuxTarget = referenceTarget();
