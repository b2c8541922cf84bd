// SPDX-License-Identifier: Apache-2.0
// vkQueueSubmit and vkQueueSubmit2: batches with what they wait for and signal.
import { Batch, type Wait } from "./batch.ts";
import { findInChain } from "./chain.ts";
import type { CommandBuffer } from "./command-buffer.ts";
import { commandsOf } from "./command-pool.ts";
import { invalid } from "./error.ts";
import { VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO } from "./generated/constants.ts";
import type { VkCommandBuffer, VkFence, VkQueue, VkSemaphore } from "./generated/handles.ts";
import type { VkSemaphoreSubmitInfo, VkSubmitInfo, VkSubmitInfo2 } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { Queue } from "./queue.ts";
import { type Fence, type Semaphore, fenceOf, semaphoreOf } from "./synchronisation.ts";

/** A semaphore of a batch; the value matters for timeline semaphores. */
interface Signal {
  readonly semaphore: Semaphore;
  readonly value: bigint;
}

/** A batch as both calls describe it. */
interface Submission {
  readonly waits: readonly Signal[];
  readonly commandBuffers: readonly CommandBuffer[];
  readonly signals: readonly Signal[];
}

// Most batches have no semaphores, and a submission makes as little as it can.
const NO_SIGNALS: readonly Signal[] = [];
const NO_WAITS: readonly Wait[] = [];
const NO_COMMANDS: readonly CommandBuffer[] = [];

function signalsOf(
  call: string,
  semaphores: readonly VkSemaphore[] | undefined,
  values: readonly bigint[] | undefined,
): readonly Signal[] {
  if (semaphores === undefined || semaphores.length === 0) return NO_SIGNALS;
  return semaphores.map((one, i) => ({ semaphore: semaphoreOf(one, call), value: values?.[i] ?? 0n }));
}

function commandBuffersOf(call: string, list: readonly VkCommandBuffer[] | undefined): readonly CommandBuffer[] {
  if (list === undefined || list.length === 0) return NO_COMMANDS;
  // A submission of one command buffer is the most frequent.
  return list.length === 1 ? [commandsOf(list[0] as VkCommandBuffer, call)] : list.map((one) => commandsOf(one, call));
}

function described(call: string, info: VkSubmitInfo): Submission {
  const values = findInChain(info, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  return {
    waits: signalsOf(call, info.pWaitSemaphores, values?.pWaitSemaphoreValues),
    commandBuffers: commandBuffersOf(call, info.pCommandBuffers),
    signals: signalsOf(call, info.pSignalSemaphores, values?.pSignalSemaphoreValues),
  };
}

function signalsOf2(call: string, list: readonly VkSemaphoreSubmitInfo[] | undefined): readonly Signal[] {
  if (list === undefined || list.length === 0) return NO_SIGNALS;
  return list.map(({ semaphore, value = 0n }) => ({ semaphore: semaphoreOf(semaphore, call), value }));
}

function described2(call: string, info: VkSubmitInfo2): Submission {
  const { pCommandBufferInfos } = info;
  return {
    waits: signalsOf2(call, info.pWaitSemaphoreInfos),
    commandBuffers:
      pCommandBufferInfos === undefined
        ? NO_COMMANDS
        : pCommandBufferInfos.map(({ commandBuffer }) => commandsOf(commandBuffer, call)),
    signals: signalsOf2(call, info.pSignalSemaphoreInfos),
  };
}

/** What a batch waits for at a semaphore. A binary one is unsignalled by this. */
function waitOf(call: string, { semaphore, value }: Signal): Wait {
  if (semaphore.isTimeline)
    return {
      isHeld: () => {
        const batch = semaphore.bringer(value);
        return batch === "nobody" || batch?.state === "held";
      },
      signaller: () => {
        const batch = semaphore.bringer(value);
        return batch === "nobody" ? null : batch;
      },
    };
  const batch = semaphore.signalled;
  if (batch === null)
    throw invalid(
      call,
      "a binary semaphore is waited for that no submission has signalled",
      `VUID-${call}-pWaitSemaphores-03238`,
    );
  semaphore.signalled = null;
  return { isHeld: () => batch.state === "held", signaller: () => batch };
}

function checkExecutable(call: string, { commandBuffers }: Submission): void {
  for (let i = 0; i < commandBuffers.length; i++) {
    const commands = commandBuffers[i] as CommandBuffer;
    if (commands.state !== "executable")
      throw invalid(
        call,
        `a command buffer is ${commands.state}; record it and call vkEndCommandBuffer first`,
        `VUID-${call}-pCommandBuffers-00070`,
      );
  }
}

function checkSignals(call: string, { signals }: Submission): void {
  for (const { semaphore, value } of signals) {
    if (semaphore.isTimeline && value <= semaphore.value)
      throw invalid(
        call,
        `the value ${value} is not above ${semaphore.value}, which the semaphore has`,
        "VUID-VkSubmitInfo-pSignalSemaphores-03242",
      );
    if (!semaphore.isTimeline && semaphore.signalled !== null)
      throw invalid(
        call,
        "a binary semaphore is signalled twice, and nobody waited in between",
        `VUID-${call}-pSignalSemaphores-00067`,
      );
  }
}

function submitOne(call: string, queue: Queue, submission: Submission): Batch {
  checkExecutable(call, submission);
  checkSignals(call, submission);
  const waits = submission.waits.length === 0 ? NO_WAITS : submission.waits.map((wait) => waitOf(call, wait));
  const batch = new Batch(queue.pools, waits, submission.commandBuffers);
  queue.take(call, batch);
  for (const { semaphore, value } of submission.signals) {
    if (semaphore.isTimeline) semaphore.promise(value, batch);
    else semaphore.signalled = batch;
  }
  return batch;
}

const NOTHING: Submission = { waits: NO_SIGNALS, commandBuffers: NO_COMMANDS, signals: NO_SIGNALS };

/** The fence of a submission; null: it has none. Errors: it is signalled, or waits for another submission. */
function freeFence(call: string, handle: VkFence | null | undefined): Fence | null {
  if (handle === null || handle === undefined) return null;
  const fence = fenceOf(handle, call);
  if (fence.isSignalled || fence.batch !== null)
    throw invalid(
      call,
      fence.isSignalled ? "the fence is signalled; call vkResetFences first" : "the fence is in use by a submission",
      `VUID-${call}-fence-${fence.isSignalled ? "00063" : "00064"}`,
    );
  return fence;
}

function submit<Info>(
  call: string,
  handle: VkQueue,
  infos: readonly Info[],
  describe: (call: string, info: Info) => Submission,
  fenceHandle: VkFence | null | undefined,
): void {
  const queue = own(handle, Queue, call);
  queue.ensureAlive(call);
  const fence = freeFence(call, fenceHandle);
  let last: Batch | null = null;
  if (infos.length === 1) last = submitOne(call, queue, describe(call, infos[0] as Info));
  // Nothing is submitted where one of them is not what it must be.
  else for (const submission of infos.map((info) => describe(call, info))) last = submitOne(call, queue, submission);
  // A fence alone is signalled when everything before it is complete.
  if (fence !== null) fence.batch = last ?? submitOne(call, queue, NOTHING);
  queue.advanceAll(call);
}

/** Entry points that submit. */
export const SUBMISSIONS: Pick<Vulkan, "vkQueueSubmit" | "vkQueueSubmit2" | "vkQueueWaitIdle"> = {
  vkQueueSubmit: (queue, pSubmits, fence) => {
    submit("vkQueueSubmit", queue, pSubmits, described, fence);
  },
  vkQueueSubmit2: (queue, pSubmits, fence) => {
    submit("vkQueueSubmit2", queue, pSubmits, described2, fence);
  },
  vkQueueWaitIdle: (queue) => {
    own(queue, Queue, "vkQueueWaitIdle").waitIdle("vkQueueWaitIdle");
  },
};
