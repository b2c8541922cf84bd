// SPDX-License-Identifier: Apache-2.0
// What submissions, fences, semaphores, events and queries do.
import {
  VK_EVENT_CREATE_DEVICE_ONLY_BIT,
  VK_FENCE_CREATE_SIGNALED_BIT,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_PARTIAL_BIT,
  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
  VK_QUERY_TYPE_TIMESTAMP,
  VK_SEMAPHORE_TYPE_BINARY,
  VK_SEMAPHORE_TYPE_TIMELINE,
  VK_SEMAPHORE_WAIT_ANY_BIT,
  VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
  VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
  type VkCommandBuffer,
  type VkEvent,
  type VkFence,
  type VkQueryPool,
  type VkSemaphore,
  type VkSubmitInfo,
  type VkSubmitInfo2,
  vkCmdResetEvent,
  vkCmdSetEvent,
  vkCmdWriteTimestamp,
  vkCreateEvent,
  vkCreateFence,
  vkCreateQueryPool,
  vkCreateSemaphore,
  vkDeviceWaitIdle,
  vkGetEventStatus,
  vkGetFenceStatus,
  vkGetQueryPoolResults,
  vkGetSemaphoreCounterValue,
  vkQueueSubmit,
  vkSetEvent,
} from "@muxkit/vulkan";

import { type Effect, bytesIn, effect } from "../effect.ts";
import { type Words, device, filling, finish, newRecording, queue, run, words } from "../rig.ts";

const STAGE = 0x1_0000;

const fence = (flags: number = 0): VkFence => vkCreateFence(device, { flags });

const SIGNALLED = VK_FENCE_CREATE_SIGNALED_BIT;

const binary = (): VkSemaphore => vkCreateSemaphore(device, {});

const timeline = (initialValue: bigint): VkSemaphore =>
  vkCreateSemaphore(device, {
    pNext: {
      sType: VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE,
      initialValue,
    },
  });

const event = (isSet: boolean = false): VkEvent => {
  const made = vkCreateEvent(device, {});
  if (isSet) vkSetEvent(device, made);
  return made;
};

/** What command buffers fill. */
const targets = new Map<VkCommandBuffer, Words>();

function commandBuffer(): VkCommandBuffer {
  const data = words(1);
  const commands = filling(data, 4);
  targets.set(commands, data);
  return commands;
}

function commandBuffers(count: number): readonly VkCommandBuffer[] {
  return Array.from({ length: count }, commandBuffer);
}

/** What each command buffer has filled, once all is done. */
function filled(list: readonly VkCommandBuffer[]): readonly (number | undefined)[] {
  vkDeviceWaitIdle(device);
  return list.map((one) => targets.get(one)?.words[0]);
}

const fours = (count: number): readonly number[] => Array.from({ length: count }, () => 4);

/** Numbers of command buffers in the batches of one submission. */
const BATCHES: readonly (readonly number[])[] = [[1], [2], [3], [1, 1], [2, 1], [0, 1], [1, 0], [0], []];

/** Fences by whether they are signalled, whether all are waited for, and what comes of it. */
const FENCE_WAITS: readonly (readonly [states: readonly boolean[], waitAll: boolean, result: string])[] = [
  [[true], true, "VK_SUCCESS"],
  [[true], false, "VK_SUCCESS"],
  [[false], true, "VK_TIMEOUT"],
  [[false], false, "VK_TIMEOUT"],
  [[true, true], true, "VK_SUCCESS"],
  [[true, false], true, "VK_TIMEOUT"],
  [[true, false], false, "VK_SUCCESS"],
  [[false, true], false, "VK_SUCCESS"],
  [[false, false], false, "VK_TIMEOUT"],
];

/** Values of semaphores, values that are waited for, whether any is enough, and what comes of it. */
const SEMAPHORE_WAITS: readonly (readonly [
  have: readonly bigint[],
  want: readonly bigint[],
  flags: number,
  result: string,
])[] = [
  [[1n], [1n], 0, "VK_SUCCESS"],
  [[1n], [0n], 0, "VK_SUCCESS"],
  [[1n], [2n], 0, "VK_TIMEOUT"],
  [[5n, 5n], [5n, 4n], 0, "VK_SUCCESS"],
  [[5n, 5n], [5n, 6n], 0, "VK_TIMEOUT"],
  [[5n, 5n], [5n, 6n], VK_SEMAPHORE_WAIT_ANY_BIT, "VK_SUCCESS"],
  [[5n, 5n], [6n, 6n], VK_SEMAPHORE_WAIT_ANY_BIT, "VK_TIMEOUT"],
  [[1n << 63n], [1n << 63n], 0, "VK_SUCCESS"],
  [[], [], 0, "VK_SUCCESS"],
];

const NOTHING = 0xcccc_cccc;

const queries = (queryCount: number = 2): VkQueryPool =>
  vkCreateQueryPool(device, { queryType: VK_QUERY_TYPE_TIMESTAMP, queryCount });

/** Two queries, of which the first is available. */
function halfWritten(): VkQueryPool {
  const pool = queries();
  run((commands) => vkCmdWriteTimestamp(commands, STAGE, pool, 0));
  return pool;
}

/** Whether queries are available. */
function available(pool: VkQueryPool, count: number = 2): readonly boolean[] {
  const results = new Uint32Array(count * 2);
  vkGetQueryPoolResults(device, pool, 0, count, results, 8, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  return Array.from({ length: count }, (_, i) => results[i * 2 + 1] === 1);
}

/** Flags of results with the words between two results, and which words are written for a query (un)available. */
const RESULTS = [0, VK_QUERY_RESULT_64_BIT].flatMap((wide) =>
  [0, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT].flatMap((availability) =>
    [0, VK_QUERY_RESULT_PARTIAL_BIT].map((partial) => ({
      flags: wide | availability | partial,
      width: wide === 0 ? 1 : 2,
      hasAvailability: availability !== 0,
      isPartial: partial !== 0,
    })),
  ),
);

/** What eight words are after the results of two queries, the first of which is available: by kinds. */
function kinds(view: ArrayBufferView | Uint32Array): readonly string[] {
  const bytes = bytesIn(view);
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: 8 }, (_, i) => {
    const word = data.getUint32(i * 4, true);
    return word === NOTHING ? "left" : word === 0 ? "0" : word === 1 ? "1" : "time";
  });
}

function expectedKinds({ width, hasAvailability, isPartial }: (typeof RESULTS)[number]): readonly unknown[] {
  const list: unknown[] = Array.from({ length: 8 }, () => "left");
  // The upper half of a time may be any number.
  list.splice(0, width, ...(width === 1 ? ["time"] : ["time", ANY]));
  if (isPartial) list.splice(4, width, ...(width === 1 ? ["0"] : ["0", "0"]));
  if (hasAvailability) {
    list.splice(width, width, ...(width === 1 ? ["1"] : ["1", "0"]));
    list.splice(4 + width, width, ...(width === 1 ? ["0"] : ["0", "0"]));
  }
  return list;
}

const ANY: unknown = { asymmetricMatch: (value: unknown) => typeof value === "string" };

const named = (i: number, what: string): string => (i === 0 ? "" : what);

/** A submission that waits for a timeline value and signals another. */
const timelineInfo = (wait: bigint, signal: bigint): NonNullable<VkSubmitInfo["pNext"]> => ({
  sType: VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
  pWaitSemaphoreValues: [wait],
  pSignalSemaphoreValues: [signal],
});

const buffersOf = (infos: readonly VkSubmitInfo[]): readonly VkCommandBuffer[] =>
  infos.flatMap(({ pCommandBuffers = [] }) => pCommandBuffers);
const buffersOf2 = (infos: readonly VkSubmitInfo2[]): readonly VkCommandBuffer[] =>
  infos.flatMap(({ pCommandBufferInfos = [] }) => pCommandBufferInfos.map((one) => one.commandBuffer));

/** What an event is after a command buffer. */
function afterwards(commands: VkCommandBuffer, one: VkEvent): string {
  finish(commands);
  return vkGetEventStatus(device, one);
}

/** Results in a buffer that were copied by a command. */
const copied = new Map<VkCommandBuffer, Words>();

const SUBMISSIONS: readonly Effect[] = [
  ...BATCHES.map((batches, i) =>
    effect(
      "vkQueueSubmit",
      named(i, `batches of ${batches.join(", ") || "nothing"}`),
      () => [queue, batches.map((count) => ({ pCommandBuffers: commandBuffers(count) })), fence()],
      (_, [, infos, signalled]) => [
        filled(buffersOf(infos)),
        signalled === null || signalled === undefined ? "" : vkGetFenceStatus(device, signalled),
      ],
      [fours(batches.reduce((sum, one) => sum + one, 0)), "VK_SUCCESS"],
    ),
  ),
  ...BATCHES.map((batches, i) =>
    effect(
      "vkQueueSubmit2",
      named(i, `batches of ${batches.join(", ") || "nothing"}`),
      () => [
        queue,
        batches.map((count) => ({
          pCommandBufferInfos: commandBuffers(count).map((one) => ({ commandBuffer: one })),
        })),
        fence(),
      ],
      (_, [, infos, signalled]) => [
        filled(buffersOf2(infos)),
        signalled === null || signalled === undefined ? "" : vkGetFenceStatus(device, signalled),
      ],
      [fours(batches.reduce((sum, one) => sum + one, 0)), "VK_SUCCESS"],
    ),
  ),
  effect(
    "vkQueueSubmit",
    "no fence",
    () => [queue, [{ pCommandBuffers: commandBuffers(1) }], null],
    (_, [, infos]) => filled(buffersOf(infos)),
    [4],
  ),
  effect(
    "vkQueueSubmit",
    "a binary semaphore from one batch to the next",
    () => {
      const semaphore = binary();
      return [
        queue,
        [
          { pCommandBuffers: commandBuffers(1), pSignalSemaphores: [semaphore] },
          { pWaitSemaphores: [semaphore], pWaitDstStageMask: [STAGE], pCommandBuffers: commandBuffers(1) },
        ],
      ];
    },
    (_, [, infos]) => filled(buffersOf(infos)),
    [4, 4],
  ),
  effect(
    "vkQueueSubmit",
    "values of a timeline semaphore",
    () => {
      const semaphore = timeline(1n);
      const pNext = timelineInfo(1n, 5n);
      return [
        queue,
        [
          {
            pNext,
            pWaitSemaphores: [semaphore],
            pWaitDstStageMask: [STAGE],
            pCommandBuffers: commandBuffers(1),
            pSignalSemaphores: [semaphore],
          },
        ],
      ];
    },
    (_, [, infos]) => [
      filled(buffersOf(infos)),
      ...infos.flatMap(({ pSignalSemaphores = [] }) =>
        pSignalSemaphores.map((one) => vkGetSemaphoreCounterValue(device, one)),
      ),
    ],
    [[4], 5n],
  ),
  effect(
    "vkQueueSubmit2",
    "values of a timeline semaphore",
    () => {
      const semaphore = timeline(1n);
      return [
        queue,
        [
          {
            pWaitSemaphoreInfos: [{ semaphore, value: 1n }],
            pCommandBufferInfos: commandBuffers(1).map((one) => ({ commandBuffer: one })),
            pSignalSemaphoreInfos: [{ semaphore, value: 7n, stageMask: BigInt(STAGE) }],
          },
        ],
      ];
    },
    (_, [, infos]) => [
      filled(buffersOf2(infos)),
      ...infos.flatMap(({ pSignalSemaphoreInfos = [] }) =>
        pSignalSemaphoreInfos.map((one) => vkGetSemaphoreCounterValue(device, one.semaphore)),
      ),
    ],
    [[4], 7n],
  ),
  effect(
    "vkQueueWaitIdle",
    "",
    () => {
      vkQueueSubmit(queue, [{ pCommandBuffers: commandBuffers(1) }], null);
      return [queue];
    },
    () => vkGetFenceStatus(device, fence()),
    "VK_NOT_READY",
  ),
  effect("vkDeviceWaitIdle", "", () => [device], () => vkGetFenceStatus(device, fence(SIGNALLED)), "VK_SUCCESS"),
];

const FENCES: readonly Effect[] = [
  effect("vkCreateFence", "", () => [device, {}], (made) => vkGetFenceStatus(device, made), "VK_NOT_READY"),
  effect(
    "vkCreateFence",
    "signalled",
    () => [device, { flags: SIGNALLED }],
    (made) => vkGetFenceStatus(device, made),
    "VK_SUCCESS",
  ),
  effect("vkDestroyFence", "", () => [device, fence()], (_, [, one]) => one.isAlive, false),
  ...[[true], [false], [true, true], []].map((states, i) =>
    effect(
      "vkResetFences",
      named(i, `signalled: ${states.join(", ") || "none"}`),
      () => [device, states.map((state) => fence(state ? SIGNALLED : 0))],
      (_, [, list]) => list.map((one) => vkGetFenceStatus(device, one)),
      states.map(() => "VK_NOT_READY"),
    ),
  ),
  ...[SIGNALLED, 0].map((flags, i) =>
    effect(
      "vkGetFenceStatus",
      named(i, "not signalled"),
      () => [device, fence(flags)],
      (result) => result,
      flags === 0 ? "VK_NOT_READY" : "VK_SUCCESS",
    ),
  ),
  ...FENCE_WAITS.flatMap(([states, waitAll, expected], i) =>
    [1000, 0].map((timeout, j) =>
      effect(
        "vkWaitForFences",
        named(i + j, `signalled: ${states.join(", ")}; ${waitAll ? "all" : "any"}, for ${timeout} ns`),
        () => [device, states.map((state) => fence(state ? SIGNALLED : 0)), waitAll, timeout],
        (result) => result,
        expected,
      ),
    ),
  ),
];

const SEMAPHORES: readonly Effect[] = [
  effect("vkCreateSemaphore", "", () => [device, {}], (made) => made.isAlive, true),
  effect(
    "vkCreateSemaphore",
    "binary by name",
    () => [
      device,
      { pNext: { sType: VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, semaphoreType: VK_SEMAPHORE_TYPE_BINARY } },
    ],
    (made) => made.isAlive,
    true,
  ),
  ...[undefined, 0n, 1n, 1n << 32n, (1n << 64n) - 1n].map((initialValue) =>
    effect(
      "vkCreateSemaphore",
      `timeline from ${initialValue ?? "nothing"} on`,
      () => [
        device,
        {
          pNext: {
            sType: VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
            semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE,
            ...(initialValue === undefined ? {} : { initialValue }),
          },
        },
      ],
      (made) => vkGetSemaphoreCounterValue(device, made),
      initialValue ?? 0n,
    ),
  ),
  effect("vkDestroySemaphore", "", () => [device, binary()], (_, [, one]) => one.isAlive, false),
  ...[3n, 0n].map((value, i) =>
    effect("vkGetSemaphoreCounterValue", named(i, `${value}`), () => [device, timeline(value)], (got) => got, value),
  ),
  ...SEMAPHORE_WAITS.map(([have, want, flags, expected], i) =>
    effect(
      "vkWaitSemaphores",
      named(i, `${want.join(", ")} of ${have.join(", ")}, ${flags === 0 ? "all" : "any"}`),
      () => [device, { flags, pSemaphores: have.map(timeline), pValues: want }, 1000],
      (result) => result,
      expected,
    ),
  ),
  ...([[0n, 1n], [0n, 100n], [5n, 6n], [0n, (1n << 64n) - 1n]] as const).map(([from, value], i) =>
    effect(
      "vkSignalSemaphore",
      named(i, `${value} after ${from}`),
      () => [device, { semaphore: timeline(from), value }],
      (_, [, { semaphore }]) => vkGetSemaphoreCounterValue(device, semaphore),
      value,
    ),
  ),
];

const ONE_DEPENDENCY = { dependencyFlags: 0 } as const;

const EVENTS: readonly Effect[] = [
  effect("vkCreateEvent", "", () => [device, {}], (made) => vkGetEventStatus(device, made), "VK_EVENT_RESET"),
  effect(
    "vkCreateEvent",
    "of the device only",
    () => [device, { flags: VK_EVENT_CREATE_DEVICE_ONLY_BIT }],
    (made) => made.isAlive,
    true,
  ),
  effect("vkDestroyEvent", "", () => [device, event()], (_, [, one]) => one.isAlive, false),
  ...[true, false].flatMap((isSet, i) => [
    effect(
      "vkGetEventStatus",
      named(i, "reset"),
      () => [device, event(isSet)],
      (result) => result,
      isSet ? "VK_EVENT_SET" : "VK_EVENT_RESET",
    ),
    effect(
      "vkSetEvent",
      named(i, "reset before"),
      () => [device, event(isSet)],
      (_, [, one]) => vkGetEventStatus(device, one),
      "VK_EVENT_SET",
    ),
    effect(
      "vkResetEvent",
      named(i, "reset before"),
      () => [device, event(isSet)],
      (_, [, one]) => vkGetEventStatus(device, one),
      "VK_EVENT_RESET",
    ),
    effect(
      "vkCmdSetEvent",
      named(i, "reset before"),
      () => [newRecording(), event(isSet), STAGE],
      (_, [commands, one]) => afterwards(commands, one),
      "VK_EVENT_SET",
    ),
    effect(
      "vkCmdResetEvent",
      named(i, "reset before"),
      () => [newRecording(), event(isSet), STAGE],
      (_, [commands, one]) => afterwards(commands, one),
      "VK_EVENT_RESET",
    ),
    effect(
      "vkCmdSetEvent2",
      named(i, "reset before"),
      () => [newRecording(), event(isSet), ONE_DEPENDENCY],
      (_, [commands, one]) => afterwards(commands, one),
      "VK_EVENT_SET",
    ),
    effect(
      "vkCmdResetEvent2",
      named(i, "reset before"),
      () => [newRecording(), event(isSet), BigInt(STAGE)],
      (_, [commands, one]) => afterwards(commands, one),
      "VK_EVENT_RESET",
    ),
  ]),
  ...[1, 2].flatMap((count, i) => [
    effect(
      "vkCmdWaitEvents",
      named(i, `${count} events`),
      () => [newRecording(), Array.from({ length: count }, () => event(true)), STAGE, STAGE],
      (_, [commands, list]) => {
        for (const one of list) vkCmdResetEvent(commands, one, STAGE);
        finish(commands);
        return list.map((one) => vkGetEventStatus(device, one));
      },
      Array.from({ length: count }, () => "VK_EVENT_RESET"),
    ),
    effect(
      "vkCmdWaitEvents2",
      named(i, `${count} events`),
      () => [
        newRecording(),
        Array.from({ length: count }, () => event(true)),
        Array.from({ length: count }, () => ONE_DEPENDENCY),
      ],
      (_, [commands, list]) => {
        for (const one of list) vkCmdResetEvent(commands, one, STAGE);
        finish(commands);
        return list.map((one) => vkGetEventStatus(device, one));
      },
      Array.from({ length: count }, () => "VK_EVENT_RESET"),
    ),
  ]),
  effect(
    "vkCmdWaitEvents",
    "that a command has set",
    () => {
      const [commands, one] = [newRecording(), event()];
      vkCmdSetEvent(commands, one, STAGE);
      return [commands, [one], STAGE, STAGE];
    },
    (_, [commands, list]) => {
      for (const one of list) vkCmdResetEvent(commands, one, STAGE);
      finish(commands);
      return list.map((one) => vkGetEventStatus(device, one));
    },
    ["VK_EVENT_RESET"],
  ),
];

const QUERIES: readonly Effect[] = [
  ...[1, 2, 100].map((queryCount, i) =>
    effect(
      "vkCreateQueryPool",
      named(i, `${queryCount} queries`),
      () => [device, { queryType: VK_QUERY_TYPE_TIMESTAMP, queryCount }],
      (pool) => available(pool, queryCount).includes(true),
      false,
    ),
  ),
  effect("vkDestroyQueryPool", "", () => [device, queries()], (_, [, one]) => one.isAlive, false),
  ...([[0, 2], [0, 1], [1, 1]] as const).flatMap(([from, count], i) => [
    effect(
      "vkResetQueryPool",
      named(i, `${count} from ${from} on`),
      () => [device, halfWritten(), from, count],
      (_, [, pool]) => available(pool),
      [from === 1, false],
    ),
    effect(
      "vkCmdResetQueryPool",
      named(i, `${count} from ${from} on`),
      () => [newRecording(), halfWritten(), from, count],
      (_, [commands, pool]) => {
        finish(commands);
        return available(pool);
      },
      [from === 1, false],
    ),
  ]),
  ...[0, 1].flatMap((query, i) => [
    effect(
      "vkCmdWriteTimestamp",
      named(i, `query ${query}`),
      () => [newRecording(), STAGE, queries(), query],
      (_, [commands, , pool]) => {
        finish(commands);
        return available(pool);
      },
      [query === 0, query === 1],
    ),
    effect(
      "vkCmdWriteTimestamp2",
      named(i, `query ${query}`),
      () => [newRecording(), BigInt(STAGE), queries(), query],
      (_, [commands, , pool]) => {
        finish(commands);
        return available(pool);
      },
      [query === 0, query === 1],
    ),
  ]),
  ...RESULTS.flatMap((row, i) => [
    effect(
      "vkGetQueryPoolResults",
      named(i, `flags ${row.flags}`),
      () => [device, halfWritten(), 0, 2, new Uint32Array(8).fill(NOTHING), 16, row.flags],
      (result, [, , , , data]) => [result, kinds(data)],
      ["VK_NOT_READY", expectedKinds(row)],
    ),
    effect(
      "vkCmdCopyQueryPoolResults",
      named(i, `flags ${row.flags}`),
      () => {
        const [commands, data] = [newRecording(), words(Array.from({ length: 8 }, () => NOTHING))];
        copied.set(commands, data);
        return [commands, halfWritten(), 0, 2, data.buffer, 0, 16, row.flags];
      },
      (_, [commands]) => {
        finish(commands);
        return kinds(copied.get(commands)?.words ?? new Uint32Array(8));
      },
      expectedKinds(row),
    ),
  ]),
  effect(
    "vkGetQueryPoolResults",
    "of an available one",
    () => [device, halfWritten(), 0, 1, new Uint32Array(1), 4],
    (result) => result,
    "VK_SUCCESS",
  ),
];

export const SYNCHRONISATION_EFFECTS: readonly Effect[] = [
  ...SUBMISSIONS,
  ...FENCES,
  ...SEMAPHORES,
  ...EVENTS,
  ...QUERIES,
];
