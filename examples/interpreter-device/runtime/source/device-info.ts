// SPDX-License-Identifier: Apache-2.0
// What the device says of itself: compilers and programs read it. One line for each fact that is not modest.
import { type HalDeviceInfo, MODEST_DEVICE } from "@muxkit/hal";

/** Denormals, infinities and NaN, rounding to nearest, fma. */
const FLOATS = 1 + 2 + 4 + 64;
/** Divisions and square roots are rounded correctly. */
const CORRECTLY_ROUNDED = 256;

/** The facts of the device. */
export const DEVICE_INFO: HalDeviceInfo = {
  ...MODEST_DEVICE,
  deviceName: "interpreter-device",
  atomicCapabilities: 4 + 8,
  halfCapabilities: FLOATS,
  floatCapabilities: FLOATS + CORRECTLY_ROUNDED,
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
};
