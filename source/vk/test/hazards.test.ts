// SPDX-License-Identifier: Apache-2.0
// Synchronisation validation: pairs of commands on the same bytes, with every kind of barrier between them; which of
// them order the two is a table. Then events, secondary command buffers, queues, semaphores, fences, layouts.
import * as vk from "@muxkit/vulkan";
import { describe, expect, test } from "vitest";

import { first, physicalDevice as plain, shader } from "./rig.ts";

const instance = vk.vkCreateInstance({
  pNext: {
    sType: vk.VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
    pEnabledValidationFeatures: [vk.VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT],
  },
});
const physicalDevice = first(vk.vkEnumeratePhysicalDevices(instance));
const newDevice = (on: vk.VkPhysicalDevice): vk.VkDevice =>
  vk.vkCreateDevice(on, { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1, 1] }] });
const device = newDevice(physicalDevice);
const queues = [vk.vkGetDeviceQueue(device, 0, 0), vk.vkGetDeviceQueue(device, 0, 1)] as const;
const pool = vk.vkCreateCommandPool(device, { queueFamilyIndex: 0 });

const BYTES = 64;

function newBuffer(on: vk.VkDevice = device): vk.VkBuffer {
  const buffer = vk.vkCreateBuffer(on, { size: BYTES, usage: 0x13f });
  const { size } = vk.vkGetBufferMemoryRequirements(on, buffer);
  vk.vkBindBufferMemory(on, buffer, vk.vkAllocateMemory(on, { allocationSize: size, memoryTypeIndex: 0 }), 0);
  return buffer;
}

/** Two buffers with one pipeline that reads and writes the first, by `add.comp`. */
interface Scene {
  readonly target: vk.VkBuffer;
  readonly other: vk.VkBuffer;
  readonly set: vk.VkDescriptorSet;
}

const setLayout = vk.vkCreateDescriptorSetLayout(device, {
  pBindings: [
    {
      binding: 0,
      descriptorType: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      descriptorCount: 1,
      stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT,
    },
  ],
});
const layout = vk.vkCreatePipelineLayout(device, {
  pSetLayouts: [setLayout],
  pPushConstantRanges: [{ stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
});
const stage = {
  stage: vk.VK_SHADER_STAGE_COMPUTE_BIT,
  module: vk.vkCreateShaderModule(device, { pCode: shader("add") }),
  pName: "main",
};
const pipeline = first(vk.vkCreateComputePipelines(device, null, [{ stage, layout }]));

function newScene(): Scene {
  const [target, other] = [newBuffer(), newBuffer()];
  const descriptorPool = vk.vkCreateDescriptorPool(device, {
    maxSets: 1,
    pPoolSizes: [{ type: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 1 }],
  });
  const set = first(vk.vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts: [setLayout] }));
  vk.vkUpdateDescriptorSets(device, [
    {
      dstSet: set,
      dstBinding: 0,
      descriptorType: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      pBufferInfo: [{ buffer: target, offset: 0, range: vk.VK_WHOLE_SIZE }],
    },
  ]);
  return { target, other, set };
}

function recording(level: vk.VkCommandBufferLevel = vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY): vk.VkCommandBuffer {
  const commands = first(vk.vkAllocateCommandBuffers(device, { commandPool: pool, level, commandBufferCount: 1 }));
  const isPrimary = level === vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  const flags = vk.VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  vk.vkBeginCommandBuffer(commands, isPrimary ? { flags } : { flags, pInheritanceInfo: {} });
  return commands;
}

type Act = (commands: vk.VkCommandBuffer, scene: Scene) => void;

/** What commands do with the first buffer of a scene. */
const ACTS = {
  fill: (commands, { target }) => vk.vkCmdFillBuffer(commands, target, 0, BYTES, 1),
  update: (commands, { target }) => vk.vkCmdUpdateBuffer(commands, target, 8, Uint32Array.of(1, 2)),
  "copy from": (commands, { target, other }) => vk.vkCmdCopyBuffer(commands, target, other, [{ size: BYTES }]),
  "copy to": (commands, { target, other }) => vk.vkCmdCopyBuffer(commands, other, target, [{ size: BYTES }]),
  dispatch: (commands, { set }) => {
    vk.vkCmdBindPipeline(commands, vk.VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk.vkCmdBindDescriptorSets(commands, vk.VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [set]);
    vk.vkCmdPushConstants(commands, layout, vk.VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(1));
    vk.vkCmdDispatch(commands, 1, 1, 1);
  },
} as const satisfies Readonly<Record<string, Act>>;
type ActName = keyof typeof ACTS;

const S = {
  copy: vk.VK_PIPELINE_STAGE_2_COPY_BIT,
  clear: vk.VK_PIPELINE_STAGE_2_CLEAR_BIT,
  transfer: vk.VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
  compute: vk.VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
  all: vk.VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
  top: vk.VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT,
  bottom: vk.VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT,
} as const;
const A = {
  read: vk.VK_ACCESS_2_TRANSFER_READ_BIT,
  write: vk.VK_ACCESS_2_TRANSFER_WRITE_BIT,
  shaderRead: vk.VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
  shaderWrite: vk.VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
  anyRead: BigInt(vk.VK_ACCESS_MEMORY_READ_BIT),
  anyWrite: BigInt(vk.VK_ACCESS_MEMORY_WRITE_BIT),
  none: 0n,
} as const;
const SHADER = A.shaderRead | A.shaderWrite;
const ANY = A.anyRead | A.anyWrite;

type Barrier = readonly [from: bigint, made: bigint, to: bigint, seen: bigint];

const put = (commands: vk.VkCommandBuffer, ...list: readonly Barrier[]): void => {
  for (const [srcStageMask, srcAccessMask, dstStageMask, dstAccessMask] of list)
    vk.vkCmdPipelineBarrier2(commands, {
      dependencyFlags: 0,
      pMemoryBarriers: [{ srcStageMask, srcAccessMask, dstStageMask, dstAccessMask }],
    });
};

/** The rule that a call breaks; null: none. */
function ruleOf(call: () => void): string | null {
  try {
    call();
    return null;
  } catch (error) {
    if (error instanceof vk.VulkanError && error.name === "VK_ERROR_VALIDATION_FAILED_EXT") return error.rule;
    throw error;
  }
}

const RAW = "SYNC-HAZARD-READ-AFTER-WRITE";
const WAW = "SYNC-HAZARD-WRITE-AFTER-WRITE";
const WAR = "SYNC-HAZARD-WRITE-AFTER-READ";

/** Two acts, what is between them, and the hazard that is left. */
const PAIRS: readonly (readonly [
  before: ActName,
  barriers: readonly Barrier[],
  after: ActName,
  rule: string | null,
])[] = [
  // Nothing between them.
  ["fill", [], "fill", WAW],
  ["fill", [], "update", WAW],
  ["fill", [], "copy from", RAW],
  ["fill", [], "copy to", WAW],
  ["fill", [], "dispatch", RAW],
  ["update", [], "copy from", RAW],
  ["copy from", [], "fill", WAR],
  ["copy from", [], "copy from", WAW],
  ["copy from", [], "copy to", RAW],
  ["copy from", [], "dispatch", WAR],
  ["copy to", [], "copy from", RAW],
  ["dispatch", [], "dispatch", RAW],
  ["dispatch", [], "copy from", RAW],
  ["dispatch", [], "fill", WAR],
  // What orders them.
  ["fill", [[S.clear, A.write, S.clear, A.write]], "fill", null],
  ["fill", [[S.transfer, A.write, S.transfer, A.write]], "update", null],
  ["fill", [[S.clear, A.write, S.copy, A.read]], "copy from", null],
  ["fill", [[S.clear, A.write, S.copy, A.write]], "copy to", null],
  ["fill", [[S.clear, A.write, S.compute, SHADER]], "dispatch", null],
  ["fill", [[S.all, ANY, S.all, ANY]], "dispatch", null],
  ["copy from", [[S.copy, A.none, S.clear, A.none]], "fill", null],
  ["copy from", [[S.all, ANY, S.all, ANY]], "copy from", null],
  ["dispatch", [[S.compute, A.shaderWrite, S.compute, SHADER]], "dispatch", null],
  ["dispatch", [[S.compute, A.shaderWrite, S.copy, A.read]], "copy from", null],
  ["dispatch", [[S.compute, A.shaderWrite, S.clear, A.write]], "fill", null],
  ["dispatch", [[S.bottom, ANY, S.top, ANY]], "fill", WAW],
  // Stages that are not those of the commands.
  ["fill", [[S.copy, A.write, S.compute, SHADER]], "dispatch", RAW],
  ["fill", [[S.clear, A.write, S.copy, A.read]], "dispatch", RAW],
  ["dispatch", [[S.copy, A.write, S.compute, SHADER]], "dispatch", RAW],
  ["dispatch", [[S.top, A.none, S.compute, SHADER]], "dispatch", RAW],
  ["copy from", [[S.compute, A.none, S.clear, A.none]], "fill", WAR],
  ["copy from", [[S.copy, A.none, S.compute, A.none]], "fill", WAR],
  // Accesses that are not those of the commands.
  ["fill", [[S.clear, A.none, S.compute, SHADER]], "dispatch", RAW],
  ["fill", [[S.clear, A.write, S.compute, A.none]], "dispatch", RAW],
  ["fill", [[S.clear, A.write, S.compute, A.shaderWrite]], "dispatch", RAW],
  ["fill", [[S.clear, A.write, S.compute, A.shaderRead]], "dispatch", WAW],
  ["fill", [[S.clear, A.read, S.copy, A.read]], "copy from", RAW],
  ["dispatch", [[S.compute, A.shaderRead, S.copy, A.read]], "copy from", RAW],
  ["dispatch", [[S.compute, A.none, S.clear, A.write]], "fill", WAW],
  // Chains.
  [
    "fill",
    [
      [S.clear, A.write, S.copy, A.none],
      [S.copy, A.none, S.compute, SHADER],
    ],
    "dispatch",
    null,
  ],
  [
    "fill",
    [
      [S.clear, A.write, S.copy, A.none],
      [S.clear, A.none, S.compute, SHADER],
    ],
    "dispatch",
    null,
  ],
  [
    "fill",
    [
      [S.clear, A.none, S.copy, A.none],
      [S.copy, A.write, S.compute, SHADER],
    ],
    "dispatch",
    RAW,
  ],
  [
    "copy from",
    [
      [S.copy, A.none, S.compute, A.none],
      [S.compute, A.none, S.clear, A.none],
    ],
    "fill",
    null,
  ],
  [
    "copy from",
    [
      [S.copy, A.none, S.top, A.none],
      [S.bottom, A.none, S.clear, A.none],
    ],
    "fill",
    null,
  ],
  [
    "copy from",
    [
      [S.copy, A.none, S.bottom, A.none],
      [S.top, A.none, S.clear, A.none],
    ],
    "fill",
    WAR,
  ],
  [
    "dispatch",
    [
      [S.compute, A.shaderWrite, S.all, A.none],
      [S.all, A.none, S.copy, A.read],
    ],
    "copy from",
    null,
  ],
];

describe("in a command buffer", () => {
  test.each(PAIRS.map((row, i) => [`${i}: ${row[0]}, ${row[1].length} barriers, ${row[2]}`, row] as const))(
    "%s",
    (_name, [before, barriers, after, rule]) => {
      const [commands, scene] = [recording(), newScene()];
      ACTS[before](commands, scene);
      put(commands, ...barriers);
      expect(ruleOf(() => ACTS[after](commands, scene))).toBe(rule);
    },
  );

  test("bytes that do not overlap are no hazard", () => {
    const [commands, { target, other }] = [recording(), newScene()];
    vk.vkCmdFillBuffer(commands, target, 0, 32, 1);
    vk.vkCmdFillBuffer(commands, target, 32, 32, 2);
    expect(ruleOf(() => vk.vkCmdCopyBuffer(commands, target, other, [{ srcOffset: 28, size: 8 }]))).toBe(RAW);
  });

  test("two commands that read are none", () => {
    const [commands, scene] = [recording(), newScene()];
    vk.vkCmdCopyBuffer(commands, scene.target, scene.other, [{ size: 32 }]);
    vk.vkCmdCopyBuffer(commands, scene.target, scene.other, [{ dstOffset: 32, size: 32 }]);
    expect(ruleOf(() => vk.vkCmdFillBuffer(commands, scene.target, 0, 4, 0))).toBe(WAR);
  });

  test("buffers that share memory", () => {
    const memory = vk.vkAllocateMemory(device, { allocationSize: 4096, memoryTypeIndex: 0 });
    const [left, right] = [0, 0].map(() => vk.vkCreateBuffer(device, { size: 256, usage: 0x13f }));
    if (left === undefined || right === undefined) throw new Error("two buffers are made");
    vk.vkBindBufferMemory(device, left, memory, 0);
    vk.vkBindBufferMemory(device, right, memory, 128);
    const commands = recording();
    vk.vkCmdFillBuffer(commands, left, 0, 128, 1);
    vk.vkCmdFillBuffer(commands, right, 128, 128, 1);
    expect(ruleOf(() => vk.vkCmdFillBuffer(commands, left, 192, 64, 1))).toBeNull();
    expect(ruleOf(() => vk.vkCmdFillBuffer(commands, right, 64, 4, 1))).toBe(WAW);
  });

  test("a barrier of a part of a buffer", () => {
    const [commands, { target, other }] = [recording(), newScene()];
    vk.vkCmdFillBuffer(commands, target, 0, BYTES, 1);
    vk.vkCmdPipelineBarrier(
      commands,
      vk.VK_PIPELINE_STAGE_TRANSFER_BIT,
      vk.VK_PIPELINE_STAGE_TRANSFER_BIT,
      0,
      [],
      [
        {
          srcAccessMask: vk.VK_ACCESS_TRANSFER_WRITE_BIT,
          dstAccessMask: vk.VK_ACCESS_TRANSFER_READ_BIT,
          buffer: target,
          offset: 0,
          size: 16,
        },
      ],
    );
    const copy = (srcOffset: number): void => vk.vkCmdCopyBuffer(commands, target, other, [{ srcOffset, size: 16 }]);
    expect(ruleOf(() => copy(0))).toBeNull();
    // The bytes beside it are as they were.
    expect(ruleOf(() => copy(16))).toBe(RAW);
    expect(ruleOf(() => copy(8))).toBe(RAW);
  });

  test("both commands are named, and what mends it", () => {
    const [commands, scene] = [recording(), newScene()];
    ACTS.fill(commands, scene);
    expect(() => ACTS.dispatch(commands, scene)).toThrow(
      /vkCmdDispatch \(command 1\) reads bytes 0 to 64 of binding 0 of set 0, a buffer of 64 bytes, and vkCmdFillBuffer \(command 0\) writes bytes 0 to 64 of a buffer of 64 bytes before it.*put a memory barrier from VK_ACCESS_2_TRANSFER_WRITE_BIT in VK_PIPELINE_STAGE_2_CLEAR_BIT to VK_ACCESS_2_SHADER_STORAGE_READ_BIT in VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT between them/u,
    );
  });

  test("nothing of a command with a hazard is recorded", () => {
    const [commands, scene] = [recording(), newScene()];
    ACTS.fill(commands, scene);
    expect(ruleOf(() => ACTS["copy from"](commands, scene))).toBe(RAW);
    put(commands, [S.clear, A.write, S.copy, A.read]);
    expect(ruleOf(() => ACTS["copy from"](commands, scene))).toBeNull();
  });

  test("a recording that begins anew has nothing before it", () => {
    const commands = first(
      vk.vkAllocateCommandBuffers(device, {
        commandPool: vk.vkCreateCommandPool(device, { flags: 2, queueFamilyIndex: 0 }),
        level: vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        commandBufferCount: 1,
      }),
    );
    const scene = newScene();
    for (let i = 0; i < 2; i++) {
      vk.vkBeginCommandBuffer(commands, {});
      expect(ruleOf(() => ACTS.fill(commands, scene))).toBeNull();
      vk.vkEndCommandBuffer(commands);
    }
  });

  test("nothing is looked for unless it is enabled", () => {
    const on = newDevice(plain);
    const commandPool = vk.vkCreateCommandPool(on, { queueFamilyIndex: 0 });
    const level = vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    const commands = first(vk.vkAllocateCommandBuffers(on, { commandPool, level, commandBufferCount: 1 }));
    vk.vkBeginCommandBuffer(commands, {});
    const buffer = newBuffer(on);
    vk.vkCmdFillBuffer(commands, buffer, 0, BYTES, 1);
    expect(ruleOf(() => vk.vkCmdFillBuffer(commands, buffer, 0, BYTES, 2))).toBeNull();
  });
});

describe("secondary command buffers and events", () => {
  test("what a secondary command buffer does is done where it is executed", () => {
    const [secondary, scene] = [recording(vk.VK_COMMAND_BUFFER_LEVEL_SECONDARY), newScene()];
    ACTS.fill(secondary, scene);
    vk.vkEndCommandBuffer(secondary);
    const commands = recording();
    ACTS["copy to"](commands, scene);
    expect(ruleOf(() => vk.vkCmdExecuteCommands(commands, [secondary]))).toBe(WAW);
    put(commands, [S.copy, A.write, S.clear, A.write]);
    expect(ruleOf(() => vk.vkCmdExecuteCommands(commands, [secondary]))).toBeNull();
    expect(ruleOf(() => ACTS["copy from"](commands, scene))).toBe(RAW);
  });

  test.each([
    ["set behind the write", true, null],
    ["set before the write", false, RAW],
  ] as const)("an event that is %s", (_name, isBehind, rule) => {
    const event = vk.vkCreateEvent(device, {});
    const [commands, scene] = [recording(), newScene()];
    const info: vk.VkDependencyInfo = {
      dependencyFlags: 0,
      pMemoryBarriers: [{ srcStageMask: S.clear, srcAccessMask: A.write, dstStageMask: S.copy, dstAccessMask: A.read }],
    };
    if (isBehind) ACTS.fill(commands, scene);
    vk.vkCmdSetEvent2(commands, event, info);
    if (!isBehind) ACTS.fill(commands, scene);
    vk.vkCmdWaitEvents2(commands, [event], [info]);
    expect(ruleOf(() => ACTS["copy from"](commands, scene))).toBe(rule);
  });

  test("an event of Vulkan 1.0", () => {
    const event = vk.vkCreateEvent(device, {});
    const [commands, scene] = [recording(), newScene()];
    ACTS.fill(commands, scene);
    vk.vkCmdSetEvent(commands, event, vk.VK_PIPELINE_STAGE_TRANSFER_BIT);
    vk.vkCmdWaitEvents(commands, [event], vk.VK_PIPELINE_STAGE_TRANSFER_BIT, vk.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, [
      {
        srcAccessMask: vk.VK_ACCESS_TRANSFER_WRITE_BIT,
        dstAccessMask: vk.VK_ACCESS_SHADER_READ_BIT | vk.VK_ACCESS_SHADER_WRITE_BIT,
      },
    ]);
    expect(ruleOf(() => ACTS.dispatch(commands, scene))).toBeNull();
  });
});

/** A command buffer with acts. */
function recorded(scene: Scene, ...acts: readonly (ActName | Barrier)[]): vk.VkCommandBuffer {
  const commands = recording();
  for (const act of acts)
    if (typeof act === "string") ACTS[act](commands, scene);
    else put(commands, act);
  vk.vkEndCommandBuffer(commands);
  return commands;
}

const submit = (
  n: 0 | 1,
  commands: vk.VkCommandBuffer,
  info: vk.VkSubmitInfo = {},
  fence: vk.VkFence | null = null,
): void => vk.vkQueueSubmit(queues[n], [{ ...info, pCommandBuffers: [commands] }], fence);

const RACE = "SYNC-HAZARD-READ-RACING-WRITE";
const TRANSFER = [vk.VK_PIPELINE_STAGE_TRANSFER_BIT];

describe("submissions", () => {
  test("the same command buffer twice, and barriers at its begin", () => {
    const scene = newScene();
    const again = recorded(scene, "fill");
    submit(0, again);
    expect(ruleOf(() => submit(0, again))).toBe(WAW);
    const ordered = recorded(scene, [S.all, ANY, S.all, ANY], "fill");
    submit(0, ordered);
    expect(ruleOf(() => submit(0, ordered))).toBeNull();
    vk.vkQueueWaitIdle(queues[0]);
  });

  test("a queue that is idle has nothing left", () => {
    const scene = newScene();
    const fill = recorded(scene, "fill");
    for (let i = 0; i < 3; i++) {
      expect(ruleOf(() => submit(0, fill))).toBeNull();
      vk.vkQueueWaitIdle(queues[0]);
    }
  });

  test("a fence", () => {
    const scene = newScene();
    const [fill, fence] = [recorded(scene, "fill"), vk.vkCreateFence(device, {})];
    submit(0, fill, {}, fence);
    expect(ruleOf(() => submit(0, fill))).toBe(WAW);
    expect(vk.vkWaitForFences(device, [fence], true, Infinity)).toBe("VK_SUCCESS");
    expect(ruleOf(() => submit(0, fill))).toBeNull();
    vk.vkDeviceWaitIdle(device);
  });

  test("two queues, with a semaphore and without", () => {
    const scene = newScene();
    const [fill, copy] = [recorded(scene, "fill"), recorded(scene, "copy from")];
    const semaphore = vk.vkCreateSemaphore(device, {});
    submit(0, fill, { pSignalSemaphores: [semaphore] });
    expect(ruleOf(() => submit(1, copy))).toBe(RACE);
    expect(ruleOf(() => submit(1, copy, { pWaitSemaphores: [semaphore], pWaitDstStageMask: TRANSFER }))).toBeNull();
    // The next submission of that queue is behind the wait as well.
    expect(ruleOf(() => submit(1, recorded(newScene(), "fill")))).toBeNull();
    vk.vkDeviceWaitIdle(device);
  });

  test("a semaphore that lets another stage wait", () => {
    const scene = newScene();
    const [fill, copy] = [recorded(scene, "fill"), recorded(scene, "copy from")];
    const semaphore = vk.vkCreateSemaphore(device, {});
    submit(0, fill, { pSignalSemaphores: [semaphore] });
    const pWaitDstStageMask = [vk.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT];
    expect(ruleOf(() => submit(1, copy, { pWaitSemaphores: [semaphore], pWaitDstStageMask }))).toBe(RAW);
    // Nothing of that was submitted: the semaphore can still be waited for.
    expect(ruleOf(() => submit(1, copy, { pWaitSemaphores: [semaphore], pWaitDstStageMask: TRANSFER }))).toBeNull();
    vk.vkDeviceWaitIdle(device);
  });

  test("timeline semaphores, waited for before they are signalled", () => {
    const scene = newScene();
    const [fill, copy] = [recorded(scene, "fill"), recorded(scene, "copy from")];
    const semaphore = vk.vkCreateSemaphore(device, {
      pNext: { sType: vk.VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, semaphoreType: vk.VK_SEMAPHORE_TYPE_TIMELINE },
    });
    vk.vkQueueSubmit2(
      queues[1],
      [
        {
          pWaitSemaphoreInfos: [{ semaphore, value: 2n, stageMask: S.all }],
          pCommandBufferInfos: [{ commandBuffer: copy }],
        },
      ],
      null,
    );
    expect(
      ruleOf(() =>
        vk.vkQueueSubmit2(
          queues[0],
          [
            {
              pCommandBufferInfos: [{ commandBuffer: fill }],
              pSignalSemaphoreInfos: [{ semaphore, value: 2n, stageMask: S.all }],
            },
          ],
          null,
        ),
      ),
    ).toBeNull();
    expect(vk.vkWaitSemaphores(device, { pSemaphores: [semaphore], pValues: [2n] }, Infinity)).toBe("VK_SUCCESS");
    vk.vkDeviceWaitIdle(device);
    expect(ruleOf(() => submit(0, fill))).toBeNull();
    vk.vkDeviceWaitIdle(device);
  });

  test("a wait of the host for a value orders what comes after", () => {
    const scene = newScene();
    const fill = recorded(scene, "fill");
    const semaphore = vk.vkCreateSemaphore(device, {
      pNext: { sType: vk.VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, semaphoreType: vk.VK_SEMAPHORE_TYPE_TIMELINE },
    });
    const pNext = { sType: vk.VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, pSignalSemaphoreValues: [1n] } as const;
    submit(0, fill, { pNext, pSignalSemaphores: [semaphore] });
    expect(ruleOf(() => submit(1, fill))).toBe("SYNC-HAZARD-WRITE-RACING-WRITE");
    vk.vkWaitSemaphores(device, { pSemaphores: [semaphore], pValues: [1n] }, Infinity);
    expect(ruleOf(() => submit(1, fill))).toBeNull();
    vk.vkDeviceWaitIdle(device);
  });
});

function newImage(): vk.VkImage {
  const image = vk.vkCreateImage(device, {
    imageType: vk.VK_IMAGE_TYPE_2D,
    format: vk.VK_FORMAT_R32_UINT,
    extent: { width: 4, height: 4, depth: 1 },
    mipLevels: 1,
    arrayLayers: 2,
    samples: vk.VK_SAMPLE_COUNT_1_BIT,
    tiling: vk.VK_IMAGE_TILING_OPTIMAL,
    usage: 0xf,
  });
  const { size } = vk.vkGetImageMemoryRequirements(device, image);
  vk.vkBindImageMemory(device, image, vk.vkAllocateMemory(device, { allocationSize: size, memoryTypeIndex: 0 }), 0);
  return image;
}
const GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
const layer = (baseArrayLayer: number, layerCount: number = 1) => ({
  aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
  mipLevel: 0,
  baseArrayLayer,
  layerCount,
});
const range = (baseArrayLayer: number, layerCount: number = 1): vk.VkImageSubresourceRange => ({
  aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
  baseMipLevel: 0,
  levelCount: 1,
  baseArrayLayer,
  layerCount,
});
const clear = (commands: vk.VkCommandBuffer, image: vk.VkImage, at: number): void =>
  vk.vkCmdClearColorImage(commands, image, GENERAL, { uint32: [1, 1, 1, 1] }, [range(at)]);
const box = (x: number, y: number, at: number): vk.VkBufferImageCopy => ({
  imageSubresource: layer(at),
  imageOffset: { x, y, z: 0 },
  imageExtent: { width: 2, height: 2, depth: 1 },
});
const read = (commands: vk.VkCommandBuffer, image: vk.VkImage, region: vk.VkBufferImageCopy): void =>
  vk.vkCmdCopyImageToBuffer(commands, image, GENERAL, newBuffer(), [region]);
const write = (commands: vk.VkCommandBuffer, image: vk.VkImage, region: vk.VkBufferImageCopy): void =>
  vk.vkCmdCopyBufferToImage(commands, newBuffer(), image, GENERAL, [region]);

const transition = (
  commands: vk.VkCommandBuffer,
  image: vk.VkImage,
  [srcStageMask, srcAccessMask, dstStageMask, dstAccessMask]: Barrier,
): void =>
  vk.vkCmdPipelineBarrier2(commands, {
    dependencyFlags: 0,
    pImageMemoryBarriers: [
      {
        srcStageMask,
        srcAccessMask,
        dstStageMask,
        dstAccessMask,
        oldLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
        newLayout: GENERAL,
        image,
        subresourceRange: range(0, 2),
      },
    ],
  });

describe("images", () => {
  test("layers and boxes that do not overlap are no hazard", () => {
    const [commands, image] = [recording(), newImage()];
    clear(commands, image, 0);
    expect(ruleOf(() => clear(commands, image, 1))).toBeNull();
    const other = newImage();
    write(commands, other, box(0, 0, 0));
    expect(ruleOf(() => write(commands, other, box(2, 0, 0)))).toBeNull();
    expect(ruleOf(() => write(commands, other, box(0, 2, 0)))).toBeNull();
    expect(ruleOf(() => write(commands, other, box(1, 1, 0)))).toBe(WAW);
    expect(ruleOf(() => read(commands, other, box(1, 1, 1)))).toBeNull();
    expect(ruleOf(() => read(commands, other, box(2, 1, 0)))).toBe(RAW);
  });

  test.each<[string, Barrier, string | null, string | null]>([
    ["both scopes", [S.clear, A.write, S.copy, A.read], null, null],
    ["another first stage", [S.copy, A.write, S.copy, A.read], WAW, null],
    ["no first access", [S.clear, A.none, S.copy, A.read], WAW, null],
    ["another second stage", [S.clear, A.write, S.compute, A.shaderRead], null, RAW],
    ["another second access", [S.clear, A.write, S.copy, A.write], null, RAW],
  ])("a change of layout with %s", (_name, barrier, atOnce, later) => {
    const [commands, image] = [recording(), newImage()];
    clear(commands, image, 0);
    const found = ruleOf(() => transition(commands, image, barrier));
    const behind = found === null ? ruleOf(() => read(commands, image, box(0, 0, 0))) : null;
    expect([found, behind]).toEqual([atOnce, later]);
  });

  test("a change of layout of an image that nobody has used", () => {
    const [commands, image] = [recording(), newImage()];
    expect(ruleOf(() => transition(commands, image, [S.top, A.none, S.copy, A.write]))).toBeNull();
    expect(ruleOf(() => write(commands, image, box(0, 0, 0)))).toBeNull();
    expect(ruleOf(() => clear(commands, image, 0))).toBe(WAW);
  });
});
