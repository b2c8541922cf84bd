// SPDX-License-Identifier: Apache-2.0
// Synchronisation validation: where VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT is enabled, commands
// are checked when they are recorded, with what is before them in their command buffer, and when they are submitted,
// with all that is not known to be complete. Where no instance has enabled it, this costs a look at a number.
import { findInChain } from "../chain.ts";
import { CommandBuffer } from "../command-buffer.ts";
import { VulkanError } from "../error.ts";
import {
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
  VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
  VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
} from "../generated/constants.ts";
import type { VkCommandBuffer, VkSemaphore } from "../generated/handles.ts";
import type { VkInstanceCreateInfo, VkSubmitInfo, VkSubmitInfo2 } from "../generated/structures.ts";
import type { Vulkan } from "../generated/vulkan.ts";
import { VkHandle } from "../handle.ts";
import { DeviceMemory } from "../memory.ts";
import { Fence, Semaphore } from "../synchronisation.ts";
import { ANY_STAGE, COMMAND_STEPS } from "./command-steps.ts";
import { DeviceHazards, type HazardBatch, type SemaphoreUse } from "./device-hazards.ts";
import { type Hazard, HazardTracker, type SyncStep } from "./hazard-tracker.ts";

/** What was recorded in a command buffer. */
interface Recorded {
  readonly tracker: HazardTracker;
  readonly steps: SyncStep[];
  count: number;
}

/** Instances that have it enabled. */
const INSTANCES = new WeakSet<VkHandle>();
let enabled = 0;
const RECORDED = new WeakMap<VkHandle, Recorded>();
const DEVICES = new WeakMap<VkHandle, DeviceHazards>();

/** Notes whether an instance wants hazards to be found. */
export function noteInstance(instance: VkHandle, info: VkInstanceCreateInfo): void {
  const features = findInChain(info, VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
  const wanted = features?.pEnabledValidationFeatures ?? [];
  if (!wanted.includes(VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT)) return;
  INSTANCES.add(instance);
  enabled++;
}

/** The ancestor of a kind. */
function ancestor(handle: VkHandle, kind: string): VkHandle | null {
  let own: VkHandle | null = handle;
  while (own !== null && own.kind !== kind) own = own.parent;
  return own;
}

/** True where hazards of calls with this first argument are looked for. */
export function findsHazards(first: unknown): boolean {
  if (enabled === 0 || !(first instanceof VkHandle)) return false;
  const instance = ancestor(first, "VkInstance");
  return instance !== null && INSTANCES.has(instance);
}

function thrown(call: string, hazard: Hazard | null): void {
  if (hazard === null) return;
  throw new VulkanError("VK_ERROR_VALIDATION_FAILED_EXT", call, hazard.message, {
    rule: `SYNC-HAZARD-${hazard.name}`,
  });
}

function recordedOf(commands: VkHandle): Recorded {
  let recorded = RECORDED.get(commands);
  if (recorded === undefined) {
    recorded = { tracker: new HazardTracker(), steps: [], count: 0 };
    RECORDED.set(commands, recorded);
  }
  return recorded;
}

/** Takes steps of a command buffer that is recorded; nothing is taken where there is a hazard. */
function record(call: string, commands: VkHandle, steps: readonly SyncStep[]): void {
  const recorded = recordedOf(commands);
  for (const step of steps) {
    thrown(call, recorded.tracker.take(step, 0, 1));
    recorded.steps.push(step);
  }
}

function deviceHazards(handle: VkHandle): DeviceHazards | null {
  const device = ancestor(handle, "VkDevice");
  if (device === null) return null;
  let hazards = DEVICES.get(device);
  if (hazards === undefined) {
    hazards = new DeviceHazards();
    DEVICES.set(device, hazards);
  }
  return hazards;
}

const use = (semaphore: VkSemaphore, value: bigint, stages: bigint): readonly SemaphoreUse[] =>
  semaphore instanceof Semaphore ? [{ semaphore, value, stages }] : [];

const buffersOf = (list: readonly VkCommandBuffer[]): HazardBatch["buffers"] =>
  list.flatMap((commands) =>
    commands instanceof CommandBuffer ? [{ commands, steps: RECORDED.get(commands)?.steps ?? [] }] : [],
  );

function batchOf(info: VkSubmitInfo): Omit<HazardBatch, "fence"> {
  const values = findInChain(info, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  const { pWaitSemaphores = [], pWaitDstStageMask = [], pCommandBuffers = [], pSignalSemaphores = [] } = info;
  return {
    waits: pWaitSemaphores.flatMap((one, i) =>
      use(one, values?.pWaitSemaphoreValues?.[i] ?? 0n, BigInt(pWaitDstStageMask[i] ?? ANY_STAGE)),
    ),
    buffers: buffersOf(pCommandBuffers),
    signals: pSignalSemaphores.flatMap((one, i) => use(one, values?.pSignalSemaphoreValues?.[i] ?? 0n, ANY_STAGE)),
  };
}

function batchOf2(info: VkSubmitInfo2): Omit<HazardBatch, "fence"> {
  const { pWaitSemaphoreInfos = [], pCommandBufferInfos = [], pSignalSemaphoreInfos = [] } = info;
  const uses = (list: typeof pWaitSemaphoreInfos): readonly SemaphoreUse[] =>
    list.flatMap(({ semaphore, value = 0n, stageMask = 0n }) => use(semaphore, value, stageMask));
  return {
    waits: uses(pWaitSemaphoreInfos),
    buffers: buffersOf(pCommandBufferInfos.map(({ commandBuffer }) => commandBuffer)),
    signals: uses(pSignalSemaphoreInfos),
  };
}

function submit(call: string, queue: VkHandle, batches: readonly Omit<HazardBatch, "fence">[], fence: unknown): void {
  const own = fence instanceof Fence ? fence : null;
  const list = batches.map((batch, i) => ({ ...batch, fence: i === batches.length - 1 ? own : null }));
  const all = list.length === 0 && own !== null ? [{ waits: [], buffers: [], signals: [], fence: own }] : list;
  thrown(call, deviceHazards(queue)?.submit(queue, all) ?? null);
}

type Before = { readonly [K in keyof Vulkan]?: (...parameters: Parameters<Vulkan[K]>) => void };

/** Calls that are looked at before they do anything, besides commands. */
const BEFORE: Before = {
  vkBeginCommandBuffer: (commandBuffer) => {
    RECORDED.delete(commandBuffer);
  },
  vkCmdExecuteCommands: (commandBuffer, pCommandBuffers) => {
    const list = pCommandBuffers.flatMap((one) => {
      const isSecondary = one instanceof CommandBuffer && one.level === VK_COMMAND_BUFFER_LEVEL_SECONDARY;
      return isSecondary ? (RECORDED.get(one)?.steps ?? []) : [];
    });
    const place = ` within vkCmdExecuteCommands (command ${recordedOf(commandBuffer).count++})`;
    const steps = list.map((step) => (step.kind === "set-event" ? step : { ...step, label: `${step.label}${place}` }));
    record("vkCmdExecuteCommands", commandBuffer, steps);
  },
  vkQueueSubmit: (queue, pSubmits, fence) => {
    submit("vkQueueSubmit", queue, pSubmits.map(batchOf), fence);
  },
  vkQueueSubmit2: (queue, pSubmits, fence) => {
    submit("vkQueueSubmit2", queue, pSubmits.map(batchOf2), fence);
  },
  vkSignalSemaphore: (device, { semaphore, value }) => {
    if (semaphore instanceof Semaphore)
      thrown("vkSignalSemaphore", deviceHazards(device)?.signalled(semaphore, value) ?? null);
  },
  vkFreeMemory: (device, memory) => {
    if (memory instanceof DeviceMemory) deviceHazards(device)?.forget(memory);
  },
};

type After = {
  readonly [K in keyof Vulkan]?: (result: ReturnType<Vulkan[K]>, parameters: Parameters<Vulkan[K]>) => void;
};

/** Calls by which the host learns what is complete. */
const AFTER: After = {
  vkWaitForFences: (result, [device, fences]) => {
    if (result === "VK_SUCCESS")
      for (const fence of fences)
        if (fence instanceof Fence && fence.isSignalled) deviceHazards(device)?.fenceSeen(fence);
  },
  vkGetFenceStatus: (result, [device, fence]) => {
    if (result === "VK_SUCCESS" && fence instanceof Fence) deviceHazards(device)?.fenceSeen(fence);
  },
  vkWaitSemaphores: (result, [device, { pSemaphores = [] }]) => {
    if (result !== "VK_SUCCESS") return;
    for (const one of pSemaphores) if (one instanceof Semaphore) deviceHazards(device)?.valueSeen(one, one.value);
  },
  vkGetSemaphoreCounterValue: (value, [device, semaphore]) => {
    if (semaphore instanceof Semaphore) deviceHazards(device)?.valueSeen(semaphore, value);
  },
  vkQueueWaitIdle: (_result, [queue]) => {
    deviceHazards(queue)?.queueSeen(queue);
  },
  vkDeviceWaitIdle: (_result, [device]) => {
    deviceHazards(device)?.allSeen();
  },
};

/** Throws VK_ERROR_VALIDATION_FAILED_EXT for a call that makes a hazard. */
export function checkHazards(name: string, parameters: readonly unknown[]): void {
  const [commands] = parameters;
  const steps = COMMAND_STEPS[name as keyof Vulkan] as
    | ((label: string, commands: CommandBuffer, parameters: readonly unknown[]) => readonly SyncStep[])
    | undefined;
  if (steps !== undefined && commands instanceof CommandBuffer) {
    if (commands.state !== "recording") return;
    const number = recordedOf(commands).count++;
    record(name, commands, steps(`${name} (command ${number})`, commands, parameters));
    return;
  }
  const before = BEFORE[name as keyof Vulkan] as ((...all: readonly unknown[]) => void) | undefined;
  before?.(...parameters);
}

/** Notes what the host has learnt by a call. */
export function noteCompletion(name: string, parameters: readonly unknown[], result: unknown): void {
  const after = AFTER[name as keyof Vulkan] as ((result: unknown, parameters: readonly unknown[]) => void) | undefined;
  after?.(result, parameters);
}
