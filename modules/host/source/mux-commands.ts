// SPDX-License-Identifier: Apache-2.0
// Command buffers and their commands as mux entry points of the host; those on images are in mux-images.ts.
import { assert, ok } from "@muxkit/cargo";
import { regionBoxes } from "@muxkit/hal";
import { MuxResult, type MuxTarget } from "@muxkit/mux";

import { argumentsOf, rangeOf } from "./mux-launch-arguments.ts";
import { HostMuxCommandBuffer, HostMuxKernel, HostMuxLaunch, HostMuxQueryPool } from "./mux-objects.ts";
import { bufferRange, deviceOf, failed, failedWith, own, recordBoxCommands, recordCommand } from "./mux-recording.ts";

/** The entry points for command buffers. */
export const COMMANDS: Pick<
  MuxTarget,
  | "createCommandBuffer"
  | "finalizeCommandBuffer"
  | "cloneCommandBuffer"
  | "destroyCommandBuffer"
  | "resetCommandBuffer"
  | "commandReadBuffer"
  | "commandReadBufferRegions"
  | "commandWriteBuffer"
  | "commandWriteBufferRegions"
  | "commandCopyBuffer"
  | "commandCopyBufferRegions"
  | "commandFillBuffer"
  | "commandNDRange"
  | "commandLaunches"
  | "commandParallelLaunches"
  | "commandBarrier"
  | "updateDescriptors"
  | "commandUserCallback"
  | "commandBeginQuery"
  | "commandEndQuery"
  | "commandResetQueryPool"
> = {
  createCommandBuffer: (device) => ok(new HostMuxCommandBuffer(device, deviceOf(device).host.createCommandBuffer())),
  finalizeCommandBuffer: (commandBuffer) => {
    const finalized = own(commandBuffer, HostMuxCommandBuffer).host.finalize();
    return finalized.ok ? finalized : failedWith(finalized.error);
  },
  cloneCommandBuffer: (device, commandBuffer) => {
    const original = own(commandBuffer, HostMuxCommandBuffer);
    const copy = original.host.clone();
    if (!copy.ok) return failedWith(copy.error);
    const clone = new HostMuxCommandBuffer(device, copy.value);
    clone.deadline = original.deadline;
    clone.commandNumbers = [...original.commandNumbers];
    return ok(clone);
  },
  destroyCommandBuffer: (_device, commandBuffer) => {
    const reset = own(commandBuffer, HostMuxCommandBuffer).host.reset();
    assert(reset.ok, "the front destroys no command buffer that is in flight");
  },
  resetCommandBuffer: (commandBuffer) => {
    const commands = own(commandBuffer, HostMuxCommandBuffer);
    commands.commandNumbers = [];
    commands.syncPoints.clear();
    const reset = commands.host.reset();
    return reset.ok ? reset : failedWith(reset.error);
  },
  commandReadBuffer: (commandBuffer, buffer, offset, hostPointer, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.read(bufferRange(buffer), offset, hostPointer, waits),
    ),
  commandWriteBuffer: (commandBuffer, buffer, offset, hostPointer, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.write(bufferRange(buffer), offset, hostPointer, waits),
    ),
  commandReadBufferRegions: (commandBuffer, buffer, hostPointer, regions, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      recordBoxCommands(
        regions.map((region) => regionBoxes(region, 0, 0)),
        waits,
        ({ from, to, size }, then) => host.readBox(bufferRange(buffer), from, hostPointer, to, size, then),
      ),
    ),
  commandWriteBufferRegions: (commandBuffer, buffer, hostPointer, regions, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      recordBoxCommands(
        regions.map((region) => regionBoxes(region, 0, 0)),
        waits,
        ({ from, to, size }, then) => host.writeBox(bufferRange(buffer), to, hostPointer, from, size, then),
      ),
    ),
  commandCopyBuffer: (commandBuffer, srcBuffer, srcOffset, dstBuffer, dstOffset, size, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.copy(bufferRange(srcBuffer), srcOffset, bufferRange(dstBuffer), dstOffset, size, waits),
    ),
  commandCopyBufferRegions: (commandBuffer, srcBuffer, dstBuffer, regions, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      recordBoxCommands(
        regions.map((region) => regionBoxes(region, 0, 0)),
        waits,
        ({ from, to, size }, then) =>
          host.copyBox(bufferRange(srcBuffer), from, bufferRange(dstBuffer), to, size, then),
      ),
    ),
  commandFillBuffer: (commandBuffer, buffer, offset, size, pattern, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.fill(bufferRange(buffer), offset, size, pattern, waits),
    ),
  commandNDRange: (commandBuffer, kernel, options, waitList, syncPoint) => {
    const list = argumentsOf(kernel.device, options.descriptors);
    if (!list.ok) return list;
    return recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.launch({ kernel: own(kernel, HostMuxKernel).host, arguments: list.value, ...rangeOf(options) }, waits),
    );
  },
  commandLaunches: (commandBuffer, launches, waitList, syncPoint) => {
    const commands = own(commandBuffer, HostMuxCommandBuffer);
    const first = commands.host.length;
    const recorded = recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.launches(
        launches.map((launch) => own(launch, HostMuxLaunch).host),
        waits,
      ),
    );
    // Each launch is a command with a number of its own.
    if (recorded.ok) for (let i = 1; i < launches.length; i++) commands.commandNumbers.push(first + i);
    return recorded;
  },
  commandParallelLaunches: (commandBuffer, launches, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.parallel(
        launches.map((launch) => own(launch, HostMuxLaunch).host),
        waits,
      ),
    ),
  commandBarrier: (commandBuffer, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) => host.barrier(waits)),
  updateDescriptors: (commandBuffer, commandId, argIndices, descriptors) => {
    const commands = own(commandBuffer, HostMuxCommandBuffer);
    const number = commands.commandNumbers[commandId];
    if (number === undefined)
      return failed(
        MuxResult.error_invalid_value,
        `the command buffer has ${commands.commandNumbers.length} commands, so none with the number ${commandId}`,
      );
    const list = argumentsOf(commandBuffer.device, descriptors);
    if (!list.ok) return list;
    const updated = commands.host.updateArguments(
      number,
      list.value.map((value, i) => [argIndices[i] ?? -1, value]),
    );
    return updated.ok ? updated : failedWith(updated.error);
  },
  commandUserCallback: (commandBuffer, userFunction, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.callback(
        (runs) =>
          userFunction(
            deviceOf(commandBuffer.device).queue,
            runs.tag instanceof HostMuxCommandBuffer ? runs.tag : commandBuffer,
          ),
        waits,
      ),
    ),
  commandBeginQuery: (commandBuffer, queryPool, queryIndex, queryCount, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.query("begin", own(queryPool, HostMuxQueryPool).host, queryIndex, queryCount, waits),
    ),
  commandEndQuery: (commandBuffer, queryPool, queryIndex, queryCount, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.query("end", own(queryPool, HostMuxQueryPool).host, queryIndex, queryCount, waits),
    ),
  commandResetQueryPool: (commandBuffer, queryPool, queryIndex, queryCount, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.query("reset", own(queryPool, HostMuxQueryPool).host, queryIndex, queryCount, waits),
    ),
};
