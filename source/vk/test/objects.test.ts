// SPDX-License-Identifier: Apache-2.0
// Objects: what devices say of themselves, memory, copies, queries, caches, pools, lives.
import {
  VK_API_VERSION_1_3,
  VK_API_VERSION_MAJOR,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
  VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WAIT_BIT,
  VK_QUERY_TYPE_TIMESTAMP,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  VK_WHOLE_SIZE,
  vkAllocateCommandBuffers,
  vkAllocateDescriptorSets,
  vkAllocateMemory,
  vkBeginCommandBuffer,
  vkBindBufferMemory,
  vkCmdBindPipeline,
  vkCmdCopyBuffer,
  vkCmdCopyQueryPoolResults,
  vkCmdDispatch,
  vkCmdExecuteCommands,
  vkCmdFillBuffer,
  vkCmdPushConstants,
  vkCmdPushDescriptorSetKHR,
  vkCmdResetQueryPool,
  vkCmdUpdateBuffer,
  vkCmdWriteTimestamp,
  vkCreateBuffer,
  vkCreateComputePipelines,
  vkCreateDescriptorPool,
  vkCreateDescriptorSetLayout,
  vkCreatePipelineCache,
  vkCreatePipelineLayout,
  vkCreateQueryPool,
  vkCreateShaderModule,
  vkEndCommandBuffer,
  vkEnumerateDeviceExtensionProperties,
  vkFreeDescriptorSets,
  vkGetPhysicalDeviceFeatures2,
  vkGetPhysicalDeviceMemoryProperties,
  vkGetPhysicalDeviceProperties,
  vkGetPhysicalDeviceProperties2,
  vkGetPhysicalDeviceQueueFamilyProperties,
  vkGetPipelineCacheData,
  vkGetQueryPoolResults,
  vkMapMemory,
} from "@muxkit/vulkan";
import { expect, test } from "vitest";

import {
  STORAGE,
  adder,
  barrier,
  constants,
  device,
  expectError,
  first,
  newPipeline,
  physicalDevice,
  pool,
  run,
  setLayout,
  shader,
  words,
} from "./rig.ts";

test("properties, features, memory and queues of the device", () => {
  const properties = vkGetPhysicalDeviceProperties(physicalDevice);
  expect(properties.apiVersion).toBe(VK_API_VERSION_1_3);
  expect(VK_API_VERSION_MAJOR(properties.apiVersion)).toBe(1);
  expect(properties.deviceName).toMatch(/muxkit host/u);
  expect(properties.limits.maxComputeWorkGroupInvocations).toBeGreaterThanOrEqual(128);
  const chained = vkGetPhysicalDeviceProperties2(physicalDevice, [
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
  ]);
  expect(chained.pNext).toMatchObject({ subgroupSize: expect.any(Number) });
  const features = vkGetPhysicalDeviceFeatures2(physicalDevice, [
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  ]);
  expect(features.features.shaderInt64).toBe(true);
  expect(features.pNext).toMatchObject({ timelineSemaphore: true, samplerFilterMinmax: false });
  expect(vkGetPhysicalDeviceMemoryProperties(physicalDevice).memoryTypes).toHaveLength(1);
  expect(first(vkGetPhysicalDeviceQueueFamilyProperties(physicalDevice)).queueCount).toBeGreaterThan(1);
  expect(vkEnumerateDeviceExtensionProperties(physicalDevice).map(({ extensionName }) => extensionName)).toContain(
    "VK_KHR_push_descriptor",
  );
});

test("buffers at offsets of one memory show the same bytes", () => {
  const memory = vkAllocateMemory(device, { allocationSize: 1024, memoryTypeIndex: 0 });
  const make = (size: number, offset: number): ReturnType<typeof vkCreateBuffer> => {
    const buffer = vkCreateBuffer(device, { size, usage: VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | 3 });
    vkBindBufferMemory(device, buffer, memory, offset);
    return buffer;
  };
  const [whole, part] = [make(1024, 0), make(128, 256)];
  run((commands) => {
    vkCmdFillBuffer(commands, whole, 0, VK_WHOLE_SIZE, 1);
    barrier(commands);
    vkCmdFillBuffer(commands, part, 4, 8, 2);
    vkCmdUpdateBuffer(commands, part, 16, Uint32Array.of(3, 4));
    barrier(commands);
    vkCmdCopyBuffer(commands, part, whole, [{ srcOffset: 16, dstOffset: 1016, size: 8 }]);
  });
  const bytes = vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0);
  const view = new Uint32Array(bytes.buffer, bytes.byteOffset, 256);
  expect([view[63], ...view.subarray(64, 71), view[254], view[255]]).toEqual([1, 1, 2, 2, 1, 3, 4, 1, 3, 4]);
});

test("timestamps on the device's clock, read on the host and by a command", () => {
  const queryPool = vkCreateQueryPool(device, { queryType: VK_QUERY_TYPE_TIMESTAMP, queryCount: 3 });
  const [data, copied] = [words(4096), words(6)];
  const results = new BigUint64Array(3);
  const read = (): string =>
    vkGetQueryPoolResults(device, queryPool, 0, 2, results, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  expect(read()).toBe("VK_NOT_READY");
  run((commands) => {
    vkCmdResetQueryPool(commands, queryPool, 0, 3);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queryPool, 0);
    for (let i = 0; i < 10; i++) {
      vkCmdFillBuffer(commands, data.buffer, 0, VK_WHOLE_SIZE, i);
      barrier(commands);
    }
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queryPool, 1);
    vkCmdCopyQueryPoolResults(commands, queryPool, 0, 2, copied.buffer, 0, 8, VK_QUERY_RESULT_64_BIT);
  });
  expect(read()).toBe("VK_SUCCESS");
  expect(results[1] as bigint).toBeGreaterThan(results[0] as bigint);
  const words64 = new BigUint64Array(copied.words.slice().buffer);
  expect([words64[0], words64[1]]).toEqual([results[0], results[1]]);
});

test("pushed descriptors, and commands of a secondary command buffer", () => {
  const set = vkCreateDescriptorSetLayout(device, {
    flags: VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
    pBindings: [
      {
        binding: 0,
        descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        descriptorCount: 1,
        stageFlags: VK_SHADER_STAGE_COMPUTE_BIT,
      },
    ],
  });
  const layout = vkCreatePipelineLayout(device, {
    pSetLayouts: [set],
    pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
  });
  const pipeline = newPipeline("add", layout, constants({ 0: 4, 1: 1 }));
  const [left, right] = [words(4), words(4)];
  const secondary = first(
    vkAllocateCommandBuffers(device, {
      commandPool: pool,
      level: VK_COMMAND_BUFFER_LEVEL_SECONDARY,
      commandBufferCount: 1,
    }),
  );
  const flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  vkBeginCommandBuffer(secondary, { flags, pInheritanceInfo: {} });
  vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdPushConstants(secondary, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(8));
  for (const { buffer } of [left, right, left]) {
    vkCmdPushDescriptorSetKHR(secondary, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [
      {
        dstBinding: 0,
        descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        pBufferInfo: [{ buffer, offset: 0, range: VK_WHOLE_SIZE }],
      },
    ]);
    vkCmdDispatch(secondary, 1, 1, 1);
    barrier(secondary);
  }
  vkEndCommandBuffer(secondary);
  run((commands) => {
    vkCmdExecuteCommands(commands, [secondary, secondary]);
  });
  expect([left.words[0], right.words[0]]).toEqual([32, 16]);
});

test("data of a pipeline cache makes the same pipeline, and damaged data is not taken", () => {
  const set = setLayout([STORAGE]);
  const layout = vkCreatePipelineLayout(device, {
    pSetLayouts: [set],
    pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
  });
  const module = vkCreateShaderModule(device, { pCode: shader("add") });
  const cache = vkCreatePipelineCache(device, {});
  const stage = { stage: VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main" };
  const sizeOf = (one: typeof cache): number => vkGetPipelineCacheData(device, one).byteLength;
  expect(sizeOf(cache)).toBe(32);
  vkCreateComputePipelines(device, cache, [{ stage, layout }]);
  const data = vkGetPipelineCacheData(device, cache);
  expect(data.byteLength).toBeGreaterThan(500);
  const again = vkCreatePipelineCache(device, { pInitialData: data });
  vkCreateComputePipelines(device, again, [{ stage, layout }]);
  expect(vkGetPipelineCacheData(device, again)).toEqual(data);
  const damaged = data.slice();
  damaged[20] = (damaged[20] ?? 0) ^ 1;
  expect(sizeOf(vkCreatePipelineCache(device, { pInitialData: damaged }))).toBe(32);
  expect(sizeOf(vkCreatePipelineCache(device, { pInitialData: data.subarray(0, data.length - 1) }))).toBe(32);
});

test("a descriptor pool has room for what it was made for", () => {
  const layout = setLayout([[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3]]);
  const descriptorPool = vkCreateDescriptorPool(device, {
    flags: 1,
    maxSets: 3,
    pPoolSizes: [{ type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 6 }],
  });
  const allocate = (): ReturnType<typeof vkAllocateDescriptorSets> =>
    vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts: [layout, layout] });
  const sets = allocate();
  expectError(allocate, "VK_ERROR_OUT_OF_POOL_MEMORY", /room for 0 descriptors/u);
  vkFreeDescriptorSets(device, descriptorPool, sets);
  expect(allocate()).toHaveLength(2);
});

test("objects are destroyed once, by their call or by their symbol", () => {
  const { layout, pipeline, set } = adder(2);
  expect(pipeline.isAlive).toBe(true);
  for (const handle of [pipeline, layout, set]) handle[Symbol.dispose]();
  expect([pipeline, layout, set].map(({ isAlive }) => isAlive)).toEqual([false, false, false]);
});
