// SPDX-License-Identifier: Apache-2.0
// What names, labels, messengers and clocks do.
import {
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
  VK_OBJECT_TYPE_BUFFER,
  VK_OBJECT_TYPE_DEVICE,
  VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT,
  VK_TIME_DOMAIN_DEVICE_EXT,
  type VkCommandBuffer,
  type VkDebugUtilsMessengerCreateInfoEXT,
  type VkDebugUtilsMessengerEXT,
  type VkQueue,
  vkCmdBeginDebugUtilsLabelEXT,
  vkCmdFillBuffer,
  vkCreateDebugUtilsMessengerEXT,
  vkDestroyDebugUtilsMessengerEXT,
  vkGetDeviceQueue,
  vkQueueBeginDebugUtilsLabelEXT,
  vkQueueSubmit,
  vkSetDebugUtilsObjectNameEXT,
} from "@muxkit/vulkan";

import { type Effect, effect } from "../effect.ts";
import { device, errorOf, instance, newDevice, newRecording, physicalDevice, queue, words } from "../rig.ts";

const SEVERITIES = [
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
];
const TYPES = [
  VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
];
const ALL_SEVERITIES = SEVERITIES.reduce((bits, bit) => bits | bit);
const ALL_TYPES = TYPES.reduce((bits, bit) => bits | bit);

/** A messenger that writes what it takes into a list, which it has as the program's value. */
const messengerInfo = (
  messageSeverity: number = ALL_SEVERITIES,
  messageType: number = ALL_TYPES,
): VkDebugUtilsMessengerCreateInfoEXT & { readonly pUserData: string[] } => ({
  messageSeverity,
  messageType,
  pfnUserCallback: (severity, types, { pMessage }, user) => {
    (user as string[]).push(`${severity} ${types} ${pMessage}`);
    return false;
  },
  pUserData: [],
});

/** How many messages a messenger takes of a call that fails. */
function takenOfError(messenger: VkDebugUtilsMessengerEXT, { pUserData }: VkDebugUtilsMessengerCreateInfoEXT): number {
  const list = pUserData as string[];
  const before = list.length;
  errorOf(failing(newRecording()));
  if (messenger.isAlive) vkDestroyDebugUtilsMessengerEXT(instance, messenger);
  return list.length - before;
}

/** All pairs of severity and type. */
const KINDS = SEVERITIES.flatMap((severity) => TYPES.map((type) => [severity, type] as const));

/** What single messengers of rows take. */
const [HEARD, HELLO] = [messengerInfo(), messengerInfo()];

const data = words(4);

/** The labels that a messenger sees where a call with the command buffer or queue fails. */
function labelsSeen(fails: () => void): readonly (readonly string[])[] {
  let seen: readonly (readonly string[])[] = [];
  const messenger = vkCreateDebugUtilsMessengerEXT(instance, {
    ...messengerInfo(),
    pfnUserCallback: (_severity, _types, { pQueueLabels = [], pCmdBufLabels = [] }) => {
      seen = [pQueueLabels, pCmdBufLabels].map((list) => list.map(({ pLabelName }) => pLabelName));
      return false;
    },
  });
  errorOf(fails);
  vkDestroyDebugUtilsMessengerEXT(instance, messenger);
  return seen;
}

function failing(commands: VkCommandBuffer): () => void {
  return () => {
    vkCmdFillBuffer(commands, data.buffer, 1, 4, 0);
  };
}
function failingSubmit(on: VkQueue): () => void {
  return () => {
    vkQueueSubmit(on, [{ pCommandBuffers: [newRecording()] }], null);
  };
}

/** A command buffer with open labels. */
function labelled(...names: readonly string[]): VkCommandBuffer {
  const commands = newRecording();
  for (const pLabelName of names) vkCmdBeginDebugUtilsLabelEXT(commands, { pLabelName, color: [1, 0, 0, 1] });
  return commands;
}

const CLOCKS = [VK_TIME_DOMAIN_DEVICE_EXT, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT];

export const DEBUGGING_EFFECTS: readonly Effect[] = [
  effect(
    "vkCreateDebugUtilsMessengerEXT",
    "",
    () => [instance, messengerInfo()],
    (messenger, [, info]) => takenOfError(messenger, info),
    1,
  ),
  ...KINDS.map(([severity, type]) =>
    effect(
      "vkCreateDebugUtilsMessengerEXT",
      `severity ${severity} and type ${type}`,
      () => [instance, messengerInfo(severity, type)],
      (messenger, [, info]) => takenOfError(messenger, info),
      severity === VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT &&
        type === VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT
        ? 1
        : 0,
    ),
  ),
  effect(
    "vkDestroyDebugUtilsMessengerEXT",
    "",
    () => {
      const messenger = vkCreateDebugUtilsMessengerEXT(instance, HEARD);
      return [instance, messenger];
    },
    (_, [, messenger]) => [messenger.isAlive, takenOfError(messenger, HEARD)],
    [false, 0],
  ),
  effect("vkSubmitDebugUtilsMessageEXT", "", () => [instance, 1, 1, { pMessage: "nobody takes it" }], (result) => result, undefined),
  effect(
    "vkSubmitDebugUtilsMessageEXT",
    "with a messenger",
    () => {
      vkCreateDebugUtilsMessengerEXT(instance, HELLO);
      return [
        instance,
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
        { pMessage: "hello" },
      ];
    },
    () => HELLO.pUserData,
    ["256 1 hello"],
  ),
  effect(
    "vkSetDebugUtilsObjectNameEXT",
    "",
    () => [device, { objectType: VK_OBJECT_TYPE_BUFFER, objectHandle: words(4).buffer, pObjectName: "positions" }],
    (_, [, { objectHandle, pObjectName }]) => {
      const wrong = { objectType: VK_OBJECT_TYPE_DEVICE, objectHandle };
      const { message } = errorOf(() => vkSetDebugUtilsObjectNameEXT(device, wrong));
      return pObjectName === "positions" ? message.includes('VkBuffer "positions"') : message.includes("is a VkBuffer,");
    },
    true,
  ),
  effect(
    "vkSetDebugUtilsObjectTagEXT",
    "",
    () => [device, { objectType: VK_OBJECT_TYPE_BUFFER, objectHandle: data.buffer, tagName: 5n, pTag: new Uint8Array([1]) }],
    (result) => result,
    undefined,
  ),
  effect(
    "vkQueueBeginDebugUtilsLabelEXT",
    "",
    () => [queue, { pLabelName: "frame" }],
    () => labelsSeen(failingSubmit(queue))[0]?.[0],
    "frame",
  ),
  effect(
    "vkQueueEndDebugUtilsLabelEXT",
    "",
    () => {
      const own = vkGetDeviceQueue(newDevice(), 0, 0);
      vkQueueBeginDebugUtilsLabelEXT(own, { pLabelName: "stays" });
      vkQueueBeginDebugUtilsLabelEXT(own, { pLabelName: "ends" });
      return [own];
    },
    (_, [own]) => labelsSeen(failingSubmit(own))[0],
    ["stays"],
  ),
  effect("vkQueueInsertDebugUtilsLabelEXT", "", () => [queue, { pLabelName: "here" }], (result) => result, undefined),
  effect(
    "vkCmdBeginDebugUtilsLabelEXT",
    "",
    () => [newRecording(), { pLabelName: "blur", color: [0, 0, 1, 1] }],
    (_, [commands]) => labelsSeen(failing(commands))[1],
    ["blur"],
  ),
  effect(
    "vkCmdBeginDebugUtilsLabelEXT",
    "within another",
    () => [labelled("frame"), { pLabelName: "blur" }],
    (_, [commands]) => labelsSeen(failing(commands))[1],
    ["blur", "frame"],
  ),
  effect(
    "vkCmdEndDebugUtilsLabelEXT",
    "",
    () => [labelled("frame", "blur")],
    (_, [commands]) => labelsSeen(failing(commands))[1],
    ["frame"],
  ),
  effect("vkCmdInsertDebugUtilsLabelEXT", "", () => [newRecording(), { pLabelName: "here" }], (result) => result, undefined),
  effect("vkGetPhysicalDeviceCalibrateableTimeDomainsEXT", "", () => [physicalDevice], (list) => list, CLOCKS),
  effect(
    "vkGetCalibratedTimestampsEXT",
    "",
    () => [device, CLOCKS.map((timeDomain) => ({ timeDomain })), new BigUint64Array(2)],
    (deviation, [, , times]) => {
      const [own = 0n, system = 0n] = new BigUint64Array(times.buffer.slice(times.byteOffset, times.byteOffset + 16));
      const now = process.hrtime.bigint();
      return [own > 0n, system <= now, now - system < 10_000_000_000n, deviation > 0n];
    },
    [true, true, true, true],
  ),
  effect("vkGetCalibratedTimestampsEXT", "no clock", () => [device, [], new BigUint64Array(0)], (deviation) => deviation > 0n, true),
];
