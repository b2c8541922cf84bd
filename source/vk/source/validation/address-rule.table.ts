// SPDX-License-Identifier: Apache-2.0
// Rules of valid usage of buffers' addresses.
import { Buffer } from "../buffer.ts";
import { findInChain } from "../chain.ts";
import {
  VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT,
  VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
} from "../generated/constants.ts";
import type { VkBuffer, VkDevice, VkDeviceMemory } from "../generated/handles.ts";
import type { VkMemoryAllocateFlagsInfo, VkMemoryAllocateInfo } from "../generated/structures.ts";
import { DeviceMemory } from "../memory.ts";
import { enables } from "./device-rule.table.ts";
import { type RuleTable, lacksUsage, when } from "./rule.ts";

/** Memory that buffers with addresses are bound to must be for that. */
function lacksAddress(device: VkDevice, buffer: VkBuffer, memory: VkDeviceMemory): string | null {
  return when(
    enables(device, "bufferDeviceAddress") &&
      lacksUsage(buffer, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, "") === null &&
      memory instanceof DeviceMemory &&
      !memory.hasAddress,
    "the buffer has VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, and the memory was allocated without " +
      "VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT (VkMemoryAllocateFlagsInfo)",
  );
}

/** The flags of memory, and the devices that it is for. */
const flagsOf = (info: VkMemoryAllocateInfo): Required<Pick<VkMemoryAllocateFlagsInfo, "flags" | "deviceMask">> => {
  const { flags = 0, deviceMask = 0 } = findInChain(info, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO) ?? {};
  return { flags, deviceMask };
};

/** By entry point. */
export const ADDRESS_RULES: RuleTable = {
  vkAllocateMemory: [
    {
      id: "VUID-VkMemoryAllocateInfo-flags-03331",
      check: (device, info) =>
        when(
          (flagsOf(info).flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) !== 0 && !enables(device, "bufferDeviceAddress"),
          "VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT needs the feature bufferDeviceAddress; enable it in vkCreateDevice",
        ),
    },
    {
      id: "VUID-VkMemoryAllocateInfo-flags-03330",
      check: (_device, info) =>
        when(
          (flagsOf(info).flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) !== 0,
          "addresses cannot be chosen: the device lacks the feature bufferDeviceAddressCaptureReplay",
        ),
    },
    {
      id: "VUID-VkMemoryAllocateFlagsInfo-deviceMask-00675",
      check: (_device, info) => {
        const { flags, deviceMask } = flagsOf(info);
        return when(
          (flags & VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT) !== 0 && deviceMask > 1,
          `deviceMask is ${deviceMask}; there is one device, of the mask 1`,
        );
      },
    },
    {
      id: "VUID-VkMemoryAllocateFlagsInfo-deviceMask-00676",
      check: (_device, info) => {
        const { flags, deviceMask } = flagsOf(info);
        return when((flags & VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT) !== 0 && deviceMask === 0, "deviceMask is 0");
      },
    },
  ],
  vkCreateBuffer: [
    {
      id: "VUID-VkBufferCreateInfo-flags-03338",
      check: (_device, { flags = 0 }) =>
        when(
          (flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) !== 0,
          "addresses cannot be chosen: the device lacks the feature bufferDeviceAddressCaptureReplay",
        ),
    },
  ],
  vkBindBufferMemory: [
    {
      id: "VUID-vkBindBufferMemory-bufferDeviceAddress-03339",
      check: (device, buffer, memory) => lacksAddress(device, buffer, memory),
    },
  ],
  vkBindBufferMemory2: [
    {
      id: "VUID-VkBindBufferMemoryInfo-bufferDeviceAddress-03339",
      check: (device, infos) =>
        infos.map(({ buffer, memory }) => lacksAddress(device, buffer, memory)).find((wrong) => wrong !== null) ?? null,
    },
  ],
  vkGetBufferDeviceAddress: [
    {
      id: "VUID-vkGetBufferDeviceAddress-bufferDeviceAddress-03324",
      check: (device) =>
        when(
          !enables(device, "bufferDeviceAddress"),
          "the device was created without the feature bufferDeviceAddress",
        ),
    },
    {
      id: "VUID-VkBufferDeviceAddressInfo-buffer-02600",
      check: (_device, { buffer }) =>
        when(buffer instanceof Buffer && buffer.memory === null, "the buffer is bound to no memory"),
    },
    {
      id: "VUID-VkBufferDeviceAddressInfo-buffer-02601",
      check: (_device, { buffer }) =>
        lacksUsage(
          buffer,
          VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
          "VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT",
        ),
    },
  ],
};
