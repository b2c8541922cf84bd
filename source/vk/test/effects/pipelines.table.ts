// SPDX-License-Identifier: Apache-2.0
// What shader modules, pipelines and descriptors do.
import {
  VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
  VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
  VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
  VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT,
  VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT,
  VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT,
  VK_PIPELINE_CREATE_DISPATCH_BASE_BIT,
  VK_SHADER_STAGE_ALL,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_WHOLE_SIZE,
  type VkComputePipelineCreateInfo,
  type VkDescriptorPool,
  type VkDescriptorSet,
  type VkDescriptorSetLayout,
  type VkDescriptorSetLayoutCreateInfo,
  type VkDescriptorType,
  type VkPipeline,
  type VkPipelineCache,
  type VkPushConstantRange,
  type VkSpecializationInfo,
  vkAllocateDescriptorSets,
  vkCmdDispatch,
  vkCmdPushConstants,
  vkCreateComputePipelines,
  vkCreateDescriptorPool,
  vkCreatePipelineCache,
  vkCreatePipelineLayout,
  vkCreateShaderModule,
  vkGetPipelineCacheData,
  vkUpdateDescriptorSets,
} from "@muxkit/vulkan";

import { type Effect, effect } from "../effect.ts";
import {
  STORAGE,
  adder,
  bind,
  constants,
  device,
  first,
  newPipeline,
  newSet,
  run,
  setLayout,
  shader,
  words,
  writeSet,
} from "../rig.ts";

/** The layouts of `add.comp`. */
const { layout, set, pipeline: ready } = adder(4);

const module = vkCreateShaderModule(device, { pCode: shader("add") });

/** What a pipeline of `add.comp` makes of eight zeros: groups of four, one is added. */
function added(pipeline: VkPipeline | undefined): readonly number[] {
  const data = words(8);
  const bound = newSet(set);
  writeSet(bound, 0, [data.buffer]);
  run((commands) => {
    if (pipeline !== undefined) bind(commands, pipeline, layout, [bound]);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(1));
    vkCmdDispatch(commands, 1, 1, 1);
  });
  return [...data.words];
}

const ONE = [1, 0, 0, 0, 0, 0, 0, 0];
const FOUR = [1, 1, 1, 1, 0, 0, 0, 0];

function info(pSpecializationInfo?: VkSpecializationInfo): VkComputePipelineCreateInfo {
  const stage = { stage: VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main" } as const;
  return { stage: pSpecializationInfo === undefined ? stage : { ...stage, pSpecializationInfo }, layout };
}

/** Values of the local size (0) and of the step (1), and what the pipeline does then. */
const SPECIALIZATIONS: readonly (readonly [what: string, info: VkSpecializationInfo, expected: readonly number[]])[] = [
  ["no entries", { pMapEntries: [], pData: new Uint8Array(0) }, ONE],
  ["nothing at all", {}, ONE],
  ["the size", constants({ 0: 4 }), FOUR],
  ["the step", constants({ 1: 3 }), [3, 0, 0, 0, 0, 0, 0, 0]],
  ["both", constants({ 0: 2, 1: 5 }), [5, 5, 0, 0, 0, 0, 0, 0]],
  ["a constant that the shader lacks", constants({ 9: 1 }), ONE],
  [
    "in another order",
    {
      pMapEntries: [
        { constantID: 1, offset: 4, size: 4 },
        { constantID: 0, offset: 0, size: 4 },
      ],
      pData: Uint32Array.of(4, 2),
    },
    [2, 2, 2, 2, 0, 0, 0, 0],
  ],
  [
    "one value for both",
    {
      pMapEntries: [
        { constantID: 0, offset: 0, size: 4 },
        { constantID: 1, offset: 0, size: 4 },
      ],
      pData: Uint32Array.of(3),
    },
    [3, 3, 3, 0, 0, 0, 0, 0],
  ],
  ["at an odd place", { pMapEntries: [{ constantID: 0, offset: 1, size: 4 }], pData: Uint8Array.of(9, 4, 0, 0, 0) }, FOUR],
];

/** Flags of pipelines that change nothing that is seen. */
const PIPELINE_FLAGS = [
  VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT,
  VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT,
  VK_PIPELINE_CREATE_DISPATCH_BASE_BIT,
] as const;

/** Ranges of push constants, and where in them the values of a call are. */
const RANGES: readonly (readonly VkPushConstantRange[])[] = [
  [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
  [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 128 }],
  [{ stageFlags: VK_SHADER_STAGE_ALL, offset: 0, size: 4 }],
  [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 8 }],
];

function filledCache(): VkPipelineCache {
  const cache = vkCreatePipelineCache(device, {});
  vkCreateComputePipelines(device, cache, [info()]);
  return cache;
}

const cacheSize = (cache: VkPipelineCache): number => vkGetPipelineCacheData(device, cache).length;

const FILLED = vkGetPipelineCacheData(device, filledCache());
/** An empty cache: the header alone. */
const HEADER = 32;

const binding = (
  number: number,
  descriptorType: VkDescriptorType,
  descriptorCount: number,
): NonNullable<VkDescriptorSetLayoutCreateInfo["pBindings"]>[number] => ({
  binding: number,
  descriptorType,
  descriptorCount,
  stageFlags: VK_SHADER_STAGE_COMPUTE_BIT,
});

/** All types of descriptors of which there are pools, by number. */
const TYPES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** Room for everything. */
function roomy(flags: number = 0, maxSets: number = 4): VkDescriptorPool {
  const pPoolSizes = TYPES.map((type) => ({ type, descriptorCount: 16 }));
  return vkCreateDescriptorPool(device, { flags, maxSets, pPoolSizes });
}

const allocate = (descriptorPool: VkDescriptorPool, ...pSetLayouts: VkDescriptorSetLayout[]): readonly VkDescriptorSet[] =>
  vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts });

/** Whether a set of a layout can be allocated. */
const isAllocated = (from: VkDescriptorSetLayout): boolean => first(allocate(roomy(), from)).isAlive;

const LAYOUTS: readonly (readonly [what: string, info: VkDescriptorSetLayoutCreateInfo])[] = [
  ["", { pBindings: [binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1)] }],
  ["no bindings", {}],
  ["bindings in another order", { pBindings: [binding(3, 7, 1), binding(1, 7, 1)] }],
  ["a binding without descriptors", { pBindings: [binding(0, 7, 0)] }],
  ["for pools of updates after binding", { flags: VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT }],
  ...TYPES.map((type) => [`type ${type}`, { pBindings: [binding(0, type, 1)] }] as const),
  ...[2, 3, 8, 16].map((count) => [`${count} descriptors`, { pBindings: [binding(0, 7, count)] }] as const),
];

/** Sources 0 to 3, one group of `copy.comp` each from two of them. */
const sources = [10, 20, 30, 40].map((value) => words(Array.from({ length: 8 }, () => value)));
const buffers = sources.map(({ buffer }) => buffer);
const twoSets = [
  setLayout([
    [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1],
    [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2],
  ]),
  setLayout([STORAGE]),
] as const;
const copyLayout = vkCreatePipelineLayout(device, { pSetLayouts: twoSets });
const copy = newPipeline("copy", copyLayout);
const offsets = words([1000, 0, 0, 0]);

/** What `copy.comp` reads of the first set's binding 1, by element. */
function read(from: VkDescriptorSet): readonly (number | undefined)[] {
  const [target, into] = [words(8), newSet(twoSets[1])];
  writeSet(from, 0, [offsets.buffer], VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
  writeSet(into, 0, [target.buffer]);
  run((commands) => {
    bind(commands, copy, copyLayout, [from, into]);
    vkCmdDispatch(commands, 2, 1, 1);
  });
  return [(target.words[0] ?? 0) - 1000, (target.words[4] ?? 0) - 1100];
}

/** A set with the first two sources. */
function filled(): VkDescriptorSet {
  const made = newSet(twoSets[0]);
  writeSet(made, 1, buffers.slice(0, 2));
  return made;
}

const whole = (i: number): { buffer: (typeof buffers)[number] | null; offset: number; range: number } => ({
  buffer: buffers[i] ?? null,
  offset: 0,
  range: VK_WHOLE_SIZE,
});

/** Writes onto sources 0 and 1: from which element on, which buffers, and what is read then. */
const WRITES: readonly (readonly [element: number, list: readonly number[], expected: readonly number[]])[] = [
  [0, [2], [30, 20]],
  [1, [3], [10, 40]],
  [0, [2, 3], [30, 40]],
  [0, [3, 2], [40, 30]],
  [0, [], [10, 20]],
];

/** Copies from a set of sources 2 and 3: from, to, how many, and what is read then. */
const COPIES: readonly (readonly [from: number, to: number, count: number, expected: readonly number[]])[] = [
  [0, 0, 2, [30, 40]],
  [0, 0, 1, [30, 20]],
  [1, 1, 1, [10, 40]],
  [0, 1, 1, [10, 30]],
  [1, 0, 1, [40, 20]],
  [0, 0, 0, [10, 20]],
];

const named = (i: number, what: string): string => (i === 0 ? "" : what);

export const PIPELINE_EFFECTS: readonly Effect[] = [
  effect(
    "vkCreateShaderModule",
    "",
    () => [device, { pCode: shader("add") }],
    (made) => {
      const stage = { stage: VK_SHADER_STAGE_COMPUTE_BIT, module: made, pName: "main" };
      return added(vkCreateComputePipelines(device, null, [{ stage, layout }])[0]);
    },
    ONE,
  ),
  effect(
    "vkDestroyShaderModule",
    "",
    () => [device, vkCreateShaderModule(device, { pCode: shader("add") })],
    (_, [, one]) => one.isAlive,
    false,
  ),
  effect("vkCreatePipelineCache", "", () => [device, { pInitialData: FILLED }], cacheSize, FILLED.length),
  effect("vkCreatePipelineCache", "empty", () => [device, {}], cacheSize, HEADER),
  effect("vkCreatePipelineCache", "of the header", () => [device, { pInitialData: FILLED.slice(0, HEADER) }], cacheSize, HEADER),
  effect("vkCreatePipelineCache", "of one byte", () => [device, { pInitialData: FILLED.slice(0, 1) }], cacheSize, HEADER),
  effect(
    "vkCreatePipelineCache",
    "for one thread",
    () => [device, { flags: VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT }],
    cacheSize,
    HEADER,
  ),
  effect(
    "vkDestroyPipelineCache",
    "",
    () => [device, vkCreatePipelineCache(device, {})],
    (_, [, one]) => one.isAlive,
    false,
  ),
  effect("vkGetPipelineCacheData", "", () => [device, filledCache()], (data) => data, FILLED),
  ...[0, 1, 2].map((count) =>
    effect(
      "vkMergePipelineCaches",
      count === 1 ? "" : `${count} caches`,
      () => [device, vkCreatePipelineCache(device, {}), Array.from({ length: count }, filledCache)],
      (_, [, cache]) => cacheSize(cache),
      count === 0 ? HEADER : FILLED.length,
    ),
  ),
  ...RANGES.map((pPushConstantRanges, i) =>
    effect(
      "vkCreatePipelineLayout",
      named(i, JSON.stringify(pPushConstantRanges)),
      () => [device, { pSetLayouts: [set], pPushConstantRanges }],
      (made) => added(newPipeline("add", made)),
      ONE,
    ),
  ),
  ...[0, 1, 4].map((count) =>
    effect(
      "vkCreatePipelineLayout",
      `${count} sets`,
      () => [device, { pSetLayouts: Array.from({ length: count }, () => set) }],
      (made) => made.isAlive,
      true,
    ),
  ),
  effect(
    "vkDestroyPipelineLayout",
    "",
    () => [device, vkCreatePipelineLayout(device, {})],
    (_, [, one]) => one.isAlive,
    false,
  ),
  effect(
    "vkCreateComputePipelines",
    "",
    () => [device, null, [info(constants({ 0: 4 }))]],
    (made) => added(made[0]),
    FOUR,
  ),
  ...SPECIALIZATIONS.map(([what, values, expected]) =>
    effect("vkCreateComputePipelines", what, () => [device, null, [info(values)]], (made) => added(made[0]), expected),
  ),
  ...PIPELINE_FLAGS.map((flags) =>
    effect(
      "vkCreateComputePipelines",
      `flags ${flags}`,
      () => [device, null, [{ ...info(), flags }]],
      (made) => added(made[0]),
      ONE,
    ),
  ),
  effect(
    "vkCreateComputePipelines",
    "with a cache",
    () => [device, vkCreatePipelineCache(device, { pInitialData: FILLED }), [info()]],
    (made) => added(made[0]),
    ONE,
  ),
  effect(
    "vkCreateComputePipelines",
    "derived from another",
    () => [device, null, [{ ...info(), basePipelineHandle: ready, basePipelineIndex: -1 }]],
    (made) => added(made[0]),
    ONE,
  ),
  effect("vkCreateComputePipelines", "none", () => [device, null, []], (made) => made, []),
  effect(
    "vkCreateComputePipelines",
    "two",
    () => [device, null, [info(), info(constants({ 0: 4 }))]],
    (made) => made.map(added),
    [ONE, FOUR],
  ),
  effect("vkDestroyPipeline", "", () => [device, newPipeline("add", layout)], (_, [, one]) => one.isAlive, false),
  ...LAYOUTS.map(([what, row]) => effect("vkCreateDescriptorSetLayout", what, () => [device, row], isAllocated, true)),
  effect(
    "vkCreateDescriptorSetLayout",
    "for pushed descriptors",
    () => [device, { flags: VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR }],
    (made) => vkCreatePipelineLayout(device, { pSetLayouts: [made] }).isAlive,
    true,
  ),
  effect("vkDestroyDescriptorSetLayout", "", () => [device, setLayout([])], (_, [, one]) => one.isAlive, false),
  effect(
    "vkCreateDescriptorPool",
    "",
    () => [device, { maxSets: 1, pPoolSizes: [{ type: 7, descriptorCount: 1 }] }],
    (made) => allocate(made, set).length,
    1,
  ),
  ...[0, VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT, 3].map((flags) =>
    effect(
      "vkCreateDescriptorPool",
      `flags ${flags}`,
      () => [device, { flags, maxSets: 2, pPoolSizes: [{ type: 7, descriptorCount: 2 }] }],
      (made) => allocate(made, set, set).length,
      2,
    ),
  ),
  effect(
    "vkCreateDescriptorPool",
    "sizes of one type add up",
    () => [device, { maxSets: 2, pPoolSizes: [{ type: 7, descriptorCount: 1 }, { type: 7, descriptorCount: 1 }] }],
    (made) => allocate(made, set, set).length,
    2,
  ),
  effect(
    "vkCreateDescriptorPool",
    "for sets without descriptors",
    () => [device, { maxSets: 1, pPoolSizes: [] }],
    (made) => allocate(made, setLayout([])).length,
    1,
  ),
  effect(
    "vkDestroyDescriptorPool",
    "",
    () => [device, roomy()],
    (_, [, one]) => one.isAlive,
    false,
  ),
  effect(
    "vkResetDescriptorPool",
    "",
    () => {
      const pool = roomy(0, 2);
      allocate(pool, set, set);
      return [device, pool];
    },
    (_, [, pool]) => allocate(pool, set, set).length,
    2,
  ),
  ...[1, 2, 4].map((count, i) =>
    effect(
      "vkAllocateDescriptorSets",
      named(i, `${count} sets`),
      () => [device, { descriptorPool: roomy(), pSetLayouts: Array.from({ length: count }, () => set) }],
      (made) => new Set(made).size,
      count,
    ),
  ),
  ...[1, 2].map((count, i) =>
    effect(
      "vkFreeDescriptorSets",
      named(i, `${count} sets`),
      () => {
        const pool = roomy(VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT, 2);
        return [device, pool, allocate(pool, set, set).slice(0, count)];
      },
      (_, [, pool, sets]) => [sets.some(({ isAlive }) => isAlive), allocate(pool, ...sets.map(() => set)).length],
      [false, count],
    ),
  ),
  ...WRITES.map(([dstArrayElement, list, expected], i) =>
    effect(
      "vkUpdateDescriptorSets",
      named(i, `sources ${list.join(", ")} from element ${dstArrayElement} on`),
      () => [
        device,
        [
          {
            dstSet: filled(),
            dstBinding: 1,
            dstArrayElement,
            descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            pBufferInfo: list.map(whole),
          },
        ],
      ],
      (_, [, writes]) => (writes?.[0]?.dstSet ? read(writes[0].dstSet) : null),
      expected,
    ),
  ),
  ...COPIES.map(([srcArrayElement, dstArrayElement, descriptorCount, expected]) =>
    effect(
      "vkUpdateDescriptorSets",
      `copies ${descriptorCount} from ${srcArrayElement} to ${dstArrayElement}`,
      () => {
        const from = newSet(twoSets[0]);
        writeSet(from, 1, buffers.slice(2));
        return [
          device,
          [],
          [
            { srcSet: from, srcBinding: 1, srcArrayElement, dstSet: filled(), dstBinding: 1, dstArrayElement, descriptorCount },
          ],
        ];
      },
      (_, [, , copies]) => (copies?.[0] === undefined ? null : read(copies[0].dstSet)),
      expected,
    ),
  ),
  ...[
    { offset: 0, range: 4 },
    { offset: 0, range: 32 },
    { offset: 16, range: VK_WHOLE_SIZE },
    { offset: 16, range: 16 },
    { offset: 28, range: 4 },
  ].map((part) =>
    effect(
      "vkUpdateDescriptorSets",
      `${part.range} bytes from ${part.offset} on`,
      () => [
        device,
        [
          {
            dstSet: newSet(set),
            dstBinding: 0,
            descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            pBufferInfo: [{ buffer: words(8).buffer, ...part }],
          },
        ],
      ],
      (_, [, writes]) => {
        const [target, bound] = [words(8), writes?.[0]];
        if (bound?.dstSet === undefined || bound.dstSet === null) return null;
        vkUpdateDescriptorSets(device, [{ ...bound, pBufferInfo: [{ buffer: target.buffer, ...part }] }]);
        const to = bound.dstSet;
        run((commands) => {
          bind(commands, newPipeline("add", layout, constants({ 0: 16 })), layout, [to]);
          vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(1));
          vkCmdDispatch(commands, 1, 1, 1);
        });
        return [...target.words];
      },
      Array.from({ length: 8 }, (_, i) => {
        const end = part.range === VK_WHOLE_SIZE ? 32 : part.offset + part.range;
        return i * 4 >= part.offset && i * 4 < end ? 1 : 0;
      }),
    ),
  ),
];
