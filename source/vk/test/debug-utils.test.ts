// SPDX-License-Identifier: Apache-2.0
// Messages: what shaders print and rules that are broken reach a messenger, with names and labels; and the errors of
// the calls themselves.
import {
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
  VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
  VK_OBJECT_TYPE_BUFFER,
  VK_OBJECT_TYPE_IMAGE,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
  VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT,
  VK_TIME_DOMAIN_DEVICE_EXT,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WAIT_BIT,
  VK_QUERY_TYPE_TIMESTAMP,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  type VkDebugUtilsMessengerCallbackDataEXT,
  type VkDebugUtilsMessengerCreateInfoEXT,
  vkCmdBeginDebugUtilsLabelEXT,
  vkCmdBindPipeline,
  vkCmdDispatch,
  vkCmdEndDebugUtilsLabelEXT,
  vkCmdFillBuffer,
  vkCmdResetQueryPool,
  vkCmdWriteTimestamp,
  vkCreateBuffer,
  vkCreateDebugUtilsMessengerEXT,
  vkCreateInstance,
  vkCreatePipelineLayout,
  vkCreateQueryPool,
  vkDestroyDebugUtilsMessengerEXT,
  vkDestroyInstance,
  vkEnumeratePhysicalDevices,
  vkGetCalibratedTimestampsEXT,
  vkGetDeviceQueue,
  vkGetQueryPoolResults,
  vkQueueEndDebugUtilsLabelEXT,
  vkSetDebugUtilsObjectNameEXT,
  vkSetDebugUtilsObjectTagEXT,
} from "@muxkit/vulkan";
import { expect, test } from "vitest";

import {
  barrier,
  device,
  errorOf,
  expectError,
  first,
  instance,
  newDevice,
  newPipeline,
  newRecording,
  run,
  words,
} from "./rig.ts";

/** A messenger that keeps what it takes. */
function listening(messageSeverity: number): {
  readonly info: VkDebugUtilsMessengerCreateInfoEXT;
  readonly messages: VkDebugUtilsMessengerCallbackDataEXT[];
} {
  const messages: VkDebugUtilsMessengerCallbackDataEXT[] = [];
  const info: VkDebugUtilsMessengerCreateInfoEXT = {
    messageSeverity,
    messageType: VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
    pfnUserCallback: (_severity, _types, message) => {
      messages.push(message);
      return false;
    },
  };
  return { info, messages };
}

test("what a shader prints reaches the messenger, one message for each dispatch", () => {
  const layout = vkCreatePipelineLayout(device, {});
  const pipeline = newPipeline("print", layout);
  const { info, messages } = listening(VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
  const messenger = vkCreateDebugUtilsMessengerEXT(instance, info);
  run((commands) => {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdDispatch(commands, 2, 1, 1);
    // Without a barrier either may be the first to print.
    barrier(commands);
    vkCmdDispatch(commands, 1, 3, 1);
  });
  vkDestroyDebugUtilsMessengerEXT(instance, messenger);
  expect(messages.map(({ pMessage }) => pMessage)).toEqual([
    "group 0 of 2,1group 1 of 2,1",
    "group 0 of 1,3group 0 of 1,3group 0 of 1,3",
  ]);
  expect(messages.map(({ pMessageIdName }) => pMessageIdName)).toEqual([
    "WARNING-DEBUG-PRINTF",
    "WARNING-DEBUG-PRINTF",
  ]);
  expect(messages[0]?.pObjects?.map(({ objectHandle }) => objectHandle)).toEqual([device]);
});

test("a broken rule reaches the messenger with the names of objects and the open labels", () => {
  const { info, messages } = listening(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
  const messenger = vkCreateDebugUtilsMessengerEXT(instance, info);
  const { buffer } = words(4);
  vkSetDebugUtilsObjectNameEXT(device, {
    objectType: VK_OBJECT_TYPE_BUFFER,
    objectHandle: buffer,
    pObjectName: "sums",
  });
  const commands = newRecording();
  for (const pLabelName of ["frame", "blur"]) vkCmdBeginDebugUtilsLabelEXT(commands, { pLabelName });
  const error = errorOf(() => {
    vkCmdFillBuffer(commands, buffer, 2, 4, 0);
  });
  vkDestroyDebugUtilsMessengerEXT(instance, messenger);
  expect(messages).toHaveLength(1);
  const [message] = messages;
  expect(message?.pMessage).toBe(error.message);
  expect(message?.pMessageIdName).toBe(error.rule);
  expect(error.rule).toMatch(/^VUID-vkCmdFillBuffer-/u);
  expect(message?.pObjects?.map(({ objectHandle, pObjectName }) => [objectHandle.kind, pObjectName])).toEqual([
    ["VkCommandBuffer", undefined],
    ["VkBuffer", "sums"],
  ]);
  expect(message?.pCmdBufLabels?.map(({ pLabelName }) => pLabelName)).toEqual(["blur", "frame"]);
});

test("a messenger of the instance's own creation takes what its calls report", () => {
  const { info, messages } = listening(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
  const own = vkCreateInstance({
    ppEnabledExtensionNames: ["VK_EXT_debug_utils"],
    pNext: { ...info, sType: VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT },
  });
  const physical = first(vkEnumeratePhysicalDevices(own));
  vkDestroyInstance(own);
  errorOf(() => vkEnumeratePhysicalDevices(own));
  expect(messages.map(({ pMessageIdName }) => pMessageIdName)).toEqual([
    "VUID-vkEnumeratePhysicalDevices-instance-parameter",
  ]);
  expect(physical.isAlive).toBe(false);
});

test("names that objects have are in messages about them", () => {
  const { buffer } = words(4);
  const name = { objectType: VK_OBJECT_TYPE_BUFFER, objectHandle: buffer } as const;
  vkSetDebugUtilsObjectNameEXT(device, { ...name, pObjectName: "positions" });
  const wrongQueue = (): unknown => vkCreateBuffer(buffer as never, { size: 4, usage: 1 });
  expect(errorOf(wrongQueue).message).toContain('not a VkBuffer "positions"');
  vkSetDebugUtilsObjectNameEXT(device, name);
  expect(errorOf(wrongQueue).message).toMatch(/not a VkBuffer \(/u);
});

/** Calls that are wrong: the rule, the call, and what the message says. */
const BROKEN: readonly (readonly [rule: string, call: () => unknown, message: RegExp])[] = [
  [
    "VUID-VkDebugUtilsObjectNameInfoEXT-objectType-02590",
    () => {
      vkSetDebugUtilsObjectNameEXT(device, { objectType: VK_OBJECT_TYPE_IMAGE, objectHandle: words(1).buffer });
    },
    /is a VkBuffer, and objectType is 10/u,
  ],
  [
    "VUID-VkDebugUtilsObjectTagInfoEXT-objectHandle-01910",
    () => {
      const [objectType, objectHandle] = [VK_OBJECT_TYPE_IMAGE, words(1).buffer];
      vkSetDebugUtilsObjectTagEXT(device, { objectType, objectHandle, tagName: 1n, pTag: new Uint8Array(1) });
    },
    /is a VkBuffer, and objectType is 10/u,
  ],
  [
    "VUID-vkCmdEndDebugUtilsLabelEXT-commandBuffer-01912",
    () => {
      vkCmdEndDebugUtilsLabelEXT(newRecording());
    },
    /no label of the VkCommandBuffer is open/u,
  ],
  [
    "VUID-vkQueueEndDebugUtilsLabelEXT-None-01911",
    () => {
      vkQueueEndDebugUtilsLabelEXT(vkGetDeviceQueue(newDevice(), 0, 0));
    },
    /no label of the VkQueue is open/u,
  ],
  [
    "VUID-VkCalibratedTimestampInfoEXT-timeDomain-02354",
    () =>
      vkGetCalibratedTimestampsEXT(
        device,
        [{ timeDomain: VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT }],
        new BigUint64Array(1),
      ),
    /clock 2 cannot be read/u,
  ],
  [
    "VUID-vkGetCalibratedTimestampsEXT-pTimestamps-parameter",
    () => vkGetCalibratedTimestampsEXT(device, [{ timeDomain: VK_TIME_DOMAIN_DEVICE_EXT }], new Uint8Array(7)),
    /pTimestamps has 7 bytes/u,
  ],
];

test.each(BROKEN)("%s", (rule, call, message) => {
  expect(errorOf(call).rule).toBe(rule);
  expectError(call, "VK_ERROR_VALIDATION_FAILED_EXT", message);
});

test("the device's clock is that of timestamps of queries", () => {
  const pool = vkCreateQueryPool(device, { queryType: VK_QUERY_TYPE_TIMESTAMP, queryCount: 1 });
  const [before, between, after] = [0, 1, 2].map(() => new BigUint64Array(1)) as [
    BigUint64Array,
    BigUint64Array,
    BigUint64Array,
  ];
  const clock = [{ timeDomain: VK_TIME_DOMAIN_DEVICE_EXT }] as const;
  const deviation = vkGetCalibratedTimestampsEXT(device, clock, before);
  run((commands) => {
    vkCmdResetQueryPool(commands, pool, 0, 1);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, pool, 0);
  });
  vkGetCalibratedTimestampsEXT(device, clock, after);
  vkGetQueryPoolResults(device, pool, 0, 1, between, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  const [low, time, high] = [before[0] ?? 0n, between[0] ?? 0n, after[0] ?? 0n];
  expect(time).toBeGreaterThanOrEqual(low - deviation);
  expect(time).toBeLessThanOrEqual(high + deviation);
});
