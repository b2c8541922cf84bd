// SPDX-License-Identifier: Apache-2.0
// Private data: a number of the program at each object, in slots. A slot keeps its numbers as long as it lives; an
// object that nobody has any more takes its numbers along.
import { deviceOf } from "./device.ts";
import { invalid } from "./error.ts";
import * as V from "./generated/constants.ts";
import { VkPrivateDataSlot } from "./generated/handles.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { type VkHandle, own } from "./handle.ts";

/** A slot. */
class PrivateDataSlot extends VkPrivateDataSlot {
  /** Numbers by their objects. */
  readonly numbers = new WeakMap<VkHandle, bigint>();

  protected release(): void {
    // The numbers go with it.
  }
}

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
};

/** The number of an object's kind; VK_OBJECT_TYPE_UNKNOWN: it has none. */
export const objectTypeOf = ({ kind }: VkHandle): V.VkObjectType => OBJECT_TYPES[kind] ?? V.VK_OBJECT_TYPE_UNKNOWN;

/** The slot of a handle, for an object of the device. */
function slotFor(
  call: string,
  slot: VkPrivateDataSlot,
  object: VkHandle,
  objectType: V.VkObjectType,
  rule: string,
): PrivateDataSlot {
  const found = own(slot, PrivateDataSlot, call);
  if (objectTypeOf(object) !== objectType)
    throw invalid(call, `objectHandle is a ${object.kind}, and objectType is ${objectType}`, rule);
  let above: VkHandle | null = object;
  while (above !== null && above !== found.parent) above = above.parent;
  if (above === null)
    throw invalid(call, `objectHandle is a ${object.kind} that is not of the device of the slot`, rule);
  return found;
}

/** Entry points for private data. */
export const PRIVATE_DATA: Pick<
  Vulkan,
  "vkCreatePrivateDataSlot" | "vkDestroyPrivateDataSlot" | "vkSetPrivateData" | "vkGetPrivateData"
> = {
  vkCreatePrivateDataSlot: (device): VkPrivateDataSlot =>
    new PrivateDataSlot(deviceOf(device, "vkCreatePrivateDataSlot")),
  vkDestroyPrivateDataSlot: (_device, privateDataSlot) => {
    privateDataSlot.end();
  },
  vkSetPrivateData: (_device, objectType, objectHandle, privateDataSlot, data) => {
    const call = "vkSetPrivateData";
    const slot = slotFor(call, privateDataSlot, objectHandle, objectType, "VUID-vkSetPrivateData-objectHandle-04016");
    slot.numbers.set(objectHandle, data);
  },
  vkGetPrivateData: (_device, objectType, objectHandle, privateDataSlot) => {
    const call = "vkGetPrivateData";
    const slot = slotFor(call, privateDataSlot, objectHandle, objectType, "VUID-vkGetPrivateData-objectType-04018");
    return slot.numbers.get(objectHandle) ?? 0n;
  },
};
