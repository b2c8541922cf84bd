// SPDX-License-Identifier: Apache-2.0
// Views: images as shaders see them, and buffers as texels.
//
// A view is an image of the runtime in the same memory: with the view's dimensions and format, from the view's first
// layer and level on. What more there is to it, another order of components and further levels, is a word that kernels
// get with the image (docs/kernel-abi.md). A cube is an array of its faces.
import { type ImageFormat, formatCode, pixelBytes } from "@muxkit/libimg";
import {
  DEFAULT_ALLOCATOR,
  type MuxImage,
  type MuxImageFormat,
  MuxImageType,
  muxBindImageMemory,
  muxCreateImage,
} from "@muxkit/mux";

import { type Buffer, bufferOf } from "./buffer.ts";
import { type Device, deviceOf } from "./device.ts";
import { VulkanError, fromMux, invalid } from "./error.ts";
import { formatName, pixelFormat } from "./format.table.ts";
import { formatProperties } from "./format-properties.ts";
import * as V from "./generated/constants.ts";
import { VkBufferView, type VkDevice, VkImageView } from "./generated/handles.ts";
import type { VkBufferViewCreateInfo, VkComponentMapping, VkImageViewCreateInfo } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { extentAt } from "./image-levels.ts";
import { type Image, createMuxImage, destroyMuxImage, imageOf } from "./image.ts";
import { VK_REMAINING_ARRAY_LAYERS, VK_REMAINING_MIP_LEVELS, VK_WHOLE_SIZE } from "./version.ts";

/** docs/kernel-abi.md: where the number of further levels begins in what kernels get of a view. */
const VIEW_LEVELS_SHIFT = 12;

/** What views of a type see: dimensions, whether they have layers, and of which images they are. */
interface ViewType {
  readonly type: MuxImageType;
  readonly isArray: boolean;
  readonly of: V.VkImageType;
  /** Faces of a cube, which are layers; 0: it is none. */
  readonly faces: 0 | 6;
}

const VIEW_TYPES: ReadonlyMap<V.VkImageViewType, ViewType> = new Map([
  [V.VK_IMAGE_VIEW_TYPE_1D, { type: MuxImageType.image_1d, isArray: false, of: V.VK_IMAGE_TYPE_1D, faces: 0 }],
  [V.VK_IMAGE_VIEW_TYPE_1D_ARRAY, { type: MuxImageType.image_1d, isArray: true, of: V.VK_IMAGE_TYPE_1D, faces: 0 }],
  [V.VK_IMAGE_VIEW_TYPE_2D, { type: MuxImageType.image_2d, isArray: false, of: V.VK_IMAGE_TYPE_2D, faces: 0 }],
  [V.VK_IMAGE_VIEW_TYPE_2D_ARRAY, { type: MuxImageType.image_2d, isArray: true, of: V.VK_IMAGE_TYPE_2D, faces: 0 }],
  [V.VK_IMAGE_VIEW_TYPE_CUBE, { type: MuxImageType.image_2d, isArray: true, of: V.VK_IMAGE_TYPE_2D, faces: 6 }],
  [V.VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, { type: MuxImageType.image_2d, isArray: true, of: V.VK_IMAGE_TYPE_2D, faces: 6 }],
  [V.VK_IMAGE_VIEW_TYPE_3D, { type: MuxImageType.image_3d, isArray: false, of: V.VK_IMAGE_TYPE_3D, faces: 0 }],
]);

const COMPONENTS = ["r", "g", "b", "a"] as const;

/** An order of components as letters: `rgba` is the format's own. */
function orderOf(components: VkComponentMapping | undefined): string {
  const letters: Readonly<Record<V.VkComponentSwizzle, string | null>> = {
    [V.VK_COMPONENT_SWIZZLE_IDENTITY]: null,
    [V.VK_COMPONENT_SWIZZLE_ZERO]: "0",
    [V.VK_COMPONENT_SWIZZLE_ONE]: "1",
    [V.VK_COMPONENT_SWIZZLE_R]: "r",
    [V.VK_COMPONENT_SWIZZLE_G]: "g",
    [V.VK_COMPONENT_SWIZZLE_B]: "b",
    [V.VK_COMPONENT_SWIZZLE_A]: "a",
  };
  return COMPONENTS.map((letter) => (components === undefined ? letter : (letters[components[letter]] ?? letter))).join(
    "",
  );
}

/** Stored channels of each order of formats: those behind are 0, or 1 of alpha, whatever is asked for. */
const STORED: Readonly<Partial<Record<ImageFormat["order"], number>>> = { R: 1, RG: 2, RGB: 3, DEPTH: 1 };

/** True where reading in this order gives what the format gives by itself. */
function isOwnOrder(order: string, format: ImageFormat): boolean {
  const channels = STORED[format.order] ?? 4;
  return COMPONENTS.every((letter, i) => {
    const given = order.charAt(i);
    return given === letter || (i >= channels && given === (i === 3 ? "1" : "0"));
  });
}

/** The order of components as kernels get it: 3 bits for each, numbered as in Vulkan; 0: the format's own. */
function orderBits({ components }: VkImageViewCreateInfo, format: ImageFormat): number {
  if (components === undefined || isOwnOrder(orderOf(components), format)) return 0;
  return COMPONENTS.reduce((bits, letter, i) => {
    const code = components[letter];
    return bits | ((code === OWN[i] ? V.VK_COMPONENT_SWIZZLE_IDENTITY : code) << (3 * i));
  }, 0);
}

/** Each component itself. */
const OWN = [V.VK_COMPONENT_SWIZZLE_R, V.VK_COMPONENT_SWIZZLE_G, V.VK_COMPONENT_SWIZZLE_B, V.VK_COMPONENT_SWIZZLE_A];

/** A view of an image. */
export class ImageView extends VkImageView {
  readonly image: Image;
  readonly info: VkImageViewCreateInfo;
  /** Layers of the image that it sees: the first, and how many. */
  readonly layers: readonly [first: number, count: number];
  /** The runtime's image in the image's memory. */
  readonly mux: MuxImage;
  /** What kernels get besides: the order of components and the number of further levels. */
  readonly word: number;
  readonly #device: Device;

  constructor(
    device: Device,
    image: Image,
    info: VkImageViewCreateInfo,
    layers: readonly [first: number, count: number],
    mux: MuxImage,
    word: number,
  ) {
    super(device);
    this.#device = device;
    this.image = image;
    this.info = info;
    this.layers = layers;
    this.mux = mux;
    this.word = word;
  }

  /** What kernels get. Throws where the image or its memory is gone. */
  bound(call: string): MuxImage {
    if (!this.image.isAlive) throw invalid(call, "the image of a view has been destroyed");
    this.image.bound(call);
    return this.mux;
  }

  protected release(): void {
    destroyMuxImage("vkDestroyImageView", this.#device, this.mux);
  }
}

/** A buffer as texels. */
export class BufferView extends VkBufferView {
  readonly buffer: Buffer;
  readonly format: V.VkFormat;
  /** First byte. */
  readonly offset: number;
  /** Bytes. */
  readonly range: number;
  /** The runtime's image in the buffer's memory. */
  readonly mux: MuxImage;
  /** What kernels get besides: nothing. */
  readonly word = 0;
  readonly #device: Device;

  constructor(device: Device, buffer: Buffer, format: V.VkFormat, offset: number, range: number, mux: MuxImage) {
    super(device);
    this.#device = device;
    this.buffer = buffer;
    this.format = format;
    this.offset = offset;
    this.range = range;
    this.mux = mux;
  }

  /** What kernels get. Throws where the buffer or its memory is gone. */
  bound(call: string): MuxImage {
    if (!this.buffer.isAlive) throw invalid(call, "the buffer of a view has been destroyed");
    this.buffer.bound(call);
    return this.mux;
  }

  protected release(): void {
    destroyMuxImage("vkDestroyBufferView", this.#device, this.mux);
  }
}

/** The implementation's view of a handle. */
export const imageViewOf = (view: VkImageView, call: string): ImageView => own(view, ImageView, call);

/** The implementation's view of a handle. */
export const bufferViewOf = (view: VkBufferView, call: string): BufferView => own(view, BufferView, call);

/** The levels that a view sees: the first, and how many. */
function levelsOf(call: string, image: Image, { subresourceRange: range }: VkImageViewCreateInfo): [number, number] {
  const { baseMipLevel, levelCount } = range;
  const { mipLevels } = image.info;
  const count = levelCount === VK_REMAINING_MIP_LEVELS ? mipLevels - baseMipLevel : levelCount;
  if (baseMipLevel >= mipLevels)
    throw invalid(
      call,
      `the view begins at level ${baseMipLevel}, and the image has ${mipLevels}`,
      "VUID-VkImageViewCreateInfo-subresourceRange-01478",
    );
  if (count < 1 || baseMipLevel + count > mipLevels)
    throw invalid(
      call,
      `the view has ${count} levels from ${baseMipLevel} on, and the image has ${mipLevels}`,
      "VUID-VkImageViewCreateInfo-subresourceRange-01718",
    );
  return [baseMipLevel, count];
}

/** The layers that a view sees: the first, and how many. */
function layersOf(call: string, image: Image, { subresourceRange: range }: VkImageViewCreateInfo): [number, number] {
  const { baseArrayLayer, layerCount } = range;
  const { arrayLayers } = image.info;
  const count = layerCount === VK_REMAINING_ARRAY_LAYERS ? arrayLayers - baseArrayLayer : layerCount;
  if (count < 1 || baseArrayLayer + count > arrayLayers)
    throw invalid(
      call,
      `the view has ${count} layers from ${baseArrayLayer} on, and the image has ${arrayLayers}`,
      "VUID-VkImageViewCreateInfo-subresourceRange-06725",
    );
  return [baseArrayLayer, count];
}

function createView(call: string, device: Device, info: VkImageViewCreateInfo): ImageView {
  const image = imageOf(info.image, call);
  const whole = image.bound(call);
  const row = VIEW_TYPES.get(info.viewType);
  if (row === undefined) throw invalid(call, `there are no views of type ${info.viewType}`);
  if (row.faces > 0 && ((image.info.flags ?? 0) & V.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) === 0)
    throw invalid(
      call,
      "the image was made without VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT",
      "VUID-VkImageViewCreateInfo-image-01003",
    );
  if (row.of !== image.info.imageType)
    throw invalid(
      call,
      `a view of type ${info.viewType} cannot be made of an image of type ${image.info.imageType}`,
      "VUID-VkImageViewCreateInfo-subResourceRange-01021",
    );
  const layers = layersOf(call, image, info);
  const [first, count] = layers;
  if (!row.isArray && count !== 1)
    throw invalid(
      call,
      `a view of type ${info.viewType} has one layer, not ${count}`,
      "VUID-VkImageViewCreateInfo-imageViewType-04973",
    );
  if (row.faces > 0 && (info.viewType === V.VK_IMAGE_VIEW_TYPE_CUBE ? count !== 6 : count % 6 !== 0))
    throw invalid(
      call,
      `a cube has 6 layers, and the view ${count}`,
      info.viewType === V.VK_IMAGE_VIEW_TYPE_CUBE
        ? "VUID-VkImageViewCreateInfo-viewType-02960"
        : "VUID-VkImageViewCreateInfo-viewType-02961",
    );
  const [level, levels] = levelsOf(call, image, info);
  const format = pixelFormat(info.format);
  if (format === null)
    throw new VulkanError("VK_ERROR_FORMAT_NOT_SUPPORTED", call, `there are no images of ${formatName(info.format)}`);
  if (pixelBytes(format) !== whole.pixelSize)
    throw invalid(
      call,
      `texels of ${formatName(info.format)} have ${pixelBytes(format)} bytes, and those of the image ${whole.pixelSize}`,
      "VUID-VkImageViewCreateInfo-image-01761",
    );
  const { width, height, depth } = extentAt(image.info.extent, level);
  const runtime = device.pools.device;
  const mux = fromMux(
    call,
    muxCreateImage(
      runtime,
      row.type,
      formatCode(format) as MuxImageFormat,
      width,
      height,
      depth,
      row.isArray ? count : 0,
      whole.rowSize,
      whole.sliceSize,
      DEFAULT_ALLOCATOR,
    ),
  );
  const word = orderBits(info, format) | ((levels - 1) << VIEW_LEVELS_SHIFT);
  const view = new ImageView(device, image, info, layers, mux, word);
  const { memory } = image;
  if (memory !== null)
    fromMux(
      call,
      muxBindImageMemory(runtime, memory.mux, mux, image.offset + first * whole.sliceSize + image.levelOffset(level)),
    );
  return view;
}

function createBufferView(call: string, device: Device, info: VkBufferViewCreateInfo): BufferView {
  const { format, offset, range } = info;
  const buffer = bufferOf(info.buffer, call);
  buffer.bound(call);
  const known = pixelFormat(format);
  if (known === null || formatProperties(format).bufferFeatures === 0)
    throw new VulkanError(
      "VK_ERROR_FORMAT_NOT_SUPPORTED",
      call,
      `there are no buffers of texels of ${formatName(format)}`,
    );
  const bytes = range === VK_WHOLE_SIZE ? buffer.size - offset : range;
  if (offset >= buffer.size || bytes <= 0 || offset + bytes > buffer.size)
    throw invalid(
      call,
      `the view reaches from byte ${offset} over ${bytes} of a buffer of ${buffer.size} bytes`,
      "VUID-VkBufferViewCreateInfo-offset-00931",
    );
  // What is left behind the last whole texel is not seen.
  const width = Math.floor(bytes / pixelBytes(known));
  if (width === 0) throw invalid(call, "the view is too small for a texel", "VUID-VkBufferViewCreateInfo-range-00929");
  const mux = createMuxImage(call, device, {
    type: MuxImageType.image_1d,
    format,
    extent: { width, height: 1, depth: 1 },
    layers: 0,
    rowPitch: 0,
    slicePitch: 0,
  });
  const view = new BufferView(device, buffer, format, offset, bytes, mux);
  if (buffer.memory !== null)
    fromMux(call, muxBindImageMemory(device.pools.device, buffer.memory.mux, mux, buffer.offset + offset));
  return view;
}

/** Entry points for views. */
export const VIEWS: Pick<
  Vulkan,
  "vkCreateImageView" | "vkDestroyImageView" | "vkCreateBufferView" | "vkDestroyBufferView"
> = {
  vkCreateImageView: (device: VkDevice, pCreateInfo): VkImageView => {
    const call = "vkCreateImageView";
    return createView(call, deviceOf(device, call), pCreateInfo);
  },
  vkDestroyImageView: (_device, imageView) => {
    imageView.end();
  },
  vkCreateBufferView: (device, pCreateInfo): VkBufferView => {
    const call = "vkCreateBufferView";
    return createBufferView(call, deviceOf(device, call), pCreateInfo);
  },
  vkDestroyBufferView: (_device, bufferView) => {
    bufferView.end();
  },
};
