// SPDX-License-Identifier: Apache-2.0
// The properties of a GPU as programs and compilers read them.
import { type HalDeviceInfo, MODEST_DEVICE } from "@muxkit/hal";
import {
  MuxAddressCapabilities,
  MuxAllocationCapabilities,
  MuxAtomicCapabilities,
  MuxDeviceType,
  MuxFloatingPointCapabilities,
} from "@muxkit/mux";

import type { GpuFacts } from "./driver.ts";

const FLOATS =
  MuxFloatingPointCapabilities.denorm |
  MuxFloatingPointCapabilities.inf_nan |
  MuxFloatingPointCapabilities.rte |
  MuxFloatingPointCapabilities.fma;

/** Work-items of the largest work-group. */
export const MOST_ITEMS = 1024;
/** Work-items of a sub-group. */
const WARP = 32;
const MOST_DEPTH = 64;
/** PCI vendor of NVIDIA. */
const VENDOR = 0x10de;

/**
 * Of the GPU with these facts; `reachesHost`: kernels see pinned memory of the host, `stopsKernels`: launches can be
 * stopped.
 *
 * @public
 */
export function deviceInfo(gpu: GpuFacts, reachesHost: boolean = false, stopsKernels: boolean = false): HalDeviceInfo {
  const [major, minor] = gpu.capability;
  return {
    ...MODEST_DEVICE,
    deviceName: gpu.name,
    deviceType: MuxDeviceType.gpu_discrete,
    khronosVendorId: VENDOR,
    allocationCapabilities:
      MODEST_DEVICE.allocationCapabilities | (reachesHost ? MuxAllocationCapabilities.coherent_host : 0),
    addressCapabilities: MuxAddressCapabilities.bits64,
    atomicCapabilities: MuxAtomicCapabilities.bits32 | MuxAtomicCapabilities.bits64,
    halfCapabilities: FLOATS,
    floatCapabilities: FLOATS,
    doubleCapabilities: FLOATS,
    maxConcurrentWorkItems: MOST_ITEMS,
    maxWorkGroupSizeX: MOST_ITEMS,
    maxWorkGroupSizeY: MOST_ITEMS,
    maxWorkGroupSizeZ: MOST_DEPTH,
    clockFrequency: Math.round(gpu.clockRate / 1000),
    computeUnits: gpu.multiprocessors,
    memorySize: gpu.memory,
    allocationSize: gpu.memory,
    cacheSize: gpu.cache,
    cachelineSize: 128,
    sharedLocalMemorySize: gpu.sharedMemory,
    nativeVectorWidth: 1,
    preferredVectorWidth: 1,
    imageSupport: true,
    image2dArrayWrites: true,
    image3dWrites: true,
    maxImageDimension1d: 65_536,
    maxImageDimension2d: 16_384,
    maxImageDimension3d: 2048,
    maxImageArrayLayers: 2048,
    maxStorageImages: 64,
    maxSampledImages: 128,
    maxSamplers: 16,
    maxSubGroupCount: MOST_ITEMS / WARP,
    subGroupSizes: [WARP],
    supportsWorkGroupCollectives: true,
    supportsGenericAddressSpace: true,
    stopsLaunches: stopsKernels,
    codeFeatures: [`sm_${major}${minor}`],
  };
}
