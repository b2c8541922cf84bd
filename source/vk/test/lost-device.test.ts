// SPDX-License-Identifier: Apache-2.0
// A command that fails loses its device, with the reason; a robust device runs the same shader to its end.
import {
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
  type VkDevice,
  type VkPipeline,
  VulkanError,
  vkCmdDispatch,
  vkCreateCommandPool,
  vkCreateDevice,
  vkCreateFence,
  vkCreatePipelineLayout,
  vkDestroyPipeline,
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

/** Destroys a pipeline; false while a submission that is pending uses it. */
function isDestroyed(device: VkDevice, pipeline: VkPipeline): boolean {
  try {
    vkDestroyPipeline(device, pipeline);
    return true;
  } catch (error) {
    if (error instanceof VulkanError && error.rule === "VUID-vkDestroyPipeline-pipeline-00765") return false;
    throw error;
  }
}

/** Submits the shader; the wait for its fence, the buffer's first word, and what takes the pipeline away. */
function faultOn(device: VkDevice): {
  readonly wait: () => unknown;
  readonly first: () => number | undefined;
  readonly destroy: () => void;
} {
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
  return {
    wait: () => vkWaitForFences(device, [fence], true, Infinity),
    first: () => data.words[0],
    destroy: () => {
      while (!isDestroyed(device, pipeline));
    },
  };
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

test("objects of a device that is lost are destroyed, seen or not", () => {
  const device = newDevice();
  const { wait, destroy } = faultOn(device);
  // Nobody has seen yet that the command has failed.
  expect(destroy).not.toThrow();
  expectError(wait, "VK_ERROR_DEVICE_LOST", /memory|bounds/iu);
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
