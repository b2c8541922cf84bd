// SPDX-License-Identifier: Apache-2.0
// Commands on images: copies and clears.
//
// Regions of Vulkan count layers apart from texels; boxes of the runtime have layers as y of one dimension and as z of
// two. A box is as many commands as needed: one where rows and slices of the buffer are tight, else one for each slice
// or row.
import { channelClass, packPixel, pixelBytes } from "@muxkit/libimg";
import {
  type MuxExtent3d,
  type MuxImage,
  type MuxOffset3d,
  muxCommandCopyBufferToImage,
  muxCommandCopyImage,
  muxCommandCopyImageToBuffer,
  muxCommandFillImage,
} from "@muxkit/mux";

import { bufferOf } from "./buffer.ts";
import { commandsOf } from "./command-pool.ts";
import { invalid } from "./error.ts";
import { pixelFormat } from "./format.table.ts";
import { VK_IMAGE_TYPE_1D } from "./generated/constants.ts";
import type { VkBuffer, VkCommandBuffer, VkImage } from "./generated/handles.ts";
import type {
  VkBufferImageCopy,
  VkClearColorValue,
  VkExtent3D,
  VkImageCopy,
  VkImageSubresourceLayers,
  VkImageSubresourceRange,
  VkOffset3D,
} from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { extentAt } from "./image-levels.ts";
import { type Image, imageOf } from "./image.ts";
import type { WriteTransfer } from "./recording.ts";
import { VK_REMAINING_ARRAY_LAYERS, VK_REMAINING_MIP_LEVELS } from "./version.ts";

/** A part of a level of an image: slices of its own, each of rows. */
interface Part {
  readonly image: Image;
  /** The level, as an image of the runtime. */
  readonly mux: MuxImage;
  readonly offset: VkOffset3D;
  /** The first layer. */
  readonly layer: number;
  /** Slices or layers. */
  readonly slices: number;
}

const ZERO: VkOffset3D = { x: 0, y: 0, z: 0 };

const isLine = ({ info }: Image): boolean => info.imageType === VK_IMAGE_TYPE_1D;

/** The box of the runtime that begins at a slice of a part, a row down. */
function boxAt({ image, offset, layer }: Part, slice: number, row: number): MuxOffset3d {
  return isLine(image)
    ? { x: offset.x, y: layer + slice, z: 0 }
    : { x: offset.x, y: offset.y + row, z: offset.z + layer + slice };
}

const extentOf = (image: Image, width: number, rows: number, slices: number): MuxExtent3d =>
  isLine(image) ? { x: width, y: slices, z: 1 } : { x: width, y: rows, z: slices };

function partOf(
  call: string,
  image: Image,
  { baseArrayLayer, layerCount, mipLevel }: VkImageSubresourceLayers,
  offset: VkOffset3D,
  extent: VkExtent3D,
): Part {
  const layers = layerCount === VK_REMAINING_ARRAY_LAYERS ? image.info.arrayLayers - baseArrayLayer : layerCount;
  const { arrayLayers, mipLevels } = image.info;
  if (mipLevel >= mipLevels || layers < 1 || baseArrayLayer + layers > arrayLayers)
    throw invalid(
      call,
      `the region has ${layers} layers from ${baseArrayLayer} on of level ${mipLevel}; ` +
        `the image has ${arrayLayers} of ${mipLevels === 1 ? "one level" : `${mipLevels} levels`}`,
      `VUID-${call}-imageSubresource-${mipLevel < mipLevels ? "07968" : "07967"}`,
    );
  const { width, height, depth } = extentAt(image.info.extent, mipLevel);
  const fits =
    Math.min(offset.x, offset.y, offset.z) >= 0 &&
    offset.x + extent.width <= width &&
    offset.y + extent.height <= height &&
    offset.z + extent.depth <= depth;
  if (!fits || Math.min(extent.width, extent.height, extent.depth) < 1)
    throw invalid(
      call,
      `the region of ${extent.width} x ${extent.height} x ${extent.depth} texels at ` +
        `${offset.x}, ${offset.y}, ${offset.z} is not within the image of ${width} x ${height} x ${depth}`,
      `VUID-${call}-imageSubresource-07971`,
    );
  const mux = image.level(call, mipLevel);
  return { image, mux, offset, layer: baseArrayLayer, slices: layers * extent.depth };
}

function record(call: string, commandBuffer: VkCommandBuffer, writes: readonly WriteTransfer[]): void {
  for (const write of writes) commandsOf(commandBuffer, call).record(call, { kind: "transfer", write });
}

/** A copy between a buffer and an image, either way. */
function copyTexels(
  call: string,
  commandBuffer: VkCommandBuffer,
  [bufferHandle, imageHandle]: readonly [VkBuffer, VkImage],
  regions: readonly VkBufferImageCopy[],
  isToImage: boolean,
): void {
  const found = bufferOf(bufferHandle, call);
  const buffer = found.bound(call);
  const image = imageOf(imageHandle, call);
  for (const region of regions) {
    const { bufferOffset = 0, bufferRowLength = 0, bufferImageHeight = 0, imageExtent: extent } = region;
    const part = partOf(call, image, region.imageSubresource, region.imageOffset ?? ZERO, extent);
    const { mux } = part;
    const rowBytes = (bufferRowLength || extent.width) * mux.pixelSize;
    const sliceBytes = rowBytes * (bufferImageHeight || extent.height);
    const end =
      bufferOffset + (part.slices - 1) * sliceBytes + (extent.height - 1) * rowBytes + extent.width * mux.pixelSize;
    if (end > found.size)
      throw invalid(
        call,
        `a region reaches to byte ${end} of a buffer of ${found.size} bytes`,
        `VUID-${call}-pRegions-${isToImage ? "00171" : "00183"}`,
      );
    const copy =
      (slice: number, row: number, size: MuxExtent3d): WriteTransfer =>
      (commands, waits) => {
        const at = bufferOffset + slice * sliceBytes + row * rowBytes;
        const origin = boxAt(part, slice, row);
        return isToImage
          ? muxCommandCopyBufferToImage(commands, buffer, mux, at, origin, size, waits)
          : muxCommandCopyImageToBuffer(commands, mux, buffer, origin, at, size, waits);
      };
    const { slices } = part;
    const hasTightRows = rowBytes === extent.width * mux.pixelSize || extent.height === 1;
    const hasTightSlices =
      hasTightRows && (sliceBytes === extent.width * mux.pixelSize * extent.height || slices === 1);
    record(
      call,
      commandBuffer,
      hasTightSlices
        ? [copy(0, 0, extentOf(image, extent.width, extent.height, slices))]
        : Array.from({ length: slices }, (_, slice) => slice).flatMap((slice) =>
            hasTightRows
              ? [copy(slice, 0, extentOf(image, extent.width, extent.height, 1))]
              : Array.from({ length: extent.height }, (__, row) =>
                  copy(slice, row, extentOf(image, extent.width, 1, 1)),
                ),
          ),
    );
  }
}

function copyImage(
  call: string,
  commandBuffer: VkCommandBuffer,
  [source, target]: readonly [VkImage, VkImage],
  regions: readonly VkImageCopy[],
): void {
  const [from, to] = [imageOf(source, call), imageOf(target, call)];
  for (const { srcSubresource, srcOffset = ZERO, dstSubresource, dstOffset = ZERO, extent } of regions) {
    // Slices of one side may be layers of the other.
    const depthOf = (image: Image): VkExtent3D => ({
      ...extent,
      depth: image.info.extent.depth > 1 ? extent.depth : 1,
    });
    const left = partOf(call, from, srcSubresource, srcOffset, depthOf(from));
    const right = partOf(call, to, dstSubresource, dstOffset, depthOf(to));
    if (left.slices !== right.slices)
      throw invalid(
        call,
        `a region has ${left.slices} layers or slices of the source and ${right.slices} of the target`,
        `VUID-${call}-srcImage-08793`,
      );
    const copy =
      (slice: number, size: MuxExtent3d): WriteTransfer =>
      (commands, waits) =>
        muxCommandCopyImage(commands, left.mux, right.mux, boxAt(left, slice, 0), boxAt(right, slice, 0), size, waits);
    record(
      call,
      commandBuffer,
      isLine(from) === isLine(to)
        ? [copy(0, extentOf(from, extent.width, extent.height, left.slices))]
        : Array.from({ length: left.slices }, (_, slice) => copy(slice, { x: extent.width, y: 1, z: 1 })),
    );
  }
}

/** A colour as a texel. */
function texelOf(call: string, { info }: Image, color: VkClearColorValue): Uint8Array {
  const format = pixelFormat(info.format);
  const list =
    format === null
      ? undefined
      : { float: color.float32, signed: color.int32, unsigned: color.uint32 }[channelClass(format)];
  if (format === null || list?.length !== 4)
    throw invalid(
      call,
      "pColor needs four numbers: float32 of formats with floats and fractions, int32 or uint32 of integers",
      "VUID-vkCmdClearColorImage-pColor-04961",
    );
  const bytes = new Uint8Array(pixelBytes(format));
  const [r = 0, g = 0, b = 0, a = 0] = list;
  packPixel(format, [r, g, b, a], new DataView(bytes.buffer), 0);
  return bytes;
}

function clear(
  call: string,
  commandBuffer: VkCommandBuffer,
  handle: VkImage,
  color: VkClearColorValue,
  ranges: readonly VkImageSubresourceRange[],
): void {
  const image = imageOf(handle, call);
  image.bound(call);
  const texel = texelOf(call, image, color);
  for (const { baseMipLevel, levelCount, baseArrayLayer, layerCount, aspectMask } of ranges) {
    const count = levelCount === VK_REMAINING_MIP_LEVELS ? image.info.mipLevels - baseMipLevel : levelCount;
    for (let mipLevel = baseMipLevel; mipLevel < baseMipLevel + count; mipLevel++) {
      const extent = extentAt(image.info.extent, mipLevel);
      const part = partOf(call, image, { aspectMask, mipLevel, baseArrayLayer, layerCount }, ZERO, extent);
      const size = extentOf(image, extent.width, extent.height, part.slices);
      record(call, commandBuffer, [
        (commands, waits) => muxCommandFillImage(commands, part.mux, texel, boxAt(part, 0, 0), size, waits),
      ]);
    }
  }
}

/** Entry points for commands on images. */
export const IMAGE_COMMANDS: Pick<
  Vulkan,
  | "vkCmdCopyImage"
  | "vkCmdCopyImage2"
  | "vkCmdCopyBufferToImage"
  | "vkCmdCopyBufferToImage2"
  | "vkCmdCopyImageToBuffer"
  | "vkCmdCopyImageToBuffer2"
  | "vkCmdClearColorImage"
> = {
  vkCmdCopyImage: (commandBuffer, srcImage, _srcImageLayout, dstImage, _dstImageLayout, pRegions) => {
    copyImage("vkCmdCopyImage", commandBuffer, [srcImage, dstImage], pRegions);
  },
  vkCmdCopyImage2: (commandBuffer, { srcImage, dstImage, pRegions }) => {
    copyImage("vkCmdCopyImage2", commandBuffer, [srcImage, dstImage], pRegions);
  },
  vkCmdCopyBufferToImage: (commandBuffer, srcBuffer, dstImage, _dstImageLayout, pRegions) => {
    copyTexels("vkCmdCopyBufferToImage", commandBuffer, [srcBuffer, dstImage], pRegions, true);
  },
  vkCmdCopyBufferToImage2: (commandBuffer, { srcBuffer, dstImage, pRegions }) => {
    copyTexels("vkCmdCopyBufferToImage2", commandBuffer, [srcBuffer, dstImage], pRegions, true);
  },
  vkCmdCopyImageToBuffer: (commandBuffer, srcImage, _srcImageLayout, dstBuffer, pRegions) => {
    copyTexels("vkCmdCopyImageToBuffer", commandBuffer, [dstBuffer, srcImage], pRegions, false);
  },
  vkCmdCopyImageToBuffer2: (commandBuffer, { srcImage, dstBuffer, pRegions }) => {
    copyTexels("vkCmdCopyImageToBuffer2", commandBuffer, [dstBuffer, srcImage], pRegions, false);
  },
  vkCmdClearColorImage: (commandBuffer, image, _imageLayout, pColor, pRanges) => {
    clear("vkCmdClearColorImage", commandBuffer, image, pColor, pRanges);
  },
};
