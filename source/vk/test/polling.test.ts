// SPDX-License-Identifier: Apache-2.0
// Programs that do nothing but poll: every kind of poll ends, for every kind of work, on a device of one thread and on
// devices with workers that have not started yet. And a poll is short.
import { hostTarget } from "@muxkit/host";
import { registerTarget } from "@muxkit/mux";
import * as vk from "@muxkit/vulkan";
import { describe, expect, test } from "vitest";

import { bind, constants, first, newPipeline, newSet, record, setLayout, STORAGE, words, writeSet } from "./rig.ts";

/** A poll that has not ended after so many ms never does. */
const PATIENCE = 20_000;
const COMPUTE = vk.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
const THREADS = [1, 4];
for (const threads of THREADS) registerTarget(hostTarget({ threads }));
// The rig's own device is the first.
const physicalDevices = vk.vkEnumeratePhysicalDevices(vk.vkCreateInstance({})).slice(1);

/** A device that has done nothing yet, so that its workers are not there. */
interface World {
  readonly device: vk.VkDevice;
  readonly queue: vk.VkQueue;
  readonly pool: vk.VkCommandPool;
  readonly fence: vk.VkFence;
  readonly open: vk.VkFence;
  readonly semaphore: vk.VkSemaphore;
  readonly event: vk.VkEvent;
  readonly queries: vk.VkQueryPool;
}

function timeline(device: vk.VkDevice): vk.VkSemaphore {
  const [sType, semaphoreType] = [vk.VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, vk.VK_SEMAPHORE_TYPE_TIMELINE];
  return vk.vkCreateSemaphore(device, { pNext: { sType, semaphoreType, initialValue: 0n } });
}

function newWorld(physicalDevice: vk.VkPhysicalDevice): World {
  const device = vk.vkCreateDevice(physicalDevice, {
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1, 1] }],
  });
  return {
    device,
    queue: vk.vkGetDeviceQueue(device, 0, 0),
    pool: vk.vkCreateCommandPool(device, { queueFamilyIndex: 0 }),
    fence: vk.vkCreateFence(device, {}),
    open: vk.vkCreateFence(device, {}),
    semaphore: timeline(device),
    event: vk.vkCreateEvent(device, {}),
    queries: vk.vkCreateQueryPool(device, { queryType: vk.VK_QUERY_TYPE_TIMESTAMP, queryCount: 1 }),
  };
}

/** Polls: true when what was submitted is seen to be complete. */
const POLLS = {
  vkGetFenceStatus: ({ device, fence }) => vk.vkGetFenceStatus(device, fence) === "VK_SUCCESS",
  "vkWaitForFences of 0 ns": ({ device, fence }) => vk.vkWaitForFences(device, [fence], true, 0) === "VK_SUCCESS",
  "vkWaitForFences of 1 ns": ({ device, fence }) => vk.vkWaitForFences(device, [fence], true, 1) === "VK_SUCCESS",
  "vkWaitForFences of one of two": ({ device, fence, open }) =>
    vk.vkWaitForFences(device, [open, fence], false, 0) === "VK_SUCCESS",
  "vkWaitForFencesAsync of 0 ns": async ({ device, fence }) =>
    (await vk.vkWaitForFencesAsync(device, [fence], 0)) === "VK_SUCCESS",
  vkGetSemaphoreCounterValue: ({ device, semaphore }) => vk.vkGetSemaphoreCounterValue(device, semaphore) === 1n,
  "vkWaitSemaphores of 0 ns": ({ device, semaphore }) =>
    vk.vkWaitSemaphores(device, { pSemaphores: [semaphore], pValues: [1n] }, 0) === "VK_SUCCESS",
  vkGetEventStatus: ({ device, event }) => vk.vkGetEventStatus(device, event) === "VK_EVENT_SET",
  "vkGetQueryPoolResults without a wait": ({ device, queries }) =>
    vk.vkGetQueryPoolResults(device, queries, 0, 1, new Uint8Array(8), 8, vk.VK_QUERY_RESULT_64_BIT) === "VK_SUCCESS",
} as const satisfies Readonly<Record<string, (world: World) => boolean | Promise<boolean>>>;

interface Work {
  /** What is recorded before the event is set and the timestamp is written. */
  readonly record: (to: vk.VkCommandBuffer) => void;
  readonly check: () => void;
}

/** `add.comp` over so many words, so many times. */
function adding({ device }: World, count: number, times: number): Work {
  const set = setLayout([STORAGE], device);
  const layout = vk.vkCreatePipelineLayout(device, {
    pSetLayouts: [set],
    pPushConstantRanges: [{ stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
  });
  const pipeline = newPipeline("add", layout, constants({ 0: 64, 1: 1 }), device);
  const data = words(count, device);
  const bound = newSet(set, device);
  writeSet(bound, 0, [data.buffer], vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, device);
  return {
    record: (to) => {
      bind(to, pipeline, layout, [bound]);
      vk.vkCmdPushConstants(to, layout, vk.VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(1));
      for (let i = 0; i < times; i++) {
        vk.vkCmdDispatch(to, count / 64, 1, 1);
        vk.vkCmdPipelineBarrier(to, COMPUTE, COMPUTE, 0, [
          { srcAccessMask: vk.VK_ACCESS_SHADER_WRITE_BIT, dstAccessMask: vk.VK_ACCESS_SHADER_READ_BIT },
        ]);
      }
    },
    check: () => expect(new Set(data.words)).toEqual(new Set([times])),
  };
}

function filling({ device }: World): Work {
  const data = words(16, device);
  return {
    record: (to) => vk.vkCmdFillBuffer(to, data.buffer, 0, 64, 7),
    check: () => expect(data.words[15]).toBe(7),
  };
}

const WORKS: Readonly<Record<string, (world: World) => Work>> = {
  "one fill": filling,
  "a small dispatch": (world) => adding(world, 64, 1),
  "a large dispatch": (world) => adding(world, 1 << 20, 1),
  "many dispatches": (world) => adding(world, 1024, 200),
  "an event of the device": (world) => {
    const done = vk.vkCreateEvent(world.device, {});
    const { record: fill, check } = filling(world);
    return {
      record: (to) => {
        vk.vkCmdSetEvent(to, done, vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
        vk.vkCmdWaitEvents(to, [done], vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
        fill(to);
      },
      check,
    };
  },
};

function submit(world: World, work: Work): void {
  const { device, queue, pool, fence, semaphore, event, queries } = world;
  const commandBuffer = record(
    (to) => {
      vk.vkCmdResetQueryPool(to, queries, 0, 1);
      work.record(to);
      vk.vkCmdWriteTimestamp2(to, vk.VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries, 0);
      vk.vkCmdSetEvent(to, event, vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    },
    0,
    pool,
    device,
  );
  vk.vkQueueSubmit2(
    queue,
    [{ pCommandBufferInfos: [{ commandBuffer }], pSignalSemaphoreInfos: [{ semaphore, value: 1n }] }],
    fence,
  );
}

describe.each(THREADS.map((threads, i) => [threads, i] as const))("a device of %i threads", (_threads, i) => {
  const physicalDevice = first(physicalDevices.slice(i));
  for (const [poll, isOver] of Object.entries<(world: World) => boolean | Promise<boolean>>(POLLS))
    test.each(Object.keys(WORKS))(`${poll} ends after %s`, async (name) => {
      const world = newWorld(physicalDevice);
      const work = WORKS[name]?.(world);
      if (work === undefined) throw new Error(name);
      submit(world, work);
      const end = performance.now() + PATIENCE;
      for (;;) {
        // A promise is awaited, so that the other polls give the event loop no turn.
        const answer = isOver(world);
        // oxlint-disable-next-line no-await-in-loop -- one poll after the other
        if (answer === true || (answer !== false && (await answer))) break;
        expect(performance.now(), "it does not end").toBeLessThan(end);
      }
      work.check();
      vk.vkDeviceWaitIdle(world.device);
    });

  test("a batch that a poll's signal lets go is found by later polls", () => {
    const world = newWorld(physicalDevice);
    const [{ device, fence }, work, before] = [world, filling(world), timeline(world.device)];
    const commandBuffer = record(work.record, 0, world.pool, device);
    const wait = { semaphore: before, value: 5n };
    vk.vkQueueSubmit2(world.queue, [{ pWaitSemaphoreInfos: [wait], pCommandBufferInfos: [{ commandBuffer }] }], fence);
    for (let n = 0; n < 100; n++) expect(vk.vkGetFenceStatus(device, fence)).toBe("VK_NOT_READY");
    vk.vkSignalSemaphore(device, wait);
    const end = performance.now() + PATIENCE;
    while (vk.vkGetFenceStatus(device, fence) !== "VK_SUCCESS") expect(performance.now()).toBeLessThan(end);
    work.check();
  });

  test("a poll of work that takes long is short", () => {
    const world = newWorld(physicalDevice);
    const work = adding(world, 1 << 20, 40);
    submit(world, work);
    const times: number[] = [];
    for (let last = performance.now(); vk.vkGetFenceStatus(world.device, world.fence) !== "VK_SUCCESS";) {
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    work.check();
    const all = times.reduce((sum, time) => sum + time, 0);
    times.sort((a, b) => a - b);
    expect(times.length).toBeGreaterThan(20);
    expect(times[times.length >> 1]).toBeLessThan(all / 10);
  });
});
