// SPDX-License-Identifier: Apache-2.0
// Lifetimes of objects, states of command buffers, external synchronisation: rows of what is done, and the rule that it
// breaks, each beside what may be done.
import * as vk from "@muxkit/vulkan";
import { afterEach, describe, expect, test } from "vitest";

import { IMAGE, NEAREST } from "./image-rig.ts";
import { first, newDevice, setLayout, shader } from "./rig.ts";

const COMPUTE = vk.VK_PIPELINE_BIND_POINT_COMPUTE;
const GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
const ALL = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
const POOL_FLAGS = vk.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
const SIMULTANEOUS = vk.VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
const ONCE = vk.VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
const [SAMPLED, STORAGE] = [
  vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
] as const;

const device = newDevice();
const other = newDevice();
const queue = vk.vkGetDeviceQueue(device, 0, 0);
const set = setLayout(
  [
    [SAMPLED, 1],
    [STORAGE, 1],
  ],
  device,
);

// Worlds have pipelines of their own, which are compiled once.
const cache = vk.vkCreatePipelineCache(device, {});
const stage = {
  stage: vk.VK_SHADER_STAGE_COMPUTE_BIT,
  module: vk.vkCreateShaderModule(device, { pCode: shader("fetch") }),
  pName: "main",
};

interface Buffered {
  readonly buffer: vk.VkBuffer;
  readonly memory: vk.VkDeviceMemory;
}

function newBuffer(usage: number = 0x23, on: vk.VkDevice = device): Buffered {
  const buffer = vk.vkCreateBuffer(on, { size: 512, usage });
  const { size } = vk.vkGetBufferMemoryRequirements(on, buffer);
  const memory = vk.vkAllocateMemory(on, { allocationSize: size, memoryTypeIndex: 0 });
  vk.vkBindBufferMemory(on, buffer, memory, 0);
  return { buffer, memory };
}

/** Objects of one row. */
function newWorld() {
  const [data, plain] = [newBuffer(), newBuffer()];
  const image = vk.vkCreateImage(device, { ...IMAGE, format: vk.VK_FORMAT_R8G8B8A8_UNORM });
  const { size } = vk.vkGetImageMemoryRequirements(device, image);
  const imageMemory = vk.vkAllocateMemory(device, { allocationSize: size, memoryTypeIndex: 0 });
  vk.vkBindImageMemory(device, image, imageMemory, 0);
  const view = vk.vkCreateImageView(device, {
    image,
    viewType: vk.VK_IMAGE_VIEW_TYPE_2D,
    format: vk.VK_FORMAT_R8G8B8A8_UNORM,
    subresourceRange: {
      aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
      baseMipLevel: 0,
      levelCount: 1,
      baseArrayLayer: 0,
      layerCount: 1,
    },
  });
  const sampler = vk.vkCreateSampler(device, NEAREST);
  const descriptorPool = vk.vkCreateDescriptorPool(device, {
    flags: vk.VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
    maxSets: 2,
    pPoolSizes: [
      { type: SAMPLED, descriptorCount: 2 },
      { type: STORAGE, descriptorCount: 2 },
    ],
  });
  const bound = first(vk.vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts: [set] }));
  const layout = vk.vkCreatePipelineLayout(device, { pSetLayouts: [set] });
  const world = {
    data,
    plain,
    image,
    imageMemory,
    view,
    sampler,
    descriptorPool,
    set: bound,
    layout,
    pipeline: first(vk.vkCreateComputePipelines(device, cache, [{ stage, layout }])),
    event: vk.vkCreateEvent(device, {}),
    queries: vk.vkCreateQueryPool(device, { queryType: vk.VK_QUERY_TYPE_TIMESTAMP, queryCount: 2 }),
    pool: vk.vkCreateCommandPool(device, { flags: POOL_FLAGS, queueFamilyIndex: 0 }),
    fence: vk.vkCreateFence(device, {}),
    signalled: vk.vkCreateSemaphore(device, {}),
    gate: vk.vkCreateSemaphore(device, {
      pNext: { sType: vk.VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, semaphoreType: vk.VK_SEMAPHORE_TYPE_TIMELINE },
    }),
  };
  update(world);
  return world;
}
type World = ReturnType<typeof newWorld>;

function update({
  set: dstSet,
  view: imageView,
  sampler,
  data,
}: Pick<World, "set" | "view" | "sampler" | "data">): void {
  vk.vkUpdateDescriptorSets(device, [
    {
      dstSet,
      dstBinding: 0,
      descriptorType: SAMPLED,
      pImageInfo: [{ sampler, imageView, imageLayout: GENERAL }],
    },
    {
      dstSet,
      dstBinding: 1,
      descriptorType: STORAGE,
      pBufferInfo: [{ buffer: data.buffer, offset: 0, range: vk.VK_WHOLE_SIZE }],
    },
  ]);
}

function newCommands({ pool }: World, level: vk.VkCommandBufferLevel = 0): vk.VkCommandBuffer {
  return first(vk.vkAllocateCommandBuffers(device, { commandPool: pool, level, commandBufferCount: 1 }));
}

/** Begins a command buffer that uses all objects of a world. */
function begun(world: World, flags: number = 0, level: vk.VkCommandBufferLevel = 0): vk.VkCommandBuffer {
  const commands = newCommands(world, level);
  vk.vkBeginCommandBuffer(commands, level === 0 ? { flags } : { flags, pInheritanceInfo: {} });
  vk.vkCmdFillBuffer(commands, world.plain.buffer, 0, 16, 1);
  vk.vkCmdBindPipeline(commands, COMPUTE, world.pipeline);
  vk.vkCmdBindDescriptorSets(commands, COMPUTE, world.layout, 0, [world.set]);
  vk.vkCmdDispatch(commands, 1, 1, 1);
  vk.vkCmdSetEvent(commands, world.event, ALL);
  vk.vkCmdWriteTimestamp(commands, vk.VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, world.queries, 0);
  return commands;
}

function recorded(world: World, flags: number = 0, level: vk.VkCommandBufferLevel = 0): vk.VkCommandBuffer {
  const commands = begun(world, flags, level);
  vk.vkEndCommandBuffer(commands);
  return commands;
}

/** A primary command buffer that executes secondary ones. */
function executing(world: World, list: readonly vk.VkCommandBuffer[], flags: number = 0): vk.VkCommandBuffer {
  const commands = newCommands(world);
  vk.vkBeginCommandBuffer(commands, { flags });
  vk.vkCmdExecuteCommands(commands, list);
  vk.vkEndCommandBuffer(commands);
  return commands;
}

/** Submits behind a value that nobody signals yet, so that it stays pending. */
function submitHeld({ gate, signalled, fence }: World, commands: vk.VkCommandBuffer): void {
  vk.vkQueueSubmit2(
    queue,
    [
      {
        pWaitSemaphoreInfos: [{ semaphore: gate, value: 1n, stageMask: BigInt(ALL) }],
        pCommandBufferInfos: [{ commandBuffer: commands }],
        pSignalSemaphoreInfos: [{ semaphore: signalled, stageMask: BigInt(ALL) }],
      },
    ],
    fence,
  );
  open.push(gate);
}

/** Lets what was submitted go, and waits. */
function letGo(): void {
  for (const semaphore of open.splice(0)) vk.vkSignalSemaphore(device, { semaphore, value: 1n });
  vk.vkDeviceWaitIdle(device);
}
const open: vk.VkSemaphore[] = [];
afterEach(() => {
  letGo();
});

function ruleOf(call: () => unknown): string | null {
  try {
    call();
    return null;
  } catch (error) {
    if (error instanceof vk.VulkanError && error.name === "VK_ERROR_VALIDATION_FAILED_EXT") {
      // One sentence, with the call and the rule.
      if (!/^vk\w+: .{20,} \(\S+\)$/u.test(error.message)) throw error;
      return error.rule;
    }
    throw error;
  }
}

type Act = (world: World) => void;

/** What takes an object away, and the rule that pending work does not use it. */
const DESTROYS: readonly (readonly [string, Act, rule: string])[] = [
  ["vkDestroyBuffer", ({ plain }) => vk.vkDestroyBuffer(device, plain.buffer), "VUID-vkDestroyBuffer-buffer-00922"],
  [
    "vkDestroyBuffer of a descriptor",
    ({ data }) => vk.vkDestroyBuffer(device, data.buffer),
    "VUID-vkDestroyBuffer-buffer-00922",
  ],
  ["vkFreeMemory", ({ plain }) => vk.vkFreeMemory(device, plain.memory), "VUID-vkFreeMemory-memory-00677"],
  [
    "vkFreeMemory of a descriptor's buffer",
    ({ data }) => vk.vkFreeMemory(device, data.memory),
    "VUID-vkFreeMemory-memory-00677",
  ],
  [
    "vkFreeMemory of a view's image",
    ({ imageMemory }) => vk.vkFreeMemory(device, imageMemory),
    "VUID-vkFreeMemory-memory-00677",
  ],
  ["vkDestroyImage of a view", ({ image }) => vk.vkDestroyImage(device, image), "VUID-vkDestroyImage-image-01000"],
  [
    "vkDestroyImageView of a descriptor",
    ({ view }) => vk.vkDestroyImageView(device, view),
    "VUID-vkDestroyImageView-imageView-01026",
  ],
  [
    "vkDestroySampler of a descriptor",
    ({ sampler }) => vk.vkDestroySampler(device, sampler),
    "VUID-vkDestroySampler-sampler-01082",
  ],
  [
    "vkDestroyPipeline",
    ({ pipeline }) => vk.vkDestroyPipeline(device, pipeline),
    "VUID-vkDestroyPipeline-pipeline-00765",
  ],
  [
    "vkDestroyDescriptorPool",
    (world) => vk.vkDestroyDescriptorPool(device, world.descriptorPool),
    "VUID-vkDestroyDescriptorPool-descriptorPool-00303",
  ],
  [
    "vkResetDescriptorPool",
    (world) => vk.vkResetDescriptorPool(device, world.descriptorPool),
    "VUID-vkResetDescriptorPool-descriptorPool-00313",
  ],
  [
    "vkFreeDescriptorSets",
    (world) => vk.vkFreeDescriptorSets(device, world.descriptorPool, [world.set]),
    "VUID-vkFreeDescriptorSets-pDescriptorSets-00309",
  ],
  ["vkUpdateDescriptorSets", update, "VUID-vkUpdateDescriptorSets-None-03047"],
  ["vkDestroyEvent", ({ event }) => vk.vkDestroyEvent(device, event), "VUID-vkDestroyEvent-event-01145"],
  [
    "vkDestroyQueryPool",
    ({ queries }) => vk.vkDestroyQueryPool(device, queries),
    "VUID-vkDestroyQueryPool-queryPool-00793",
  ],
];

const [STATE, STATE2] = ["VUID-vkQueueSubmit-pCommandBuffers-00070", "VUID-vkQueueSubmit2-commandBuffer-03874"];
const submit = (commands: vk.VkCommandBuffer): void => vk.vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], null);
const submit2 = (commandBuffer: vk.VkCommandBuffer): void =>
  vk.vkQueueSubmit2(queue, [{ pCommandBufferInfos: [{ commandBuffer }] }], null);

describe.each(DESTROYS)("%s", (_name, destroy, rule) => {
  test("of what pending work uses", () => {
    const world = newWorld();
    submitHeld(world, recorded(world));
    expect(ruleOf(() => destroy(world))).toBe(rule);
    // When it is complete it may go.
    letGo();
    expect(ruleOf(() => destroy(world))).toBeNull();
  });

  test("of what a secondary command buffer of pending work uses", () => {
    const world = newWorld();
    submitHeld(world, executing(world, [recorded(world, 0, vk.VK_COMMAND_BUFFER_LEVEL_SECONDARY)]));
    expect(ruleOf(() => destroy(world))).toBe(rule);
  });

  test("of what no pending work uses", () => {
    const [world, unused] = [newWorld(), newWorld()];
    recorded(unused);
    submitHeld(world, recorded(world));
    expect(ruleOf(() => destroy(unused))).toBeNull();
  });

  test("of what is recorded makes the command buffer invalid", () => {
    const world = newWorld();
    const [commands, again, secondary] = [
      recorded(world),
      recorded(world, SIMULTANEOUS),
      executing(world, [recorded(world, 0, vk.VK_COMMAND_BUFFER_LEVEL_SECONDARY)]),
    ];
    const [unaffected, recording] = [recorded(newWorld()), begun(world)];
    destroy(world);
    expect(ruleOf(() => submit(commands))).toBe(STATE);
    expect(ruleOf(() => submit2(again))).toBe(STATE2);
    expect(ruleOf(() => submit(secondary))).toBe(STATE);
    expect(ruleOf(() => vk.vkEndCommandBuffer(recording))).toBe("VUID-vkEndCommandBuffer-commandBuffer-00059");
    expect(ruleOf(() => submit(unaffected))).toBeNull();
    // Recorded anew it is valid.
    vk.vkBeginCommandBuffer(commands, {});
    vk.vkEndCommandBuffer(commands);
    expect(ruleOf(() => submit(commands))).toBeNull();
  });
});

type Row = readonly [name: string, rule: string | null, act: Act];

const SECONDARY = vk.VK_COMMAND_BUFFER_LEVEL_SECONDARY;
const begin = (commands: vk.VkCommandBuffer): void => vk.vkBeginCommandBuffer(commands, {});
/** Does something with a command buffer that is pending. */
const pending =
  (act: (world: World, commands: vk.VkCommandBuffer) => void, flags: number = 0): Act =>
  (world) => {
    const commands = recorded(world, flags);
    submitHeld(world, commands);
    act(world, commands);
  };
/** Does something with one that was pending. */
const complete =
  (act: (world: World, commands: vk.VkCommandBuffer) => void, flags: number = 0): Act =>
  (world) => {
    const commands = recorded(world, flags);
    submitHeld(world, commands);
    letGo();
    act(world, commands);
  };

const POOL_PENDING: readonly (readonly [string, rule: string, (world: World, commands: vk.VkCommandBuffer) => void])[] =
  [
    [
      "vkDestroyCommandPool",
      "VUID-vkDestroyCommandPool-commandPool-00041",
      ({ pool }) => vk.vkDestroyCommandPool(device, pool),
    ],
    [
      "vkResetCommandPool",
      "VUID-vkResetCommandPool-commandPool-00040",
      ({ pool }) => vk.vkResetCommandPool(device, pool),
    ],
    [
      "vkFreeCommandBuffers",
      "VUID-vkFreeCommandBuffers-pCommandBuffers-00047",
      ({ pool }, one) => vk.vkFreeCommandBuffers(device, pool, [one]),
    ],
    [
      "vkResetCommandBuffer",
      "VUID-vkResetCommandBuffer-commandBuffer-00045",
      (_world, one) => vk.vkResetCommandBuffer(one),
    ],
    ["vkBeginCommandBuffer", "VUID-vkBeginCommandBuffer-commandBuffer-00049", (_world, one) => begin(one)],
    ["vkDestroyFence", "VUID-vkDestroyFence-fence-01120", ({ fence }) => vk.vkDestroyFence(device, fence)],
    ["vkResetFences", "VUID-vkResetFences-pFences-01123", ({ fence }) => vk.vkResetFences(device, [fence])],
    [
      "vkDestroySemaphore of a wait",
      "VUID-vkDestroySemaphore-semaphore-05149",
      ({ gate }) => vk.vkDestroySemaphore(device, gate),
    ],
    [
      "vkDestroySemaphore of a signal",
      "VUID-vkDestroySemaphore-semaphore-05149",
      ({ signalled }) => vk.vkDestroySemaphore(device, signalled),
    ],
    [
      "vkResetQueryPool",
      "VUID-vkResetQueryPool-firstQuery-02665",
      ({ queries }) => vk.vkResetQueryPool(device, queries, 0, 1),
    ],
    ["vkQueueSubmit again", "VUID-vkQueueSubmit-pCommandBuffers-00071", (_world, one) => submit(one)],
    ["vkQueueSubmit2 again", "VUID-vkQueueSubmit2-commandBuffer-03875", (_world, one) => submit2(one)],
  ];

const STATES: readonly Row[] = [
  ...POOL_PENDING.flatMap(([name, rule, act]): readonly Row[] => [
    [`${name} while it is pending`, rule, pending(act)],
    [`${name} when it is complete`, null, complete(act)],
  ]),
  ["simultaneous use while it is pending", null, pending((_world, one) => submit(one), SIMULTANEOUS)],
  ["one that was begun for one submission, once", null, (world) => submit(recorded(world, ONCE))],
  ["one that was begun for one submission, twice", STATE, complete((_world, one) => submit(one), ONCE)],
  [
    "one that was begun for one submission, twice by vkQueueSubmit2",
    "VUID-vkQueueSubmit2-pCommandBuffers-00070",
    complete((_world, one) => submit2(one), ONCE),
  ],
  [
    "one that is there twice",
    "VUID-vkQueueSubmit-pCommandBuffers-00071",
    (world) => {
      const one = recorded(world);
      vk.vkQueueSubmit(queue, [{ pCommandBuffers: [one, one] }], null);
    },
  ],
  [
    "one that is there twice, for simultaneous use",
    null,
    (world) => {
      const one = recorded(world, SIMULTANEOUS);
      vk.vkQueueSubmit(queue, [{ pCommandBuffers: [one, one] }], null);
    },
  ],
  ["one in the initial state", STATE, (world) => submit(newCommands(world))],
  ["one that is recorded", STATE, (world) => submit(begun(world))],
  [
    "one that was reset",
    STATE,
    (world) => {
      const one = recorded(world);
      vk.vkResetCommandBuffer(one);
      submit(one);
    },
  ],
  [
    "one whose pool was reset",
    STATE,
    (world) => {
      const one = recorded(world);
      vk.vkResetCommandPool(device, world.pool);
      submit(one);
    },
  ],
  [
    "one that was freed",
    "VUID-vkQueueSubmit-pSubmits-parameter",
    (world) => {
      const one = recorded(world);
      vk.vkFreeCommandBuffers(device, world.pool, [one]);
      submit(one);
    },
  ],
  [
    "one whose pool was destroyed",
    "VUID-vkQueueSubmit-pSubmits-parameter",
    (world) => {
      const one = recorded(world);
      vk.vkDestroyCommandPool(device, world.pool);
      submit(one);
    },
  ],
  ["a secondary one", "VUID-VkSubmitInfo-pCommandBuffers-00075", (world) => submit(recorded(world, 0, SECONDARY))],
  [
    "a secondary one by vkQueueSubmit2",
    "VUID-VkCommandBufferSubmitInfo-commandBuffer-03890",
    (world) => submit2(recorded(world, 0, SECONDARY)),
  ],
  ["a secondary one, executed", null, (world) => submit(executing(world, [recorded(world, 0, SECONDARY)]))],
  [
    "a primary one, executed",
    "VUID-vkCmdExecuteCommands-pCommandBuffers-00088",
    (world) => void executing(world, [recorded(world)]),
  ],
  [
    "a secondary one that is recorded, executed",
    "VUID-vkCmdExecuteCommands-pCommandBuffers-00089",
    (world) => void executing(world, [begun(world, 0, SECONDARY)]),
  ],
  [
    "a secondary one that is invalid, executed",
    "VUID-vkCmdExecuteCommands-pCommandBuffers-00089",
    (world) => {
      const one = recorded(world, 0, SECONDARY);
      vk.vkDestroyBuffer(device, world.plain.buffer);
      executing(world, [one]);
    },
  ],
  [
    "a secondary one that is pending, executed",
    "VUID-vkCmdExecuteCommands-pCommandBuffers-00091",
    (world) => {
      const one = recorded(world, 0, SECONDARY);
      submitHeld(world, executing(world, [one]));
      executing(world, [one]);
    },
  ],
  [
    "a secondary one for simultaneous use that is pending, executed",
    null,
    (world) => {
      const one = recorded(world, SIMULTANEOUS, SECONDARY);
      submitHeld(world, executing(world, [one], SIMULTANEOUS));
      executing(world, [one], SIMULTANEOUS);
    },
  ],
  [
    "a secondary one, executed twice",
    "VUID-vkCmdExecuteCommands-pCommandBuffers-00092",
    (world) => {
      const [one, commands] = [recorded(world, 0, SECONDARY), newCommands(world)];
      begin(commands);
      vk.vkCmdExecuteCommands(commands, [one]);
      vk.vkCmdExecuteCommands(commands, [one]);
    },
  ],
  [
    "a secondary one, executed twice at once",
    "VUID-vkCmdExecuteCommands-pCommandBuffers-00093",
    (world) => {
      const one = recorded(world, 0, SECONDARY);
      executing(world, [one, one]);
    },
  ],
  [
    "a secondary one, executed by two",
    null,
    (world) => {
      const one = recorded(world, 0, SECONDARY);
      executing(world, [one]);
      executing(world, [one]);
    },
  ],
  [
    "one whose secondary one was recorded anew",
    STATE,
    (world) => {
      const one = recorded(world, 0, SECONDARY);
      const commands = executing(world, [one]);
      vk.vkBeginCommandBuffer(one, { pInheritanceInfo: {} });
      vk.vkEndCommandBuffer(one);
      submit(commands);
    },
  ],
  [
    "one whose secondary one was freed",
    STATE,
    (world) => {
      const one = recorded(world, 0, SECONDARY);
      const commands = executing(world, [one]);
      vk.vkFreeCommandBuffers(device, world.pool, [one]);
      submit(commands);
    },
  ],
  ["begin, twice", "VUID-vkBeginCommandBuffer-commandBuffer-00049", (world) => begin(begun(world))],
  ["begin, when it is executable", null, (world) => begin(recorded(world))],
  [
    "begin, from a pool that resets no single ones",
    "VUID-vkBeginCommandBuffer-commandBuffer-00050",
    (world) => {
      begin(recorded({ ...world, pool: vk.vkCreateCommandPool(device, { queueFamilyIndex: 0 }) }));
    },
  ],
  [
    "reset, from a pool that resets no single ones",
    "VUID-vkResetCommandBuffer-commandBuffer-00046",
    (world) => {
      vk.vkResetCommandBuffer(recorded({ ...world, pool: vk.vkCreateCommandPool(device, { queueFamilyIndex: 0 }) }));
    },
  ],
  ["end, twice", "VUID-vkEndCommandBuffer-commandBuffer-00059", (world) => vk.vkEndCommandBuffer(recorded(world))],
  [
    "end, in the initial state",
    "VUID-vkEndCommandBuffer-commandBuffer-00059",
    (world) => vk.vkEndCommandBuffer(newCommands(world)),
  ],
  [
    "a command, in the initial state",
    "VUID-vkCmdFillBuffer-commandBuffer-recording",
    (world) => vk.vkCmdFillBuffer(newCommands(world), world.plain.buffer, 0, 16, 1),
  ],
  [
    "a command, when it is executable",
    "VUID-vkCmdFillBuffer-commandBuffer-recording",
    (world) => vk.vkCmdFillBuffer(recorded(world), world.plain.buffer, 0, 16, 1),
  ],
  [
    "the layout of a pipeline while it is recorded",
    "VUID-vkDestroyPipelineLayout-pipelineLayout-02004",
    (world) => {
      begun(world);
      vk.vkDestroyPipelineLayout(device, world.layout);
    },
  ],
  [
    "the layout of a pipeline when it is recorded",
    null,
    (world) => {
      const one = recorded(world);
      vk.vkDestroyPipelineLayout(device, world.layout);
      submit(one);
    },
  ],
  [
    "the layout of a pipeline of pending work",
    null,
    pending(({ layout }) => vk.vkDestroyPipelineLayout(device, layout)),
  ],
  [
    "a destroyed fence with a submission",
    "VUID-vkQueueSubmit-fence-parameter",
    ({ fence }) => {
      vk.vkDestroyFence(device, fence);
      vk.vkQueueSubmit(queue, [], fence);
    },
  ],
  [
    "a fence that is in use with another submission",
    "VUID-vkQueueSubmit-fence-00064",
    pending(({ fence }) => vk.vkQueueSubmit(queue, [], fence)),
  ],
  [
    "a fence that is signalled with another submission",
    "VUID-vkQueueSubmit-fence-00063",
    complete(({ fence }) => vk.vkQueueSubmit(queue, [], fence)),
  ],
];

test.each(STATES)("%s: %s", (_name, rule, act) => {
  const world = newWorld();
  expect(ruleOf(() => act(world))).toBe(rule);
});

/** Calls with an object that may be one of another device, or destroyed. */
const CALLS: readonly (readonly [
  name: string,
  parameter: string,
  make: (on: vk.VkDevice) => vk.VkHandle & { [Symbol.dispose](): void },
  call: (object: never) => unknown,
])[] = [
  ["vkDestroyBuffer", "buffer", (on) => newBuffer(0x23, on).buffer, (one) => vk.vkDestroyBuffer(device, one)],
  [
    "vkGetBufferMemoryRequirements",
    "buffer",
    (on) => newBuffer(0x23, on).buffer,
    (one) => vk.vkGetBufferMemoryRequirements(device, one),
  ],
  [
    "vkCmdFillBuffer",
    "dstBuffer",
    (on) => newBuffer(0x23, on).buffer,
    (one) => vk.vkCmdFillBuffer(begun(newWorld()), one, 0, 16, 1),
  ],
  ["vkFreeMemory", "memory", (on) => newBuffer(0x23, on).memory, (one) => vk.vkFreeMemory(device, one)],
  ["vkMapMemory", "memory", (on) => newBuffer(0x23, on).memory, (one) => vk.vkMapMemory(device, one, 0, 16, 0)],
  ["vkGetFenceStatus", "fence", (on) => vk.vkCreateFence(on, {}), (one) => vk.vkGetFenceStatus(device, one)],
  ["vkDestroyFence", "fence", (on) => vk.vkCreateFence(on, {}), (one) => vk.vkDestroyFence(device, one)],
  ["vkResetFences", "pFences", (on) => vk.vkCreateFence(on, {}), (one) => vk.vkResetFences(device, [one])],
  ["vkWaitForFences", "pFences", (on) => vk.vkCreateFence(on, {}), (one) => vk.vkWaitForFences(device, [one], true, 0)],
  [
    "vkDestroySemaphore",
    "semaphore",
    (on) => vk.vkCreateSemaphore(on, {}),
    (one) => vk.vkDestroySemaphore(device, one),
  ],
  [
    "vkQueueSubmit",
    "pSubmits",
    (on) => vk.vkCreateSemaphore(on, {}),
    (one) => vk.vkQueueSubmit(queue, [{ pSignalSemaphores: [one] }], null),
  ],
  ["vkSetEvent", "event", (on) => vk.vkCreateEvent(on, {}), (one) => vk.vkSetEvent(device, one)],
  ["vkGetEventStatus", "event", (on) => vk.vkCreateEvent(on, {}), (one) => vk.vkGetEventStatus(device, one)],
  ["vkDestroyEvent", "event", (on) => vk.vkCreateEvent(on, {}), (one) => vk.vkDestroyEvent(device, one)],
  ["vkCmdSetEvent", "event", (on) => vk.vkCreateEvent(on, {}), (one) => vk.vkCmdSetEvent(begun(newWorld()), one, ALL)],
  [
    "vkDestroyCommandPool",
    "commandPool",
    (on) => vk.vkCreateCommandPool(on, { queueFamilyIndex: 0 }),
    (one) => vk.vkDestroyCommandPool(device, one),
  ],
  [
    "vkResetCommandPool",
    "commandPool",
    (on) => vk.vkCreateCommandPool(on, { queueFamilyIndex: 0 }),
    (one) => vk.vkResetCommandPool(device, one),
  ],
  [
    "vkDestroyPipelineLayout",
    "pipelineLayout",
    (on) => vk.vkCreatePipelineLayout(on, {}),
    (one) => vk.vkDestroyPipelineLayout(device, one),
  ],
  ["vkDestroySampler", "sampler", (on) => vk.vkCreateSampler(on, NEAREST), (one) => vk.vkDestroySampler(device, one)],
  [
    "vkDestroyPipelineCache",
    "pipelineCache",
    (on) => vk.vkCreatePipelineCache(on, {}),
    (one) => vk.vkDestroyPipelineCache(device, one),
  ],
];

describe.each(CALLS)("%s", (name, parameter, make, call) => {
  const rule = `VUID-${name}-${parameter}-parameter`;
  test("with an object of the device", () => {
    expect(ruleOf(() => call(make(device) as never))).toBeNull();
  });
  test("with an object of another device", () => {
    expect(ruleOf(() => call(make(other) as never))).toBe(rule);
  });
  test("with an object that is destroyed", () => {
    const object = make(device);
    object[Symbol.dispose]();
    expect(ruleOf(() => call(object as never))).toBe(rule);
  });
});

const THREADING = "UNASSIGNED-Threading-MultipleThreads-Write";
const waitFence = async ({ fence }: World): Promise<unknown> => vk.vkWaitForFencesAsync(device, [fence], Infinity);
const waitQueue = async (): Promise<unknown> => vk.vkQueueWaitIdleAsync(queue);
const waitDevice = async (): Promise<unknown> => vk.vkDeviceWaitIdleAsync(device);

test.each<[string, (world: World) => Promise<unknown>, Act, string | null]>([
  ["vkResetFences of an awaited fence", waitFence, ({ fence }) => vk.vkResetFences(device, [fence]), THREADING],
  ["vkDestroyFence of an awaited fence", waitFence, ({ fence }) => vk.vkDestroyFence(device, fence), THREADING],
  ["vkQueueSubmit with an awaited fence", waitFence, ({ fence }) => vk.vkQueueSubmit(queue, [], fence), THREADING],
  ["vkDestroyDevice of an awaited fence", waitFence, () => vk.vkDestroyDevice(device), THREADING],
  ["vkGetFenceStatus of an awaited fence", waitFence, ({ fence }) => vk.vkGetFenceStatus(device, fence), null],
  ["vkWaitForFences of an awaited fence", waitFence, ({ fence }) => vk.vkWaitForFences(device, [fence], true, 0), null],
  ["vkQueueSubmit while a fence is awaited", waitFence, () => vk.vkQueueSubmit(queue, [{}], null), null],
  ["vkResetFences of another fence", waitFence, () => vk.vkResetFences(device, [vk.vkCreateFence(device, {})]), null],
  ["vkQueueSubmit to an awaited queue", waitQueue, () => vk.vkQueueSubmit(queue, [], null), THREADING],
  ["vkQueueSubmit2 to an awaited queue", waitQueue, () => vk.vkQueueSubmit2(queue, []), THREADING],
  ["vkQueueWaitIdle of an awaited queue", waitQueue, () => vk.vkQueueWaitIdle(queue), THREADING],
  ["vkDeviceWaitIdle of an awaited queue", waitQueue, () => vk.vkDeviceWaitIdle(device), THREADING],
  ["vkDestroyDevice of an awaited queue", waitQueue, () => vk.vkDestroyDevice(device), THREADING],
  ["vkCreateFence while a queue is awaited", waitQueue, () => void vk.vkCreateFence(device, {}), null],
  ["vkQueueSubmit while a device is awaited", waitDevice, () => vk.vkQueueSubmit(queue, [], null), THREADING],
  ["vkDestroyDevice of an awaited device", waitDevice, () => vk.vkDestroyDevice(device), THREADING],
  ["vkDestroyBuffer while a device is awaited", waitDevice, () => vk.vkDestroyBuffer(device, newBuffer().buffer), null],
])("%s", async (_name, wait, act, rule) => {
  const world = newWorld();
  // A fence is awaited when something that is on the device signals it.
  if (wait === waitFence) vk.vkQueueSubmit(queue, [{ pCommandBuffers: [recorded(world)] }], world.fence);
  else submitHeld(world, recorded(world));
  const waited = wait(world);
  const during = ruleOf(() => act(world));
  for (const semaphore of open.splice(0)) vk.vkSignalSemaphore(device, { semaphore, value: 1n });
  await waited;
  expect(during).toBe(rule);
  // When the wait has ended it may be done, as far as that goes.
  const later = rule === null ? null : ruleOf(() => act(world));
  expect(later).not.toBe(THREADING);
});

test("a second wait for a queue that is awaited is refused, and the first goes on", async () => {
  const world = newWorld();
  submitHeld(world, recorded(world));
  const waited = vk.vkQueueWaitIdleAsync(queue);
  await expect(vk.vkQueueWaitIdleAsync(queue)).rejects.toMatchObject({ rule: THREADING });
  vk.vkSignalSemaphore(device, { semaphore: first(open.splice(0)), value: 1n });
  await waited;
  expect(vk.vkGetFenceStatus(device, world.fence)).toBe("VK_SUCCESS");
});

test("a device or an instance with objects is not destroyed", () => {
  const instance = vk.vkCreateInstance({});
  const own = vk.vkCreateDevice(first(vk.vkEnumeratePhysicalDevices(instance)), {
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  const fence = vk.vkCreateFence(own, {});
  expect(ruleOf(() => vk.vkDestroyInstance(instance))).toBe("VUID-vkDestroyInstance-instance-00629");
  expect(ruleOf(() => vk.vkDestroyDevice(own))).toBe("VUID-vkDestroyDevice-device-05137");
  vk.vkDestroyFence(own, fence);
  expect(ruleOf(() => vk.vkDestroyDevice(own))).toBeNull();
  expect(ruleOf(() => vk.vkDestroyInstance(instance))).toBeNull();
});
