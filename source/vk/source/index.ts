// SPDX-License-Identifier: Apache-2.0
/**
 * Vulkan's compute calls: names, structures and results as in the specification, on Muxkit's runtime and compiler.
 *
 * @packageDocumentation
 */
export { VulkanError } from "./error.ts";
export { VkHandle } from "./handle.ts";
export { setCompilers } from "./instance.ts";
export {
  VK_API_VERSION_1_0,
  VK_API_VERSION_1_1,
  VK_API_VERSION_1_2,
  VK_API_VERSION_1_3,
  VK_API_VERSION_MAJOR,
  VK_API_VERSION_MINOR,
  VK_API_VERSION_PATCH,
  VK_MAKE_API_VERSION,
  VK_QUEUE_FAMILY_IGNORED,
  VK_LOD_CLAMP_NONE,
  VK_REMAINING_ARRAY_LAYERS,
  VK_REMAINING_MIP_LEVELS,
  VK_WHOLE_SIZE,
} from "./version.ts";
export { ResultCode, type VkResult } from "./generated/results.ts";
export * from "./generated/constants.ts";
export * from "./generated/handles.ts";
export type * from "./generated/structures.ts";
export type { VkDebugUtilsMessengerCallback } from "./messenger-callback.ts";
export type { Vulkan } from "./generated/vulkan.ts";
export * from "./generated/entry-points.ts";
export { vkDeviceWaitIdleAsync, vkQueueWaitIdleAsync, vkWaitForFencesAsync } from "./async-waits.ts";
