// SPDX-License-Identifier: Apache-2.0
// The properties of the host device.
import type { ImageLimits } from "@muxkit/libimg";
import {
  MuxAddressCapabilities,
  MuxAllocationCapabilities,
  MuxAtomicCapabilities,
  MuxCacheCapabilities,
  type MuxDeviceInfo,
  MuxDeviceType,
  MuxEndianness,
  MuxFloatingPointCapabilities,
  MuxIntegerCapabilities,
  MuxSharedLocalMemoryType,
} from "@muxkit/mux";

import { FLAGGED_FEATURES, engineFeatures, turnOn } from "./engine.ts";
import { LOCAL_MEMORY, MAX_GROUP_ITEMS } from "./limits.ts";
import { type HostOptions, reportedMemory, sharesMemory, threadCount } from "./options.ts";
import { hostSetting } from "./settings.table.ts";
import { type HostParts, NO_PARTS } from "./parts.ts";
import { SYSTEM } from "#system";

/**
 * Sizes of images: floats still tell neighbouring texels of the filtered kinds apart, and an image over a buffer can
 * have as many as a 32-bit index leaves room for.
 */
export const IMAGE_LIMITS: ImageLimits = {
  width1d: 16_384,
  widthBuffer: 2 ** 27,
  size2d: 16_384,
  size3d: 4096,
  layers: 2048,
};

const ALL_ALLOCATIONS =
  MuxAllocationCapabilities.coherent_host |
  MuxAllocationCapabilities.cached_host |
  MuxAllocationCapabilities.alloc_device;
const INTEGERS =
  MuxIntegerCapabilities.bits8 |
  MuxIntegerCapabilities.bits16 |
  MuxIntegerCapabilities.bits32 |
  MuxIntegerCapabilities.bits64;
/** WebAssembly rounds only to nearest (docs/decisions/059-rounding.md). */
const FLOATS =
  MuxFloatingPointCapabilities.denorm |
  MuxFloatingPointCapabilities.inf_nan |
  MuxFloatingPointCapabilities.rte |
  MuxFloatingPointCapabilities.fma;
/** Muxkit has no vendor id from Khronos: this is the first unassigned one for vendors without a PCI id. */
const VENDOR = 0x1_0fff;
const VECTOR_BYTES = 16;
/** Work-items of sub-groups that a kernel may require. */
const SUB_GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64, 128] as const;

/**
 * The facts of the host device as options make it; `target` is the target's number, the lowest byte of the id.
 *
 * @public
 */
export function hostDeviceInfo(
  options: HostOptions,
  target: number,
  parts: Pick<HostParts, "native" | "watchLaunches"> = NO_PARTS,
): MuxDeviceInfo {
  const memory = reportedMemory(options);
  const { model, speed } = SYSTEM.processor();
  const features = new Set([...engineFeatures(), ...turnOn(hostSetting("wasmFeatures", options))]);
  const vectors = [
    ...(features.has("simd") ? ["SIMD128"] : []),
    ...(features.has("relaxed-simd") ? ["relaxed SIMD"] : []),
    ...FLAGGED_FEATURES.filter((name) => features.has(name)),
  ];
  const info: MuxDeviceInfo = {
    id: target,
    deviceName: `muxkit host: ${model === "" ? "CPU" : model} (${["WebAssembly", ...vectors].join(", ")})`,
    deviceType: MuxDeviceType.cpu,
    khronosVendorId: VENDOR,
    devicePriority: 0,
    allocationCapabilities: ALL_ALLOCATIONS,
    addressCapabilities: MuxAddressCapabilities.bits32,
    atomicCapabilities: MuxAtomicCapabilities.bits32 | MuxAtomicCapabilities.bits64,
    cacheCapabilities: MuxCacheCapabilities.read | MuxCacheCapabilities.write,
    halfCapabilities: FLOATS,
    floatCapabilities: FLOATS | MuxFloatingPointCapabilities.full,
    doubleCapabilities: FLOATS,
    integerCapabilities: INTEGERS,
    customBufferCapabilities: 0,
    endianness: MuxEndianness.little,
    sharedLocalMemoryType: MuxSharedLocalMemoryType.virtual,
    builtinKernelDeclarations: "",
    maxConcurrentWorkItems: MAX_GROUP_ITEMS,
    maxWorkGroupSizeX: MAX_GROUP_ITEMS,
    maxWorkGroupSizeY: MAX_GROUP_ITEMS,
    maxWorkGroupSizeZ: MAX_GROUP_ITEMS,
    maxWorkWidth: 64,
    clockFrequency: speed,
    computeUnits: threadCount(options),
    canPartition: true,
    bufferAlignment: 128,
    memorySize: memory,
    allocationSize: memory,
    cacheSize: 0,
    cachelineSize: 64,
    sharedLocalMemorySize: LOCAL_MEMORY,
    nativeVectorWidth: VECTOR_BYTES,
    preferredVectorWidth: VECTOR_BYTES,
    imageSupport: true,
    image2dArrayWrites: true,
    image3dWrites: true,
    maxImageDimension1d: IMAGE_LIMITS.widthBuffer,
    maxImageDimension2d: IMAGE_LIMITS.size2d,
    maxImageDimension3d: IMAGE_LIMITS.size3d,
    maxImageArrayLayers: IMAGE_LIMITS.layers,
    maxStorageImages: 64,
    maxSampledImages: 128,
    maxSamplers: 16,
    queueTypes: [1],
    queryCounterSupport: true,
    descriptorsUpdatable: true,
    stopsLaunches: parts.watchLaunches !== null,
    canCloneCommandBuffers: true,
    supportsBuiltinKernels: false,
    maxSubGroupCount: MAX_GROUP_ITEMS / SUB_GROUP_SIZES[0],
    subGroupsSupportIfp: false,
    maxHardwareCounters: 0,
    supportsWorkGroupCollectives: true,
    supportsGenericAddressSpace: true,
    subGroupSizes: SUB_GROUP_SIZES,
    // Compilers ask: what only runs code that was compiled before opens no native code for this.
    get codeFeatures() {
      const native = sharesMemory(options)
        ? parts.native?.features(hostSetting("native", options), hostSetting("nativeTier", options))
        : undefined;
      return [...features, ...(native ?? [])];
    },
    languageExtensions: [],
  };
  // Not one of the facts, which cross to other threads as data.
  return Object.defineProperty(info, "lacksFeature", {
    value: (feature: string) =>
      sharesMemory(options) &&
      parts.native?.lacks(hostSetting("native", options), hostSetting("nativeTier", options), feature) === true,
  });
}
