// SPDX-License-Identifier: Apache-2.0
/**
 * The hardware layer: a device in a dozen calls, and the whole runtime API over it.
 *
 * @packageDocumentation
 */
export { type Box, type BoxSize, copyBox, forEachRow, imageBox, pixelsBox, pixelsSize, regionBoxes } from "./boxes.ts";
export { DESCRIPTOR_TYPES } from "./descriptor-types.ts";
export {
  type Hal,
  type HalArgument,
  type HalDevice,
  type HalDeviceInfo,
  type HalKernel,
  type HalProgram,
  type HalRange,
  MODEST_DEVICE,
} from "./hal.ts";
export { MUX_IMAGE_FORMATS, type MuxImageRequest, imageLimits, muxImageLayout, muxSamplerBits } from "./images.ts";
export { argumentOf, rangeOf, recordedLaunch, updated } from "./launch.ts";
export { HalMuxDevice, HalMuxImage, HalMuxKernel, HalMuxMemory, type RecordedLaunch, addressOf } from "./objects.ts";
export { own } from "./own.ts";
export { SimulatedMemory } from "./simulated-memory.ts";
export { halDeviceOf, halTarget } from "./target.ts";
