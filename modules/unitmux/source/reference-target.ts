// SPDX-License-Identifier: Apache-2.0
// A target whose kernels are functions of TypeScript: what the suite is checked with, and the shortest whole example of
// a device of the hardware layer.
import { type Result, err, ok } from "@muxkit/cargo";
import {
  type HalArgument,
  type HalDevice,
  type HalKernel,
  type HalProgram,
  type HalRange,
  MODEST_DEVICE,
  SimulatedMemory,
  halTarget,
} from "@muxkit/hal";
import { MuxDescriptorType, type MuxDeviceInfo, type MuxFailure, MuxResult, type MuxTarget } from "@muxkit/mux";

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

const INFO: Omit<MuxDeviceInfo, "id"> = {
  ...MODEST_DEVICE,
  deviceName: "unitmux reference",
  builtinKernelDeclarations: "fill(global int* out, int value)",
  maxConcurrentWorkItems: 64,
  maxWorkGroupSizeX: 64,
  maxWorkGroupSizeY: 8,
  maxWorkGroupSizeZ: 4,
  bufferAlignment: 16,
  // Room for what thousands of cases leave on one device.
  memorySize: 2 ** 24,
  allocationSize: 2 ** 19,
  sharedLocalMemorySize: 1024,
  imageSupport: true,
  image2dArrayWrites: true,
  image3dWrites: true,
  maxImageDimension1d: 1024,
  maxImageDimension2d: 1024,
  maxImageDimension3d: 64,
  maxImageArrayLayers: 64,
  maxStorageImages: 8,
  maxSampledImages: 8,
  maxSamplers: 8,
  supportsBuiltinKernels: true,
  maxSubGroupCount: 1,
  subGroupSizes: [1],
};

/** First id and end of what is launched in a dimension. */
function idsOf(
  { globalSize, globalOffset, localSize, firstGroup, groupCount }: HalRange,
  axis: 0 | 1 | 2,
): readonly [first: number, end: number] {
  const first = firstGroup[axis] * localSize[axis];
  const end = Math.min(globalSize[axis] ?? 1, first + groupCount[axis] * localSize[axis]);
  const offset = globalOffset[axis] ?? 0;
  return [offset + first, offset + end];
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function argumentView(memory: SimulatedMemory, argument: HalArgument): DataView {
  if (argument.kind === "address") return viewOf(memory.view(argument.address, argument.size));
  return viewOf(argument.kind === "value" ? argument.bytes : new Uint8Array(0));
}

function kernelOf(memory: SimulatedMemory, name: string): HalKernel | null {
  const known = Object.hasOwn(KERNELS, name) ? KERNELS[name] : undefined;
  if (known === undefined) return null;
  return {
    argumentTypes: known.argumentTypes,
    preferredLocalSize: [1, 1, 1],
    requiredLocalSize: null,
    localMemorySize: 0,
    subGroupSize: 1,
    run: (range, args) => {
      const views = args.map((argument) => argumentView(memory, argument));
      const [[left, right], [top, bottom], [front, back]] = [idsOf(range, 0), idsOf(range, 1), idsOf(range, 2)];
      for (let z = front; z < back; z++)
        for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) known.run([x, y, z], views);
      return ok();
    },
  };
}

function open(): HalDevice {
  const memory = new SimulatedMemory(INFO.memorySize);
  return {
    allocate: (size, alignment) => memory.allocate(size, alignment),
    free: (address) => {
      memory.free(address);
    },
    read: (address, to) => {
      memory.read(address, to);
    },
    write: (address, from) => {
      memory.write(address, from);
    },
    load: (binary): Result<HalProgram, MuxFailure> => {
      const text = new TextDecoder().decode(binary);
      if (!text.startsWith(MAGIC))
        return err({ code: MuxResult.error_invalid_binary, message: "the bytes are no list of reference kernels" });
      const names = text.slice(MAGIC.length).split(" ");
      return ok({ kernel: (name) => (names.includes(name) ? kernelOf(memory, name) : null), free: () => undefined });
    },
    builtInKernel: (name) => kernelOf(memory, name),
    close: () => undefined,
  };
}

/** A target with its own device: properties of the device, and methods that differ from the reference. @public */
export function referenceTarget(device: Partial<MuxDeviceInfo> = {}, methods: Partial<MuxTarget> = {}): MuxTarget {
  return halTarget({ name: "unitmux reference", devices: [{ ...INFO, ...device }], open: () => ok(open()) }, methods);
}

/** The target, with every feature but counters. @public */
export const REFERENCE_TARGET: MuxTarget = referenceTarget();
