// SPDX-License-Identifier: Apache-2.0
// vkQueueSubmit and vkQueueSubmit2: batches with what they wait for and signal.
import { Batch, type Wait } from "./batch.ts";
import { findInChain } from "./chain.ts";
import type { CommandBuffer } from "./command-buffer.ts";
import { commandsOf } from "./command-pool.ts";
import { invalid } from "./error.ts";
import { VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO } from "./generated/constants.ts";
import type { VkFence, VkQueue } from "./generated/handles.ts";
import type { VkSubmitInfo, VkSubmitInfo2 } from "./generated/structures.ts";
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

function described(call: string, info: VkSubmitInfo): Submission {
  const values = findInChain(info, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  const { pWaitSemaphores = [], pCommandBuffers = [], pSignalSemaphores = [] } = info;
  return {
    waits: pWaitSemaphores.map((one, i) => ({
      semaphore: semaphoreOf(one, call),
      value: values?.pWaitSemaphoreValues?.[i] ?? 0n,
    })),
    commandBuffers: pCommandBuffers.map((one) => commandsOf(one, call)),
    signals: pSignalSemaphores.map((one, i) => ({
      semaphore: semaphoreOf(one, call),
      value: values?.pSignalSemaphoreValues?.[i] ?? 0n,
    })),
  };
}

function described2(call: string, info: VkSubmitInfo2): Submission {
  const { pWaitSemaphoreInfos = [], pCommandBufferInfos = [], pSignalSemaphoreInfos = [] } = info;
  const signal = ({ semaphore, value = 0n }: (typeof pWaitSemaphoreInfos)[number]): Signal => ({
    semaphore: semaphoreOf(semaphore, call),
    value,
  });
  return {
    waits: pWaitSemaphoreInfos.map(signal),
    commandBuffers: pCommandBufferInfos.map(({ commandBuffer }) => commandsOf(commandBuffer, call)),
    signals: pSignalSemaphoreInfos.map(signal),
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
  for (const commands of commandBuffers)
    if (commands.state !== "executable")
      throw invalid(
        call,
        `a command buffer is ${commands.state}; record it and call vkEndCommandBuffer first`,
        `VUID-${call}-pCommandBuffers-00070`,
      );
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
  const waits = submission.waits.map((wait) => waitOf(call, wait));
  const batch = new Batch(queue.pools, waits, submission.commandBuffers, null);
  queue.take(call, batch);
  for (const { semaphore, value } of submission.signals) {
    if (semaphore.isTimeline) semaphore.promise(value, batch);
    else semaphore.signalled = batch;
  }
  return batch;
}

function submit(
  call: string,
  handle: VkQueue,
  submissions: readonly Submission[],
  fenceHandle: VkFence | null | undefined,
): void {
  const queue = own(handle, Queue, call);
  queue.ensureAlive(call);
  const fence: Fence | null = fenceHandle === null || fenceHandle === undefined ? null : fenceOf(fenceHandle, call);
  if (fence !== null && (fence.isSignalled || fence.batch !== null))
    throw invalid(
      call,
      fence.isSignalled ? "the fence is signalled; call vkResetFences first" : "the fence is in use by a submission",
      `VUID-${call}-fence-${fence.isSignalled ? "00063" : "00064"}`,
    );
  let last: Batch | null = null;
  for (const submission of submissions) last = submitOne(call, queue, submission);
  // A fence alone is signalled when everything before it is complete.
  if (fence !== null) fence.batch = last ?? submitOne(call, queue, { waits: [], commandBuffers: [], signals: [] });
  queue.advanceAll(call);
}

/** Entry points that submit. */
export const SUBMISSIONS: Pick<Vulkan, "vkQueueSubmit" | "vkQueueSubmit2" | "vkQueueWaitIdle"> = {
  vkQueueSubmit: (queue, pSubmits, fence) => {
    const call = "vkQueueSubmit";
    submit(
      call,
      queue,
      pSubmits.map((info) => described(call, info)),
      fence,
    );
  },
  vkQueueSubmit2: (queue, pSubmits, fence) => {
    const call = "vkQueueSubmit2";
    submit(
      call,
      queue,
      pSubmits.map((info) => described2(call, info)),
      fence,
    );
  },
  vkQueueWaitIdle: (queue) => {
    own(queue, Queue, "vkQueueWaitIdle").waitIdle("vkQueueWaitIdle");
  },
};
