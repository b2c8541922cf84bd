// SPDX-License-Identifier: Apache-2.0
// What clGetDeviceInfo answers of extensions.
import { MUTABLE_FIELDS } from "../command-buffer-commands.ts";
import {
  CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR,
  CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR,
  CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR,
  CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT,
  CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT,
  CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT,
  CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR,
  CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR,
  CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT,
  CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT,
  CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT,
} from "../generated/constants.ts";
import type { DeviceInfo } from "../generated/info.ts";
import { countersOf } from "../performance-counters.ts";
import type { Device } from "../platform.ts";
import { usmDeviceCapabilities, usmSharedCapabilities } from "../usm.ts";
import type { InfoTable } from "./query.ts";
import { uuidOf } from "./uuid.ts";
import { NUMERIC_VERSION, extensionsOf, hasFeature, ilsOf, packVersion } from "./versions.ts";

/**
 * Which dot products of bytes are quicker than what a program writes itself
 * (cl_device_integer_dot_product_acceleration_properties_khr).
 *
 * @public
 */
export interface DotProductAcceleration {
  /** Of signed bytes. */
  readonly signedAccelerated: boolean;
  /** Of unsigned bytes. */
  readonly unsignedAccelerated: boolean;
  /** Of signed and unsigned bytes. */
  readonly mixedSignednessAccelerated: boolean;
  /** Of signed bytes, added to a sum that stays in range. */
  readonly accumulatingSaturatingSignedAccelerated: boolean;
  /** The same of unsigned bytes. */
  readonly accumulatingSaturatingUnsignedAccelerated: boolean;
  /** The same of both. */
  readonly accumulatingSaturatingMixedSignednessAccelerated: boolean;
}

const NOT_ACCELERATED: DotProductAcceleration = {
  signedAccelerated: false,
  unsignedAccelerated: false,
  mixedSignednessAccelerated: false,
  accumulatingSaturatingSignedAccelerated: false,
  accumulatingSaturatingUnsignedAccelerated: false,
  accumulatingSaturatingMixedSignednessAccelerated: false,
};

/** Atomics of floats of so many bits: loads and stores need no feature of their own. */
function floatAtomics(device: Device, bits: 32 | 64): number {
  const has = (name: string): boolean => hasFeature(device, `ext_fp${bits}_${name}`);
  const rows: readonly (readonly [bit: number, isOn: boolean])[] = [
    [CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT, bits === 32 || has("global_atomic_add")],
    [CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT, bits === 32 || has("local_atomic_add")],
    [CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT, has("global_atomic_add")],
    [CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT, has("local_atomic_add")],
    [CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT, has("global_atomic_min_max")],
    [CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT, has("local_atomic_min_max")],
  ];
  return rows.reduce((all, [bit, isOn]) => (isOn ? all | bit : all), 0);
}

/** Tokens that extensions add. */
type ExtensionToken = Extract<
  keyof DeviceInfo,
  `CL_${string}_${"KHR" | "EXT"}` | `CL_DEVICE_${string}_MEM_CAPABILITIES_INTEL` | `CL_DEVICE_${string}_MUXKIT`
>;

/** Facts of devices that extensions add. */
export const EXTENSION_FACTS: InfoTable<Device, Pick<DeviceInfo, ExtensionToken>> = {
  CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: () =>
    CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR |
    CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR |
    CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR,
  CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR: () => 0,
  CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: () => MUTABLE_FIELDS,
  CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL: usmSharedCapabilities,
  CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL: usmDeviceCapabilities,
  CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: usmSharedCapabilities,
  CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: () => 0,
  CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: () => 0,
  CL_DEVICE_PERFORMANCE_COUNTERS_MUXKIT: (device) => countersOf(device, "clGetDeviceInfo"),
  CL_DEVICE_UUID_KHR: ({ info }) => uuidOf(`device ${info.deviceName}`),
  CL_DRIVER_UUID_KHR: () => uuidOf("driver Muxkit 0.1.0"),
  CL_DEVICE_LUID_VALID_KHR: () => false,
  CL_DEVICE_LUID_KHR: () => new Uint8Array(8),
  CL_DEVICE_NODE_MASK_KHR: () => 1,
  CL_DEVICE_NUMERIC_VERSION_KHR: () => NUMERIC_VERSION,
  CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR: () => packVersion([1, 2, 0]),
  CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR: extensionsOf,
  CL_DEVICE_ILS_WITH_VERSION_KHR: ilsOf,
  CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR: () => [],
  CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: (device) => floatAtomics(device, 32),
  CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: (device) => floatAtomics(device, 64),
  CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: () => 0,
  CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR: () =>
    CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR,
  CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR: () => NOT_ACCELERATED,
  CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR: () => NOT_ACCELERATED,
};
