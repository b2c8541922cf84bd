// SPDX-License-Identifier: Apache-2.0
// Images as mux has them: objects of the host's own layout, and their commands as boxes of bytes.
import { ok } from "@muxkit/cargo";
import { type Box, imageBox, MUX_IMAGE_FORMATS, muxImageLayout, pixelsBox, pixelsSize } from "@muxkit/hal";
import { imageStrides } from "@muxkit/libimg";
import type { MuxImage, MuxOffset3d, MuxTarget } from "@muxkit/mux";

import { IMAGE_LIMITS } from "./device-info.ts";
import { HostMuxImage, HostMuxMemory } from "./mux-objects.ts";
import { bufferRange, own, recordCommand, recordBoxCommands } from "./mux-recording.ts";
import type { ImageRange } from "./objects.ts";

const rangeOf = (image: MuxImage): ImageRange => own(image, HostMuxImage).range;

/** The box at an offset in an image, relative to the image's first pixel. */
function boxIn(image: MuxImage, offset: MuxOffset3d): Box {
  return imageBox(image, 0, offset, imageStrides(rangeOf(image).image));
}

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
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.readBox(
        rangeOf(image),
        boxIn(image, offset),
        hostPointer,
        pixelsBox(image, extent, 0, rowSize, sliceSize),
        pixelsSize(image, extent),
        waits,
      ),
    ),
  commandWriteImage: (commandBuffer, image, offset, extent, rowSize, sliceSize, hostPointer, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.writeBox(
        rangeOf(image),
        boxIn(image, offset),
        hostPointer,
        pixelsBox(image, extent, 0, rowSize, sliceSize),
        pixelsSize(image, extent),
        waits,
      ),
    ),
  commandFillImage: (commandBuffer, image, color, offset, extent, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) => {
      const target = rangeOf(image);
      const box = boxIn(image, offset);
      const size = pixelsSize(image, extent);
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
      return recordBoxCommands(steps, waits, (step, then) => step(then));
    }),
  commandCopyImage: (commandBuffer, srcImage, dstImage, srcOffset, dstOffset, extent, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.copyBox(
        rangeOf(srcImage),
        boxIn(srcImage, srcOffset),
        rangeOf(dstImage),
        boxIn(dstImage, dstOffset),
        pixelsSize(srcImage, extent),
        waits,
      ),
    ),
  commandCopyImageToBuffer: (commandBuffer, srcImage, dstBuffer, srcOffset, dstOffset, extent, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.copyBox(
        rangeOf(srcImage),
        boxIn(srcImage, srcOffset),
        bufferRange(dstBuffer),
        pixelsBox(srcImage, extent, dstOffset),
        pixelsSize(srcImage, extent),
        waits,
      ),
    ),
  commandCopyBufferToImage: (commandBuffer, srcBuffer, dstImage, srcOffset, dstOffset, extent, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.copyBox(
        bufferRange(srcBuffer),
        pixelsBox(dstImage, extent, srcOffset),
        rangeOf(dstImage),
        boxIn(dstImage, dstOffset),
        pixelsSize(dstImage, extent),
        waits,
      ),
    ),
};
