// SPDX-License-Identifier: Apache-2.0
// Rules of valid usage by their names: a call that breaks each, and the same without validation.
import {
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_QUERY_TYPE_TIMESTAMP,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
  VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
  VK_VALIDATION_FEATURE_DISABLE_ALL_EXT,
  VK_WHOLE_SIZE,
  type VkBufferCopy,
  type VkCommandBuffer,
  type VkDeviceMemory,
  vkAllocateCommandBuffers,
  vkAllocateMemory,
  vkBeginCommandBuffer,
  vkBindBufferMemory,
  vkBindBufferMemory2,
  vkCmdBindDescriptorSets,
  vkCmdCopyBuffer,
  vkCmdCopyBuffer2,
  vkCmdDispatch,
  vkCmdDispatchIndirect,
  vkCmdExecuteCommands,
  vkCmdFillBuffer,
  vkCmdPushConstants,
  vkCmdPushDescriptorSetKHR,
  vkCmdUpdateBuffer,
  vkCreateBuffer,
  vkCreateCommandPool,
  vkCreateDescriptorPool,
  vkCreateDescriptorSetLayout,
  vkCreateDevice,
  vkCreateFence,
  vkCreateInstance,
  vkCreatePipelineLayout,
  vkCreateQueryPool,
  vkCreateShaderModule,
  vkDestroyDevice,
  vkEndCommandBuffer,
  vkEnumeratePhysicalDevices,
  vkGetBufferMemoryRequirements,
  vkGetQueryPoolResults,
  vkMapMemory,
  vkQueueSubmit,
  vkUnmapMemory,
  vkUpdateDescriptorSets,
} from "@muxkit/vulkan";
import { expect, test } from "vitest";

import {
  adder,
  bind,
  device,
  errorOf,
  expectError,
  first,
  newDevice,
  newPipeline,
  newSet,
  pool,
  queue,
  setLayout,
  words,
  writeSet,
} from "./rig.ts";

const { layout, pipeline, set } = adder(4);
const data = words(16);
const bound = newSet(set);
writeSet(bound, 0, [data.buffer]);
const bare = vkCreateBuffer(device, { size: 64, usage: VK_BUFFER_USAGE_STORAGE_BUFFER_BIT });
const memory = vkAllocateMemory(device, { allocationSize: 256, memoryTypeIndex: 0 });

function newCommands(level: 0 | 1 = VK_COMMAND_BUFFER_LEVEL_PRIMARY): VkCommandBuffer {
  return first(vkAllocateCommandBuffers(device, { commandPool: pool, level, commandBufferCount: 1 }));
}

function recording(): VkCommandBuffer {
  const commands = newCommands();
  vkBeginCommandBuffer(commands, {});
  return commands;
}

/** A recording with everything bound. */
function ready(): VkCommandBuffer {
  const commands = recording();
  bind(commands, pipeline, layout, [bound]);
  return commands;
}

/** A copy within a buffer of 64 bytes. */
function copy2(region: VkBufferCopy): void {
  vkCmdCopyBuffer2(recording(), { srcBuffer: data.buffer, dstBuffer: data.buffer, pRegions: [region] });
}

/** Memory for one buffer, by default of the size that it needs. */
function dedicated(allocationSize: number = vkGetBufferMemoryRequirements(device, bare).size): VkDeviceMemory {
  const pNext = { sType: VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, buffer: bare } as const;
  return vkAllocateMemory(device, { pNext, allocationSize, memoryTypeIndex: 0 });
}

const COMPUTE = VK_SHADER_STAGE_COMPUTE_BIT;
const uniform = setLayout([[VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1]]);

/** The rule that a call breaks, and the call. */
const CASES: readonly (readonly [rule: string, call: () => unknown])[] = [
  ["VUID-vkDestroyDevice-device-05137", () => vkDestroyDevice(device)],
  [
    "VUID-VkMemoryAllocateInfo-allocationSize-07897",
    () => vkAllocateMemory(device, { allocationSize: 0, memoryTypeIndex: 0 }),
  ],
  [
    "VUID-vkAllocateMemory-pAllocateInfo-01714",
    () => vkAllocateMemory(device, { allocationSize: 4, memoryTypeIndex: 1 }),
  ],
  ["VUID-VkBufferCreateInfo-size-00912", () => vkCreateBuffer(device, { size: 0, usage: 1 })],
  ["VUID-VkBufferCreateInfo-usage-requiredbitmask", () => vkCreateBuffer(device, { size: 4, usage: 0 })],
  ["VUID-vkBindBufferMemory-memoryOffset-10739", () => vkBindBufferMemory(device, bare, memory, 4)],
  ["VUID-vkBindBufferMemory-buffer-07459", () => vkBindBufferMemory(device, data.buffer, memory, 0)],
  ["VUID-vkMapMemory-size-00681", () => vkMapMemory(device, memory, 128, 256, 0)],
  ["VUID-vkUnmapMemory-memory-00689", () => vkUnmapMemory(device, memory)],
  ["VUID-VkShaderModuleCreateInfo-pCode-08738", () => vkCreateShaderModule(device, { pCode: Uint32Array.of(1, 2) })],
  [
    "VUID-VkDescriptorSetLayoutCreateInfo-binding-00279",
    () => {
      const one = {
        binding: 0,
        descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        descriptorCount: 1,
        stageFlags: COMPUTE,
      };
      return vkCreateDescriptorSetLayout(device, { pBindings: [one, one] });
    },
  ],
  [
    "VUID-VkPushConstantRange-size-00298",
    () => vkCreatePipelineLayout(device, { pPushConstantRanges: [{ stageFlags: COMPUTE, offset: 0, size: 1000 }] }),
  ],
  [
    "VUID-VkDescriptorPoolCreateInfo-descriptorPoolOverallocation-09227",
    () => vkCreateDescriptorPool(device, { maxSets: 0, pPoolSizes: [] }),
  ],
  ["VUID-VkComputePipelineCreateInfo-layout-07988", () => newPipeline("add", vkCreatePipelineLayout(device, {}))],
  [
    "VUID-VkComputePipelineCreateInfo-layout-07990",
    () => newPipeline("add", vkCreatePipelineLayout(device, { pSetLayouts: [uniform] })),
  ],
  [
    "VUID-VkComputePipelineCreateInfo-layout-07987",
    () => newPipeline("add", vkCreatePipelineLayout(device, { pSetLayouts: [set] })),
  ],
  [
    "VUID-VkSpecializationInfo-pMapEntries-00774",
    () =>
      newPipeline("add", layout, {
        pMapEntries: [{ constantID: 0, offset: 4, size: 4 }],
        pData: Uint32Array.of(1),
      }),
  ],
  ["VUID-VkWriteDescriptorSet-dstBinding-00315", () => writeSet(newSet(set), 3, [data.buffer])],
  [
    "VUID-VkWriteDescriptorSet-descriptorType-00319",
    () => writeSet(newSet(set), 0, [data.buffer], VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER),
  ],
  [
    "VUID-VkDescriptorBufferInfo-range-00342",
    () =>
      vkUpdateDescriptorSets(device, [
        {
          dstSet: newSet(set),
          dstBinding: 0,
          descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
          pBufferInfo: [{ buffer: data.buffer, offset: 32, range: 64 }],
        },
      ]),
  ],
  ["VUID-vkCreateCommandPool-queueFamilyIndex-01937", () => vkCreateCommandPool(device, { queueFamilyIndex: 1 })],
  [
    "VUID-vkBeginCommandBuffer-commandBuffer-00051",
    () => vkBeginCommandBuffer(newCommands(VK_COMMAND_BUFFER_LEVEL_SECONDARY), {}),
  ],
  ["VUID-vkBeginCommandBuffer-commandBuffer-00049", () => vkBeginCommandBuffer(recording(), {})],
  ["VUID-vkEndCommandBuffer-commandBuffer-00059", () => vkEndCommandBuffer(newCommands())],
  ["VUID-vkCmdDispatch-None-08606", () => vkCmdDispatch(recording(), 1, 1, 1)],
  ["VUID-vkCmdDispatch-groupCountY-00387", () => vkCmdDispatch(ready(), 1, 2 ** 31, 1)],
  ["VUID-vkCmdDispatchIndirect-buffer-02709", () => vkCmdDispatchIndirect(ready(), bare, 0)],
  ["VUID-vkCmdDispatchIndirect-offset-02710", () => vkCmdDispatchIndirect(ready(), data.buffer, 2)],
  ["VUID-vkCmdDispatchIndirect-offset-00407", () => vkCmdDispatchIndirect(ready(), data.buffer, 56)],
  [
    "VUID-vkCmdBindDescriptorSets-pDescriptorSets-00358",
    () => vkCmdBindDescriptorSets(recording(), VK_PIPELINE_BIND_POINT_COMPUTE, layout, 1, [bound]),
  ],
  [
    "VUID-vkCmdBindDescriptorSets-dynamicOffsetCount-00359",
    () => vkCmdBindDescriptorSets(recording(), VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [bound], [16]),
  ],
  [
    "VUID-vkCmdPushDescriptorSetKHR-set-00365",
    () => vkCmdPushDescriptorSetKHR(recording(), VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, []),
  ],
  [
    "VUID-vkCmdPushConstants-offset-00368",
    () => vkCmdPushConstants(recording(), layout, COMPUTE, 2, new Uint8Array(2)),
  ],
  [
    "VUID-vkCmdPushConstants-offset-01795",
    () => vkCmdPushConstants(recording(), layout, COMPUTE, 0, new Uint8Array(8)),
  ],
  ["VUID-vkCmdCopyBuffer-srcBuffer-00118", () => vkCmdCopyBuffer(recording(), bare, data.buffer, [{ size: 4 }])],
  ["VUID-vkCmdCopyBuffer-dstBuffer-00120", () => vkCmdCopyBuffer(recording(), data.buffer, bare, [{ size: 4 }])],
  ["VUID-VkBufferCopy-size-01988", () => vkCmdCopyBuffer(recording(), data.buffer, data.buffer, [{ size: 0 }])],
  [
    "VUID-vkCmdCopyBuffer-size-00115",
    () => vkCmdCopyBuffer(recording(), data.buffer, data.buffer, [{ srcOffset: 60, size: 8 }]),
  ],
  [
    "VUID-vkCmdCopyBuffer-size-00116",
    () => vkCmdCopyBuffer(recording(), data.buffer, data.buffer, [{ dstOffset: 60, size: 8 }]),
  ],
  [
    "VUID-VkCopyBufferInfo2-srcBuffer-00118",
    () => vkCmdCopyBuffer2(recording(), { srcBuffer: bare, dstBuffer: data.buffer, pRegions: [{ size: 4 }] }),
  ],
  [
    "VUID-VkCopyBufferInfo2-dstBuffer-00120",
    () => vkCmdCopyBuffer2(recording(), { srcBuffer: data.buffer, dstBuffer: bare, pRegions: [{ size: 4 }] }),
  ],
  ["VUID-VkBufferCopy2-size-01988", () => copy2({ size: 0 })],
  ["VUID-VkCopyBufferInfo2-size-00115", () => copy2({ srcOffset: 60, size: 8 })],
  ["VUID-VkCopyBufferInfo2-size-00116", () => copy2({ dstOffset: 60, size: 8 })],
  ["VUID-VkMemoryDedicatedAllocateInfo-buffer-02965", () => dedicated(1024)],
  [
    "VUID-vkBindBufferMemory-memory-01508",
    () => vkBindBufferMemory(device, vkCreateBuffer(device, { size: 4, usage: 1 }), dedicated(), 0),
  ],
  [
    "VUID-VkBindBufferMemoryInfo-memory-01508",
    () =>
      vkBindBufferMemory2(device, [
        { buffer: vkCreateBuffer(device, { size: 4, usage: 1 }), memory: dedicated(), memoryOffset: 0 },
      ]),
  ],
  ["VUID-vkCmdFillBuffer-dstOffset-00024", () => vkCmdFillBuffer(recording(), data.buffer, 64, 4, 0)],
  ["VUID-vkCmdFillBuffer-dstOffset-00025", () => vkCmdFillBuffer(recording(), data.buffer, 2, 4, 0)],
  ["VUID-vkCmdFillBuffer-size-00026", () => vkCmdFillBuffer(recording(), data.buffer, 0, 0, 0)],
  ["VUID-vkCmdFillBuffer-size-00027", () => vkCmdFillBuffer(recording(), data.buffer, 4, 64, 0)],
  ["VUID-vkCmdFillBuffer-size-00028", () => vkCmdFillBuffer(recording(), data.buffer, 4, 6, 0)],
  ["VUID-vkCmdFillBuffer-dstBuffer-00029", () => vkCmdFillBuffer(recording(), bare, 0, 4, 0)],
  [
    "VUID-vkCmdUpdateBuffer-dataSize-00033",
    () => vkCmdUpdateBuffer(recording(), data.buffer, 60, Uint32Array.of(1, 2)),
  ],
  ["VUID-vkCmdUpdateBuffer-dstBuffer-00034", () => vkCmdUpdateBuffer(recording(), bare, 0, Uint32Array.of(1))],
  ["VUID-vkCmdUpdateBuffer-dstOffset-00036", () => vkCmdUpdateBuffer(recording(), data.buffer, 1, Uint32Array.of(1))],
  ["VUID-vkCmdUpdateBuffer-dataSize-00038", () => vkCmdUpdateBuffer(recording(), data.buffer, 0, new Uint8Array(3))],
  ["VUID-vkCmdExecuteCommands-pCommandBuffers-00088", () => vkCmdExecuteCommands(recording(), [newCommands()])],
  [
    "VUID-vkCmdExecuteCommands-pCommandBuffers-00089",
    () => vkCmdExecuteCommands(recording(), [newCommands(VK_COMMAND_BUFFER_LEVEL_SECONDARY)]),
  ],
  [
    "VUID-vkQueueSubmit-pCommandBuffers-00070",
    () => vkQueueSubmit(queue, [{ pCommandBuffers: [newCommands()] }], null),
  ],
  ["VUID-vkQueueSubmit-fence-00063", () => vkQueueSubmit(queue, [], vkCreateFence(device, { flags: 1 }))],
  [
    "VUID-VkQueryPoolCreateInfo-queryCount-02763",
    () => vkCreateQueryPool(device, { queryType: VK_QUERY_TYPE_TIMESTAMP, queryCount: 0 }),
  ],
  [
    "VUID-vkGetQueryPoolResults-dataSize-00817",
    () => {
      const queries = vkCreateQueryPool(device, { queryType: VK_QUERY_TYPE_TIMESTAMP, queryCount: 4 });
      return vkGetQueryPoolResults(device, queries, 0, 4, new Uint8Array(8), 8);
    },
  ],
];

test.each(CASES)("%s", (rule, call) => {
  const error = errorOf(call);
  expect([error.name, error.rule]).toEqual(["VK_ERROR_VALIDATION_FAILED_EXT", rule]);
  expect(error.message.endsWith(`(${rule})`)).toBe(true);
});

test("results below zero that are no rules", () => {
  expectError(
    () => vkAllocateMemory(device, { allocationSize: 2 ** 45, memoryTypeIndex: 0 }),
    "VK_ERROR_OUT_OF_DEVICE_MEMORY",
    /the heap has/u,
  );
  expectError(
    () => vkCreateInstance({ ppEnabledLayerNames: ["none"] }),
    "VK_ERROR_LAYER_NOT_PRESENT",
    /no layer "none"/u,
  );
  expectError(
    () => vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface"] }),
    "VK_ERROR_EXTENSION_NOT_PRESENT",
    /no extension "VK_KHR_surface"/u,
  );
  expectError(
    () => vkCreateInstance({ pApplicationInfo: { apiVersion: 2 << 22 } }),
    "VK_ERROR_INCOMPATIBLE_DRIVER",
    /Vulkan 2/u,
  );
});

test("without validation nothing is checked but what would be wrong to go on with", () => {
  const instance = vkCreateInstance({
    pNext: {
      sType: VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
      pDisabledValidationFeatures: [VK_VALIDATION_FEATURE_DISABLE_ALL_EXT],
    },
  });
  const physicalDevice = first(vkEnumeratePhysicalDevices(instance));
  const pQueueCreateInfos = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];
  const on = vkCreateDevice(physicalDevice, { pQueueCreateInfos });
  // The rule of usage is not looked at, the runtime's own check of the range is.
  vkCreateBuffer(on, { size: 64, usage: 0 });
  const commandPool = vkCreateCommandPool(on, { queueFamilyIndex: 7 });
  const commands = first(
    vkAllocateCommandBuffers(on, { commandPool, level: VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount: 1 }),
  );
  const { buffer } = words(4, on);
  vkBeginCommandBuffer(commands, {});
  vkCmdFillBuffer(commands, buffer, 0, 1024, 1);
  expectError(() => vkEndCommandBuffer(commands), "VK_ERROR_VALIDATION_FAILED_EXT", /1024/u);
  expect(errorOf(() => vkMapMemory(newDevice(), memory, 0, VK_WHOLE_SIZE, 1)).rule).toMatch(/parameter$/u);
});
