// SPDX-License-Identifier: Apache-2.0
// Addresses of buffers: shaders that find memory by them, and the rules of their use.
import {
  VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  VK_WHOLE_SIZE,
  type VkBuffer,
  type VkDevice,
  type VkDeviceMemory,
  vkAllocateMemory,
  vkBindBufferMemory,
  vkBindBufferMemory2,
  vkCmdBindPipeline,
  vkCmdDispatch,
  vkCmdPushConstants,
  vkCreateBuffer,
  vkCreateCommandPool,
  vkCreateDevice,
  vkCreatePipelineLayout,
  vkGetBufferDeviceAddress,
  vkGetDeviceQueue,
  vkMapMemory,
  vkQueueSubmit,
  vkQueueWaitIdle,
} from "@muxkit/vulkan";
import { expect, test } from "vitest";

import { device as plain, errorOf, newPipeline, physicalDevice, record } from "./rig.ts";

const device = vkCreateDevice(physicalDevice, {
  pNext: { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, bufferDeviceAddress: true },
  pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
});
const USAGE = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

function newMemory(flags: number, deviceMask: number = 0, on: VkDevice = device): VkDeviceMemory {
  const pNext = { sType: VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, flags, deviceMask } as const;
  return vkAllocateMemory(on, { pNext, allocationSize: 1024, memoryTypeIndex: 0 });
}

const newBuffer = (usage: number = USAGE, on: VkDevice = device): VkBuffer => vkCreateBuffer(on, { size: 256, usage });

/** A buffer in a block of memory, at an offset. */
function bound(memory: VkDeviceMemory, offset: number): VkBuffer {
  const buffer = newBuffer();
  vkBindBufferMemory(device, buffer, memory, offset);
  return buffer;
}

test("a shader follows a list through buffers that no descriptor names", () => {
  const memory = newMemory(VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT);
  const [nodes, sums] = [bound(memory, 256), bound(memory, 512)];
  const bytes = vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0);
  // What is in new memory is undefined.
  bytes.fill(0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = vkGetBufferDeviceAddress(device, { buffer: nodes });
  // Each node is two behind the one before it, so that the order of memory is not that of the list.
  const order = [0, 2, 4, 1, 3];
  for (const [i, place] of order.entries()) {
    view.setUint32(256 + place * 16, 10 ** i, true);
    view.setBigUint64(256 + place * 16 + 8, BigInt(first + (order[i + 1] ?? 0) * 16), true);
  }
  const push = new DataView(new ArrayBuffer(24));
  push.setBigUint64(0, BigInt(first), true);
  push.setBigUint64(8, BigInt(vkGetBufferDeviceAddress(device, { buffer: sums })), true);
  push.setUint32(16, order.length, true);
  const range = { stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 24 };
  const layout = vkCreatePipelineLayout(device, { pSetLayouts: [], pPushConstantRanges: [range] });
  const pipeline = newPipeline("reference", layout, undefined, device);
  const pool = vkCreateCommandPool(device, { queueFamilyIndex: 0 });
  const commands = record(
    (to) => {
      vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdPushConstants(to, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push);
      vkCmdDispatch(to, 2, 1, 1);
    },
    0,
    pool,
    device,
  );
  const queue = vkGetDeviceQueue(device, 0, 0);
  vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], null);
  vkQueueWaitIdle(queue);
  expect([...new Uint32Array(bytes.buffer, bytes.byteOffset + 512, 9)]).toEqual([
    ...Array.from({ length: 8 }, (_, i) => 11111 + i),
    0,
  ]);
});

test("an address is that of the memory, plus the offset in it", () => {
  const memory = newMemory(VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT | VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT, 1);
  const [one, two, again] = [0, 256, 256].map((offset) =>
    vkGetBufferDeviceAddress(device, { buffer: bound(memory, offset) }),
  );
  expect(one).toBeGreaterThan(0);
  expect([two, again]).toEqual([(one ?? 0) + 256, (one ?? 0) + 256]);
});

/** The rule that a call breaks, and the call. */
const CASES: readonly (readonly [rule: string, call: () => unknown])[] = [
  ["VUID-VkMemoryAllocateInfo-flags-03331", () => newMemory(VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0, plain)],
  ["VUID-VkMemoryAllocateInfo-flags-03330", () => newMemory(VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT)],
  ["VUID-VkMemoryAllocateFlagsInfo-deviceMask-00675", () => newMemory(VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT, 3)],
  ["VUID-VkMemoryAllocateFlagsInfo-deviceMask-00676", () => newMemory(VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT, 0)],
  [
    "VUID-VkBufferCreateInfo-flags-03338",
    () => vkCreateBuffer(device, { flags: VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT, size: 4, usage: USAGE }),
  ],
  ["VUID-vkBindBufferMemory-bufferDeviceAddress-03339", () => vkBindBufferMemory(device, newBuffer(), newMemory(0), 0)],
  [
    "VUID-VkBindBufferMemoryInfo-bufferDeviceAddress-03339",
    () => vkBindBufferMemory2(device, [{ buffer: newBuffer(), memory: newMemory(0), memoryOffset: 0 }]),
  ],
  [
    "VUID-vkGetBufferDeviceAddress-bufferDeviceAddress-03324",
    () => vkGetBufferDeviceAddress(plain, { buffer: newBuffer(USAGE, plain) }),
  ],
  ["VUID-VkBufferDeviceAddressInfo-buffer-02600", () => vkGetBufferDeviceAddress(device, { buffer: newBuffer() })],
  [
    "VUID-VkBufferDeviceAddressInfo-buffer-02601",
    () => {
      const buffer = newBuffer(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
      vkBindBufferMemory(device, buffer, newMemory(0), 0);
      return vkGetBufferDeviceAddress(device, { buffer });
    },
  ],
];

test.each(CASES)("%s", (rule, call) => {
  const error = errorOf(call);
  expect([error.name, error.rule]).toEqual(["VK_ERROR_VALIDATION_FAILED_EXT", rule]);
});
