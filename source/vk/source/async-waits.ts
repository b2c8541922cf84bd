// SPDX-License-Identifier: Apache-2.0
// Waits that leave the event loop free: the thread of a browser's page may not block.
import { deviceOf } from "./device.ts";
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
export async function vkWaitForFencesAsync(
  device: VkDevice,
  pFences: readonly VkFence[],
  timeout: number,
): Promise<"VK_SUCCESS" | "VK_TIMEOUT"> {
  const call = "vkWaitForFencesAsync";
  const fences = pFences.map((fence) => fenceAwaited(fenceOf(fence, call)));
  return waitForAllAsync(call, deviceOf(device, call), fences, timeout);
}

/**
 * Waits until a queue is idle, without blocking the thread. Errors: VK_ERROR_DEVICE_LOST.
 *
 * @public
 */
export async function vkQueueWaitIdleAsync(queue: VkQueue): Promise<void> {
  await own(queue, Queue, "vkQueueWaitIdleAsync").waitIdleAsync("vkQueueWaitIdleAsync");
}

/**
 * Waits until all queues of a device are idle, without blocking the thread. Errors: VK_ERROR_DEVICE_LOST.
 *
 * @public
 */
export async function vkDeviceWaitIdleAsync(device: VkDevice): Promise<void> {
  const call = "vkDeviceWaitIdleAsync";
  await Promise.all(deviceOf(device, call).queues.map(async (queue) => queue.waitIdleAsync(call)));
}
