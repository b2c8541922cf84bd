// SPDX-License-Identifier: Apache-2.0
// The properties of the device, which compilers and programs read: one line for each that MODEST_DEVICE lacks.
import { type HalDeviceInfo, MODEST_DEVICE } from "@muxkit/hal";
import { MuxAddressCapabilities, MuxAtomicCapabilities, MuxFloatingPointCapabilities } from "@muxkit/mux";

const FLOATS =
  MuxFloatingPointCapabilities.denorm |
  MuxFloatingPointCapabilities.inf_nan |
  MuxFloatingPointCapabilities.rte |
  MuxFloatingPointCapabilities.fma;

/** Bits of an address, of a pointer and of size_t. */
export type AddressBits = 32 | 64;

/** Bits of an address, unless an option chooses others. */
export const DEFAULT_ADDRESS_BITS: AddressBits = 32;

/** Name of the device with addresses of a width: executables of the one are not for the other. */
export function deviceName(addressBits: AddressBits): string {
  return addressBits === DEFAULT_ADDRESS_BITS ? "interpreter-device" : `interpreter-device-${addressBits}`;
}

const FACTS: Omit<HalDeviceInfo, "deviceName" | "addressCapabilities"> = {
  ...MODEST_DEVICE,
  atomicCapabilities: MuxAtomicCapabilities.bits32 | MuxAtomicCapabilities.bits64,
  halfCapabilities: FLOATS,
  floatCapabilities: FLOATS | MuxFloatingPointCapabilities.full,
  doubleCapabilities: FLOATS,
  imageSupport: true,
  image2dArrayWrites: true,
  image3dWrites: true,
  maxImageDimension1d: 65_536,
  maxImageDimension2d: 8192,
  maxImageDimension3d: 2048,
  maxImageArrayLayers: 2048,
  maxStorageImages: 64,
  maxSampledImages: 128,
  maxSamplers: 16,
  maxSubGroupCount: 256,
  subGroupSizes: [1, 2, 4, 8, 16, 32],
  supportsWorkGroupCollectives: true,
  supportsGenericAddressSpace: true,
  languageExtensions: ["cl_example_byte_sums"],
};

/** The facts of the device. The compiler half chooses its data layout by `addressCapabilities`. */
export function deviceInfo(addressBits: AddressBits): HalDeviceInfo {
  return {
    ...FACTS,
    deviceName: deviceName(addressBits),
    addressCapabilities: addressBits === 64 ? MuxAddressCapabilities.bits64 : MuxAddressCapabilities.bits32,
  };
}
