// SPDX-License-Identifier: Apache-2.0
// A command that fails loses its device, with the reason; a robust device runs the same shader to its end.
import {
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
  type VkDevice,
  vkCmdDispatch,
  vkCreateCommandPool,
  vkCreateDevice,
  vkCreateFence,
  vkCreatePipelineLayout,
  vkDeviceWaitIdle,
  vkGetDeviceQueue,
  vkGetFenceStatus,
  vkQueueSubmit,
  vkWaitForFences,
} from "@muxkit/vulkan";
import { expect, test } from "vitest";

import {
  STORAGE,
  bind,
  expectError,
  newDevice,
  newPipeline,
  newSet,
  physicalDevice,
  record,
  setLayout,
  words,
  writeSet,
} from "./rig.ts";

/** Submits the shader; the wait for its fence, and the buffer's first word. */
function faultOn(device: VkDevice): { readonly wait: () => unknown; readonly first: () => number | undefined } {
  const set = setLayout([STORAGE], device);
  const layout = vkCreatePipelineLayout(device, { pSetLayouts: [set] });
  const pipeline = newPipeline("fault", layout, undefined, device);
  const data = words(4, device);
  const bound = newSet(set, device);
  writeSet(bound, 0, [data.buffer], undefined, device);
  const fence = vkCreateFence(device, {});
  const commands = record(
    (to) => {
      bind(to, pipeline, layout, [bound]);
      vkCmdDispatch(to, 1, 1, 1);
    },
    0,
    vkCreateCommandPool(device, { queueFamilyIndex: 0 }),
    device,
  );
  vkQueueSubmit(vkGetDeviceQueue(device, 0, 0), [{ pCommandBuffers: [commands] }], fence);
  return { wait: () => vkWaitForFences(device, [fence], true, Infinity), first: () => data.words[0] };
}

test("an access outside of all memory loses the device, and every later call says why", () => {
  const device = newDevice();
  const { wait } = faultOn(device);
  expectError(wait, "VK_ERROR_DEVICE_LOST", /memory|bounds/iu);
  const queue = vkGetDeviceQueue(device, 0, 0);
  expectError(
    () => {
      vkQueueSubmit(queue, [], null);
    },
    "VK_ERROR_DEVICE_LOST",
    /memory|bounds/iu,
  );
  expectError(() => vkGetFenceStatus(device, vkCreateFence(device, {})), "VK_ERROR_DEVICE_LOST", /memory|bounds/iu);
  expectError(
    () => {
      vkDeviceWaitIdle(device);
    },
    "VK_ERROR_DEVICE_LOST",
    /memory|bounds/iu,
  );
  device[Symbol.dispose]();
});

test("a robust device writes nothing behind a buffer", () => {
  const device = vkCreateDevice(physicalDevice, {
    pNext: { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, features: { robustBufferAccess: true } },
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  const { wait, first } = faultOn(device);
  expect([wait(), first()]).toEqual(["VK_SUCCESS", 1]);
});
