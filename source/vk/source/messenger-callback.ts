// SPDX-License-Identifier: Apache-2.0
// What takes the messages of a messenger.
import type { VkDebugUtilsMessageSeverityFlagsEXT, VkDebugUtilsMessageTypeFlagsEXT } from "./generated/constants.ts";
import type { VkDebugUtilsMessengerCallbackDataEXT } from "./generated/structures.ts";

/**
 * Takes a message. What it returns changes nothing: a call that breaks a rule fails in any case.
 *
 * @public
 */
export type VkDebugUtilsMessengerCallback = (
  messageSeverity: VkDebugUtilsMessageSeverityFlagsEXT,
  messageTypes: VkDebugUtilsMessageTypeFlagsEXT,
  pCallbackData: VkDebugUtilsMessengerCallbackDataEXT,
  pUserData: unknown,
) => boolean;
