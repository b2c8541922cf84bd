// SPDX-License-Identifier: Apache-2.0
// Waits that leave the event loop free: the thread of a browser's page may not block.
import { type Device, deviceOf } from "./device.ts";
import { waitingEntryPoint } from "./entry-point.ts";
import type { VkDevice, VkFence, VkQueue } from "./generated/handles.ts";
import { own } from "./handle.ts";
import { Queue } from "./queue.ts";
import { fenceAwaited, fenceOf } from "./synchronisation.ts";
import { waitForAllAsync } from "./wait.ts";

/**
 * Waits for all fences, for at most so many ns, without blocking the thread. Errors: VK_ERROR_DEVICE_LOST.
 *
 * @public
 */
export const vkWaitForFencesAsync: (
  device: VkDevice,
  pFences: readonly VkFence[],
  timeout: number,
) => Promise<"VK_SUCCESS" | "VK_TIMEOUT"> = /* @__PURE__ */ waitingEntryPoint(
  { name: "vkWaitForFencesAsync", blocking: "vkWaitForFences" },
  async (device: VkDevice, pFences: readonly VkFence[], timeout: number) => {
    const call = "vkWaitForFencesAsync";
    const fences = pFences.map((fence) => fenceAwaited(fenceOf(fence, call)));
    return waitForAllAsync(call, deviceOf(device, call), fences, timeout);
  },
  (device, pFences, timeout) => [device, pFences, true, timeout],
  (device, pFences) => [device, ...pFences],
);

/**
 * Waits until what a queue has been given is complete, without blocking the thread. Errors: VK_ERROR_DEVICE_LOST.
 *
 * @public
 */
export const vkQueueWaitIdleAsync: (queue: VkQueue) => Promise<void> = /* @__PURE__ */ waitingEntryPoint(
  { name: "vkQueueWaitIdleAsync", blocking: "vkQueueWaitIdle" },
  async (queue: VkQueue): Promise<void> => {
    await own(queue, Queue, "vkQueueWaitIdleAsync").waitIdleAsync("vkQueueWaitIdleAsync");
  },
  (queue) => [queue],
  (queue) => (queue.parent === null ? [queue] : [queue.parent, queue]),
);

/**
 * Waits until what all queues of a device have been given is complete, without blocking the thread. Errors:
 * VK_ERROR_DEVICE_LOST.
 *
 * @public
 */
export const vkDeviceWaitIdleAsync: (device: VkDevice) => Promise<void> = /* @__PURE__ */ waitingEntryPoint(
  { name: "vkDeviceWaitIdleAsync", blocking: "vkDeviceWaitIdle" },
  async (device: VkDevice): Promise<void> => {
    const call = "vkDeviceWaitIdleAsync";
    await Promise.all(deviceOf(device, call).queues.map(async (queue) => queue.waitIdleAsync(call)));
  },
  (device) => [device],
  (device) => [device, ...(device as Device).queues],
);
