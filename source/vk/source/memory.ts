// SPDX-License-Identifier: Apache-2.0
// Memory: blocks of the runtime's memory, which host and device share.
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxMemory,
  MuxMemoryProperty,
  muxAllocateMemory,
  muxFreeMemory,
  muxMapMemory,
  muxUnmapMemory,
} from "@muxkit/mux";

import { findInChain } from "./chain.ts";
import { type Device, deviceOf } from "./device.ts";
import { VulkanError, fromMux, invalid } from "./error.ts";
import {
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
  VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
} from "./generated/constants.ts";
import { type VkBuffer, VkDeviceMemory, type VkImage } from "./generated/handles.ts";
import type { VkMemoryAllocateInfo } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { VK_WHOLE_SIZE } from "./version.ts";

/** The one heap of the runtime. */
const HEAP = 1;

/** A block of memory. */
export class DeviceMemory extends VkDeviceMemory {
  /** The runtime's memory. */
  readonly mux: MuxMemory;
  /** Bytes. */
  readonly size: number;
  /** The one buffer or image that it is for; null: any. */
  readonly dedicated: VkBuffer | VkImage | null;
  /** Addresses of buffers in it may be asked for. */
  readonly hasAddress: boolean;
  readonly #device: Device;
  /** All of it, while it is mapped. */
  #mapped: Uint8Array | null = null;

  constructor(device: Device, mux: MuxMemory, { allocationSize, ...info }: VkMemoryAllocateInfo) {
    super(device);
    const only = findInChain(info, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
    const { flags = 0 } = findInChain(info, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO) ?? {};
    this.#device = device;
    this.mux = mux;
    this.size = allocationSize;
    this.dedicated = only?.buffer ?? only?.image ?? null;
    this.hasAddress = (flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) !== 0;
  }

  /** True while it is mapped. */
  get isMapped(): boolean {
    return this.#mapped !== null;
  }

  /** Maps all of it. */
  map(call: string): Uint8Array {
    this.#mapped = fromMux(call, muxMapMemory(this.#device.pools.device, this.mux, 0, this.size));
    return this.#mapped;
  }

  /** Ends the mapping. */
  unmap(call: string): void {
    this.#mapped = null;
    fromMux(call, muxUnmapMemory(this.#device.pools.device, this.mux));
  }

  /** Its bytes, for host code of this package that uses them at once. */
  bytes(call: string): Uint8Array {
    if (this.#mapped !== null) return this.#mapped;
    const bytes = this.map(call);
    this.unmap(call);
    return bytes;
  }

  protected release(): void {
    if (this.#mapped !== null) this.unmap("vkFreeMemory");
    fromMux("vkFreeMemory", muxFreeMemory(this.#device.pools.device, this.mux, DEFAULT_ALLOCATOR));
  }
}

/** The implementation's memory of a handle. */
export const memoryOf = (memory: VkDeviceMemory, call: string): DeviceMemory => own(memory, DeviceMemory, call);

/** Entry points for memory. */
export const MEMORY: Pick<
  Vulkan,
  | "vkAllocateMemory"
  | "vkFreeMemory"
  | "vkMapMemory"
  | "vkUnmapMemory"
  | "vkFlushMappedMemoryRanges"
  | "vkInvalidateMappedMemoryRanges"
  | "vkGetDeviceMemoryCommitment"
> = {
  vkAllocateMemory: (device, pAllocateInfo): VkDeviceMemory => {
    const { allocationSize } = pAllocateInfo;
    const call = "vkAllocateMemory";
    const on = deviceOf(device, call);
    const { info } = on.physical;
    if (allocationSize > info.memorySize)
      throw new VulkanError(
        "VK_ERROR_OUT_OF_DEVICE_MEMORY",
        call,
        `allocationSize is ${allocationSize}, and the heap has ${info.memorySize} bytes`,
      );
    const memory = muxAllocateMemory(
      on.pools.device,
      allocationSize,
      HEAP,
      MuxMemoryProperty.host_visible | MuxMemoryProperty.host_coherent,
      MuxAllocationType.alloc_device,
      info.bufferAlignment,
      DEFAULT_ALLOCATOR,
    );
    return new DeviceMemory(on, fromMux(call, memory), pAllocateInfo);
  },
  vkFreeMemory: (_device, memory) => {
    memory.end();
  },
  vkMapMemory: (_device, memory, offset, size) => {
    const call = "vkMapMemory";
    const block = memoryOf(memory, call);
    const end = size === VK_WHOLE_SIZE ? block.size : offset + size;
    if (block.isMapped) throw invalid(call, "the memory is mapped already", "VUID-vkMapMemory-memory-00678");
    if (offset >= block.size || end > block.size || end <= offset)
      throw invalid(
        call,
        `bytes ${offset} to ${end} are not all among the ${block.size} of the memory`,
        "VUID-vkMapMemory-size-00681",
      );
    return block.map(call).subarray(offset, end);
  },
  vkUnmapMemory: (_device, memory) => {
    const call = "vkUnmapMemory";
    const block = memoryOf(memory, call);
    if (!block.isMapped) throw invalid(call, "the memory is not mapped", "VUID-vkUnmapMemory-memory-00689");
    block.unmap(call);
  },
  vkFlushMappedMemoryRanges: () => {
    // Memory is coherent: what the host has written is there.
  },
  vkInvalidateMappedMemoryRanges: () => {
    // Memory is coherent: what the device has written is there.
  },
  vkGetDeviceMemoryCommitment: (_device, memory) => memoryOf(memory, "vkGetDeviceMemoryCommitment").size,
};
