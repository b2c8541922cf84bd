// SPDX-License-Identifier: Apache-2.0
// Views: images as shaders see them, and buffers as texels.
//
// A view is an image of the runtime in the same memory: with the view's dimensions and format, from the view's first
// layer on. Components come in the order of the format; other orders there are where a format of the runtime has them.
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
import { type Image, createMuxImage, destroyMuxImage, imageOf } from "./image.ts";
import { VK_REMAINING_ARRAY_LAYERS, VK_REMAINING_MIP_LEVELS, VK_WHOLE_SIZE } from "./version.ts";

/** What views of a type see: dimensions, whether they have layers, and of which images they are. */
interface ViewType {
  readonly type: MuxImageType;
  readonly isArray: boolean;
  readonly of: V.VkImageType;
}

const VIEW_TYPES: ReadonlyMap<V.VkImageViewType, ViewType> = new Map([
  [V.VK_IMAGE_VIEW_TYPE_1D, { type: MuxImageType.image_1d, isArray: false, of: V.VK_IMAGE_TYPE_1D }],
  [V.VK_IMAGE_VIEW_TYPE_1D_ARRAY, { type: MuxImageType.image_1d, isArray: true, of: V.VK_IMAGE_TYPE_1D }],
  [V.VK_IMAGE_VIEW_TYPE_2D, { type: MuxImageType.image_2d, isArray: false, of: V.VK_IMAGE_TYPE_2D }],
  [V.VK_IMAGE_VIEW_TYPE_2D_ARRAY, { type: MuxImageType.image_2d, isArray: true, of: V.VK_IMAGE_TYPE_2D }],
  [V.VK_IMAGE_VIEW_TYPE_3D, { type: MuxImageType.image_3d, isArray: false, of: V.VK_IMAGE_TYPE_3D }],
]);

/** Orders of components other than the format's own that formats of the runtime have, by the order `rgba01`. */
const SWIZZLES: Readonly<
  Partial<Record<string, Readonly<Partial<Record<ImageFormat["order"], ImageFormat["order"]>>>>>
> = {
  bgra: { RGBA: "BGRA", BGRA: "RGBA", sRGBA: "sBGRA", sBGRA: "sRGBA" },
  gbar: { RGBA: "ARGB" },
  abgr: { RGBA: "ABGR" },
  rrr1: { R: "LUMINANCE" },
  rrrr: { R: "INTENSITY" },
  "000r": { R: "A" },
};

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

/** The format of a view, with its order of components. Errors: VK_ERROR_FORMAT_NOT_SUPPORTED. */
function viewFormat(call: string, { format, components }: VkImageViewCreateInfo): ImageFormat {
  const known = pixelFormat(format);
  const order = orderOf(components);
  if (known !== null && isOwnOrder(order, known)) return known;
  const other = known === null ? undefined : SWIZZLES[order]?.[known.order];
  if (known === null || other === undefined)
    throw new VulkanError(
      "VK_ERROR_FORMAT_NOT_SUPPORTED",
      call,
      `views of ${formatName(format)} do not have the order of components "${order}"; swizzle in the shader`,
    );
  return { order: other, type: known.type };
}

/** A view of an image. */
export class ImageView extends VkImageView {
  readonly image: Image;
  readonly info: VkImageViewCreateInfo;
  /** Layers of the image that it sees: the first, and how many. */
  readonly layers: readonly [first: number, count: number];
  /** The runtime's image in the image's memory. */
  readonly mux: MuxImage;
  readonly #device: Device;

  constructor(
    device: Device,
    image: Image,
    info: VkImageViewCreateInfo,
    layers: readonly [first: number, count: number],
    mux: MuxImage,
  ) {
    super(device);
    this.#device = device;
    this.image = image;
    this.info = info;
    this.layers = layers;
    this.mux = mux;
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

/** The layers that a view sees: the first, and how many. */
function layersOf(call: string, image: Image, { subresourceRange: range }: VkImageViewCreateInfo): [number, number] {
  const { baseMipLevel, levelCount, baseArrayLayer, layerCount } = range;
  if (baseMipLevel !== 0 || (levelCount !== 1 && levelCount !== VK_REMAINING_MIP_LEVELS))
    throw invalid(call, "the image has one level", "VUID-VkImageViewCreateInfo-subresourceRange-01478");
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
  if (row === undefined) throw new VulkanError("VK_ERROR_FORMAT_NOT_SUPPORTED", call, "there are no views of cubes");
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
  const format = viewFormat(call, info);
  if (pixelBytes(format) !== whole.pixelSize)
    throw invalid(
      call,
      `texels of ${formatName(info.format)} have ${pixelBytes(format)} bytes, and those of the image ${whole.pixelSize}`,
      "VUID-VkImageViewCreateInfo-image-01761",
    );
  const { width, height, depth } = image.info.extent;
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
  const view = new ImageView(device, image, info, layers, mux);
  const { memory } = image;
  if (memory !== null)
    fromMux(call, muxBindImageMemory(runtime, memory.mux, mux, image.offset + first * whole.sliceSize));
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
