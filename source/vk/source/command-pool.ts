// SPDX-License-Identifier: Apache-2.0
// Command pools, and the life of command buffers.
import { CommandBuffer } from "./command-buffer.ts";
import { forgetLabels } from "./debug-utils.ts";
import { type Device, deviceOf } from "./device.ts";
import { invalid } from "./error.ts";
import { VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT } from "./generated/constants.ts";
import { type VkCommandBuffer, VkCommandPool } from "./generated/handles.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";

/** What command buffers are allocated from. */
class CommandPool extends VkCommandPool {
  readonly #device: Device;
  readonly #flags: number;
  readonly #buffers = new Set<CommandBuffer>();

  constructor(device: Device, flags: number) {
    super(device);
    this.#device = device;
    this.#flags = flags;
  }

  /** Its command buffers may be reset one by one. */
  get resetsEach(): boolean {
    return (this.#flags & VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT) !== 0;
  }

  allocate(level: CommandBuffer["level"]): CommandBuffer {
    const made = new CommandBuffer(this, this.#device, level);
    this.#buffers.add(made);
    return made;
  }

  /** Frees a command buffer, which must not be pending. */
  free(call: string, buffer: CommandBuffer): void {
    buffer.reset(call);
    this.#buffers.delete(buffer);
    buffer.end();
  }

  reset(call: string): void {
    for (const buffer of this.#buffers) buffer.reset(call);
  }

  protected release(): void {
    for (const buffer of this.#buffers) buffer.end();
  }
}

/** The implementation's command buffer of a handle. */
export const commandsOf = (commandBuffer: VkCommandBuffer, call: string): CommandBuffer =>
  own(commandBuffer, CommandBuffer, call);

const poolOf = (pool: VkCommandPool, call: string): CommandPool => own(pool, CommandPool, call);

function ensureResettable(call: string, buffer: CommandBuffer): void {
  if (buffer.state !== "initial" && buffer.parent instanceof CommandPool && !buffer.parent.resetsEach)
    throw invalid(
      call,
      "the pool was made without VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT: only vkResetCommandPool resets it",
      `VUID-${call}-commandBuffer-${call === "vkBeginCommandBuffer" ? "00050" : "00046"}`,
    );
}

/** Entry points for command pools, and for beginning and ending command buffers. */
export const COMMAND_POOLS: Pick<
  Vulkan,
  | "vkCreateCommandPool"
  | "vkDestroyCommandPool"
  | "vkResetCommandPool"
  | "vkTrimCommandPool"
  | "vkAllocateCommandBuffers"
  | "vkFreeCommandBuffers"
  | "vkBeginCommandBuffer"
  | "vkEndCommandBuffer"
  | "vkResetCommandBuffer"
> = {
  vkCreateCommandPool: (device, { flags = 0 }): VkCommandPool =>
    new CommandPool(deviceOf(device, "vkCreateCommandPool"), flags),
  vkDestroyCommandPool: (_device, pool) => {
    pool.end();
  },
  vkResetCommandPool: (_device, pool) => {
    poolOf(pool, "vkResetCommandPool").reset("vkResetCommandPool");
  },
  vkTrimCommandPool: () => {
    // What command buffers do not use is given back when they are reset.
  },
  vkAllocateCommandBuffers: (_device, { commandPool, level, commandBufferCount }) => {
    const pool = poolOf(commandPool, "vkAllocateCommandBuffers");
    return Array.from({ length: commandBufferCount }, () => pool.allocate(level));
  },
  vkFreeCommandBuffers: (_device, pool, pCommandBuffers) => {
    const call = "vkFreeCommandBuffers";
    for (const buffer of pCommandBuffers) poolOf(pool, call).free(call, commandsOf(buffer, call));
  },
  vkBeginCommandBuffer: (commandBuffer, { flags = 0 }) => {
    const call = "vkBeginCommandBuffer";
    const buffer = commandsOf(commandBuffer, call);
    if (buffer.state === "recording")
      throw invalid(
        call,
        "the command buffer is being recorded already",
        "VUID-vkBeginCommandBuffer-commandBuffer-00049",
      );
    forgetLabels(commandBuffer);
    ensureResettable(call, buffer);
    buffer.begin(call, flags);
  },
  vkEndCommandBuffer: (commandBuffer) => {
    commandsOf(commandBuffer, "vkEndCommandBuffer").finish("vkEndCommandBuffer");
  },
  vkResetCommandBuffer: (commandBuffer) => {
    const call = "vkResetCommandBuffer";
    const buffer = commandsOf(commandBuffer, call);
    ensureResettable(call, buffer);
    buffer.reset(call);
  },
};
