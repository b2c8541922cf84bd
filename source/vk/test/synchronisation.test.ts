// SPDX-License-Identifier: Apache-2.0
// Fences, semaphores, events: what waits for what, on the host and on the device, within a queue and between queues.
import {
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_FENCE_CREATE_SIGNALED_BIT,
  VK_SEMAPHORE_TYPE_TIMELINE,
  VK_SEMAPHORE_WAIT_ANY_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
  VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
  VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
  type VkCommandBuffer,
  type VkDevice,
  type VkSemaphore,
  vkCmdDispatch,
  vkCmdFillBuffer,
  vkCmdPushConstants,
  vkCmdSetEvent,
  vkCmdWaitEvents,
  vkCreateBuffer,
  vkCreateCommandPool,
  vkCreateDescriptorSetLayout,
  vkCreateEvent,
  vkCreateFence,
  vkCreateSemaphore,
  vkDeviceWaitIdle,
  vkGetDeviceQueue,
  vkGetEventStatus,
  vkGetFenceStatus,
  vkGetSemaphoreCounterValue,
  vkQueueSubmit,
  vkQueueSubmit2,
  vkQueueWaitIdle,
  vkQueueWaitIdleAsync,
  vkResetFences,
  vkSetEvent,
  vkSignalSemaphore,
  vkWaitForFences,
  vkWaitForFencesAsync,
  vkWaitSemaphores,
} from "@muxkit/vulkan";
import { expect, test } from "vitest";

import { adder, barrier, bind, device, expectError, newDevice, newSet, queue, record, words, writeSet } from "./rig.ts";

function timeline(initialValue: bigint = 0n, on: VkDevice = device): VkSemaphore {
  return vkCreateSemaphore(on, {
    pNext: {
      sType: VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE,
      initialValue,
    },
  });
}

/** A command buffer that adds to each word of a buffer. */
function adding(data: ReturnType<typeof words>, value: number): VkCommandBuffer {
  const { layout, pipeline, set } = adder(4);
  const bound = newSet(set);
  writeSet(bound, 0, [data.buffer]);
  return record((commands) => {
    bind(commands, pipeline, layout, [bound]);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(value));
    vkCmdDispatch(commands, 1, 1, 1);
  });
}

test("a fence is signalled by its submission, and can be used again after a reset", () => {
  const data = words(4);
  const commands = adding(data, 3);
  const fence = vkCreateFence(device, {});
  expect(vkGetFenceStatus(device, fence)).toBe("VK_NOT_READY");
  for (let i = 1; i <= 3; i++) {
    vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], fence);
    expect(vkWaitForFences(device, [fence], true, Infinity)).toBe("VK_SUCCESS");
    expect(vkGetFenceStatus(device, fence)).toBe("VK_SUCCESS");
    expect([...data.words]).toEqual([3 * i, 3 * i, 3 * i, 3 * i]);
    vkResetFences(device, [fence]);
    expect(vkGetFenceStatus(device, fence)).toBe("VK_NOT_READY");
  }
});

test("a fence that nobody signals: a time is over at once, and waiting for ever is an error", () => {
  const [signalled, open] = [vkCreateFence(device, { flags: VK_FENCE_CREATE_SIGNALED_BIT }), vkCreateFence(device, {})];
  expect(vkWaitForFences(device, [signalled], true, 0)).toBe("VK_SUCCESS");
  expect(vkWaitForFences(device, [signalled, open], false, 1e9)).toBe("VK_SUCCESS");
  expect(vkWaitForFences(device, [signalled, open], true, 1e9)).toBe("VK_TIMEOUT");
  expectError(() => vkWaitForFences(device, [open], true, Infinity), "VK_ERROR_VALIDATION_FAILED_EXT", /for ever/u);
});

test("a fence without batches waits for what was submitted before", () => {
  const data = words(4);
  const fence = vkCreateFence(device, {});
  vkQueueSubmit(queue, [{ pCommandBuffers: [adding(data, 2)] }], null);
  vkQueueSubmit(queue, [], fence);
  expect(vkWaitForFences(device, [fence], true, Infinity)).toBe("VK_SUCCESS");
  expect(data.words[0]).toBe(2);
});

test("promises of fences and queues", async () => {
  const data = words(4);
  const fence = vkCreateFence(device, {});
  vkQueueSubmit(queue, [{ pCommandBuffers: [adding(data, 2)] }], fence);
  expect(await vkWaitForFencesAsync(device, [fence], Infinity)).toBe("VK_SUCCESS");
  expect(data.words[0]).toBe(2);
  vkQueueSubmit(queue, [{ pCommandBuffers: [adding(data, 5)] }], null);
  await vkQueueWaitIdleAsync(queue);
  expect(data.words[0]).toBe(7);
});

test("binary semaphores order queues, and each signal is waited for once", () => {
  const on = newDevice(2);
  const [left, right] = [vkGetDeviceQueue(on, 0, 0), vkGetDeviceQueue(on, 0, 1)];
  const semaphore = vkCreateSemaphore(on, {});
  const data = words(1024, on);
  const commandPool = vkCreateCommandPool(on, { queueFamilyIndex: 0 });
  const fill = (value: number): VkCommandBuffer =>
    record(
      (commands) => {
        for (let i = 0; i < 20; i++) {
          vkCmdFillBuffer(commands, data.buffer, 0, 4096, value);
          barrier(commands);
        }
      },
      0,
      commandPool,
      on,
    );
  for (let i = 0; i < 10; i++) {
    vkQueueSubmit(left, [{ pCommandBuffers: [fill(1)], pSignalSemaphores: [semaphore] }], null);
    vkQueueSubmit(right, [{ pWaitSemaphores: [semaphore], pCommandBuffers: [fill(2)] }], null);
    vkDeviceWaitIdle(on);
    expect(new Set(data.words)).toEqual(new Set([2]));
  }
  expectError(
    () => {
      vkQueueSubmit(right, [{ pWaitSemaphores: [semaphore] }], null);
    },
    "VK_ERROR_VALIDATION_FAILED_EXT",
    /no submission has signalled/u,
  );
});

test("timeline semaphores: a wait before its signal holds the queue back", () => {
  const semaphore = timeline();
  const data = words(4);
  const fence = vkCreateFence(device, {});
  vkQueueSubmit(
    queue,
    [
      {
        pNext: {
          sType: VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
          pWaitSemaphoreValues: [1n],
          pSignalSemaphoreValues: [2n],
        },
        pWaitSemaphores: [semaphore],
        pCommandBuffers: [adding(data, 1)],
        pSignalSemaphores: [semaphore],
      },
    ],
    fence,
  );
  expect(vkWaitForFences(device, [fence], true, 1000)).toBe("VK_TIMEOUT");
  expect(data.words[0]).toBe(0);
  vkSignalSemaphore(device, { semaphore, value: 1n });
  expect(vkWaitSemaphores(device, { pSemaphores: [semaphore], pValues: [2n] }, Infinity)).toBe("VK_SUCCESS");
  expect(data.words[0]).toBe(1);
  expect(vkGetSemaphoreCounterValue(device, semaphore)).toBe(2n);
  expect(vkWaitForFences(device, [fence], true, 0)).toBe("VK_SUCCESS");
});

test("timeline semaphores between queues, in submissions of the second kind", () => {
  const on = newDevice(2);
  const semaphore = timeline(5n, on);
  const [left, right] = [vkGetDeviceQueue(on, 0, 0), vkGetDeviceQueue(on, 0, 1)];
  const commandPool = vkCreateCommandPool(on, { queueFamilyIndex: 0 });
  const data = words(4, on);
  const fill = (value: number): VkCommandBuffer =>
    record(
      (commands) => {
        vkCmdFillBuffer(commands, data.buffer, 0, 16, value);
      },
      0,
      commandPool,
      on,
    );
  // The right queue waits for what the left one has not submitted yet.
  vkQueueSubmit2(right, [
    {
      pWaitSemaphoreInfos: [{ semaphore, value: 7n }],
      pCommandBufferInfos: [{ commandBuffer: fill(9) }],
      pSignalSemaphoreInfos: [{ semaphore, value: 10n }],
    },
  ]);
  expect(vkWaitSemaphores(on, { pSemaphores: [semaphore], pValues: [6n] }, 1000)).toBe("VK_TIMEOUT");
  vkQueueSubmit2(left, [
    { pCommandBufferInfos: [{ commandBuffer: fill(4) }], pSignalSemaphoreInfos: [{ semaphore, value: 7n }] },
  ]);
  const other = timeline(0n, on);
  const both = { flags: VK_SEMAPHORE_WAIT_ANY_BIT, pSemaphores: [other, semaphore], pValues: [1n, 10n] };
  expect(vkWaitSemaphores(on, both, Infinity)).toBe("VK_SUCCESS");
  expect([...data.words]).toEqual([9, 9, 9, 9]);
  expectError(
    () => {
      vkSignalSemaphore(on, { semaphore, value: 10n });
    },
    "VK_ERROR_VALIDATION_FAILED_EXT",
    /not above 10/u,
  );
});

test("a command waits for an event that the host sets, and one that the device sets", () => {
  const [event, done] = [vkCreateEvent(device, {}), vkCreateEvent(device, {})];
  const data = words(4);
  const fence = vkCreateFence(device, {});
  const commands = record((to) => {
    vkCmdWaitEvents(to, [event], 0x4000, 0x800);
    vkCmdFillBuffer(to, data.buffer, 0, 16, 6);
    vkCmdSetEvent(to, done, 0x800);
    vkCmdWaitEvents(to, [done], 0x800, 0x800);
  });
  vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], fence);
  expect(vkWaitForFences(device, [fence], true, 1e6)).toBe("VK_TIMEOUT");
  expect(data.words[0]).toBe(0);
  vkSetEvent(device, event);
  expect(vkWaitForFences(device, [fence], true, Infinity)).toBe("VK_SUCCESS");
  expect(data.words[0]).toBe(6);
  expect(vkGetEventStatus(device, done)).toBe("VK_EVENT_SET");
  vkQueueWaitIdle(queue);
});

test("what a refused submission has used can be used again", () => {
  const [data, other] = [words(4), words(4)];
  const good = adding(data, 1);
  const flags = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
  const set = vkCreateDescriptorSetLayout(device, {
    pNext: {
      sType: VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      pBindingFlags: [flags],
    },
    pBindings: [
      {
        binding: 0,
        descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        descriptorCount: 1,
        stageFlags: VK_SHADER_STAGE_COMPUTE_BIT,
      },
    ],
  });
  const { layout, pipeline } = adder(4);
  const bound = newSet(set);
  writeSet(bound, 0, [other.buffer]);
  const bad = record((commands) => {
    bind(commands, pipeline, layout, [bound]);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(1));
    vkCmdDispatch(commands, 1, 1, 1);
  });
  // A buffer without memory: the command buffer cannot be written anew when it is submitted.
  writeSet(bound, 0, [vkCreateBuffer(device, { size: 16, usage: VK_BUFFER_USAGE_STORAGE_BUFFER_BIT })]);
  for (const list of [[good, bad], [bad, good], [bad], [good, bad]]) {
    const submit = (): void => vkQueueSubmit(queue, [{ pCommandBuffers: list }], null);
    expectError(submit, "VK_ERROR_VALIDATION_FAILED_EXT", /bound to no memory/u);
    vkQueueWaitIdle(queue);
  }
  expect([...data.words]).toEqual([2, 2, 2, 2]);
  writeSet(bound, 0, [other.buffer]);
  vkQueueSubmit(queue, [{ pCommandBuffers: [good, bad] }], null);
  vkQueueWaitIdle(queue);
  expect([data.words[0], other.words[0]]).toEqual([3, 1]);
});
