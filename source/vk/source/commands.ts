// SPDX-License-Identifier: Apache-2.0
// Commands: what is bound, dispatches, copies and barriers.
import { bytesOf } from "@muxkit/cargo";
import { muxCommandCopyBuffer, muxCommandFillBuffer, muxCommandWriteBuffer } from "@muxkit/mux";

import { bufferOf } from "./buffer.ts";
import { commandsOf } from "./command-pool.ts";
import { writtenDescriptors } from "./descriptor.ts";
import { DescriptorSet, DescriptorTable } from "./descriptor-set.ts";
import { PipelineLayout } from "./descriptor-layout.ts";
import { PUSH_CONSTANT_BYTES } from "./device-limits.ts";
import { invalid } from "./error.ts";
import { VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT, VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT } from "./generated/constants.ts";
import type { VkBuffer, VkCommandBuffer } from "./generated/handles.ts";
import type { VkBufferCopy, VkDependencyInfo } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { indirectDispatch } from "./indirect-dispatch.ts";
import { Pipeline } from "./pipeline.ts";
import type { Groups, RecordedCommand } from "./recording.ts";
import { VK_WHOLE_SIZE } from "./version.ts";

type Triple = readonly [number, number, number];

function dispatch(call: string, commandBuffer: VkCommandBuffer, groups: Groups): void {
  const commands = commandsOf(commandBuffer, call);
  const state = commands.bound(call);
  // Nothing runs, and there are no launches of nothing.
  if (groups.count.every((count) => count > 0)) commands.record(call, { kind: "dispatch", state, groups });
}

const ZERO: Triple = [0, 0, 0];

const BARRIER: RecordedCommand = { kind: "barrier" };

/** Records a barrier. Stages are not told apart: what orders anything orders everything. */
function barrier(call: string, commandBuffer: VkCommandBuffer, orders: boolean): void {
  const commands = commandsOf(commandBuffer, call);
  commands.ensureRecording(call);
  if (orders) commands.record(call, BARRIER);
}

/** Whether stages have something before a barrier, and something after it. */
const hasBefore = (stages: number | bigint): boolean => (BigInt(stages) & ~VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT) !== 0n;
const hasAfter = (stages: number | bigint): boolean =>
  (BigInt(stages) & ~VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT) !== 0n;

/** Whether one of the parts of a dependency orders anything. */
function ordersAnything({
  pMemoryBarriers = [],
  pBufferMemoryBarriers = [],
  pImageMemoryBarriers = [],
}: VkDependencyInfo): boolean {
  return [...pMemoryBarriers, ...pBufferMemoryBarriers, ...pImageMemoryBarriers].some(
    ({ srcStageMask, dstStageMask }) => hasBefore(srcStageMask) && hasAfter(dstStageMask),
  );
}

function copyBuffer(
  call: string,
  commandBuffer: VkCommandBuffer,
  srcBuffer: VkBuffer,
  dstBuffer: VkBuffer,
  regions: readonly VkBufferCopy[],
): void {
  const [source, target] = [bufferOf(srcBuffer, call).bound(call), bufferOf(dstBuffer, call).bound(call)];
  for (const { srcOffset = 0, dstOffset = 0, size } of regions)
    commandsOf(commandBuffer, call).record(call, {
      kind: "transfer",
      write: (commands, waits) => muxCommandCopyBuffer(commands, source, srcOffset, target, dstOffset, size, waits),
    });
}

/** Entry points for commands. */
export const COMMANDS: Pick<
  Vulkan,
  | "vkCmdBindPipeline"
  | "vkCmdBindDescriptorSets"
  | "vkCmdPushDescriptorSetKHR"
  | "vkCmdPushConstants"
  | "vkCmdDispatch"
  | "vkCmdDispatchBase"
  | "vkCmdDispatchIndirect"
  | "vkCmdCopyBuffer"
  | "vkCmdCopyBuffer2"
  | "vkCmdFillBuffer"
  | "vkCmdUpdateBuffer"
  | "vkCmdPipelineBarrier"
  | "vkCmdPipelineBarrier2"
  | "vkCmdExecuteCommands"
> = {
  vkCmdBindPipeline: (commandBuffer, _pipelineBindPoint, pipeline) => {
    const call = "vkCmdBindPipeline";
    const commands = commandsOf(commandBuffer, call);
    commands.ensureRecording(call);
    commands.pipeline = own(pipeline, Pipeline, call);
  },
  vkCmdBindDescriptorSets: (commandBuffer, _bindPoint, layout, firstSet, pDescriptorSets, pDynamicOffsets = []) => {
    const call = "vkCmdBindDescriptorSets";
    const commands = commandsOf(commandBuffer, call);
    commands.ensureRecording(call);
    const { sets } = own(layout, PipelineLayout, call);
    let taken = 0;
    for (const [i, handle] of pDescriptorSets.entries()) {
      const { table } = own(handle, DescriptorSet, call);
      if (sets[firstSet + i]?.isCompatible(table.layout) !== true)
        throw invalid(
          call,
          `pDescriptorSets[${i}] is no set of the layout that the pipeline layout has for set ${firstSet + i}`,
          "VUID-vkCmdBindDescriptorSets-pDescriptorSets-00358",
        );
      const { offsetCount } = table.layout;
      commands.bindSet(firstSet + i, { table, offsets: pDynamicOffsets.slice(taken, taken + offsetCount) });
      taken += offsetCount;
    }
    if (taken !== pDynamicOffsets.length)
      throw invalid(
        call,
        `the sets take ${taken} dynamic offsets, and ${pDynamicOffsets.length} were passed`,
        "VUID-vkCmdBindDescriptorSets-dynamicOffsetCount-00359",
      );
  },
  vkCmdPushDescriptorSetKHR: (commandBuffer, _bindPoint, layout, set, pDescriptorWrites) => {
    const call = "vkCmdPushDescriptorSetKHR";
    const commands = commandsOf(commandBuffer, call);
    commands.ensureRecording(call);
    const setLayout = own(layout, PipelineLayout, call).sets[set];
    if (setLayout?.isPushed !== true)
      throw invalid(
        call,
        `set ${set} of the layout was not made with VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR`,
        "VUID-vkCmdPushDescriptorSetKHR-set-00365",
      );
    // What was pushed before stays, where the layout is the same.
    const before = commands.boundSet(set)?.table;
    const table = before?.layout === setLayout ? before.clone() : new DescriptorTable(setLayout, null);
    for (const one of pDescriptorWrites)
      table.put(call, one.dstBinding, one.dstArrayElement ?? 0, one.descriptorType, writtenDescriptors(call, one));
    commands.bindSet(set, { table, offsets: [] });
  },
  vkCmdPushConstants: (commandBuffer, _layout, _stageFlags, offset, pValues) => {
    const call = "vkCmdPushConstants";
    const commands = commandsOf(commandBuffer, call);
    commands.ensureRecording(call);
    const values = bytesOf(pValues);
    if (offset + values.length > PUSH_CONSTANT_BYTES)
      throw invalid(
        call,
        `the values reach to byte ${offset + values.length}; there are ${PUSH_CONSTANT_BYTES} bytes of push constants`,
        "VUID-vkCmdPushConstants-size-00371",
      );
    commands.push(offset, values);
  },
  vkCmdDispatch: (commandBuffer, x, y, z) => {
    dispatch("vkCmdDispatch", commandBuffer, { base: ZERO, count: [x, y, z] });
  },
  vkCmdDispatchBase: (commandBuffer, baseX, baseY, baseZ, x, y, z) => {
    dispatch("vkCmdDispatchBase", commandBuffer, { base: [baseX, baseY, baseZ], count: [x, y, z] });
  },
  vkCmdDispatchIndirect: (commandBuffer, buffer, offset) => {
    const call = "vkCmdDispatchIndirect";
    const commands = commandsOf(commandBuffer, call);
    const state = commands.bound(call);
    const counts = bufferOf(buffer, call);
    if (offset + 12 > counts.size)
      throw invalid(
        call,
        `the counts reach to byte ${offset + 12} of a buffer of ${counts.size} bytes`,
        "VUID-vkCmdDispatchIndirect-offset-00407",
      );
    commands.record(call, { kind: "other", write: indirectDispatch(call, commands.device, state, counts, offset) });
  },
  vkCmdCopyBuffer: (commandBuffer, srcBuffer, dstBuffer, pRegions) => {
    copyBuffer("vkCmdCopyBuffer", commandBuffer, srcBuffer, dstBuffer, pRegions);
  },
  vkCmdCopyBuffer2: (commandBuffer, { srcBuffer, dstBuffer, pRegions }) => {
    copyBuffer("vkCmdCopyBuffer2", commandBuffer, srcBuffer, dstBuffer, pRegions);
  },
  vkCmdFillBuffer: (commandBuffer, dstBuffer, dstOffset, size, data) => {
    const call = "vkCmdFillBuffer";
    const buffer = bufferOf(dstBuffer, call);
    const target = buffer.bound(call);
    // Up to the end means whole words.
    const bytes = size === VK_WHOLE_SIZE ? Math.floor((buffer.size - dstOffset) / 4) * 4 : size;
    const pattern = new Uint8Array(Uint32Array.of(data).buffer);
    commandsOf(commandBuffer, call).record(call, {
      kind: "transfer",
      write: (commands, waits) => muxCommandFillBuffer(commands, target, dstOffset, bytes, pattern, waits),
    });
  },
  vkCmdUpdateBuffer: (commandBuffer, dstBuffer, dstOffset, pData) => {
    const call = "vkCmdUpdateBuffer";
    const target = bufferOf(dstBuffer, call).bound(call);
    const bytes = bytesOf(pData).slice();
    commandsOf(commandBuffer, call).record(call, {
      kind: "transfer",
      write: (commands, waits) => muxCommandWriteBuffer(commands, target, dstOffset, bytes, waits),
    });
  },
  vkCmdPipelineBarrier: (commandBuffer, srcStageMask, dstStageMask) => {
    barrier("vkCmdPipelineBarrier", commandBuffer, hasBefore(srcStageMask) && hasAfter(dstStageMask));
  },
  vkCmdPipelineBarrier2: (commandBuffer, pDependencyInfo) => {
    barrier("vkCmdPipelineBarrier2", commandBuffer, ordersAnything(pDependencyInfo));
  },
  vkCmdExecuteCommands: (commandBuffer, pCommandBuffers) => {
    const call = "vkCmdExecuteCommands";
    const commands = commandsOf(commandBuffer, call);
    for (const secondary of pCommandBuffers)
      for (const command of commandsOf(secondary, call).commands) commands.record(call, command);
  },
};
