// SPDX-License-Identifier: Apache-2.0
// The properties of a device, available before anything runs on it. Compilers read it; it crosses the border together
// with executables.
import { MuxAddressCapabilities } from "./generated/enums.ts";

/**
 * The facts of a device (the runtime interface's device info). Bit fields are the unions of the constants named next to
 * them.
 *
 * @public
 */
export interface MuxDeviceInfo {
  /** Number of the target and of the device within it. */
  readonly id: number;
  /** Name for people. */
  readonly deviceName: string;
  /** Kind of device: 1 CPU, 2 integrated GPU, 4 discrete GPU, 8 virtual GPU, 16 accelerator, 32 custom. */
  readonly deviceType: number;
  /** Vendor number as Khronos assigns it. */
  readonly khronosVendorId: number;
  /** Greater comes first as default device. */
  readonly devicePriority: number;
  /** Bits: 1 coherent host allocations, 2 cached host allocations, 4 device allocations. */
  readonly allocationCapabilities: number;
  /** Bits: 1 logical addresses, 2 32-bit, 4 64-bit. */
  readonly addressCapabilities: number;
  /** Bits: 1, 2, 4, 8 for atomics of 8, 16, 32, 64 bits. */
  readonly atomicCapabilities: number;
  /** Bits: 1 read cache, 2 write cache. */
  readonly cacheCapabilities: number;
  /**
   * Binary16. Bits: 1 denormals, 2 infinities and NaN, 4 rte, 8 rtz, 16 rtp, 32 rtn, 64 fma, 128 soft, 256 full; 0:
   * none.
   */
  readonly halfCapabilities: number;
  /** Binary32, the same bits. */
  readonly floatCapabilities: number;
  /** Binary64, the same bits. */
  readonly doubleCapabilities: number;
  /** Bits: 1, 2, 4, 8 for ints of 8, 16, 32, 64 bits. */
  readonly integerCapabilities: number;
  /** Bits: 1 data, 2 address spaces of the target's own. */
  readonly customBufferCapabilities: number;
  /** 1 little, 2 big. */
  readonly endianness: number;
  /** 0 physical, 1 virtual. */
  readonly sharedLocalMemoryType: number;
  /** `name(parameters)` of built-in kernels, separated by semicolons. */
  readonly builtinKernelDeclarations: string;
  /** Most work-items of a work-group. */
  readonly maxConcurrentWorkItems: number;
  /** Most work-items of a group along x. */
  readonly maxWorkGroupSizeX: number;
  /** Most work-items of a group along y. */
  readonly maxWorkGroupSizeY: number;
  /** Most work-items of a group along z. */
  readonly maxWorkGroupSizeZ: number;
  /** Most work-items that one invocation of a kernel covers. */
  readonly maxWorkWidth: number;
  /** MHz; 0 where it is unknown. */
  readonly clockFrequency: number;
  /** Parallel units: threads of a CPU. */
  readonly computeUnits: number;
  /** True: parts of it with fewer compute units can be opened, see `muxGetSubDeviceInfo`. */
  readonly canPartition?: boolean;
  /** Alignment of buffers in bytes, a power of two. */
  readonly bufferAlignment: number;
  /** Bytes of global memory. */
  readonly memorySize: number;
  /** Bytes of the greatest allocation. */
  readonly allocationSize: number;
  /** Bytes of the global memory's cache. */
  readonly cacheSize: number;
  /** Bytes of a line of it. */
  readonly cachelineSize: number;
  /** Bytes of local memory of a work-group. */
  readonly sharedLocalMemorySize: number;
  /** Bytes of the machine's vectors. */
  readonly nativeVectorWidth: number;
  /** Bytes of the vectors that programs should use. */
  readonly preferredVectorWidth: number;
  /** True: images. */
  readonly imageSupport: boolean;
  /** True: writes to 2-D image arrays. */
  readonly image2dArrayWrites: boolean;
  /** True: writes to 3-D images. */
  readonly image3dWrites: boolean;
  /** Most texels of a 1-D image. */
  readonly maxImageDimension1d: number;
  /** Most texels of a side of a 2-D image. */
  readonly maxImageDimension2d: number;
  /** Most texels of a side of a 3-D image. */
  readonly maxImageDimension3d: number;
  /** Most layers of an image array. */
  readonly maxImageArrayLayers: number;
  /** Most images that a kernel writes. */
  readonly maxStorageImages: number;
  /** Most images that a kernel samples. */
  readonly maxSampledImages: number;
  /** Most samplers of a kernel. */
  readonly maxSamplers: number;
  /** Queues by queue type; the only type is compute. */
  readonly queueTypes: readonly number[];
  /** True: hardware counters can be queried. */
  readonly queryCounterSupport: boolean;
  /** True: descriptors of a finalized command buffer can be changed. */
  readonly descriptorsUpdatable: boolean;
  /** True: launches can have a deadline, and be stopped. Absent: they cannot. */
  readonly stopsLaunches?: boolean;
  /** True: command buffers can be cloned. */
  readonly canCloneCommandBuffers: boolean;
  /** True: there are built-in kernels. */
  readonly supportsBuiltinKernels: boolean;
  /** Most sub-groups of a work-group; 0: no sub-groups. */
  readonly maxSubGroupCount: number;
  /** True: sub-groups make progress independently. */
  readonly subGroupsSupportIfp: boolean;
  /** Hardware counters that count at once. */
  readonly maxHardwareCounters: number;
  /** True: work-group collectives. */
  readonly supportsWorkGroupCollectives: boolean;
  /** True: the generic address space. */
  readonly supportsGenericAddressSpace: boolean;
  /** Sub-group sizes that a kernel may require. */
  readonly subGroupSizes: readonly number[];
  /**
   * What generated code may use beyond what every device of the target has, by names that executables list as features.
   */
  readonly codeFeatures: readonly string[];
  /**
   * True for one of {@link MuxDeviceInfo.codeFeatures} that is not there when it comes to it. To be asked before code
   * is made, or loaded, that needs it, since it may take starting something. It does not cross to other threads, and is
   * no enumerable property. Absent: all of them are there.
   */
  readonly lacksFeature?: (feature: string) => boolean;
  /**
   * Extensions of OpenCL C that are the target's own, by the names of their macros, for example
   * `cl_my_chip_dot_product`: programs may use what its compiler adds for them.
   */
  readonly languageExtensions: readonly string[];
}

/**
 * How many ids a dimension of a launch may have, from 0 on, the global offset included: as many as size_t counts, and
 * on a device with 64-bit addresses as many as JavaScript counts exactly.
 *
 * @public
 */
export function idLimit({ addressCapabilities }: Pick<MuxDeviceInfo, "addressCapabilities">): number {
  return (addressCapabilities & MuxAddressCapabilities.bits64) === 0 ? 2 ** 32 : Number.MAX_SAFE_INTEGER;
}
