// SPDX-License-Identifier: Apache-2.0
// Commands: what is recorded, and what each does to the device.
import { type Result, ok } from "@muxkit/cargo";
import { imageStrides } from "@muxkit/libimg";
import {
  type MuxCommandBuffer,
  type MuxFailure,
  type MuxImage,
  type MuxOffset3d,
  MuxResult,
  type MuxTarget,
} from "@muxkit/mux";

import { type Box, imageBox, pixelsBox, pixelsSize, regionBoxes } from "./boxes.ts";
import {
  copyDeviceBox,
  copyDeviceBytes,
  fillDeviceBox,
  fillDeviceBytes,
  readDeviceBox,
  writeDeviceBox,
} from "./device-boxes.ts";
import type { HalDevice } from "./hal.ts";
import { recordedLaunch, runLaunch, updated } from "./launch.ts";
import {
  HalMuxCommandBuffer,
  HalMuxImage,
  HalMuxLaunch,
  HalMuxQueryPool,
  type RecordedLaunch,
  type Run,
  addressOf,
} from "./objects.ts";
import { failed, own } from "./own.ts";
import { now, setTimes } from "./queue.ts";

function add(
  commandBuffer: MuxCommandBuffer,
  run: Run,
  launch: RecordedLaunch | null = null,
): Result<void, MuxFailure> {
  own(commandBuffer, HalMuxCommandBuffer).commands.push({ run, launch });
  return ok();
}

/** Records what cannot fail. */
function addCopy(commandBuffer: MuxCommandBuffer, run: (hal: HalDevice) => void): Result<void, MuxFailure> {
  return add(commandBuffer, (hal) => {
    run(hal);
    return null;
  });
}

function addLaunch(commandBuffer: MuxCommandBuffer, launch: RecordedLaunch): Result<void, MuxFailure> {
  return add(commandBuffer, () => runLaunch(launch), launch);
}

/** The box at an offset in an image. */
function boxIn(image: MuxImage, offset: MuxOffset3d): Box {
  return imageBox(image, addressOf(image), offset, imageStrides(own(image, HalMuxImage).image));
}

/** The entry points that make, change and fill command buffers. */
export const COMMANDS: Pick<
  MuxTarget,
  | "createCommandBuffer"
  | "finalizeCommandBuffer"
  | "cloneCommandBuffer"
  | "resetCommandBuffer"
  | "commandReadBuffer"
  | "commandReadBufferRegions"
  | "commandWriteBuffer"
  | "commandWriteBufferRegions"
  | "commandCopyBuffer"
  | "commandCopyBufferRegions"
  | "commandFillBuffer"
  | "commandReadImage"
  | "commandWriteImage"
  | "commandFillImage"
  | "commandCopyImage"
  | "commandCopyImageToBuffer"
  | "commandCopyBufferToImage"
  | "commandNDRange"
  | "commandLaunches"
  | "commandParallelLaunches"
  | "commandBarrier"
  | "createLaunch"
  | "updateDescriptors"
  | "commandUserCallback"
  | "commandBeginQuery"
  | "commandEndQuery"
  | "commandResetQueryPool"
> = {
  createCommandBuffer: (device) => ok(new HalMuxCommandBuffer({ device })),
  finalizeCommandBuffer: () => ok(),
  cloneCommandBuffer: (device, commandBuffer) => {
    const clone = new HalMuxCommandBuffer({ device });
    for (const { run, launch } of own(commandBuffer, HalMuxCommandBuffer).commands) {
      // Arguments of the one may be changed without those of the other.
      if (launch === null) clone.commands.push({ run, launch });
      else void addLaunch(clone, { ...launch, descriptors: [...launch.descriptors] });
    }
    return ok(clone);
  },
  resetCommandBuffer: (commandBuffer) => {
    own(commandBuffer, HalMuxCommandBuffer).commands = [];
    return ok();
  },
  commandReadBuffer: (list, buffer, offset, to) =>
    addCopy(list, (hal) => {
      hal.read(addressOf(buffer) + offset, to);
    }),
  commandWriteBuffer: (list, buffer, offset, from) =>
    addCopy(list, (hal) => {
      hal.write(addressOf(buffer) + offset, from);
    }),
  commandReadBufferRegions: (list, buffer, array, regions) =>
    addCopy(list, (hal) => {
      for (const { from, to, size } of regions.map((region) => regionBoxes(region, addressOf(buffer), 0)))
        readDeviceBox(hal, from, array, to, size);
    }),
  commandWriteBufferRegions: (list, buffer, array, regions) =>
    addCopy(list, (hal) => {
      for (const { from, to, size } of regions.map((region) => regionBoxes(region, 0, addressOf(buffer))))
        writeDeviceBox(hal, to, array, from, size);
    }),
  commandCopyBuffer: (list, from, fromOffset, to, toOffset, size) =>
    addCopy(list, (hal) => {
      copyDeviceBytes(hal, addressOf(from) + fromOffset, addressOf(to) + toOffset, size);
    }),
  commandCopyBufferRegions: (list, source, target, regions) =>
    addCopy(list, (hal) => {
      for (const { from, to, size } of regions.map((region) =>
        regionBoxes(region, addressOf(source), addressOf(target)),
      ))
        copyDeviceBox(hal, from, to, size);
    }),
  commandFillBuffer: (list, buffer, offset, size, pattern) => {
    const kept = pattern.slice();
    return addCopy(list, (hal) => {
      fillDeviceBytes(hal, addressOf(buffer) + offset, size, kept);
    });
  },
  commandReadImage: (list, image, offset, extent, rowSize, sliceSize, to) =>
    addCopy(list, (hal) => {
      readDeviceBox(
        hal,
        boxIn(image, offset),
        to,
        pixelsBox(image, extent, 0, rowSize, sliceSize),
        pixelsSize(image, extent),
      );
    }),
  commandWriteImage: (list, image, offset, extent, rowSize, sliceSize, from) =>
    addCopy(list, (hal) => {
      writeDeviceBox(
        hal,
        boxIn(image, offset),
        from,
        pixelsBox(image, extent, 0, rowSize, sliceSize),
        pixelsSize(image, extent),
      );
    }),
  commandFillImage: (list, image, color, offset, extent) => {
    const pixel = color.slice(0, image.pixelSize);
    return addCopy(list, (hal) => {
      fillDeviceBox(hal, boxIn(image, offset), pixelsSize(image, extent), pixel);
    });
  },
  commandCopyImage: (list, from, to, fromOffset, toOffset, extent) =>
    addCopy(list, (hal) => {
      copyDeviceBox(hal, boxIn(from, fromOffset), boxIn(to, toOffset), pixelsSize(from, extent));
    }),
  commandCopyImageToBuffer: (list, from, to, fromOffset, toOffset, extent) =>
    addCopy(list, (hal) => {
      copyDeviceBox(
        hal,
        boxIn(from, fromOffset),
        pixelsBox(from, extent, addressOf(to) + toOffset),
        pixelsSize(from, extent),
      );
    }),
  commandCopyBufferToImage: (list, from, to, fromOffset, toOffset, extent) =>
    addCopy(list, (hal) => {
      copyDeviceBox(
        hal,
        pixelsBox(to, extent, addressOf(from) + fromOffset),
        boxIn(to, toOffset),
        pixelsSize(to, extent),
      );
    }),
  commandNDRange: (list, kernel, options) => {
    const launch = recordedLaunch(kernel, options);
    return launch.ok ? addLaunch(list, launch.value) : launch;
  },
  createLaunch: (kernel, options) => {
    const launch = recordedLaunch(kernel, options);
    return launch.ok ? ok(new HalMuxLaunch(kernel, options, launch.value.descriptors)) : launch;
  },
  commandLaunches: (list, launches) => {
    for (const prepared of launches) {
      const { kernel, options, descriptors } = own(prepared, HalMuxLaunch);
      const launch = recordedLaunch(kernel, { ...options, descriptors });
      if (!launch.ok) return launch;
      void addLaunch(list, launch.value);
    }
    return ok();
  },
  commandParallelLaunches: (list, launches) => {
    const recorded: RecordedLaunch[] = [];
    for (const prepared of launches) {
      const { kernel, options, descriptors } = own(prepared, HalMuxLaunch);
      const launch = recordedLaunch(kernel, { ...options, descriptors });
      if (!launch.ok) return launch;
      recorded.push(launch.value);
    }
    // Any order is right, and this is the one that there is.
    return add(list, () => {
      for (const launch of recorded) {
        const failure = runLaunch(launch);
        if (failure !== null) return failure;
      }
      return null;
    });
  },
  commandBarrier: (list) => add(list, () => null),
  updateDescriptors: (list, commandId, indices, descriptors) => {
    const launch = own(list, HalMuxCommandBuffer).commands[commandId]?.launch ?? null;
    if (launch === null) return failed(MuxResult.error_invalid_value, `command ${commandId} is no launch`);
    const changed = updated(launch, indices, descriptors);
    if (!changed.ok) return changed;
    launch.descriptors = changed.value;
    return ok();
  },
  commandUserCallback: (list, userFunction) =>
    add(list, (_hal, queue, commands) => {
      const isOver = userFunction(queue, commands);
      // Dispatches never overlap here, so nothing else could run meanwhile.
      if (typeof isOver === "function") for (let isDone = false; !isDone;) isDone = isOver(() => undefined);
      return null;
    }),
  commandBeginQuery: (list, pool, index, count) =>
    add(list, () => setTimes(own(pool, HalMuxQueryPool), index, count, { start: now() })),
  commandEndQuery: (list, pool, index, count) =>
    add(list, () => setTimes(own(pool, HalMuxQueryPool), index, count, { end: now() })),
  commandResetQueryPool: (list, pool, index, count) =>
    add(list, () => setTimes(own(pool, HalMuxQueryPool), index, count, { start: 0n, end: 0n })),
};
