// SPDX-License-Identifier: Apache-2.0
// What the tests of this package share: the host device with two threads, objects that most tests need, expected
// errors.
import { readFileSync } from "node:fs";

import { hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler/native";
import { registerTarget } from "@muxkit/mux";
import { assemble } from "@muxkit/spirv";
import {
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
  VK_WHOLE_SIZE,
  type VkBuffer,
  type VkCommandBuffer,
  type VkCommandBufferLevel,
  type VkCommandPool,
  type VkDescriptorSet,
  type VkDescriptorSetLayout,
  type VkDescriptorType,
  type VkDevice,
  type VkInstance,
  type VkPhysicalDevice,
  type VkPipeline,
  type VkPipelineLayout,
  type VkQueue,
  type VkResult,
  type VkSpecializationInfo,
  VulkanError,
  setCompilers,
  vkAllocateCommandBuffers,
  vkAllocateDescriptorSets,
  vkAllocateMemory,
  vkBeginCommandBuffer,
  vkBindBufferMemory,
  vkCmdBindDescriptorSets,
  vkCmdBindPipeline,
  vkCmdFillBuffer,
  vkCmdPipelineBarrier,
  vkCreateBuffer,
  vkCreateCommandPool,
  vkCreateComputePipelines,
  vkCreateDescriptorPool,
  vkCreateDescriptorSetLayout,
  vkCreateDevice,
  vkCreateInstance,
  vkCreatePipelineLayout,
  vkCreateShaderModule,
  vkDestroyShaderModule,
  vkEndCommandBuffer,
  vkEnumeratePhysicalDevices,
  vkGetBufferMemoryRequirements,
  vkGetDeviceQueue,
  vkMapMemory,
  vkQueueSubmit,
  vkQueueWaitIdle,
  vkUpdateDescriptorSets,
} from "@muxkit/vulkan";
import { expect } from "vitest";

export function first<T>(list: readonly T[]): T {
  const [item] = list;
  if (item === undefined) throw new Error("the list is empty");
  return item;
}

registerTarget(hostTarget({ threads: 2 }));
setCompilers({ compilers });

export const instance: VkInstance = vkCreateInstance({});
export const physicalDevice: VkPhysicalDevice = first(vkEnumeratePhysicalDevices(instance));

/** A device with so many queues. */
export function newDevice(queues: number = 1): VkDevice {
  return vkCreateDevice(physicalDevice, {
    pNext: {
      sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
      privateData: true,
      pipelineCreationCacheControl: true,
    },
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: Array.from({ length: queues }, () => 1) }],
  });
}

export const device: VkDevice = newDevice();
export const queue: VkQueue = vkGetDeviceQueue(device, 0, 0);
export const pool: VkCommandPool = vkCreateCommandPool(device, {
  flags: VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  queueFamilyIndex: 0,
});

/** The words of a shader among this folder's. */
export function shader(name: string): Uint32Array {
  const made = assemble(readFileSync(new URL(`shaders/${name}.spvasm`, import.meta.url), "utf8"));
  if (!made.ok) throw new Error(`line ${made.error.line}: ${made.error.message}`);
  return made.value;
}

/** A buffer with memory of its own, and its words. */
export interface Words {
  readonly buffer: VkBuffer;
  readonly words: Uint32Array;
}

/** A buffer of words. */
export function words(values: readonly number[] | number, on: VkDevice = device): Words {
  const list = typeof values === "number" ? Array.from({ length: values }, () => 0) : values;
  const buffer = vkCreateBuffer(on, {
    size: list.length * 4,
    usage:
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
      VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
      VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
      VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
      VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
      VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  });
  const { size } = vkGetBufferMemoryRequirements(on, buffer);
  const memory = vkAllocateMemory(on, { allocationSize: size, memoryTypeIndex: 0 });
  vkBindBufferMemory(on, buffer, memory, 0);
  const bytes = vkMapMemory(on, memory, 0, list.length * 4, 0);
  const view = new Uint32Array(bytes.buffer, bytes.byteOffset, list.length);
  view.set(list);
  return { buffer, words: view };
}

/** A layout of sets whose bindings are numbered from 0. */
export function setLayout(
  types: readonly (readonly [type: VkDescriptorType, count: number])[],
  on: VkDevice = device,
): VkDescriptorSetLayout {
  return vkCreateDescriptorSetLayout(on, {
    pBindings: types.map(([descriptorType, descriptorCount], binding) => ({
      binding,
      descriptorType,
      descriptorCount,
      stageFlags: VK_SHADER_STAGE_COMPUTE_BIT,
    })),
  });
}

export const STORAGE = [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1] as const;

/** A set of a layout, from a pool with room for it. */
export function newSet(layout: VkDescriptorSetLayout, on: VkDevice = device): VkDescriptorSet {
  const descriptorPool = vkCreateDescriptorPool(on, {
    maxSets: 1,
    pPoolSizes: Array.from({ length: 10 }, (_, type) => ({ type: type as VkDescriptorType, descriptorCount: 8 })),
  });
  return first(vkAllocateDescriptorSets(on, { descriptorPool, pSetLayouts: [layout] }));
}

/** Writes whole buffers into a binding. */
export function writeSet(
  dstSet: VkDescriptorSet,
  dstBinding: number,
  buffers: readonly VkBuffer[],
  descriptorType: VkDescriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  on: VkDevice = device,
): void {
  const pBufferInfo = buffers.map((buffer) => ({ buffer, offset: 0, range: VK_WHOLE_SIZE }));
  vkUpdateDescriptorSets(on, [{ dstSet, dstBinding, descriptorType, pBufferInfo }]);
}

/** A pipeline of a shader among this folder's. */
export function newPipeline(
  name: string,
  layout: VkPipelineLayout,
  pSpecializationInfo?: VkSpecializationInfo,
  on: VkDevice = device,
): VkPipeline {
  const module = vkCreateShaderModule(on, { pCode: shader(name) });
  const stage = { stage: VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main" };
  const made = vkCreateComputePipelines(on, null, [
    { stage: pSpecializationInfo === undefined ? stage : { ...stage, pSpecializationInfo }, layout },
  ]);
  vkDestroyShaderModule(on, module);
  return first(made);
}

/** Values of 32-bit specialization constants, by their ids. */
export function constants(values: Readonly<Record<number, number>>): VkSpecializationInfo {
  const ids = Object.keys(values).map(Number);
  return {
    pMapEntries: ids.map((constantID, i) => ({ constantID, offset: i * 4, size: 4 })),
    pData: Uint32Array.from(ids, (id) => values[id] ?? 0),
  };
}

/** A command buffer with what a function records. */
export function record(
  commands: (commandBuffer: VkCommandBuffer) => void,
  flags: number = 0,
  from: VkCommandPool = pool,
  on: VkDevice = device,
): VkCommandBuffer {
  const [commandBuffer] = vkAllocateCommandBuffers(on, {
    commandPool: from,
    level: VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    commandBufferCount: 1,
  });
  if (commandBuffer === undefined) throw new Error("a command buffer is allocated");
  vkBeginCommandBuffer(commandBuffer, { flags });
  commands(commandBuffer);
  vkEndCommandBuffer(commandBuffer);
  return commandBuffer;
}

/** A command buffer that fills a buffer, from a pool of its own. */
export function filling({ buffer }: Words, value: number, on: VkDevice = device): VkCommandBuffer {
  const commands = (to: VkCommandBuffer): void => vkCmdFillBuffer(to, buffer, 0, VK_WHOLE_SIZE, value);
  return record(commands, 0, vkCreateCommandPool(on, { queueFamilyIndex: 0 }), on);
}

/** A command buffer that is being recorded. */
export function newRecording(level: VkCommandBufferLevel = VK_COMMAND_BUFFER_LEVEL_PRIMARY): VkCommandBuffer {
  const commands = first(vkAllocateCommandBuffers(device, { commandPool: pool, level, commandBufferCount: 1 }));
  vkBeginCommandBuffer(commands, level === VK_COMMAND_BUFFER_LEVEL_PRIMARY ? {} : { pInheritanceInfo: {} });
  return commands;
}

/** A barrier between everything before it and everything after it. */
export function barrier(commandBuffer: VkCommandBuffer): void {
  const all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  const dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vkCmdPipelineBarrier(commandBuffer, all, all, 0, [{ srcAccessMask, dstAccessMask }], [], []);
}

/** Ends a command buffer, submits it, and waits. */
export function finish(commands: VkCommandBuffer): void {
  vkEndCommandBuffer(commands);
  vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], null);
  vkQueueWaitIdle(queue);
}

/** Records, submits, and waits. */
export function run(commands: (commandBuffer: VkCommandBuffer) => void): void {
  vkQueueSubmit(queue, [{ pCommandBuffers: [record(commands)] }], null);
  vkQueueWaitIdle(queue);
}

/** `add.comp`: adds a push constant to each word of a buffer. */
export function adder(
  size: number = 64,
  step: number = 1,
): {
  readonly layout: VkPipelineLayout;
  readonly pipeline: VkPipeline;
  readonly set: VkDescriptorSetLayout;
} {
  const set = setLayout([STORAGE]);
  const layout = vkCreatePipelineLayout(device, {
    pSetLayouts: [set],
    pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
  });
  return { layout, set, pipeline: newPipeline("add", layout, constants({ 0: size, 1: step })) };
}

/** Binds a pipeline and its sets. */
export function bind(
  commandBuffer: VkCommandBuffer,
  pipeline: VkPipeline,
  layout: VkPipelineLayout,
  sets: readonly VkDescriptorSet[],
  offsets: readonly number[] = [],
): void {
  vkCmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, sets, offsets);
}

/** The error that a call throws. */
export function errorOf(call: () => unknown): VulkanError {
  try {
    call();
  } catch (error) {
    if (error instanceof VulkanError) return error;
    throw error;
  }
  throw new Error("the call did not fail");
}

/** Expects an error by result and message. */
export function expectError(call: () => unknown, name: VkResult, message: RegExp): void {
  const error = errorOf(call);
  expect(error.name, error.message).toBe(name);
  expect(error.message).toMatch(message);
}
