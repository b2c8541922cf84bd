// SPDX-License-Identifier: Apache-2.0
// Random command lists against a model that runs them one after the other: with as few barriers as are right, of all
// kinds, in several command buffers and secondary ones, submitted again and again; and without barriers on buffers of
// their own. Dispatches are light, heavy, and large, which the runtime orders and shares out in different ways.
import {
  VK_ACCESS_2_MEMORY_READ_BIT,
  VK_ACCESS_2_MEMORY_WRITE_BIT,
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
  VK_PIPELINE_STAGE_2_TRANSFER_BIT,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
  type VkCommandBuffer,
  type VkDescriptorSet,
  type VkPipeline,
  vkAllocateCommandBuffers,
  vkBeginCommandBuffer,
  vkCmdCopyBuffer,
  vkCmdDispatch,
  vkCmdExecuteCommands,
  vkCmdFillBuffer,
  vkCmdPipelineBarrier,
  vkCmdPipelineBarrier2,
  vkCmdPushConstants,
  vkCmdResetEvent,
  vkCmdSetEvent,
  vkCmdUpdateBuffer,
  vkCmdWaitEvents,
  vkCreateEvent,
  vkCreatePipelineLayout,
  vkEndCommandBuffer,
  vkFreeCommandBuffers,
  vkQueueSubmit,
  vkQueueWaitIdle,
} from "@muxkit/vulkan";
import { expect, test } from "vitest";

import {
  STORAGE,
  type Words,
  bind,
  constants,
  device,
  first,
  newPipeline,
  newRecording,
  newSet,
  pool,
  queue,
  setLayout,
  words,
  writeSet,
} from "./rig.ts";

const BUFFERS = 6;
const WORDS = 1024;
const GROUP = 64;
const SEEDS = 120;
const SUBMISSIONS = 4;
/** Steps of a word by the light pipeline and by the heavy one, of which some dispatches are worth sharing out. */
const ROUNDS = [1, 300] as const;

/** Numbers below a limit, the same for the same seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed * 2654435761 + 1;
  return (limit) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9;
    return (state >>> 8) % limit;
  };
}

/** A command: what it reads (-1: nothing) and writes, how to record it, and what it does to the model. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly isTransfer: boolean;
  readonly record: (commands: VkCommandBuffer) => void;
  readonly run: (data: readonly Uint32Array[]) => void;
}

const layoutOfSet = setLayout([STORAGE, STORAGE]);
const layout = vkCreatePipelineLayout(device, {
  pSetLayouts: [layoutOfSet],
  pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
});
const pipelines: readonly VkPipeline[] = ROUNDS.map((rounds) => newPipeline("mix", layout, constants({ 0: rounds })));
const buffers: readonly Words[] = Array.from({ length: BUFFERS }, () => words(WORDS));
const sets: readonly (readonly VkDescriptorSet[])[] = buffers.map(({ buffer: to }) =>
  buffers.map(({ buffer: from }) => {
    const set = newSet(layoutOfSet);
    writeSet(set, 0, [to]);
    writeSet(set, 1, [from]);
    return set;
  }),
);
const bufferOf = (index: number): Words => buffers[index] as Words;

/** Factor and addend of all steps of a word together. */
const STEPS = ROUNDS.map((rounds) => {
  let [factor, addend] = [1, 0];
  for (let i = 0; i < rounds; i++)
    [factor, addend] = [Math.imul(factor, 1664525), Math.imul(addend, 1664525) + 1013904223];
  return [factor | 0, addend | 0] as const;
});

function dispatch(random: (limit: number) => number, to: number, from: number): Step {
  const kind = random(2) as 0 | 1;
  const groups = 1 + random(WORDS / GROUP);
  const value = random(1000);
  const [factor, addend] = STEPS[kind] as readonly [number, number];
  return {
    from,
    to,
    isTransfer: false,
    record: (commands) => {
      bind(commands, pipelines[kind] as VkPipeline, layout, [sets[to]?.[from] as VkDescriptorSet]);
      vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(value));
      vkCmdDispatch(commands, groups, 1, 1);
    },
    run: (data) => {
      const [target, source] = [data[to] as Uint32Array, data[from] as Uint32Array];
      for (let i = 0; i < groups * GROUP; i++)
        target[i] = Math.imul(target[i] ?? 0, factor) + addend + (source[(i * 7 + 5) % WORDS] ?? 0) + value;
    },
  };
}

function transfer(random: (limit: number) => number, to: number, from: number): Step {
  const start = random(WORDS / 2);
  const count = 1 + random(WORDS / 2);
  const value = random(1000);
  const { buffer } = bufferOf(to);
  const kind = random(3);
  if (kind === 0)
    return {
      from,
      to,
      isTransfer: true,
      record: (commands) => {
        const region = { srcOffset: (WORDS - count) * 4, dstOffset: start * 4, size: count * 4 };
        vkCmdCopyBuffer(commands, bufferOf(from).buffer, buffer, [region]);
      },
      run: (data) => {
        data[to]?.set((data[from] as Uint32Array).subarray(WORDS - count), start);
      },
    };
  return {
    from: -1,
    to,
    isTransfer: true,
    record: (commands) => {
      if (kind === 1) vkCmdFillBuffer(commands, buffer, start * 4, count * 4, value);
      else vkCmdUpdateBuffer(commands, buffer, start * 4, new Uint32Array(count).fill(value));
    },
    run: (data) => {
      data[to]?.fill(value, start, start + count);
    },
  };
}

/** Another buffer than this one. */
const other = (random: (limit: number) => number, than: number): number => (than + 1 + random(BUFFERS - 1)) % BUFFERS;

const barriers: readonly ((commands: VkCommandBuffer, level: readonly Step[]) => void)[] = [
  (commands, level) => {
    const stages =
      (level.some(({ isTransfer }) => isTransfer) ? VK_PIPELINE_STAGE_TRANSFER_BIT : 0) |
      (level.some(({ isTransfer }) => !isTransfer) ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : 0);
    const after = VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const barrier = { srcAccessMask: VK_ACCESS_MEMORY_WRITE_BIT, dstAccessMask };
    vkCmdPipelineBarrier(commands, stages === 0 ? after : stages, after, 0, [barrier], [], []);
  },
  (commands) => {
    const stages = VK_PIPELINE_STAGE_2_TRANSFER_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    const barrier = {
      srcStageMask: stages,
      srcAccessMask: VK_ACCESS_2_MEMORY_WRITE_BIT,
      dstStageMask: stages,
      dstAccessMask: VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
    };
    vkCmdPipelineBarrier2(commands, { dependencyFlags: 0, pMemoryBarriers: [barrier] });
  },
  (commands) => {
    const event = vkCreateEvent(device, {});
    const all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const barrier = { srcAccessMask: VK_ACCESS_MEMORY_WRITE_BIT, dstAccessMask };
    vkCmdSetEvent(commands, event, all);
    vkCmdWaitEvents(commands, [event], all, all, [barrier], [], []);
    // For the next submission.
    vkCmdResetEvent(commands, event, all);
    vkCmdPipelineBarrier(commands, all, all, 0, [barrier], [], []);
  },
];

/** Barriers that order nothing. */
function idleBarrier(commands: VkCommandBuffer, isBefore: boolean): void {
  const all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  if (isBefore) vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, all, 0, [], [], []);
  else vkCmdPipelineBarrier(commands, all, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, [], [], []);
}

/** Steps of which none writes what another one uses. */
function levelsOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const levels: Step[][] = [];
  let level: Step[] = [];
  for (const step of steps) {
    const conflicts = level.some(
      ({ from, to }) => to === step.to || to === step.from || (from !== -1 && from === step.to),
    );
    if (conflicts) {
      levels.push(level);
      level = [];
    }
    level.push(step);
  }
  return [...levels, level];
}

function secondary(record: (commands: VkCommandBuffer) => void): VkCommandBuffer {
  const level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
  const commands = first(vkAllocateCommandBuffers(device, { commandPool: pool, level, commandBufferCount: 1 }));
  vkBeginCommandBuffer(commands, { pInheritanceInfo: {} });
  record(commands);
  vkEndCommandBuffer(commands);
  return commands;
}

/** Command buffers of levels with barriers between all of them, and behind the last one of each. */
function recorded(random: (limit: number) => number, levels: readonly (readonly Step[])[]): readonly VkCommandBuffer[] {
  const made: VkCommandBuffer[] = [];
  let commands = newRecording(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  for (const level of levels) {
    const write = (to: VkCommandBuffer): void => {
      for (const step of level) {
        step.record(to);
        if (random(8) === 0) idleBarrier(to, random(2) === 0);
      }
    };
    if (random(5) === 0) vkCmdExecuteCommands(commands, [secondary(write)]);
    else write(commands);
    barriers[random(12) === 0 ? 2 : random(2)]?.(commands, level);
    if (random(6) > 0) continue;
    vkEndCommandBuffer(commands);
    made.push(commands);
    commands = newRecording(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  }
  vkEndCommandBuffer(commands);
  return [...made, commands];
}

/** What submissions made of the buffers, and what the model makes of them. */
interface Outcome {
  readonly seen: readonly Uint32Array[];
  readonly expected: readonly Uint32Array[];
}

/** Submits command buffers again and again, in one batch or several, and keeps the buffers after each submission. */
function outcomeOf(
  random: (limit: number) => number,
  commandBuffers: readonly VkCommandBuffer[],
  steps: readonly Step[],
): Outcome {
  const model = buffers.map(({ words: own }) => {
    for (let i = 0; i < WORDS; i++) own[i] = random(1 << 24);
    return own.slice();
  });
  const [seen, expected]: [Uint32Array[], Uint32Array[]] = [[], []];
  const batches = commandBuffers.map((one) => ({ pCommandBuffers: [one] }));
  for (let i = 0; i < SUBMISSIONS; i++) {
    vkQueueSubmit(queue, random(2) === 0 ? [{ pCommandBuffers: commandBuffers }] : batches, null);
    vkQueueWaitIdle(queue);
    for (const { run } of steps) run(model);
    seen.push(...buffers.map(({ words: own }) => own.slice()));
    expected.push(...model.map((own) => own.slice()));
  }
  vkFreeCommandBuffers(device, pool, commandBuffers);
  return { seen, expected };
}

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))("commands with barriers between, seed %i", (seed) => {
  const random = numbers(seed + 1);
  const steps = Array.from({ length: 10 + random(40) }, () => {
    const to = random(BUFFERS);
    const from = other(random, to);
    return random(3) === 0 ? transfer(random, to, from) : dispatch(random, to, from);
  });
  const { seen, expected } = outcomeOf(random, recorded(random, levelsOf(steps)), steps);
  expect(seen).toEqual(expected);
});

test.each(Array.from({ length: 20 }, (_, seed) => seed))(
  "commands without barriers, each on its own, seed %i",
  (seed) => {
    const random = numbers(seed + 5000);
    // All read the last buffer, which nobody writes.
    const steps = Array.from({ length: BUFFERS - 1 }, (_, to) =>
      random(3) === 0 ? transfer(random, to, BUFFERS - 1) : dispatch(random, to, BUFFERS - 1),
    );
    const { seen, expected } = outcomeOf(random, recorded(random, [steps]), steps);
    expect(seen).toEqual(expected);
  },
);
