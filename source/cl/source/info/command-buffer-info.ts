// SPDX-License-Identifier: Apache-2.0
// Queries of command buffers and their commands (cl_khr_command_buffer, cl_khr_command_buffer_mutable_dispatch).
import { type CommandBuffer, type MutableCommand, liveCommandBuffer } from "../command-buffer.ts";
import type { CommandBufferInfo, MutableCommandInfo } from "../generated/info.ts";
import { liveMutableCommand } from "../mutable-dispatch.ts";
import type { RecordedDispatch } from "../recorded-dispatch.ts";
import { type InfoTable, query } from "./query.ts";

const COMMAND_BUFFER: InfoTable<CommandBuffer, CommandBufferInfo> = {
  CL_COMMAND_BUFFER_QUEUES_KHR: ({ queue }) => [queue],
  CL_COMMAND_BUFFER_NUM_QUEUES_KHR: () => 1,
  CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR: ({ referenceCount }) => referenceCount,
  CL_COMMAND_BUFFER_STATE_KHR: ({ state }) => state,
  CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR: ({ properties }) => properties,
  CL_COMMAND_BUFFER_CONTEXT_KHR: ({ context }) => context,
};

/** A fact of a command buffer. Errors: CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_VALUE. @public */
export function clGetCommandBufferInfoKHR<Token extends keyof CommandBufferInfo>(
  commandBuffer: CommandBuffer,
  token: Token,
): CommandBufferInfo[Token] {
  return query(
    "clGetCommandBufferInfoKHR",
    COMMAND_BUFFER,
    liveCommandBuffer("clGetCommandBufferInfoKHR", commandBuffer),
    token,
  );
}

/** The launch of a command as it is now; null: it is none. */
function dispatchOf({ commandBuffer, index }: MutableCommand): RecordedDispatch | null {
  return commandBuffer.commands[index]?.dispatch ?? null;
}

const COMMAND: InfoTable<MutableCommand, MutableCommandInfo> = {
  CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR: ({ commandBuffer }) => commandBuffer.queue,
  CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR: ({ commandBuffer }) => commandBuffer,
  CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR: ({ commandType }) => commandType,
  CL_MUTABLE_DISPATCH_PROPERTIES_ARRAY_KHR: ({ properties }) => properties,
  CL_MUTABLE_DISPATCH_KERNEL_KHR: (command) => dispatchOf(command)?.kernel ?? null,
  CL_MUTABLE_DISPATCH_DIMENSIONS_KHR: (command) => dispatchOf(command)?.sizes.dimensions ?? null,
  CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR: (command) => dispatchOf(command)?.options.globalOffset ?? null,
  CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR: (command) => dispatchOf(command)?.sizes.globalSize ?? null,
  CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR: (command) => {
    const sizes = dispatchOf(command)?.sizes;
    return sizes === undefined ? null : (sizes.localSize ?? sizes.globalSize.map(() => 0));
  },
};

/** A fact of a command of a command buffer. Errors: CL_INVALID_MUTABLE_COMMAND_KHR, CL_INVALID_VALUE. @public */
export function clGetMutableCommandInfoKHR<Token extends keyof MutableCommandInfo>(
  command: MutableCommand,
  token: Token,
): MutableCommandInfo[Token] {
  const call = "clGetMutableCommandInfoKHR";
  return query(call, COMMAND, liveMutableCommand(call, command), token);
}
