// SPDX-License-Identifier: Apache-2.0
// clGetPlatformInfo and clGetDeviceInfo (OpenCL 3.0, 4.1 and 4.2).
import { MuxAddressCapabilities, MuxEndianness } from "@muxkit/mux";
import { LANGUAGE_VERSIONS, OPENCL_VERSION } from "@muxkit/compiler";

import { ensure } from "../error.ts";
import { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE } from "../generated/constants.ts";
import type { DeviceInfo, PlatformInfo } from "../generated/info.ts";
import { ilVersions } from "../il.ts";
import { hasOneMemory } from "../memory-object.ts";
import { Device, Platform } from "../platform.ts";
import { MAX_PACKET_SIZE } from "../pipe.ts";
import { SubDevice, partitionsOf } from "../sub-device.ts";
import { svmCapabilities } from "../svm.ts";
import { EXTENSION_FACTS } from "./extension-info.ts";
import { type InfoTable, query } from "./query.ts";
import {
  NUMERIC_VERSION,
  extensionsOf,
  featuresOf,
  hasFeature,
  ilsOf,
  packVersion,
  platformExtensions,
} from "./versions.ts";

/** What the version strings end with: each is `OpenCL`, a number, a space, and what the vendor adds. */
const RELEASE = "Muxkit 0.1.0";
const VERSION = `OpenCL ${Math.floor(OPENCL_VERSION / 100)}.${Math.floor(OPENCL_VERSION / 10) % 10} ${RELEASE}`;
/** OpenCL C 3.0 lacks features of 2.0, so 1.2 is the last version that the compiler takes as a whole. */
const LANGUAGE_VERSION = `OpenCL C 1.2 ${RELEASE}`;
/**
 * Bytes of the greatest program-scope variable. Its initial bytes are a part of the executable, so it is the compiler
 * that sets the limit, not the device's memory.
 */
const MAX_GLOBAL_VARIABLE_SIZE = 2 ** 24;

const PLATFORM: InfoTable<Platform, PlatformInfo> = {
  CL_PLATFORM_PROFILE: () => "FULL_PROFILE",
  CL_PLATFORM_VERSION: () => VERSION,
  CL_PLATFORM_NAME: ({ name }) => name,
  CL_PLATFORM_VENDOR: () => "Muxkit",
  CL_PLATFORM_EXTENSIONS: () =>
    platformExtensions()
      .map(({ name }) => name)
      .join(" "),
  CL_PLATFORM_NUMERIC_VERSION: () => NUMERIC_VERSION,
  CL_PLATFORM_EXTENSIONS_WITH_VERSION: () => platformExtensions(),
  CL_PLATFORM_HOST_TIMER_RESOLUTION: () => 1000,
  CL_PLATFORM_NUMERIC_VERSION_KHR: () => NUMERIC_VERSION,
  CL_PLATFORM_EXTENSIONS_WITH_VERSION_KHR: () => platformExtensions(),
};

/** The tokens that clGetPlatformInfo knows. @public */
export const PLATFORM_QUERIES: readonly (keyof PlatformInfo)[] = Object.keys(
  PLATFORM,
) as readonly (keyof PlatformInfo)[];

/** A fact of the platform. Errors: CL_INVALID_PLATFORM, CL_INVALID_VALUE. @public */
export function clGetPlatformInfo<Token extends keyof PlatformInfo>(
  platform: Platform,
  token: Token,
): PlatformInfo[Token] {
  ensure(platform instanceof Platform, "CL_INVALID_PLATFORM", "clGetPlatformInfo", "the value is not a platform");
  return query("clGetPlatformInfo", PLATFORM, platform, token);
}

/** The runtime's bits for floating point and OpenCL's (cl_device_fp_config). */
const FLOAT_BITS: readonly (readonly [runtime: number, opencl: number])[] = [
  [1, 1],
  [2, 2],
  [4, 4],
  [8, 8],
  [16, 16],
  [32, 16],
  [64, 32],
  [128, 64],
  [256, 128],
];

function floatConfig(bits: number): number {
  return FLOAT_BITS.reduce((config, [runtime, opencl]) => ((bits & runtime) === 0 ? config : config | opencl), 0);
}

const lanes = (bytes: number, element: number): number => Math.max(1, Math.floor(bytes / element));

const CACHE_TYPES = ["CL_NONE", "CL_READ_ONLY_CACHE", "CL_NONE", "CL_READ_WRITE_CACHE"] as const;

/**
 * Orders and scopes of atomics: bits of cl_device_atomic_capabilities. Orders relaxed, acq_rel, seq_cst, then scopes
 * work_item (fences only), work_group, device, all_devices.
 */
function atomicCapabilities(device: Device, isFence: boolean): number {
  const rows: readonly (readonly [bit: number, isOn: boolean])[] = [
    [1, true],
    [2, isFence || hasFeature(device, "atomic_order_acq_rel")],
    [4, hasFeature(device, "atomic_order_seq_cst")],
    [8, isFence],
    [16, true],
    [32, hasFeature(device, "atomic_scope_device")],
    [64, hasFeature(device, "atomic_scope_all_devices")],
  ];
  return rows.reduce((bits, [bit, isOn]) => (isOn ? bits | bit : bits), 0);
}

/** A device without program-scope variables in global memory has none of any size. */
function globalVariableSize(device: Device): number {
  return hasFeature(device, "program_scope_global_variables")
    ? Math.min(device.info.allocationSize, MAX_GLOBAL_VARIABLE_SIZE)
    : 0;
}

const DEVICE: InfoTable<Device, DeviceInfo> = {
  CL_DEVICE_TYPE: ({ type }) => type,
  CL_DEVICE_VENDOR_ID: ({ info }) => info.khronosVendorId,
  CL_DEVICE_MAX_COMPUTE_UNITS: ({ info }) => info.computeUnits,
  CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: () => 3,
  CL_DEVICE_MAX_WORK_ITEM_SIZES: ({ info }) => [info.maxWorkGroupSizeX, info.maxWorkGroupSizeY, info.maxWorkGroupSizeZ],
  CL_DEVICE_MAX_WORK_GROUP_SIZE: ({ info }) => info.maxConcurrentWorkItems,
  CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR: ({ info }) => lanes(info.preferredVectorWidth, 1),
  CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT: ({ info }) => lanes(info.preferredVectorWidth, 2),
  CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT: ({ info }) => lanes(info.preferredVectorWidth, 4),
  CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG: ({ info }) => lanes(info.preferredVectorWidth, 8),
  CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT: ({ info }) => lanes(info.preferredVectorWidth, 4),
  CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE: ({ info }) =>
    info.doubleCapabilities === 0 ? 0 : lanes(info.preferredVectorWidth, 8),
  CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF: ({ info }) =>
    info.halfCapabilities === 0 ? 0 : lanes(info.preferredVectorWidth, 2),
  CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR: ({ info }) => lanes(info.nativeVectorWidth, 1),
  CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT: ({ info }) => lanes(info.nativeVectorWidth, 2),
  CL_DEVICE_NATIVE_VECTOR_WIDTH_INT: ({ info }) => lanes(info.nativeVectorWidth, 4),
  CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG: ({ info }) => lanes(info.nativeVectorWidth, 8),
  CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: ({ info }) => lanes(info.nativeVectorWidth, 4),
  CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: ({ info }) =>
    info.doubleCapabilities === 0 ? 0 : lanes(info.nativeVectorWidth, 8),
  CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: ({ info }) =>
    info.halfCapabilities === 0 ? 0 : lanes(info.nativeVectorWidth, 2),
  CL_DEVICE_MAX_CLOCK_FREQUENCY: ({ info }) => info.clockFrequency,
  CL_DEVICE_ADDRESS_BITS: ({ info }) => ((info.addressCapabilities & MuxAddressCapabilities.bits64) === 0 ? 32 : 64),
  CL_DEVICE_MAX_MEM_ALLOC_SIZE: ({ info }) => info.allocationSize,
  CL_DEVICE_IMAGE_SUPPORT: ({ info }) => info.imageSupport,
  CL_DEVICE_MAX_READ_IMAGE_ARGS: ({ info }) => info.maxSampledImages,
  CL_DEVICE_MAX_WRITE_IMAGE_ARGS: ({ info }) => info.maxStorageImages,
  CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: ({ info }) => info.maxStorageImages,
  CL_DEVICE_IMAGE_PITCH_ALIGNMENT: ({ info }) => (info.imageSupport ? 1 : 0),
  CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: ({ info }) => (info.imageSupport ? 1 : 0),
  CL_DEVICE_IMAGE2D_MAX_WIDTH: ({ info }) => info.maxImageDimension2d,
  CL_DEVICE_IMAGE2D_MAX_HEIGHT: ({ info }) => info.maxImageDimension2d,
  CL_DEVICE_IMAGE3D_MAX_WIDTH: ({ info }) => info.maxImageDimension3d,
  CL_DEVICE_IMAGE3D_MAX_HEIGHT: ({ info }) => info.maxImageDimension3d,
  CL_DEVICE_IMAGE3D_MAX_DEPTH: ({ info }) => info.maxImageDimension3d,
  CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: ({ info }) => info.maxImageDimension1d,
  CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: ({ info }) => info.maxImageArrayLayers,
  CL_DEVICE_MAX_SAMPLERS: ({ info }) => info.maxSamplers,
  CL_DEVICE_MAX_PARAMETER_SIZE: () => 1024,
  CL_DEVICE_MEM_BASE_ADDR_ALIGN: ({ info }) => info.bufferAlignment * 8,
  CL_DEVICE_SINGLE_FP_CONFIG: ({ info }) => floatConfig(info.floatCapabilities),
  CL_DEVICE_DOUBLE_FP_CONFIG: ({ info }) => floatConfig(info.doubleCapabilities),
  CL_DEVICE_HALF_FP_CONFIG: ({ info }) => floatConfig(info.halfCapabilities),
  CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: ({ info }) => CACHE_TYPES[info.cacheCapabilities & 3] ?? "CL_NONE",
  CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: ({ info }) => info.cachelineSize,
  CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: ({ info }) => info.cacheSize,
  CL_DEVICE_GLOBAL_MEM_SIZE: ({ info }) => info.memorySize,
  CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: ({ info }) => info.allocationSize,
  CL_DEVICE_MAX_CONSTANT_ARGS: () => 256,
  CL_DEVICE_LOCAL_MEM_TYPE: ({ info }) => (info.sharedLocalMemoryType === 0 ? "CL_LOCAL" : "CL_GLOBAL"),
  CL_DEVICE_LOCAL_MEM_SIZE: ({ info }) => info.sharedLocalMemorySize,
  CL_DEVICE_ERROR_CORRECTION_SUPPORT: () => false,
  CL_DEVICE_HOST_UNIFIED_MEMORY: ({ info }) => hasOneMemory(info),
  CL_DEVICE_PROFILING_TIMER_RESOLUTION: () => 1000,
  CL_DEVICE_ENDIAN_LITTLE: ({ info }) => info.endianness === MuxEndianness.little,
  CL_DEVICE_AVAILABLE: () => true,
  CL_DEVICE_COMPILER_AVAILABLE: (device) => device.compiler() !== null,
  CL_DEVICE_LINKER_AVAILABLE: (device) => device.compiler() !== null,
  CL_DEVICE_EXECUTION_CAPABILITIES: () => 3,
  CL_DEVICE_QUEUE_PROPERTIES: () => CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_DEVICE_QUEUE_ON_HOST_PROPERTIES: () => CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES: () => 0,
  CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE: () => 0,
  CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE: () => 0,
  CL_DEVICE_MAX_ON_DEVICE_QUEUES: () => 0,
  CL_DEVICE_MAX_ON_DEVICE_EVENTS: () => 0,
  CL_DEVICE_IL_VERSION: (device) =>
    ilVersions(device)
      .map(([major, minor]) => `SPIR-V_${major}.${minor}`)
      .join(" "),
  CL_DEVICE_ILS_WITH_VERSION: ilsOf,
  CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: () => [],
  CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: ({ info }) => Math.max(1, Math.floor(info.preferredVectorWidth / 4)),
  CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: () => "",
  CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: () => 128,
  CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT: () => 0,
  CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT: () => 0,
  CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT: () => 0,
  CL_DEVICE_SVM_CAPABILITIES: svmCapabilities,
  CL_DEVICE_PARTITION_AFFINITY_DOMAIN: () => 0,
  CL_DEVICE_BUILT_IN_KERNELS: ({ info }) => info.builtinKernelDeclarations.split(";").filter((name) => name !== ""),
  CL_DEVICE_PLATFORM: ({ platform }) => platform,
  CL_DEVICE_NAME: ({ info }) => info.deviceName,
  CL_DEVICE_VENDOR: () => "Muxkit",
  CL_DRIVER_VERSION: () => "0.1.0",
  CL_DEVICE_PROFILE: () => "FULL_PROFILE",
  CL_DEVICE_VERSION: () => VERSION,
  CL_DEVICE_OPENCL_C_VERSION: () => LANGUAGE_VERSION,
  CL_DEVICE_EXTENSIONS: (device) =>
    extensionsOf(device)
      .map(({ name }) => name)
      .join(" "),
  CL_DEVICE_NUMERIC_VERSION: () => NUMERIC_VERSION,
  CL_DEVICE_OPENCL_C_ALL_VERSIONS: () =>
    LANGUAGE_VERSIONS.map((version) => ({ name: "OpenCL C", version: packVersion(version) })),
  CL_DEVICE_OPENCL_C_FEATURES: featuresOf,
  CL_DEVICE_EXTENSIONS_WITH_VERSION: extensionsOf,
  CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: (device) => atomicCapabilities(device, false),
  CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: (device) => atomicCapabilities(device, true),
  CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT: (device) => hasFeature(device, "generic_address_space"),
  CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: (device) => hasFeature(device, "work_group_collective_functions"),
  CL_DEVICE_PIPE_SUPPORT: (device) => hasFeature(device, "pipes"),
  CL_DEVICE_MAX_PIPE_ARGS: (device) => (hasFeature(device, "pipes") ? 16 : 0),
  CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: (device) => (hasFeature(device, "pipes") ? 1 : 0),
  CL_DEVICE_PIPE_MAX_PACKET_SIZE: (device) => (hasFeature(device, "pipes") ? MAX_PACKET_SIZE : 0),
  CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: () => true,
  CL_DEVICE_MAX_NUM_SUB_GROUPS: ({ info }) => info.maxSubGroupCount,
  CL_DEVICE_SUB_GROUP_SIZES_INTEL: ({ info }) => info.subGroupSizes,
  CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: ({ info }) => info.subGroupsSupportIfp,
  CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: () => 0,
  CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE: globalVariableSize,
  CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: globalVariableSize,
  CL_DEVICE_PRINTF_BUFFER_SIZE: () => 2 ** 20,
  CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: () => true,
  CL_DEVICE_PARENT_DEVICE: ({ parent }) => parent,
  CL_DEVICE_PARTITION_MAX_SUB_DEVICES: (device) => (partitionsOf(device).length === 0 ? 0 : device.info.computeUnits),
  CL_DEVICE_PARTITION_PROPERTIES: partitionsOf,
  CL_DEVICE_PARTITION_TYPE: (device) => (device instanceof SubDevice ? device.partition : null),
  CL_DEVICE_REFERENCE_COUNT: ({ referenceCount }) => referenceCount,
  ...EXTENSION_FACTS,
};

/** The tokens that clGetDeviceInfo knows. @public */
export const DEVICE_QUERIES: readonly (keyof DeviceInfo)[] = Object.keys(DEVICE) as readonly (keyof DeviceInfo)[];

/** A fact of a device. Errors: CL_INVALID_DEVICE, CL_INVALID_VALUE. @public */
export function clGetDeviceInfo<Token extends keyof DeviceInfo>(device: Device, token: Token): DeviceInfo[Token] {
  ensure(device instanceof Device, "CL_INVALID_DEVICE", "clGetDeviceInfo", "the value is not a device");
  device.check("clGetDeviceInfo");
  return query("clGetDeviceInfo", DEVICE, device, token);
}
