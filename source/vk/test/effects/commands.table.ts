// SPDX-License-Identifier: Apache-2.0
// What command pools, command buffers and commands do.
import {
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT,
  VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT,
  VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_WHOLE_SIZE,
  type VkCommandBuffer,
  type VkCommandPool,
  type VkDependencyInfo,
  vkAllocateCommandBuffers,
  vkBeginCommandBuffer,
  vkCmdBindPipeline,
  vkCmdDispatch,
  vkCmdFillBuffer,
  vkCmdPushConstants,
  vkCreateCommandPool,
  vkCreateDescriptorSetLayout,
  vkCreatePipelineLayout,
  vkEndCommandBuffer,
  vkUpdateDescriptorSets,
} from "@muxkit/vulkan";

import { type Effect, effect, schema } from "../effect.ts";
import {
  STORAGE,
  type Words,
  adder,
  bind,
  constants,
  device,
  finish,
  first,
  newPipeline,
  newRecording,
  newSet,
  setLayout,
  words,
  writeSet,
} from "../rig.ts";

const COMPUTE = VK_PIPELINE_BIND_POINT_COMPUTE;

/** What the shaders of a command buffer write. */
const targets = new Map<VkCommandBuffer, Words>();

/** The words that a command buffer has written, once it is submitted. */
function written(commands: VkCommandBuffer): readonly number[] {
  finish(commands);
  return [...(targets.get(commands)?.words ?? [])];
}

const counters = setLayout([STORAGE]);
const groupLayout = vkCreatePipelineLayout(device, { pSetLayouts: [counters] });
const groups = newPipeline("groups", groupLayout);

/** A recording with `groups.comp` bound. */
function counting(): VkCommandBuffer {
  const [commands, data, set] = [newRecording(), words(7), newSet(counters)];
  writeSet(set, 0, [data.buffer]);
  bind(commands, groups, groupLayout, [set]);
  targets.set(commands, data);
  return commands;
}

/** What `groups.comp` writes: groups, sums of their ids, numbers of groups. */
function counts(base: readonly number[], count: readonly number[]): readonly number[] {
  const all = count.reduce((product, one) => product * one, 1);
  if (all === 0) return [0, 0, 0, 0, 0, 0, 0];
  const sums = count.map((one, axis) => (all / one) * ((base[axis] ?? 0) * one + (one * (one - 1)) / 2));
  return [all, ...sums, ...count];
}

type Triple = readonly [number, number, number];

const COUNTS: readonly Triple[] = [
  [2, 1, 1],
  [1, 1, 1],
  [1, 3, 1],
  [1, 1, 4],
  [2, 3, 4],
  [7, 1, 2],
  [64, 2, 1],
  [0, 1, 1],
  [1, 0, 1],
  [1, 1, 0],
  [0, 0, 0],
];

const BASES: readonly (readonly [base: Triple, count: Triple])[] = [
  [
    [1, 0, 0],
    [2, 1, 1],
  ],
  [
    [0, 0, 0],
    [3, 1, 1],
  ],
  [
    [0, 2, 0],
    [1, 2, 1],
  ],
  [
    [0, 0, 3],
    [1, 1, 2],
  ],
  [
    [1, 2, 3],
    [2, 3, 4],
  ],
  [
    [5, 5, 5],
    [1, 1, 1],
  ],
  [
    [100, 0, 0],
    [16, 1, 1],
  ],
  [
    [4, 0, 0],
    [0, 1, 1],
  ],
];

const { layout, set: oneSet, pipeline } = adder(4);
const single = newPipeline("add", layout, constants({ 0: 2, 1: 10 }));

/** A recording with `add.comp` bound, whose push constant is 1 where nobody sets it. */
function adding(setsPush: boolean = true): VkCommandBuffer {
  const [commands, data, set] = [newRecording(), words(8), newSet(oneSet)];
  writeSet(set, 0, [data.buffer]);
  bind(commands, pipeline, layout, [set]);
  if (setsPush) vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(1));
  targets.set(commands, data);
  return commands;
}

/** What is written when one more group runs. */
function afterGroup(commands: VkCommandBuffer): readonly number[] {
  vkCmdDispatch(commands, 1, 1, 1);
  return written(commands);
}

/** Ranges of push constants: what a call sets, and what is added then. */
const PUSHES: readonly (readonly [offset: number, values: ArrayBufferView, expected: number])[] = [
  [0, Uint32Array.of(5), 5],
  [0, Uint32Array.of(6, 7, 8), 6],
  [4, Uint32Array.of(9), 0],
  [0, new Uint32Array(4).fill(3), 3],
  [0, Uint8Array.of(1, 1, 0, 0), 257],
  [0, Float32Array.of(1), 0x3f80_0000],
  [12, Uint32Array.of(1), 0],
  [0, BigUint64Array.of(2n), 2],
];
const wideLayout = vkCreatePipelineLayout(device, {
  pSetLayouts: [oneSet],
  pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 16 }],
});

const dynamicSet = setLayout([[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1]]);
const dynamicLayout = vkCreatePipelineLayout(device, {
  pSetLayouts: [dynamicSet],
  pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
});
const dynamic = newPipeline("add", dynamicLayout, constants({ 0: 2 }));

const pushedSet = vkCreateDescriptorSetLayout(device, {
  flags: VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
  pBindings: [
    {
      binding: 0,
      descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      descriptorCount: 1,
      stageFlags: VK_SHADER_STAGE_COMPUTE_BIT,
    },
  ],
});
const pushedLayout = vkCreatePipelineLayout(device, {
  pSetLayouts: [pushedSet],
  pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
});
const pushed = newPipeline("add", pushedLayout, constants({ 0: 4 }));

/** A recording with a pipeline and a push constant of 1. */
function started(one: typeof pushed, of: typeof pushedLayout): VkCommandBuffer {
  const [commands, data] = [newRecording(), words(8)];
  vkCmdBindPipeline(commands, COMPUTE, one);
  vkCmdPushConstants(commands, of, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(1));
  targets.set(commands, data);
  return commands;
}

const bufferOf = (commands: VkCommandBuffer): Words["buffer"] => {
  const data = targets.get(commands);
  if (data === undefined) throw new Error("the command buffer has a target");
  return data.buffer;
};

const newPool = (flags: number = 0): VkCommandPool => vkCreateCommandPool(device, { flags, queueFamilyIndex: 0 });

const allocated = (commandPool: VkCommandPool, level: 0 | 1, commandBufferCount: number): readonly VkCommandBuffer[] =>
  vkAllocateCommandBuffers(device, { commandPool, level, commandBufferCount });

/** Command buffers by their pools. */
const pooled = new Map<VkCommandPool, readonly VkCommandBuffer[]>();

/** Whether a command buffer that is being recorded runs. */
function isRecording(commands: VkCommandBuffer): boolean {
  const data = words(1);
  vkCmdFillBuffer(commands, data.buffer, 0, 4, 3);
  finish(commands);
  return data.words[0] === 3;
}

/** Whether a command buffer can be recorded and run. */
function isUsable(commands: VkCommandBuffer): boolean {
  vkBeginCommandBuffer(commands, {});
  return isRecording(commands);
}

/** A command buffer whose recording is over. */
function ended(level: 0 | 1 = 0): VkCommandBuffer {
  const commands = newRecording(level);
  const data = words(2);
  vkCmdFillBuffer(commands, data.buffer, 0, VK_WHOLE_SIZE, 6);
  targets.set(commands, data);
  vkEndCommandBuffer(commands);
  return commands;
}

/** A command that another one reads: 2 is filled, then one is added. */
function filledFirst(): VkCommandBuffer {
  const commands = adding();
  vkCmdFillBuffer(commands, bufferOf(commands), 0, VK_WHOLE_SIZE, 2);
  return commands;
}

const THREES = [3, 3, 3, 3, 2, 2, 2, 2];

const bitsOf = (name: string): readonly number[] =>
  (schema.flags.find((row) => row.name === name)?.value ?? []).map(({ value }) => {
    const [one = "", by] = value.split("<<");
    return by === undefined ? Number(one) : 2 ** Number(by);
  });

const ALL_COMMANDS = 0x1_0000;
const MEMORY = 0x1_8000;

const dependency = (stage: number, access: number): VkDependencyInfo => ({
  dependencyFlags: 0,
  pMemoryBarriers: [
    {
      srcStageMask: BigInt(ALL_COMMANDS),
      srcAccessMask: BigInt(MEMORY),
      dstStageMask: BigInt(ALL_COMMANDS | stage),
      dstAccessMask: BigInt(MEMORY) | BigInt(access),
    },
  ],
});

const named = (i: number, what: string): string => (i === 0 ? "" : what);

export const COMMAND_EFFECTS: readonly Effect[] = [
  ...[0, 1, 2, 3, 4].map((_, i) =>
    effect(
      "vkCreateCommandPool",
      named(i, `${i} command buffers`),
      () => [device, { queueFamilyIndex: 0 }],
      (pool) => (i === 0 ? [] : allocated(pool, 0, i)).map(isUsable),
      Array.from({ length: i }, () => true),
    ),
  ),
  effect(
    "vkCreateCommandPool",
    "whose command buffers are reset one by one",
    () => [device, { flags: VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, queueFamilyIndex: 0 }],
    (pool) => allocated(pool, 0, 1).map((one) => isUsable(one) && isUsable(one)),
    [true],
  ),
  effect("vkDestroyCommandPool", "", () => [device, newPool()], (_, [, pool]) => pool.isAlive, false),
  ...[0, VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT].map((flags, i) =>
    effect(
      "vkResetCommandPool",
      named(i, "what it holds is given back"),
      () => {
        const pool = newPool();
        pooled.set(pool, allocated(pool, 0, 2));
        pooled.get(pool)?.forEach((one) => vkBeginCommandBuffer(one, {}));
        return [device, pool, flags];
      },
      // Of a pool without the bit for it, they could not begin again one by one.
      (_, [, pool]) => pooled.get(pool)?.map(isUsable),
      [true, true],
    ),
  ),
  effect("vkTrimCommandPool", "", () => [device, newPool()], (_, [, pool]) => allocated(pool, 0, 1).map(isUsable), [true]),
  ...[1, 2, 5].map((commandBufferCount, i) =>
    effect(
      "vkAllocateCommandBuffers",
      named(i, `${commandBufferCount} of them`),
      () => [device, { commandPool: newPool(), level: VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount }],
      (list) => list.map(isUsable),
      Array.from({ length: commandBufferCount }, () => true),
    ),
  ),
  effect(
    "vkAllocateCommandBuffers",
    "secondary",
    () => [device, { commandPool: newPool(), level: VK_COMMAND_BUFFER_LEVEL_SECONDARY, commandBufferCount: 2 }],
    (list) => list.map(({ isAlive }) => isAlive),
    [true, true],
  ),
  ...[1, 2].map((count, i) =>
    effect(
      "vkFreeCommandBuffers",
      named(i, `${count} of them`),
      () => {
        const pool = newPool();
        return [device, pool, allocated(pool, 0, count)];
      },
      (_, [, , list]) => list.some(({ isAlive }) => isAlive),
      false,
    ),
  ),
  ...[
    undefined,
    VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
    VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT | VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
  ].map((flags, i) =>
    effect(
      "vkBeginCommandBuffer",
      named(i, `usage ${flags ?? 0}`),
      () => [first(allocated(newPool(), 0, 1)), flags === undefined ? {} : { flags }],
      (_, [commands]) => isRecording(commands),
      true,
    ),
  ),
  effect("vkEndCommandBuffer", "", () => [newRecording()], (_, [commands]) => isUsable(commands), true),
  ...[undefined, VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT].map((flags, i) =>
    effect(
      "vkResetCommandBuffer",
      named(i, "what it holds is given back"),
      () => [ended(), ...(flags === undefined ? [] : [flags])] as [VkCommandBuffer, number?],
      (_, [commands]) => isUsable(commands),
      true,
    ),
  ),
  effect("vkResetCommandBuffer", "while it is recorded", () => [newRecording()], (_, [one]) => isUsable(one), true),
  effect(
    "vkCmdBindPipeline",
    "",
    () => [adding(), COMPUTE, single],
    (_, [commands]) => afterGroup(commands),
    [10, 10, 0, 0, 0, 0, 0, 0],
  ),
  effect(
    "vkCmdBindDescriptorSets",
    "",
    () => {
      const [commands, set] = [started(pipeline, layout), newSet(oneSet)];
      writeSet(set, 0, [bufferOf(commands)]);
      return [commands, COMPUTE, layout, 0, [set]];
    },
    (_, [commands]) => afterGroup(commands),
    [1, 1, 1, 1, 0, 0, 0, 0],
  ),
  effect("vkCmdBindDescriptorSets", "none", () => [adding(), COMPUTE, layout, 0, []], (_, [one]) => afterGroup(one), [1, 1, 1, 1, 0, 0, 0, 0]),
  ...[0, 4, 8, 16, 24].map((offset) =>
    effect(
      "vkCmdBindDescriptorSets",
      `a dynamic offset of ${offset}`,
      () => {
        const [commands, dstSet] = [started(dynamic, dynamicLayout), newSet(dynamicSet)];
        vkUpdateDescriptorSets(device, [
          {
            dstSet,
            dstBinding: 0,
            descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
            pBufferInfo: [{ buffer: bufferOf(commands), offset: 0, range: 8 }],
          },
        ]);
        return [commands, COMPUTE, dynamicLayout, 0, [dstSet], [offset]];
      },
      (_, [commands]) => afterGroup(commands),
      Array.from({ length: 8 }, (_, i) => (i * 4 >= offset && i * 4 < offset + 8 ? 1 : 0)),
    ),
  ),
  ...[
    { offset: 0, range: VK_WHOLE_SIZE },
    { offset: 8, range: VK_WHOLE_SIZE },
    { offset: 0, range: 8 },
    { offset: 16, range: 4 },
  ].map((part, row) =>
    effect(
      "vkCmdPushDescriptorSetKHR",
      named(row, `${part.range} bytes from ${part.offset} on`),
      () => {
        const commands = started(pushed, pushedLayout);
        return [
          commands,
          COMPUTE,
          pushedLayout,
          0,
          [
            {
              dstBinding: 0,
              descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
              pBufferInfo: [{ buffer: bufferOf(commands), ...part }],
            },
          ],
        ];
      },
      (_, [commands]) => afterGroup(commands),
      Array.from({ length: 8 }, (_, i) => {
        const at = i * 4 - part.offset;
        return at >= 0 && at < Math.min(16, part.range) ? 1 : 0;
      }),
    ),
  ),
  ...PUSHES.map(([offset, values, expected], i) =>
    effect(
      "vkCmdPushConstants",
      named(i, `${values.byteLength} bytes of ${values.constructor.name} at ${offset}`),
      () => [adding(false), wideLayout, VK_SHADER_STAGE_COMPUTE_BIT, offset, values],
      (_, [commands]) => afterGroup(commands)[0],
      expected,
    ),
  ),
  ...COUNTS.map((count, i) =>
    effect(
      "vkCmdDispatch",
      named(i, `${count.join(" x ")} groups`),
      () => [counting(), ...count],
      (_, [commands]) => written(commands),
      counts([0, 0, 0], count),
    ),
  ),
  ...BASES.map(([base, count], i) =>
    effect(
      "vkCmdDispatchBase",
      named(i, `${count.join(" x ")} groups from ${base.join(", ")} on`),
      () => [counting(), ...base, ...count],
      (_, [commands]) => written(commands),
      counts(base, count),
    ),
  ),
  ...COUNTS.map((count, i) =>
    effect(
      "vkCmdDispatchIndirect",
      named(i, `${count.join(" x ")} groups`),
      () => [counting(), words([...Array.from({ length: i % 3 }, () => 99), ...count]).buffer, (i % 3) * 4],
      (_, [commands]) => written(commands),
      counts([0, 0, 0], count),
    ),
  ),
  effect(
    "vkCmdPipelineBarrier",
    "",
    () => [filledFirst(), ALL_COMMANDS, ALL_COMMANDS, 0, [{ srcAccessMask: MEMORY, dstAccessMask: MEMORY }]],
    (_, [commands]) => afterGroup(commands),
    THREES,
  ),
  ...bitsOf("VkPipelineStageFlags").flatMap((stage) => [
    effect(
      "vkCmdPipelineBarrier",
      `from stage ${stage} too`,
      () => [filledFirst(), ALL_COMMANDS | stage, ALL_COMMANDS, 0, [{ srcAccessMask: MEMORY, dstAccessMask: MEMORY }]],
      (_, [commands]) => afterGroup(commands),
      THREES,
    ),
    effect(
      "vkCmdPipelineBarrier",
      `to stage ${stage} too`,
      () => [filledFirst(), ALL_COMMANDS, ALL_COMMANDS | stage, 0, [{ srcAccessMask: MEMORY, dstAccessMask: MEMORY }]],
      (_, [commands]) => afterGroup(commands),
      THREES,
    ),
  ]),
  ...bitsOf("VkAccessFlags").map((access) =>
    effect(
      "vkCmdPipelineBarrier",
      `of a buffer, to access ${access} too`,
      () => {
        const commands = filledFirst();
        const buffer = bufferOf(commands);
        const row = { srcAccessMask: MEMORY, dstAccessMask: MEMORY | access, buffer, offset: 0, size: VK_WHOLE_SIZE };
        return [commands, ALL_COMMANDS, ALL_COMMANDS, 0, [], [row]];
      },
      (_, [commands]) => afterGroup(commands),
      THREES,
    ),
  ),
  ...bitsOf("VkDependencyFlags").map((flags) =>
    effect(
      "vkCmdPipelineBarrier",
      `dependency ${flags}`,
      () => [filledFirst(), ALL_COMMANDS, ALL_COMMANDS, flags, [{ srcAccessMask: MEMORY, dstAccessMask: MEMORY }]],
      (_, [commands]) => afterGroup(commands),
      THREES,
    ),
  ),
  effect("vkCmdPipelineBarrier2", "", () => [filledFirst(), dependency(0, 0)], (_, [one]) => afterGroup(one), THREES),
  ...bitsOf("VkPipelineStageFlags2").map((stage) =>
    effect(
      "vkCmdPipelineBarrier2",
      `stage ${stage}`,
      () => [filledFirst(), dependency(stage > 2 ** 31 ? 0 : stage, 0)],
      (_, [commands]) => afterGroup(commands),
      THREES,
    ),
  ),
  ...bitsOf("VkAccessFlags2").map((access) =>
    effect(
      "vkCmdPipelineBarrier2",
      `access ${access}`,
      () => [filledFirst(), dependency(0, access)],
      (_, [commands]) => afterGroup(commands),
      THREES,
    ),
  ),
  ...[1, 2].map((count, i) =>
    effect(
      "vkCmdExecuteCommands",
      named(i, `${count} of them`),
      () => [newRecording(), Array.from({ length: count }, () => ended(1))],
      (_, [commands, list]) => {
        finish(commands);
        return list.map((one) => targets.get(one)?.words[1]);
      },
      Array.from({ length: count }, () => 6),
    ),
  ),
];
