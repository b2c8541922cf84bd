// SPDX-License-Identifier: Apache-2.0
// Dependencies between command buffers, submissions and queues, and what descriptors count with. Each row is read
// against the chapter on synchronisation of the specification.
import * as vk from "@muxkit/vulkan";
import { describe, expect, test } from "vitest";

import {
  type Act,
  BUFFER_KINDS,
  BYTES,
  type Kind,
  STAGES as S,
  addingLate,
  barrier,
  device,
  hazardOf,
  newBuffer,
  queues,
  recording,
} from "./hazard-kinds.ts";

const ALL_BARRIER: vk.VkMemoryBarrier2 = {
  srcStageMask: S.all,
  srcAccessMask: BigInt(vk.VK_ACCESS_MEMORY_WRITE_BIT),
  dstStageMask: S.all,
  dstAccessMask: BigInt(vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT),
};

function recorded(...acts: readonly Act[]): vk.VkCommandBuffer {
  const commands = recording();
  for (const act of acts) act(commands);
  vk.vkEndCommandBuffer(commands);
  return commands;
}

function secondary(...acts: readonly Act[]): Act {
  const commands = recording(vk.VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  for (const act of acts) act(commands);
  vk.vkEndCommandBuffer(commands);
  return (to) => vk.vkCmdExecuteCommands(to, [commands]);
}

/** Submits with semaphores of synchronization2. */
function submit(
  queue: 0 | 1,
  commandBuffer: vk.VkCommandBuffer | null,
  { waits = [], signals = [] }: { waits?: vk.VkSemaphoreSubmitInfo[]; signals?: vk.VkSemaphoreSubmitInfo[] } = {},
  fence: vk.VkFence | null = null,
): void {
  vk.vkQueueSubmit2(
    queues[queue],
    [
      {
        pWaitSemaphoreInfos: waits,
        pCommandBufferInfos: commandBuffer === null ? [] : [{ commandBuffer }],
        pSignalSemaphoreInfos: signals,
      },
    ],
    fence,
  );
}

const timeline = (): vk.VkSemaphore =>
  vk.vkCreateSemaphore(device, {
    pNext: { sType: vk.VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, semaphoreType: vk.VK_SEMAPHORE_TYPE_TIMELINE },
  });

/** Two accesses of one buffer as command buffers are made of them. */
interface Pair {
  readonly first: Kind<vk.VkBuffer>;
  readonly second: Kind<vk.VkBuffer>;
  readonly before: Act;
  readonly after: Act;
}

/** Submits both; the hazard of the second submission. */
type Order = (pair: Pair) => string | null | Promise<string | null>;
type Expected = "safe" | "AFTER" | "RACING";

/** A semaphore between two queues, with the stages of both sides. */
const semaphores =
  (
    make: () => vk.VkSemaphore,
    signalled: (pair: Pair) => bigint,
    awaited: (pair: Pair) => bigint,
    second: 0 | 1 = 1,
  ): Order =>
  (pair) => {
    const semaphore = make();
    const value = 3n;
    submit(0, recorded(pair.before), { signals: [{ semaphore, value, stageMask: signalled(pair) }] });
    const waits = [{ semaphore, value, stageMask: awaited(pair) }];
    return hazardOf(() => submit(second, recorded(pair.after), { waits }));
  };
const binary = (): vk.VkSemaphore => vk.vkCreateSemaphore(device, {});
const notOf = (stage: bigint): bigint => (stage === S.copy ? S.clear : S.copy);

const behind =
  (wait: () => void | Promise<void>): Order =>
  async (pair) => {
    submit(0, recorded(pair.before));
    await wait();
    return hazardOf(() => submit(1, recorded(pair.after)));
  };

const fenced =
  (see: (fence: vk.VkFence) => unknown, second: 0 | 1 = 1): Order =>
  async (pair) => {
    const fence = vk.vkCreateFence(device, {});
    submit(0, recorded(pair.before), {}, fence);
    await see(fence);
    return hazardOf(() => submit(second, recorded(pair.after)));
  };

const exactOf = ({ first, second }: Pair): vk.VkMemoryBarrier2 => ({
  srcStageMask: first.stage,
  srcAccessMask: first.access,
  dstStageMask: second.stage,
  dstAccessMask: second.access,
});

const ORDERS: readonly (readonly [string, Order, Expected])[] = [
  [
    "one queue, nothing",
    (pair) => (submit(0, recorded(pair.before)), hazardOf(() => submit(0, recorded(pair.after)))),
    "AFTER",
  ],
  [
    "one queue, a barrier at the end of the first",
    (pair) => {
      submit(0, recorded(pair.before, barrier(exactOf(pair))));
      return hazardOf(() => submit(0, recorded(pair.after)));
    },
    "safe",
  ],
  [
    "one queue, a barrier at the begin of the second",
    (pair) => {
      submit(0, recorded(pair.before));
      return hazardOf(() => submit(0, recorded(barrier(exactOf(pair)), pair.after)));
    },
    "safe",
  ],
  [
    "one queue, a barrier in a submission between them",
    (pair) => {
      submit(0, recorded(pair.before));
      submit(0, recorded(barrier(exactOf(pair))));
      return hazardOf(() => submit(0, recorded(pair.after)));
    },
    "safe",
  ],
  [
    "one queue, a chain over two submissions",
    (pair) => {
      submit(
        0,
        recorded(
          pair.before,
          barrier({ ...exactOf(pair), dstStageMask: vk.VK_PIPELINE_STAGE_2_HOST_BIT, dstAccessMask: 0n }),
        ),
      );
      return hazardOf(() =>
        submit(
          0,
          recorded(
            barrier({ ...exactOf(pair), srcStageMask: vk.VK_PIPELINE_STAGE_2_HOST_BIT, srcAccessMask: 0n }),
            pair.after,
          ),
        ),
      );
    },
    "safe",
  ],
  [
    "one batch, two command buffers",
    (pair) => {
      const list = [recorded(pair.before), recorded(pair.after)];
      return hazardOf(() => vk.vkQueueSubmit(queues[0], [{ pCommandBuffers: list }], null));
    },
    "AFTER",
  ],
  [
    "one batch, two command buffers and a barrier",
    (pair) => {
      const list = [recorded(pair.before), recorded(barrier(exactOf(pair)), pair.after)];
      return hazardOf(() => vk.vkQueueSubmit(queues[0], [{ pCommandBuffers: list }], null));
    },
    "safe",
  ],
  [
    "two batches of one submission",
    (pair) => {
      const list = [recorded(pair.before), recorded(pair.after)];
      return hazardOf(() =>
        vk.vkQueueSubmit(
          queues[0],
          list.map((one) => ({ pCommandBuffers: [one] })),
          null,
        ),
      );
    },
    "AFTER",
  ],
  [
    "a secondary command buffer",
    (pair) => hazardOf(() => submit(0, recorded(pair.before, secondary(pair.after)))),
    "AFTER",
  ],
  [
    "two secondary command buffers",
    (pair) => hazardOf(() => submit(0, recorded(secondary(pair.before), secondary(pair.after)))),
    "AFTER",
  ],
  [
    "a barrier in a secondary command buffer",
    (pair) => hazardOf(() => submit(0, recorded(pair.before, secondary(barrier(exactOf(pair))), pair.after))),
    "safe",
  ],
  [
    "a barrier between secondary command buffers",
    (pair) =>
      hazardOf(() => submit(0, recorded(secondary(pair.before), barrier(exactOf(pair)), secondary(pair.after)))),
    "safe",
  ],
  [
    "an event over two submissions",
    (pair) => {
      const event = vk.vkCreateEvent(device, {});
      const info = { dependencyFlags: 0, pMemoryBarriers: [exactOf(pair)] };
      submit(
        0,
        recorded(pair.before, (to) => vk.vkCmdSetEvent2(to, event, info)),
      );
      return hazardOf(() =>
        submit(
          0,
          recorded((to) => vk.vkCmdWaitEvents2(to, [event], [info]), pair.after),
        ),
      );
    },
    "safe",
  ],
  [
    "an event that was set before the first",
    (pair) => {
      const event = vk.vkCreateEvent(device, {});
      const info = { dependencyFlags: 0, pMemoryBarriers: [exactOf(pair)] };
      submit(
        0,
        recorded((to) => vk.vkCmdSetEvent2(to, event, info), pair.before),
      );
      return hazardOf(() =>
        submit(
          0,
          recorded((to) => vk.vkCmdWaitEvents2(to, [event], [info]), pair.after),
        ),
      );
    },
    "AFTER",
  ],
  [
    "two queues, nothing",
    (pair) => (submit(0, recorded(pair.before)), hazardOf(() => submit(1, recorded(pair.after)))),
    "RACING",
  ],
  [
    "two queues, a barrier of the second",
    (pair) => {
      submit(0, recorded(pair.before));
      return hazardOf(() => submit(1, recorded(barrier(ALL_BARRIER), pair.after)));
    },
    "RACING",
  ],
  [
    "two queues, a barrier of the first",
    (pair) => {
      submit(0, recorded(pair.before, barrier(ALL_BARRIER)));
      return hazardOf(() => submit(1, recorded(pair.after)));
    },
    "RACING",
  ],
  [
    "a binary semaphore",
    semaphores(
      binary,
      () => S.all,
      () => S.all,
    ),
    "safe",
  ],
  [
    "a binary semaphore in one queue",
    semaphores(
      binary,
      () => S.all,
      () => S.all,
      0,
    ),
    "safe",
  ],
  [
    "a binary semaphore with the stages of both",
    semaphores(
      binary,
      ({ first }) => first.stage,
      ({ second }) => second.stage,
    ),
    "safe",
  ],
  [
    "a binary semaphore, another stage waits",
    semaphores(
      binary,
      () => S.all,
      ({ second }) => notOf(second.stage),
    ),
    "AFTER",
  ],
  [
    "a binary semaphore, no stage waits",
    semaphores(
      binary,
      () => S.all,
      () => S.none,
    ),
    "RACING",
  ],
  [
    "a binary semaphore that another stage signals",
    semaphores(
      binary,
      ({ first }) => notOf(first.stage),
      () => S.all,
    ),
    "RACING",
  ],
  [
    "a binary semaphore that no stage signals",
    semaphores(
      binary,
      () => S.none,
      () => S.all,
    ),
    "RACING",
  ],
  [
    "a timeline semaphore",
    semaphores(
      timeline,
      () => S.all,
      () => S.all,
    ),
    "safe",
  ],
  [
    "a timeline semaphore in one queue",
    semaphores(
      timeline,
      () => S.all,
      () => S.all,
      0,
    ),
    "safe",
  ],
  [
    "a timeline semaphore with the stages of both",
    semaphores(
      timeline,
      ({ first }) => first.stage,
      ({ second }) => second.stage,
    ),
    "safe",
  ],
  [
    "a timeline semaphore, another stage waits",
    semaphores(
      timeline,
      () => S.all,
      ({ second }) => notOf(second.stage),
    ),
    "AFTER",
  ],
  [
    "a timeline semaphore that another stage signals",
    semaphores(
      timeline,
      ({ first }) => notOf(first.stage),
      () => S.all,
    ),
    "RACING",
  ],
  [
    "a semaphore of Vulkan 1.0",
    (pair) => {
      const semaphore = binary();
      vk.vkQueueSubmit(queues[0], [{ pCommandBuffers: [recorded(pair.before)], pSignalSemaphores: [semaphore] }], null);
      const wait = { pWaitSemaphores: [semaphore], pWaitDstStageMask: [vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT] };
      return hazardOf(() => vk.vkQueueSubmit(queues[1], [{ ...wait, pCommandBuffers: [recorded(pair.after)] }], null));
    },
    "safe",
  ],
  [
    "a semaphore and a barrier that goes on from its stage",
    (pair) => {
      const semaphore = binary();
      submit(0, recorded(pair.before), { signals: [{ semaphore, stageMask: S.all }] });
      const on = barrier({ ...exactOf(pair), srcStageMask: S.copy, srcAccessMask: 0n });
      const waits = [{ semaphore, stageMask: S.copy }];
      return hazardOf(() => submit(1, recorded(on, pair.after), { waits }));
    },
    "safe",
  ],
  [
    "a chain into the stage that signals",
    (pair) => {
      const semaphore = binary();
      const on = barrier({ ...exactOf(pair), dstStageMask: notOf(pair.first.stage), dstAccessMask: 0n });
      submit(0, recorded(pair.before, on), { signals: [{ semaphore, stageMask: notOf(pair.first.stage) }] });
      return hazardOf(() => submit(1, recorded(pair.after), { waits: [{ semaphore, stageMask: S.all }] }));
    },
    "safe",
  ],
  [
    "a semaphore that is signalled before the first",
    (pair) => {
      const semaphore = binary();
      submit(0, null, { signals: [{ semaphore, stageMask: S.all }] });
      submit(0, recorded(pair.before));
      return hazardOf(() => submit(1, recorded(pair.after), { waits: [{ semaphore, stageMask: S.all }] }));
    },
    "RACING",
  ],
  [
    "a semaphore that a later batch of the queue signals",
    (pair) => {
      const semaphore = binary();
      submit(0, recorded(pair.before));
      submit(0, null, { signals: [{ semaphore, stageMask: S.all }] });
      return hazardOf(() => submit(1, recorded(pair.after), { waits: [{ semaphore, stageMask: S.all }] }));
    },
    "safe",
  ],
  [
    "a value that is waited for before it is submitted",
    (pair) => {
      const semaphore = timeline();
      const found = hazardOf(() =>
        submit(1, recorded(pair.after), { waits: [{ semaphore, value: 1n, stageMask: S.all }] }),
      );
      submit(0, recorded(pair.before), { signals: [{ semaphore, value: 1n, stageMask: S.all }] });
      return found;
    },
    "safe",
  ],
  ["a fence that the host waits for", fenced((fence) => vk.vkWaitForFences(device, [fence], true, Infinity)), "safe"],
  [
    "a fence that the host waits for, in one queue",
    fenced((fence) => vk.vkWaitForFences(device, [fence], true, Infinity), 0),
    "safe",
  ],
  ["a fence that the host awaits", fenced((fence) => vk.vkWaitForFencesAsync(device, [fence], Infinity)), "safe"],
  [
    "a fence that is polled",
    fenced((fence) => {
      while (vk.vkGetFenceStatus(device, fence) !== "VK_SUCCESS");
    }),
    "safe",
  ],
  ["a fence that nobody waits for", fenced(() => undefined), "RACING"],
  ["a fence that is destroyed unseen", fenced(() => undefined, 1), "RACING"],
  ["an idle queue", behind(() => vk.vkQueueWaitIdle(queues[0])), "safe"],
  ["another idle queue", behind(() => vk.vkQueueWaitIdle(queues[1])), "RACING"],
  ["a queue that the host awaits", behind(() => vk.vkQueueWaitIdleAsync(queues[0])), "safe"],
  ["another queue that the host awaits", behind(() => vk.vkQueueWaitIdleAsync(queues[1])), "RACING"],
  ["an idle device", behind(() => vk.vkDeviceWaitIdle(device)), "safe"],
  ["a device that the host awaits", behind(() => vk.vkDeviceWaitIdleAsync(device)), "safe"],
  [
    "a value that the host waits for",
    async (pair) => {
      const semaphore = timeline();
      submit(0, recorded(pair.before), { signals: [{ semaphore, value: 1n, stageMask: S.all }] });
      vk.vkWaitSemaphores(device, { pSemaphores: [semaphore], pValues: [1n] }, Infinity);
      return hazardOf(() => submit(1, recorded(pair.after)));
    },
    "safe",
  ],
  [
    "a value that the host polls",
    async (pair) => {
      const semaphore = timeline();
      submit(0, recorded(pair.before), { signals: [{ semaphore, value: 1n, stageMask: S.all }] });
      while (vk.vkGetSemaphoreCounterValue(device, semaphore) < 1n);
      return hazardOf(() => submit(1, recorded(pair.after)));
    },
    "safe",
  ],
  [
    "a value of other stages that the host waits for",
    async (pair) => {
      const semaphore = timeline();
      const stageMask = notOf(pair.first.stage);
      submit(0, recorded(pair.before), { signals: [{ semaphore, value: 1n, stageMask }] });
      vk.vkWaitSemaphores(device, { pSemaphores: [semaphore], pValues: [1n] }, Infinity);
      return hazardOf(() => submit(1, recorded(pair.after)));
    },
    "RACING",
  ],
];

const PAIRS = [
  ["fill", "copy from"],
  ["copy to", "storage read"],
  ["storage write", "indirect"],
  ["storage write", "fill"],
  ["uniform", "copy to"],
  ["copy from", "storage write"],
] as const;

describe.each(PAIRS)("%s, then %s", (before, after) => {
  const [first, second] = [BUFFER_KINDS[before], BUFFER_KINDS[after]];
  if (first === undefined || second === undefined) throw new Error("both are kinds");
  test.each(ORDERS)("%s", async (_name, order, expected) => {
    const target = newBuffer();
    const pair = {
      first,
      second,
      before: (to: vk.VkCommandBuffer) => first.run(to, target),
      after: (to: vk.VkCommandBuffer) => second.run(to, target),
    };
    const found = await order(pair);
    vk.vkDeviceWaitIdle(device);
    const hazard = `${second.isWrite ? "WRITE" : "READ"}-${expected}-${first.isWrite ? "WRITE" : "READ"}`;
    expect(found).toBe(expected === "safe" ? null : hazard);
  });
});

describe("what descriptors touch", () => {
  test("no more of a buffer than the block of the shader", () => {
    // The block of the uniform buffer has 16 bytes, and the descriptor the whole buffer.
    const [commands, target] = [recording(), newBuffer()];
    BUFFER_KINDS["uniform"]?.run(commands, target);
    expect(hazardOf(() => vk.vkCmdFillBuffer(commands, target, 16, 48, 1))).toBeNull();
    expect(hazardOf(() => vk.vkCmdFillBuffer(commands, target, 12, 4, 1))).toBe("WRITE-AFTER-READ");
  });

  test("a set that may be updated later counts as it is when it is submitted", () => {
    const [target, other] = [newBuffer(), newBuffer()];
    const { record, write } = addingLate();
    write(other);
    const adding = recorded((to) => {
      vk.vkCmdFillBuffer(to, target, 0, BYTES, 1);
      record(to);
    });
    expect(hazardOf(() => submit(0, adding))).toBeNull();
    vk.vkDeviceWaitIdle(device);
    write(target);
    expect(hazardOf(() => submit(0, adding))).toBe("READ-AFTER-WRITE");
    expect(() => submit(0, adding)).toThrow(/vkCmdDispatch \(command \d+\) of command buffer \d+ reads .* binding 0/u);
    write(other);
    expect(hazardOf(() => submit(0, adding))).toBeNull();
    vk.vkDeviceWaitIdle(device);
  });
});
