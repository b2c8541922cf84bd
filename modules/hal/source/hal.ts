// SPDX-License-Identifier: Apache-2.0
// The hardware layer: what a device must be able to do. Everything else in the runtime API is built on these
// calls.
import type { Result } from "@muxkit/cargo";
import type { Image } from "@muxkit/libimg";
import {
  MuxAddressCapabilities,
  MuxAllocationCapabilities,
  MuxAtomicCapabilities,
  type MuxDescriptorType,
  type MuxDeviceInfo,
  MuxDeviceType,
  MuxEndianness,
  type MuxFailure,
  MuxFloatingPointCapabilities,
  MuxIntegerCapabilities,
  MuxSharedLocalMemoryType,
} from "@muxkit/mux";

/** The properties of a device without its number, which the registry assigns. @public */
export type HalDeviceInfo = Omit<MuxDeviceInfo, "id">;

/**
 * What a kernel receives for one of its arguments. `address`: memory of the device, with the bytes from there
 * on to the end of the buffer. `value`: bytes. `local`: so many bytes of local memory for each work-group. `null`: a
 * null pointer. `image`: its layout, and the address of its first pixel. `sampler`: its bits, as the kit's kernels read
 * them.
 *
 * @public
 */
export type HalArgument =
  | { readonly kind: "address"; readonly address: number; readonly size: number }
  | { readonly kind: "value"; readonly bytes: Uint8Array }
  | { readonly kind: "local"; readonly size: number }
  | { readonly kind: "null" }
  | { readonly kind: "image"; readonly image: Image; readonly address: number }
  | { readonly kind: "sampler"; readonly bits: number };

/** The work-items of a launch. @public */
export interface HalRange {
  /** 1 to 3. */
  readonly dimensions: number;
  /** Work-items of the whole range in each of the dimensions. */
  readonly globalSize: readonly number[];
  /** First global id in each of the dimensions. */
  readonly globalOffset: readonly number[];
  /** Work-items of a group; the last groups of a dimension may have fewer. */
  readonly localSize: readonly [number, number, number];
  /** First group to run. */
  readonly firstGroup: readonly [number, number, number];
  /** Groups to run; ids that kernels see stay those of the whole range, and so does their number. */
  readonly groupCount: readonly [number, number, number];
  /** True: the number of groups that kernels see is `groupCount`. */
  readonly countsPart: boolean;
}

/** One kernel of a loaded program. @public */
export interface HalKernel {
  /** Kinds of its arguments. */
  readonly argumentTypes: readonly MuxDescriptorType[];
  /** Local size for launches that do not specify one. */
  readonly preferredLocalSize: readonly [number, number, number];
  /** Local size that it demands; null: any. */
  readonly requiredLocalSize: readonly [number, number, number] | null;
  /** Work-items of the largest group that it runs in; absent: those of the device. */
  readonly maxWorkItems?: number;
  /** Bytes of local memory that it declares. */
  readonly localMemorySize: number;
  /** Work-items of a sub-group. */
  readonly subGroupSize: number;
  /**
   * Runs it to its end, or starts it and promises its end. The arguments fit {@link HalKernel.argumentTypes}. Until the
   * promise is fulfilled the device gets no other command: what is read and written afterwards sees what the kernel
   * did. A promise that rejects counts as error_failure with the reason as its message.
   */
  run(range: HalRange, args: readonly HalArgument[]): Result<void, MuxFailure> | Promise<Result<void, MuxFailure>>;
}

/** A loaded program. @public */
export interface HalProgram {
  /** The kernel of a name; null: there is none. */
  kernel(name: string): HalKernel | null;
  /** Unloads it. */
  free(): void;
}

/** An open device. Addresses are numbers of its own; 0 is none. @public */
export interface HalDevice {
  /** Takes memory; null: there is none left. */
  allocate(size: number, alignment: number): number | null;
  /** Gives memory back. */
  free(address: number): void;
  /** Copies from the device to the host. */
  read(address: number, to: Uint8Array): void;
  /** Copies from the host to the device. */
  write(address: number, from: Uint8Array): void;
  /** Copies within the device, where it can; the ranges do not overlap. Absent: through the host. */
  copy?(from: number, to: number, size: number): void;
  /** Fills with a pattern of 1 to 128 bytes, where it can. Absent: the host writes. */
  fill?(address: number, size: number, pattern: Uint8Array): void;
  /** Loads an executable. Errors: error_invalid_binary for bytes that are none of this device, error_out_of_memory. */
  load(binary: Uint8Array): Result<HalProgram, MuxFailure>;
  /** A kernel that the device has of its own; absent: it has none. */
  builtInKernel?(name: string): HalKernel | null;
  /** Closes it; programs and memory are gone. */
  close(): void;
}

/** A kind of device. @public */
export interface Hal {
  /** Name of the target, for people. */
  readonly name: string;
  /** Its devices, the first of which has number 0. */
  readonly devices: readonly HalDeviceInfo[];
  /** Opens one. Errors: error_device_entry_hook_failed. */
  open(index: number): Result<HalDevice, MuxFailure>;
}

/**
 * Facts of a modest device: 32-bit addresses, floats as IEEE 754 has them, no images, no doubles, no halves. A device
 * spreads them and adds what it has beyond that. Its memory is its own: the host sees it by copies.
 *
 * @public
 */
export const MODEST_DEVICE: Omit<HalDeviceInfo, "deviceName"> = {
  deviceType: MuxDeviceType.accelerator,
  khronosVendorId: 0x1_0fff,
  devicePriority: -1,
  allocationCapabilities: MuxAllocationCapabilities.cached_host | MuxAllocationCapabilities.alloc_device,
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
  sharedLocalMemoryType: MuxSharedLocalMemoryType.physical,
  builtinKernelDeclarations: "",
  maxConcurrentWorkItems: 256,
  maxWorkGroupSizeX: 256,
  maxWorkGroupSizeY: 256,
  maxWorkGroupSizeZ: 256,
  maxWorkWidth: 1,
  clockFrequency: 0,
  computeUnits: 1,
  bufferAlignment: 128,
  memorySize: 2 ** 26,
  allocationSize: 2 ** 26,
  cacheSize: 0,
  cachelineSize: 64,
  sharedLocalMemorySize: 32_768,
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
  descriptorsUpdatable: true,
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
