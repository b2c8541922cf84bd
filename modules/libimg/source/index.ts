// SPDX-License-Identifier: Apache-2.0
/**
 * Images: formats, layout, and the host half (validate, read, write, fill, copy); samplers; the reference of what
 * kernels read.
 *
 * @packageDocumentation
 */
export { type AddressingMode, type Comparison, type Sampler, samplerBits, writeImageDescriptor } from "./descriptor.ts";
export {
  CHANNEL_ORDERS,
  CHANNEL_TYPES,
  type ChannelClass,
  type ChannelOrder,
  type ChannelOrderRow,
  type ChannelType,
  type ChannelTypeRow,
  IMAGE_FORMATS,
  type ImageFormat,
  channelClass,
  findFormat,
  formatCode,
  pixelBytes,
} from "./format.ts";
export {
  type Box,
  type Image,
  type ImageError,
  type ImageLimits,
  type ImageRequest,
  type ImageType,
  createImage,
  imageExtent,
  imageStrides,
  sliceCount,
} from "./image.ts";
export { type Color, borderColor, packPixel, unpackPixel } from "./pixel.ts";
export {
  type PixelView,
  checkRegion,
  colorFromBytes,
  copyPixels,
  fillPixels,
  hostPitches,
  imageView,
  packColor,
  regionsOverlap,
} from "./region.ts";
export { readPixel, samplePixel, samplePixelAt } from "./sample.ts";
