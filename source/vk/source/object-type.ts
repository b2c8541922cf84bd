// SPDX-License-Identifier: Apache-2.0
// The numbers of kinds of objects, for calls that take objects of any kind.
import { invalid } from "./error.ts";
import * as V from "./generated/constants.ts";
import { type VkHandle, describe } from "./handle.ts";

/** The numbers of kinds of objects. */
const OBJECT_TYPES: Readonly<Record<string, V.VkObjectType>> = {
  VkInstance: V.VK_OBJECT_TYPE_INSTANCE,
  VkPhysicalDevice: V.VK_OBJECT_TYPE_PHYSICAL_DEVICE,
  VkDevice: V.VK_OBJECT_TYPE_DEVICE,
  VkQueue: V.VK_OBJECT_TYPE_QUEUE,
  VkSemaphore: V.VK_OBJECT_TYPE_SEMAPHORE,
  VkCommandBuffer: V.VK_OBJECT_TYPE_COMMAND_BUFFER,
  VkFence: V.VK_OBJECT_TYPE_FENCE,
  VkDeviceMemory: V.VK_OBJECT_TYPE_DEVICE_MEMORY,
  VkBuffer: V.VK_OBJECT_TYPE_BUFFER,
  VkImage: V.VK_OBJECT_TYPE_IMAGE,
  VkEvent: V.VK_OBJECT_TYPE_EVENT,
  VkQueryPool: V.VK_OBJECT_TYPE_QUERY_POOL,
  VkBufferView: V.VK_OBJECT_TYPE_BUFFER_VIEW,
  VkImageView: V.VK_OBJECT_TYPE_IMAGE_VIEW,
  VkShaderModule: V.VK_OBJECT_TYPE_SHADER_MODULE,
  VkPipelineCache: V.VK_OBJECT_TYPE_PIPELINE_CACHE,
  VkPipelineLayout: V.VK_OBJECT_TYPE_PIPELINE_LAYOUT,
  VkPipeline: V.VK_OBJECT_TYPE_PIPELINE,
  VkDescriptorSetLayout: V.VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT,
  VkSampler: V.VK_OBJECT_TYPE_SAMPLER,
  VkDescriptorPool: V.VK_OBJECT_TYPE_DESCRIPTOR_POOL,
  VkDescriptorSet: V.VK_OBJECT_TYPE_DESCRIPTOR_SET,
  VkCommandPool: V.VK_OBJECT_TYPE_COMMAND_POOL,
  VkPrivateDataSlot: V.VK_OBJECT_TYPE_PRIVATE_DATA_SLOT,
  VkDebugUtilsMessengerEXT: V.VK_OBJECT_TYPE_DEBUG_UTILS_MESSENGER_EXT,
};

/** The number of an object's kind; VK_OBJECT_TYPE_UNKNOWN: it has none. */
export const objectTypeOf = ({ kind }: VkHandle): V.VkObjectType => OBJECT_TYPES[kind] ?? V.VK_OBJECT_TYPE_UNKNOWN;

/** Throws unless an object is of the kind that a call says. */
export function ensureObjectType(call: string, object: VkHandle, objectType: V.VkObjectType, rule: string): void {
  if (objectTypeOf(object) !== objectType)
    throw invalid(call, `objectHandle is ${describe(object)}, and objectType is ${objectType}`, rule);
}
