// SPDX-License-Identifier: Apache-2.0
// Buffers: ranges of memory.
import { DEFAULT_ALLOCATOR, type MuxBuffer, muxBindBufferMemory, muxCreateBuffer, muxDestroyBuffer } from "@muxkit/mux";

import { type Device, deviceOf } from "./device.ts";
import { fromMux, invalid } from "./error.ts";
import {
  VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
  VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
  type VkBufferUsageFlags,
  type VkStructureType,
} from "./generated/constants.ts";
import { VkBuffer, type VkDevice, type VkDeviceMemory } from "./generated/handles.ts";
import type { VkMemoryRequirements, VkMemoryRequirements2 } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { type DeviceMemory, memoryOf } from "./memory.ts";
import { chained } from "./physical-device.ts";

/** A buffer. */
export class Buffer extends VkBuffer {
  /** The runtime's buffer. */
  readonly mux: MuxBuffer;
  /** Bytes. */
  readonly size: number;
  /** What it is used for. */
  readonly usage: VkBufferUsageFlags;
  /** The memory that it is bound to; null: none yet. */
  memory: DeviceMemory | null = null;
  /** Its first byte there. */
  offset = 0;
  readonly #device: Device;

  constructor(device: Device, mux: MuxBuffer, size: number, usage: VkBufferUsageFlags) {
    super(device);
    this.#device = device;
    this.mux = mux;
    this.size = size;
    this.usage = usage;
  }

  /** What it needs to be bound. */
  get requirements(): VkMemoryRequirements {
    return requirementsOf(this.mux);
  }

  /** The runtime's buffer. Throws where it has no memory. */
  bound(call: string): MuxBuffer {
    if (this.memory === null) throw invalid(call, "a buffer is bound to no memory; call vkBindBufferMemory first");
    if (!this.memory.isAlive) throw invalid(call, "the memory of a buffer has been freed");
    return this.mux;
  }

  /** Where kernels find its first byte. Throws where it has no memory. */
  address(call: string): number {
    this.bound(call);
    return (this.memory?.mux.handle ?? 0) + this.offset;
  }

  /** Its bytes, for host code of this package that uses them at once. */
  bytes(call: string): Uint8Array {
    this.bound(call);
    return this.memory?.bytes(call).subarray(this.offset, this.offset + this.size) ?? new Uint8Array(0);
  }

  protected release(): void {
    fromMux("vkDestroyBuffer", muxDestroyBuffer(this.#device.pools.device, this.mux, DEFAULT_ALLOCATOR));
  }
}

function requirementsOf({ memoryRequirements: { size, alignment } }: MuxBuffer): VkMemoryRequirements {
  return { size: Math.ceil(size / alignment) * alignment, alignment, memoryTypeBits: 1 };
}

/** What a buffer of so many bytes would need to be bound. */
export function bufferRequirements(call: string, device: Device, size: number): VkMemoryRequirements {
  const buffer = fromMux(call, muxCreateBuffer(device.pools.device, size, DEFAULT_ALLOCATOR));
  const needed = requirementsOf(buffer);
  fromMux(call, muxDestroyBuffer(device.pools.device, buffer, DEFAULT_ALLOCATOR));
  return needed;
}

/** What an object needs, with the structures that are asked for. Nothing gains by memory of its own. */
export const requirements2 = (
  call: string,
  memoryRequirements: VkMemoryRequirements,
  chain: readonly VkStructureType[] | undefined,
): VkMemoryRequirements2 => ({
  sType: VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
  pNext: chained(call, chain, (sType) =>
    sType === VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS
      ? { prefersDedicatedAllocation: false, requiresDedicatedAllocation: false }
      : null,
  ) as VkMemoryRequirements2["pNext"],
  memoryRequirements,
});

/** The implementation's buffer of a handle. */
export const bufferOf = (buffer: VkBuffer, call: string): Buffer => own(buffer, Buffer, call);

function bind(call: string, device: VkDevice, buffer: VkBuffer, memory: VkDeviceMemory, offset: number): void {
  const bound = bufferOf(buffer, call);
  const block = memoryOf(memory, call);
  if (bound.memory !== null) throw invalid(call, "the buffer is bound already", "VUID-vkBindBufferMemory-buffer-07459");
  fromMux(call, muxBindBufferMemory(deviceOf(device, call).pools.device, block.mux, bound.mux, offset));
  bound.memory = block;
  bound.offset = offset;
}

/** Entry points for buffers. */
export const BUFFERS: Pick<
  Vulkan,
  | "vkCreateBuffer"
  | "vkDestroyBuffer"
  | "vkGetBufferMemoryRequirements"
  | "vkGetBufferMemoryRequirements2"
  | "vkGetBufferDeviceAddress"
  | "vkBindBufferMemory"
  | "vkBindBufferMemory2"
> = {
  vkCreateBuffer: (device, { size, usage }): VkBuffer => {
    const call = "vkCreateBuffer";
    const on = deviceOf(device, call);
    return new Buffer(on, fromMux(call, muxCreateBuffer(on.pools.device, size, DEFAULT_ALLOCATOR)), size, usage);
  },
  vkDestroyBuffer: (_device, buffer) => {
    buffer.end();
  },
  vkGetBufferMemoryRequirements: (_device, buffer) => bufferOf(buffer, "vkGetBufferMemoryRequirements").requirements,
  vkGetBufferMemoryRequirements2: (_device, { buffer }, chain) => {
    const call = "vkGetBufferMemoryRequirements2";
    return requirements2(call, bufferOf(buffer, call).requirements, chain);
  },
  vkGetBufferDeviceAddress: (_device, { buffer }) =>
    bufferOf(buffer, "vkGetBufferDeviceAddress").address("vkGetBufferDeviceAddress"),
  vkBindBufferMemory: (device, buffer, memory, memoryOffset) => {
    bind("vkBindBufferMemory", device, buffer, memory, memoryOffset);
  },
  vkBindBufferMemory2: (device, pBindInfos) => {
    for (const { buffer, memory, memoryOffset } of pBindInfos)
      bind("vkBindBufferMemory2", device, buffer, memory, memoryOffset);
  },
};
