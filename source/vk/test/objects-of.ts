// SPDX-License-Identifier: Apache-2.0
// One object of each kind, of a device: what calls of tables are made with.
import {
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_FORMAT_R32_UINT,
  VK_QUERY_TYPE_TIMESTAMP,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_WHOLE_SIZE,
  type VkDevice,
  type VkHandle,
  vkAllocateCommandBuffers,
  vkAllocateMemory,
  vkCreateBuffer,
  vkCreateBufferView,
  vkCreateCommandPool,
  vkCreateDebugUtilsMessengerEXT,
  vkCreateDescriptorPool,
  vkCreateEvent,
  vkCreateFence,
  vkCreateImageView,
  vkCreatePipelineCache,
  vkCreatePipelineLayout,
  vkCreatePrivateDataSlot,
  vkCreateQueryPool,
  vkCreateSampler,
  vkCreateSemaphore,
  vkCreateShaderModule,
  vkGetDeviceQueue,
} from "@muxkit/vulkan";

import { NEAREST, newImage, viewOf } from "./image-rig.ts";
import { STORAGE, first, instance, newPipeline, newSet, physicalDevice, setLayout, shader, words } from "./rig.ts";

/** By kind. */
export function objectsOf(device: VkDevice): ReadonlyMap<string, VkHandle> {
  const layout = setLayout([STORAGE], device);
  const pipelineLayout = vkCreatePipelineLayout(device, {
    pSetLayouts: [layout],
    pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
  });
  const image = newImage({ extent: { width: 4, height: 4, depth: 1 } }, device);
  const texels = words(4, device);
  const commandPool = vkCreateCommandPool(device, { queueFamilyIndex: 0 });
  const [commandBuffer] = vkAllocateCommandBuffers(device, {
    commandPool,
    level: VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    commandBufferCount: 1,
  });
  const list: readonly (VkHandle | undefined)[] = [
    instance,
    physicalDevice,
    device,
    vkGetDeviceQueue(device, 0, 0),
    vkAllocateMemory(device, { allocationSize: 64, memoryTypeIndex: 0 }),
    vkCreateBuffer(device, { size: 64, usage: VK_BUFFER_USAGE_STORAGE_BUFFER_BIT }),
    image,
    vkCreateImageView(device, viewOf(image)),
    vkCreateBufferView(device, { buffer: texels.buffer, format: VK_FORMAT_R32_UINT, offset: 0, range: VK_WHOLE_SIZE }),
    vkCreateSampler(device, NEAREST),
    vkCreateShaderModule(device, { pCode: shader("add") }),
    vkCreatePipelineCache(device, {}),
    layout,
    vkCreateDescriptorPool(device, { maxSets: 1, pPoolSizes: [] }),
    newSet(layout, device),
    pipelineLayout,
    newPipeline("add", pipelineLayout, undefined, device),
    commandPool,
    commandBuffer,
    vkCreateFence(device, {}),
    vkCreateSemaphore(device, {}),
    vkCreateEvent(device, {}),
    vkCreateQueryPool(device, { queryType: VK_QUERY_TYPE_TIMESTAMP, queryCount: 2 }),
    vkCreatePrivateDataSlot(device, {}),
    vkCreateDebugUtilsMessengerEXT(instance, { messageSeverity: 0, messageType: 0, pfnUserCallback: () => false }),
  ];
  return new Map(
    list.map((object) => [first([object]) ?? instance, object] as const).map(([object]) => [object.kind, object]),
  );
}
