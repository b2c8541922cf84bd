// SPDX-License-Identifier: Apache-2.0
// Images: texels in memory. They are linear whatever their tiling, and have one sample for each texel. Where levels lie
// is in image-levels.ts.
//
// Rows of images with layers or levels are as long as the runtime's alignment asks, so that each of them can be bound
// by itself: that is what a view of some of them does (image-view.ts).
import { formatCode, pixelBytes } from "@muxkit/libimg";
import {
  DEFAULT_ALLOCATOR,
  type MuxImage,
  type MuxImageFormat,
  MuxImageType,
  muxBindImageMemory,
  muxCreateImage,
  muxDestroyImage,
} from "@muxkit/mux";

import { bufferRequirements, requirements2 } from "./buffer.ts";
import { type Device, deviceOf } from "./device.ts";
import { VulkanError, fromMux, invalid } from "./error.ts";
import { formatName, pixelFormat } from "./format.table.ts";
import { imageFormatProperties } from "./format-properties.ts";
import {
  VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
  VK_IMAGE_TYPE_1D,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_TYPE_3D,
  VK_SAMPLE_COUNT_1_BIT,
  type VkFormat,
  type VkImageType,
} from "./generated/constants.ts";
import { type VkDevice, type VkDeviceMemory, VkImage } from "./generated/handles.ts";
import type {
  VkExtent3D,
  VkImageCreateInfo,
  VkMemoryRequirements,
  VkSubresourceLayout,
} from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { extentAt, mostLevels, rowsAbove } from "./image-levels.ts";
import { type DeviceMemory, memoryOf } from "./memory.ts";

const TYPES: Readonly<Record<VkImageType, MuxImageType>> = {
  [VK_IMAGE_TYPE_1D]: MuxImageType.image_1d,
  [VK_IMAGE_TYPE_2D]: MuxImageType.image_2d,
  [VK_IMAGE_TYPE_3D]: MuxImageType.image_3d,
};

/** What an image of the runtime is to be. */
export interface ImageShape {
  readonly type: MuxImageType;
  readonly format: VkFormat;
  readonly extent: VkExtent3D;
  /** Layers; 0: no array. */
  readonly layers: number;
  /** Bytes of a row and of a slice; 0: tight. */
  readonly rowPitch: number;
  readonly slicePitch: number;
}

/** Makes an image of the runtime. Errors: VK_ERROR_FORMAT_NOT_SUPPORTED, sizes that the device does not have. */
export function createMuxImage(call: string, device: Device, shape: ImageShape): MuxImage {
  const format = pixelFormat(shape.format);
  if (format === null)
    throw new VulkanError("VK_ERROR_FORMAT_NOT_SUPPORTED", call, `there are no images of ${formatName(shape.format)}`);
  const { width, height, depth } = shape.extent;
  return fromMux(
    call,
    muxCreateImage(
      device.pools.device,
      shape.type,
      formatCode(format) as MuxImageFormat,
      width,
      height,
      depth,
      shape.layers,
      shape.rowPitch,
      shape.slicePitch,
      DEFAULT_ALLOCATOR,
    ),
  );
}

/** Destroys an image of the runtime. */
export function destroyMuxImage(call: string, device: Device, image: MuxImage): void {
  fromMux(call, muxDestroyImage(device.pools.device, image, DEFAULT_ALLOCATOR));
}

/** An image. */
export class Image extends VkImage {
  /** The runtime's image. */
  readonly mux: MuxImage;
  /** What it was made as. */
  readonly info: VkImageCreateInfo;
  /** The memory that it is bound to; null: none yet. */
  memory: DeviceMemory | null = null;
  /** Its first byte there. */
  offset = 0;
  readonly #device: Device;
  /** Its levels as images of the runtime, made when they are first used; the first one is the image. */
  readonly #levels: MuxImage[] = [];

  constructor(device: Device, mux: MuxImage, info: VkImageCreateInfo) {
    super(device);
    this.#device = device;
    this.mux = mux;
    this.info = info;
  }

  /** What it needs to be bound. */
  get requirements(): VkMemoryRequirements {
    return requirementsOf(this.mux, this.info);
  }

  /** The runtime's image. Throws where it has no memory. */
  bound(call: string): MuxImage {
    if (this.memory === null) throw invalid(call, "an image is bound to no memory; call vkBindImageMemory first");
    if (!this.memory.isAlive) throw invalid(call, "the memory of an image has been freed");
    return this.mux;
  }

  /** A level of all layers as an image of the runtime. Throws where the image has no memory. */
  level(call: string, level: number): MuxImage {
    const whole = this.bound(call);
    const known = level === 0 ? whole : this.#levels[level];
    if (known !== undefined) return known;
    const { format, imageType, extent, arrayLayers } = this.info;
    const made = createMuxImage(call, this.#device, {
      type: TYPES[imageType],
      format,
      extent: extentAt(extent, level),
      layers: arrayLayers > 1 ? arrayLayers : 0,
      rowPitch: whole.rowSize,
      slicePitch: whole.sliceSize,
    });
    if (this.memory !== null)
      fromMux(
        call,
        muxBindImageMemory(this.#device.pools.device, this.memory.mux, made, this.offset + this.levelOffset(level)),
      );
    this.#levels[level] = made;
    return made;
  }

  /** Bytes above a level in its layer. */
  levelOffset(level: number): number {
    return rowsAbove(this.info.extent.height, level) * this.mux.rowSize;
  }

  protected release(): void {
    for (const level of this.#levels.filter((one) => one !== undefined))
      destroyMuxImage("vkDestroyImage", this.#device, level);
    destroyMuxImage("vkDestroyImage", this.#device, this.mux);
  }
}

/** The implementation's image of a handle. */
export const imageOf = (image: VkImage, call: string): Image => own(image, Image, call);

function requirementsOf(
  { memoryRequirements: { size: whole, alignment }, rowSize }: MuxImage,
  { mipLevels, extent }: VkImageCreateInfo,
): VkMemoryRequirements {
  // Lower levels of the last layer have the pitch of the whole too.
  const size = whole + rowsAbove(extent.height, mipLevels - 1) * rowSize;
  return { size: Math.ceil(size / alignment) * alignment, alignment, memoryTypeBits: 1 };
}

/** A size that there is not: its name, what is wanted, and the most. */
function sizeProblem(
  { extent, mipLevels, arrayLayers, samples }: VkImageCreateInfo,
  { maxExtent, maxArrayLayers }: ReturnType<typeof imageFormatProperties>,
): string | null {
  const sizes = [
    ["extent.width", extent.width, maxExtent.width],
    ["extent.height", extent.height, maxExtent.height],
    ["extent.depth", extent.depth, maxExtent.depth],
    ["mipLevels", mipLevels, mostLevels(extent)],
    ["arrayLayers", arrayLayers, maxArrayLayers],
  ] as const;
  const wrong = sizes.find(([, size, most]) => size < 1 || size > most);
  if (wrong !== undefined) return `${wrong[0]} is ${wrong[1]}; images of this kind have 1 to ${wrong[2]}`;
  return samples === VK_SAMPLE_COUNT_1_BIT ? null : "samples is not VK_SAMPLE_COUNT_1_BIT, which is all there is";
}

/** What is wrong with an image that cubes are to be made of; null: nothing. */
function cubeProblem({
  flags = 0,
  imageType,
  extent,
  arrayLayers,
}: VkImageCreateInfo): readonly [string, string] | null {
  if ((flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) === 0) return null;
  if (imageType !== VK_IMAGE_TYPE_2D)
    return ["VUID-VkImageCreateInfo-flags-00949", "cubes are made of images of two dimensions"];
  return extent.width === extent.height && arrayLayers >= 6
    ? null
    : [
        "VUID-VkImageCreateInfo-imageType-00954",
        `a cube has 6 square faces, and the image ${arrayLayers} layers of ${extent.width} x ${extent.height}`,
      ];
}

/** The runtime's image of what a program wants. */
function muxImageOf(call: string, device: Device, info: VkImageCreateInfo): MuxImage {
  const { format, imageType, usage, flags = 0, extent, arrayLayers, mipLevels } = info;
  const most = imageFormatProperties(call, device.physical.info, { format, type: imageType, usage, flags });
  const problem = sizeProblem(info, most);
  if (problem !== null)
    throw invalid(
      call,
      problem,
      problem.startsWith("mipLevels")
        ? "VUID-VkImageCreateInfo-mipLevels-00958"
        : "VUID-VkImageCreateInfo-imageCreateMaxMipLevels-02251",
    );
  const noCube = cubeProblem(info);
  if (noCube !== null) throw invalid(call, noCube[1], noCube[0]);
  const shape = {
    type: TYPES[imageType],
    format,
    extent,
    layers: arrayLayers > 1 ? arrayLayers : 0,
    rowPitch: 0,
    slicePitch: 0,
  };
  const known = pixelFormat(format);
  const tight = extent.width * (known === null ? 0 : pixelBytes(known));
  const { bufferAlignment } = device.physical.info;
  // Sizes of texels are powers of two, as alignments are.
  const rowPitch = arrayLayers > 1 || mipLevels > 1 ? Math.ceil(tight / bufferAlignment) * bufferAlignment : 0;
  return createMuxImage(call, device, {
    ...shape,
    rowPitch,
    slicePitch: mipLevels > 1 ? rowsAbove(extent.height, mipLevels) * rowPitch : 0,
  });
}

/** What an image would need to be bound. */
function wouldNeed(call: string, device: Device, info: VkImageCreateInfo): VkMemoryRequirements {
  const image = muxImageOf(call, device, info);
  const needed = requirementsOf(image, info);
  destroyMuxImage(call, device, image);
  return needed;
}

function bind(call: string, device: VkDevice, image: VkImage, memory: VkDeviceMemory, offset: number): void {
  const bound = imageOf(image, call);
  const block = memoryOf(memory, call);
  if (bound.memory !== null) throw invalid(call, "the image is bound already", "VUID-vkBindImageMemory-image-07460");
  fromMux(call, muxBindImageMemory(deviceOf(device, call).pools.device, block.mux, bound.mux, offset));
  bound.memory = block;
  bound.offset = offset;
}

function subresourceLayout(image: Image, level: number, layer: number): VkSubresourceLayout {
  const { mux, info } = image;
  const { height, depth } = extentAt(info.extent, level);
  return {
    offset: layer * mux.sliceSize + image.levelOffset(level),
    size: info.mipLevels > 1 ? (depth - 1) * mux.sliceSize + height * mux.rowSize : mux.sliceSize * depth,
    rowPitch: mux.rowSize,
    arrayPitch: mux.sliceSize * info.extent.depth,
    depthPitch: mux.sliceSize,
  };
}

/** Entry points for images. */
export const IMAGES: Pick<
  Vulkan,
  | "vkCreateImage"
  | "vkDestroyImage"
  | "vkGetImageMemoryRequirements"
  | "vkGetImageMemoryRequirements2"
  | "vkGetDeviceImageMemoryRequirements"
  | "vkGetDeviceBufferMemoryRequirements"
  | "vkBindImageMemory"
  | "vkBindImageMemory2"
  | "vkGetImageSubresourceLayout"
> = {
  vkCreateImage: (device, pCreateInfo): VkImage => {
    const call = "vkCreateImage";
    const on = deviceOf(device, call);
    return new Image(on, muxImageOf(call, on, pCreateInfo), pCreateInfo);
  },
  vkDestroyImage: (_device, image) => {
    image.end();
  },
  vkGetImageMemoryRequirements: (_device, image) => imageOf(image, "vkGetImageMemoryRequirements").requirements,
  vkGetImageMemoryRequirements2: (_device, { image }, chain) => {
    const call = "vkGetImageMemoryRequirements2";
    return requirements2(call, imageOf(image, call).requirements, chain);
  },
  vkGetDeviceImageMemoryRequirements: (device, { pCreateInfo }, chain) => {
    const call = "vkGetDeviceImageMemoryRequirements";
    return requirements2(call, wouldNeed(call, deviceOf(device, call), pCreateInfo), chain);
  },
  vkGetDeviceBufferMemoryRequirements: (device, { pCreateInfo }, chain) => {
    const call = "vkGetDeviceBufferMemoryRequirements";
    return requirements2(call, bufferRequirements(call, deviceOf(device, call), pCreateInfo.size), chain);
  },
  vkBindImageMemory: (device, image, memory, memoryOffset) => {
    bind("vkBindImageMemory", device, image, memory, memoryOffset);
  },
  vkBindImageMemory2: (device, pBindInfos) => {
    for (const { image, memory, memoryOffset } of pBindInfos)
      bind("vkBindImageMemory2", device, image, memory, memoryOffset);
  },
  vkGetImageSubresourceLayout: (_device, image, { mipLevel, arrayLayer }) => {
    const call = "vkGetImageSubresourceLayout";
    const found = imageOf(image, call);
    const { arrayLayers, mipLevels } = found.info;
    if (mipLevel >= mipLevels || arrayLayer >= arrayLayers)
      throw invalid(
        call,
        `the image has ${arrayLayers} layers of ${mipLevels} levels, and layer ${arrayLayer} of level ${mipLevel} is asked for`,
        mipLevel < mipLevels
          ? "VUID-vkGetImageSubresourceLayout-arrayLayer-01717"
          : "VUID-vkGetImageSubresourceLayout-mipLevel-01716",
      );
    return subresourceLayout(found, mipLevel, arrayLayer);
  },
};
