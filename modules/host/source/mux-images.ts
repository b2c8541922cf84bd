// SPDX-License-Identifier: Apache-2.0
// Images as mux has them: objects of the host's own layout, and their commands as boxes of bytes.
import { ok } from "@muxkit/cargo";
import { MUX_IMAGE_FORMATS, muxImageLayout, muxSamplerBits } from "@muxkit/hal";
import { imageStrides } from "@muxkit/libimg";
import type { MuxBuffer, MuxExtent3d, MuxImage, MuxOffset3d, MuxSampler, MuxTarget } from "@muxkit/mux";

import type { Box, BoxSize } from "./command-buffer.ts";
import { IMAGE_LIMITS } from "./device-info.ts";
import { HostMuxBuffer, HostMuxImage, HostMuxMemory } from "./mux-objects.ts";
import { own, record, recordBoxes } from "./mux-record.ts";
import type { ImagePlace } from "./objects.ts";

/** What a kernel gets for a sampler. */
export function samplerBytes(sampler: MuxSampler): Uint8Array {
  return new Uint8Array(Uint32Array.of(muxSamplerBits(sampler)).buffer);
}

const placeOf = (image: MuxImage): ImagePlace => own(image, HostMuxImage).place;

/** Where a place of an image lies in it, and how its rows and slices follow each other. */
function boxIn(image: MuxImage, { x, y, z }: MuxOffset3d): Box {
  const { image: layout } = placeOf(image);
  const [rowPitch, slicePitch] = imageStrides(layout);
  return { start: x * layout.pixelBytes + y * rowPitch + z * slicePitch, rowPitch, slicePitch };
}

function sizeIn(image: MuxImage, { x, y, z }: MuxExtent3d): BoxSize {
  return { row: x * image.pixelSize, rows: y, slices: z };
}

/** Texels outside of images: tight where sizes are 0. */
function boxBeside(
  image: MuxImage,
  start: number,
  extent: MuxExtent3d,
  rowSize: number = 0,
  sliceSize: number = 0,
): Box {
  const rowPitch = rowSize || extent.x * image.pixelSize;
  return { start, rowPitch, slicePitch: sliceSize || rowPitch * extent.y };
}

const bufferOf = (buffer: MuxBuffer): HostMuxBuffer => own(buffer, HostMuxBuffer);

/** The entry points for images. */
export const IMAGES: Pick<
  MuxTarget,
  | "createImage"
  | "destroyImage"
  | "bindImageMemory"
  | "getSupportedImageFormats"
  | "commandReadImage"
  | "commandWriteImage"
  | "commandFillImage"
  | "commandCopyImage"
  | "commandCopyImageToBuffer"
  | "commandCopyBufferToImage"
> = {
  createImage: (device, type, format, width, height, depth, arrayLayers, rowSize, sliceSize) => {
    const image = muxImageLayout(
      { type, format, width, height, depth, arrayLayers, rowSize, sliceSize },
      { ...IMAGE_LIMITS, width1d: IMAGE_LIMITS.widthBuffer },
    );
    if (!image.ok) return image;
    return ok(new HostMuxImage(device, image.value, type, format, arrayLayers));
  },
  destroyImage: () => {
    // An image has no storage of its own.
  },
  bindImageMemory: (_device, memory, image, offset) => {
    own(image, HostMuxImage).address = own(memory, HostMuxMemory).block.address + offset;
    return ok(undefined);
  },
  getSupportedImageFormats: () => ok(MUX_IMAGE_FORMATS),
  commandReadImage: (commandBuffer, image, offset, extent, rowSize, sliceSize, hostPointer, waitList, syncPoint) =>
    record(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.readBox(
        placeOf(image),
        boxIn(image, offset),
        hostPointer,
        boxBeside(image, 0, extent, rowSize, sliceSize),
        sizeIn(image, extent),
        waits,
      ),
    ),
  commandWriteImage: (commandBuffer, image, offset, extent, rowSize, sliceSize, hostPointer, waitList, syncPoint) =>
    record(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.writeBox(
        placeOf(image),
        boxIn(image, offset),
        hostPointer,
        boxBeside(image, 0, extent, rowSize, sliceSize),
        sizeIn(image, extent),
        waits,
      ),
    ),
  commandFillImage: (commandBuffer, image, color, offset, extent, waitList, syncPoint) =>
    record(commandBuffer, waitList, syncPoint, (host, waits) => {
      const target = placeOf(image);
      const box = boxIn(image, offset);
      const size = sizeIn(image, extent);
      // One row is filled with the texel; it is then the source of all the others.
      const steps = [
        (then: readonly number[] | null) =>
          host.fill(target, box.start, size.row, color.slice(0, image.pixelSize), then),
        ...(size.rows * size.slices === 1
          ? []
          : [
              (then: readonly number[] | null) =>
                host.copyBox(target, { start: box.start, rowPitch: 0, slicePitch: 0 }, target, box, size, then),
            ]),
      ];
      return recordBoxes(steps, waits, (step, then) => step(then));
    }),
  commandCopyImage: (commandBuffer, srcImage, dstImage, srcOffset, dstOffset, extent, waitList, syncPoint) =>
    record(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.copyBox(
        placeOf(srcImage),
        boxIn(srcImage, srcOffset),
        placeOf(dstImage),
        boxIn(dstImage, dstOffset),
        sizeIn(srcImage, extent),
        waits,
      ),
    ),
  commandCopyImageToBuffer: (commandBuffer, srcImage, dstBuffer, srcOffset, dstOffset, extent, waitList, syncPoint) =>
    record(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.copyBox(
        placeOf(srcImage),
        boxIn(srcImage, srcOffset),
        bufferOf(dstBuffer),
        boxBeside(srcImage, dstOffset, extent),
        sizeIn(srcImage, extent),
        waits,
      ),
    ),
  commandCopyBufferToImage: (commandBuffer, srcBuffer, dstImage, srcOffset, dstOffset, extent, waitList, syncPoint) =>
    record(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.copyBox(
        bufferOf(srcBuffer),
        boxBeside(dstImage, srcOffset, extent),
        placeOf(dstImage),
        boxIn(dstImage, dstOffset),
        sizeIn(dstImage, extent),
        waits,
      ),
    ),
};
