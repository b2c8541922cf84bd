// SPDX-License-Identifier: Apache-2.0
// Rules on the lifetimes of objects, on the states of command buffers and on what is externally synchronised, by entry
// point. They ask object-uses.ts what commands use and what is pending.
import { CommandBuffer } from "../command-buffer.ts";
import { DescriptorSet } from "../descriptor-set.ts";
import type { Device } from "../device.ts";
import {
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
} from "../generated/constants.ts";
import type { VkCommandBuffer, VkDevice, VkFence, VkQueue } from "../generated/handles.ts";
import type { VkSubmitInfo, VkSubmitInfo2 } from "../generated/structures.ts";
import type { Vulkan } from "../generated/vulkan.ts";
import type { VkHandle } from "../handle.ts";
import { holderOf } from "./held.ts";
import { invalidityOf, isAwaited, isExecutedBy, isPending, isUsed, recordedWith } from "./object-uses.ts";
import { type Rule, type RuleTable, when } from "./rule.ts";

const THREADING = "UNASSIGNED-Threading-MultipleThreads-Write";
const WAIT = "wait for its fence or for its queue first";

/** What a wait that has not ended forbids to change; null: nothing. */
function held(...objects: readonly (VkHandle | null | undefined)[]): string | null {
  for (const object of objects) {
    const call = object === null || object === undefined ? null : holderOf(object);
    if (call !== null)
      return `${call} uses the ${object?.kind ?? ""}, which is externally synchronised, and has not ended; await it first`;
  }
  return null;
}

/** An object that pending work uses is not destroyed. */
const inUse = (device: VkDevice, object: VkHandle): string | null =>
  when(
    isUsed(device, (used) => used === object),
    `a submission that is pending uses the ${object.kind}; ${WAIT}`,
  );

/** Calls that destroy their second parameter, with the name of the rule that no pending work uses it. */
const DESTROYS = {
  vkDestroyBuffer: "buffer-00922",
  vkDestroyBufferView: "bufferView-00936",
  vkDestroyImage: "image-01000",
  vkDestroyImageView: "imageView-01026",
  vkDestroySampler: "sampler-01082",
  vkFreeMemory: "memory-00677",
  vkDestroyPipeline: "pipeline-00765",
  vkDestroyEvent: "event-01145",
  vkDestroyQueryPool: "queryPool-00793",
  vkDestroySemaphore: "semaphore-05149",
} as const satisfies { readonly [K in keyof Vulkan]?: string };

const DESTROY_RULES: Readonly<Record<string, readonly Rule[]>> = Object.fromEntries(
  Object.entries(DESTROYS).map(([name, id]) => [name, [{ id: `VUID-${name}-${id}`, check: inUse }]]),
);

/** The sets of a pool, or the command buffers of one. */
const partOf =
  (pool: VkHandle) =>
  (object: VkHandle): boolean =>
    object.parent === pool;

const poolInUse = (device: VkDevice, pool: VkHandle): string | null =>
  when(isUsed(device, partOf(pool)), `a submission that is pending uses a part of the ${pool.kind}; ${WAIT}`);

const pendingAmong = (device: VkHandle, list: readonly VkCommandBuffer[]): string | null =>
  when(
    list.some((one) => isPending(device, one)),
    `a command buffer is pending; ${WAIT}`,
  );

const deviceOf = (commands: VkHandle): VkHandle => (commands instanceof CommandBuffer ? commands.device : commands);

const isSimultaneous = (commands: VkCommandBuffer): boolean =>
  commands instanceof CommandBuffer && (commands.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) !== 0;

const hasTwice = (list: readonly VkCommandBuffer[]): boolean =>
  list.some((one, i) => !isSimultaneous(one) && list.indexOf(one) !== i);

/** Names of the rules of a submission, which both calls have. */
interface SubmitRules {
  readonly level: string;
  readonly state: string;
  readonly pending: string;
}

/** What is wrong with the command buffers of a submission. */
function submitRules<I>(
  names: SubmitRules,
  buffersOf: (infos: readonly I[]) => readonly VkCommandBuffer[],
): readonly Rule<[queue: VkQueue, infos: readonly I[], fence?: VkFence | null]>[] {
  return [
    { id: THREADING, check: (queue, _infos, fence) => held(queue, fence) },
    {
      id: names.level,
      check: (_queue, infos) =>
        when(
          buffersOf(infos).some((one) => one instanceof CommandBuffer && one.level === VK_COMMAND_BUFFER_LEVEL_SECONDARY),
          "a command buffer is secondary; vkCmdExecuteCommands runs it in a primary one",
        ),
    },
    {
      id: names.state,
      check: (_queue, infos) => {
        for (const one of buffersOf(infos)) {
          const why = invalidityOf(one);
          if (why !== null) return `a command buffer is invalid: ${why}; record it again`;
        }
        return null;
      },
    },
    {
      id: names.pending,
      check: (queue, infos) => {
        const list = buffersOf(infos);
        const isWrong = hasTwice(list) || list.some((one) => !isSimultaneous(one) && isPending(deviceOf(one), one));
        return when(
          isWrong && queue.isAlive,
          "a command buffer is pending already; begin it with VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT",
        );
      },
    },
  ];
}

const TABLE: RuleTable = {
  vkDestroyDevice: [{ id: THREADING, check: (device) => held(device) }],
  vkDeviceWaitIdle: [{ id: THREADING, check: (device) => held(...(device as Device).queues) }],
  vkQueueWaitIdle: [{ id: THREADING, check: (queue) => held(queue) }],
  vkDestroyFence: [
    { id: THREADING, check: (_device, fence) => held(fence) },
    {
      id: "VUID-vkDestroyFence-fence-01120",
      check: (device, fence) => when(isAwaited(device, fence), `a submission that is pending signals the fence; ${WAIT}`),
    },
  ],
  vkResetFences: [{ id: THREADING, check: (_device, fences) => held(...fences) }],
  vkDestroyPipelineLayout: [
    {
      id: "VUID-vkDestroyPipelineLayout-pipelineLayout-02004",
      check: (device, layout) =>
        when(recordedWith(device, layout), "a command buffer that is recorded uses the layout; end it first"),
    },
  ],
  vkDestroyDescriptorPool: [{ id: "VUID-vkDestroyDescriptorPool-descriptorPool-00303", check: poolInUse }],
  vkResetDescriptorPool: [{ id: "VUID-vkResetDescriptorPool-descriptorPool-00313", check: poolInUse }],
  vkFreeDescriptorSets: [
    {
      id: "VUID-vkFreeDescriptorSets-pDescriptorSets-00309",
      check: (device, _pool, sets) => sets.map((set) => inUse(device, set)).find((wrong) => wrong !== null) ?? null,
    },
  ],
  vkUpdateDescriptorSets: [
    {
      id: "VUID-vkUpdateDescriptorSets-None-03047",
      check: (device, writes = [], copies = []) =>
        [...writes, ...copies]
          .map(({ dstSet }) => dstSet ?? null)
          .map((set) =>
            set instanceof DescriptorSet && !set.table.layout.updatesAfterBind ? inUse(device, set) : null,
          )
          .find((wrong) => wrong !== null) ?? null,
    },
  ],
  vkResetQueryPool: [{ id: "VUID-vkResetQueryPool-firstQuery-02665", check: (device, pool) => inUse(device, pool) }],
  vkDestroyCommandPool: [{ id: "VUID-vkDestroyCommandPool-commandPool-00041", check: poolInUse }],
  vkResetCommandPool: [{ id: "VUID-vkResetCommandPool-commandPool-00040", check: poolInUse }],
  vkFreeCommandBuffers: [
    {
      id: "VUID-vkFreeCommandBuffers-pCommandBuffers-00047",
      check: (device, _pool, list) => pendingAmong(device, list),
    },
  ],
  vkBeginCommandBuffer: [
    {
      id: "VUID-vkBeginCommandBuffer-commandBuffer-00049",
      check: (commands) => pendingAmong(deviceOf(commands), [commands]),
    },
  ],
  vkResetCommandBuffer: [
    {
      id: "VUID-vkResetCommandBuffer-commandBuffer-00045",
      check: (commands) => pendingAmong(deviceOf(commands), [commands]),
    },
  ],
  vkEndCommandBuffer: [
    {
      id: "VUID-vkEndCommandBuffer-commandBuffer-00059",
      check: (commands) => {
        if (!(commands instanceof CommandBuffer)) return null;
        if (commands.state !== "recording") return `the command buffer is not being recorded (it is ${commands.state}); begin it first`;
        const why = invalidityOf(commands);
        return why === null ? null : `the command buffer is invalid: ${why}; begin it again`;
      },
    },
  ],
  vkCmdExecuteCommands: [
    {
      id: "VUID-vkCmdExecuteCommands-pCommandBuffers-00089",
      check: (_to, list) => {
        const why = list.map(invalidityOf).find((wrong) => wrong !== null) ?? null;
        return why === null ? null : `a command buffer is invalid: ${why}; record it again`;
      },
    },
    {
      id: "VUID-vkCmdExecuteCommands-pCommandBuffers-00091",
      check: (to, list) =>
        pendingAmong(
          deviceOf(to),
          list.filter((one) => !isSimultaneous(one)),
        ),
    },
    {
      id: "VUID-vkCmdExecuteCommands-pCommandBuffers-00092",
      check: (to, list) =>
        when(
          list.some((one) => !isSimultaneous(one) && isExecutedBy(to, one)),
          "the command buffer executes one of them already, which was begun without simultaneous use",
        ),
    },
    {
      id: "VUID-vkCmdExecuteCommands-pCommandBuffers-00093",
      check: (_to, list) => when(hasTwice(list), "a command buffer without simultaneous use is there twice"),
    },
  ],
  vkQueueSubmit: submitRules<VkSubmitInfo>(
    {
      level: "VUID-VkSubmitInfo-pCommandBuffers-00075",
      state: "VUID-vkQueueSubmit-pCommandBuffers-00070",
      pending: "VUID-vkQueueSubmit-pCommandBuffers-00071",
    },
    (infos) => infos.flatMap(({ pCommandBuffers = [] }) => pCommandBuffers),
  ),
  vkQueueSubmit2: submitRules<VkSubmitInfo2>(
    {
      level: "VUID-VkCommandBufferSubmitInfo-commandBuffer-03890",
      state: "VUID-vkQueueSubmit2-commandBuffer-03874",
      pending: "VUID-vkQueueSubmit2-commandBuffer-03875",
    },
    (infos) =>
      infos.flatMap(({ pCommandBufferInfos = [] }) => pCommandBufferInfos.map(({ commandBuffer }) => commandBuffer)),
  ),
};

/** By entry point. */
export const OBJECT_RULES: Readonly<Record<string, readonly Rule[]>> = { ...TABLE, ...DESTROY_RULES };
