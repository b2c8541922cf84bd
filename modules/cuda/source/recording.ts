// SPDX-License-Identifier: Apache-2.0
// Command buffers as mux entry points: what is recorded is data, addresses included.
import { type Result, ok } from "@muxkit/cargo";
import {
  type Box,
  HalMuxImage,
  addressOf,
  imageBox,
  own,
  pixelsBox,
  pixelsSize,
  regionBoxes,
  updated,
} from "@muxkit/hal";
import { imageStrides } from "@muxkit/libimg";
import {
  type MuxCommandBuffer,
  type MuxDevice,
  type MuxFailure,
  type MuxImage,
  type MuxLaunch,
  type MuxOffset3d,
  MuxResult,
  type MuxTarget,
} from "@muxkit/mux";

import { boxCopies, fillBox, tightBox } from "./box-copies.ts";
import { type Command, type LaunchCommand, type TransferCommand, launchCommand, makeLaunch } from "./commands.ts";
import type { GpuWork } from "./driver.ts";
import { failed } from "./failure.ts";
import { copyWork, fillWork } from "./fills.ts";
import { changeGraph, freeGraphs } from "./graphs.ts";
import { CudaMuxCommandBuffer, CudaMuxDevice, CudaMuxLaunch } from "./objects.ts";
import { CudaMuxQueryPool, type QuerySlot } from "./queries.ts";

const DONE: Result<void, MuxFailure> = ok();

function add(list: MuxCommandBuffer, command: Command): Result<void, MuxFailure> {
  own(list, CudaMuxCommandBuffer).add(command);
  return DONE;
}

function addWork(list: MuxCommandBuffer, work: readonly GpuWork[]): Result<void, MuxFailure> {
  return add(list, { kind: "work", work });
}

/** A copy between an array and contiguous bytes. */
function contiguous(kind: "read" | "write", array: Uint8Array, address: number): TransferCommand {
  const size = { row: array.length, rows: 1, slices: 1 };
  return { kind, array, inArray: tightBox(0, size), onGpu: tightBox(address, size), size };
}

/** The box at an offset in an image. */
function boxIn(image: MuxImage, offset: MuxOffset3d): Box {
  return imageBox(image, addressOf(image), offset, imageStrides(own(image, HalMuxImage).image));
}

/** The deadline of launches that have none of their own. */
function deadlineOf(device: MuxDevice): number {
  return own(device, CudaMuxDevice).scheduler.deadline;
}

function commandOf(launch: MuxLaunch): LaunchCommand {
  return own(launch, CudaMuxLaunch).command;
}

/** Several boxes count as one command. */
function addTransfers(list: MuxCommandBuffer, transfers: readonly TransferCommand[]): Result<void, MuxFailure> {
  return add(list, transfers.length === 1 ? (transfers[0] as TransferCommand) : { kind: "transfers", transfers });
}

function empty(commands: CudaMuxCommandBuffer): void {
  freeGraphs(own(commands.device, CudaMuxDevice).scheduler.gpu, commands.graphs);
  commands.graphs = null;
  commands.dispatches = 0;
}

function slotsOf(pool: Parameters<MuxTarget["commandBeginQuery"]>[1], index: number, count: number): QuerySlot[] {
  return own(pool, CudaMuxQueryPool).slots.slice(index, index + count);
}

/** The entry points that make, change and fill command buffers. */
export const RECORDING: Pick<
  MuxTarget,
  | "createCommandBuffer"
  | "finalizeCommandBuffer"
  | "cloneCommandBuffer"
  | "resetCommandBuffer"
  | "destroyCommandBuffer"
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
  createCommandBuffer: (device) => ok(new CudaMuxCommandBuffer({ device })),
  finalizeCommandBuffer: () => DONE,
  cloneCommandBuffer: (device, commandBuffer) => {
    const clone = new CudaMuxCommandBuffer({ device });
    // Commands are not changed, only replaced.
    for (const command of own(commandBuffer, CudaMuxCommandBuffer).commands) clone.add(command);
    return ok(clone);
  },
  resetCommandBuffer: (commandBuffer) => {
    const commands = own(commandBuffer, CudaMuxCommandBuffer);
    empty(commands);
    commands.commands = [];
    commands.needsHost = false;
    commands.isLimited = false;
    return DONE;
  },
  destroyCommandBuffer: (_device, commandBuffer) => {
    empty(own(commandBuffer, CudaMuxCommandBuffer));
  },
  commandReadBuffer: (list, buffer, offset, to) => add(list, contiguous("read", to, addressOf(buffer) + offset)),
  commandWriteBuffer: (list, buffer, offset, from) => add(list, contiguous("write", from, addressOf(buffer) + offset)),
  commandReadBufferRegions: (list, buffer, array, regions) =>
    addTransfers(
      list,
      regions.map((region) => {
        const { from, to, size } = regionBoxes(region, addressOf(buffer), 0);
        return { kind: "read", array, inArray: to, onGpu: from, size };
      }),
    ),
  commandWriteBufferRegions: (list, buffer, array, regions) =>
    addTransfers(
      list,
      regions.map((region) => {
        const { from, to, size } = regionBoxes(region, 0, addressOf(buffer));
        return { kind: "write", array, inArray: from, onGpu: to, size };
      }),
    ),
  commandCopyBuffer: (list, from, fromOffset, to, toOffset, size) =>
    addWork(list, size === 0 ? [] : [copyWork(addressOf(from) + fromOffset, addressOf(to) + toOffset, size)]),
  commandCopyBufferRegions: (list, source, target, regions) => {
    const work = regions.flatMap((region) => {
      const { from, to, size } = regionBoxes(region, addressOf(source), addressOf(target));
      return boxCopies(from, to, size);
    });
    if (source.device === list.device) return addWork(list, work);
    return add(list, { kind: "work", work, from: own(source.device, CudaMuxDevice).scheduler });
  },
  commandFillBuffer: (list, buffer, offset, size, pattern) =>
    addWork(list, fillWork(addressOf(buffer) + offset, size, pattern)),
  commandReadImage: (list, image, offset, extent, rowSize, sliceSize, to) =>
    add(list, {
      kind: "read",
      array: to,
      inArray: pixelsBox(image, extent, 0, rowSize, sliceSize),
      onGpu: boxIn(image, offset),
      size: pixelsSize(image, extent),
    }),
  commandWriteImage: (list, image, offset, extent, rowSize, sliceSize, from) =>
    add(list, {
      kind: "write",
      array: from,
      inArray: pixelsBox(image, extent, 0, rowSize, sliceSize),
      onGpu: boxIn(image, offset),
      size: pixelsSize(image, extent),
    }),
  commandFillImage: (list, image, color, offset, extent) =>
    addWork(list, fillBox(boxIn(image, offset), pixelsSize(image, extent), color.slice(0, image.pixelSize))),
  commandCopyImage: (list, from, to, fromOffset, toOffset, extent) =>
    addWork(list, boxCopies(boxIn(from, fromOffset), boxIn(to, toOffset), pixelsSize(from, extent))),
  commandCopyImageToBuffer: (list, from, to, fromOffset, toOffset, extent) =>
    addWork(
      list,
      boxCopies(boxIn(from, fromOffset), pixelsBox(from, extent, addressOf(to) + toOffset), pixelsSize(from, extent)),
    ),
  commandCopyBufferToImage: (list, from, to, fromOffset, toOffset, extent) =>
    addWork(
      list,
      boxCopies(pixelsBox(to, extent, addressOf(from) + fromOffset), boxIn(to, toOffset), pixelsSize(to, extent)),
    ),
  commandNDRange: (list, kernel, options) => {
    const command = makeLaunch(kernel, options, deadlineOf(list.device));
    return command.ok ? add(list, command.value) : command;
  },
  createLaunch: (kernel, options) => {
    const command = makeLaunch(kernel, options, deadlineOf(kernel.device));
    return command.ok ? ok(new CudaMuxLaunch(command.value)) : command;
  },
  commandLaunches: (list, launches) => {
    const commands = own(list, CudaMuxCommandBuffer);
    for (const launch of launches) commands.add(commandOf(launch));
    return DONE;
  },
  // One stream has an order, and any order is right.
  commandParallelLaunches: (list, launches) => add(list, { kind: "group", launches: launches.map(commandOf) }),
  commandBarrier: (list) => addWork(list, []),
  updateDescriptors: (list, commandId, indices, descriptors) => {
    const commands = own(list, CudaMuxCommandBuffer);
    const command = commands.commands[commandId];
    if (command?.kind !== "launch") return failed(MuxResult.error_invalid_value, `command ${commandId} is no launch`);
    const changed = updated(command.recorded, indices, descriptors);
    if (!changed.ok) return changed;
    const made = launchCommand({ ...command.recorded, descriptors: changed.value }, deadlineOf(list.device));
    if (!made.ok) return made;
    const next = made.value;
    commands.commands[commandId] = next;
    const { gpu } = own(list.device, CudaMuxDevice).scheduler;
    if (commands.graphs !== null && !changeGraph(gpu, commands.graphs, commandId, next.launches)) empty(commands);
    return DONE;
  },
  commandUserCallback: (list, userFunction) => add(list, { kind: "call", call: userFunction }),
  commandBeginQuery: (list, pool, index, count) =>
    add(list, { kind: "query", slots: slotsOf(pool, index, count), mark: "start" }),
  commandEndQuery: (list, pool, index, count) =>
    add(list, { kind: "query", slots: slotsOf(pool, index, count), mark: "end" }),
  commandResetQueryPool: (list, pool, index, count) =>
    add(list, { kind: "query", slots: slotsOf(pool, index, count), mark: "reset" }),
};
