// SPDX-License-Identifier: Apache-2.0
// Fences, semaphores, queries, dispatches and waits as mux entry points of the host.
import { ok, type Result } from "@muxkit/cargo";
import {
  muxError,
  type MuxFailure,
  type MuxQueryCounterConfig,
  MuxQueryCounterStorage,
  MuxQueryType,
  MuxResult,
  type MuxTarget,
} from "@muxkit/mux";

import { COUNTERS } from "./counters.table.ts";
import type { WaitResult } from "./device.ts";
import type { HostError } from "./host-error.ts";
import { HostMuxCommandBuffer, HostMuxFence, HostMuxQueryPool, HostMuxQueue, HostMuxSemaphore } from "./mux-objects.ts";
import { commandIdOf, deviceOf, failed, failedWith, own, RESULTS } from "./mux-recording.ts";

function waited(
  result: Result<WaitResult, HostError>,
  commandNumbers: readonly number[],
): Result<"ready" | "not_ready", MuxFailure> {
  if (!result.ok) return failedWith(result.error, commandNumbers);
  return ok(result.value === "success" ? "ready" : "not_ready");
}

/** The numbers of counters that there are. */
function knownCounters(configs: readonly MuxQueryCounterConfig[]): Result<readonly number[], MuxFailure> {
  // The front does not look into the list.
  const numbers = configs.map((config: MuxQueryCounterConfig | null | undefined) => config?.uuid);
  if (!numbers.every((uuid) => Number.isInteger(uuid)))
    return failed(MuxResult.error_invalid_value, "the list has something that is no counter");
  const unknown = numbers.find((uuid) => COUNTERS[uuid ?? -1] === undefined);
  return unknown === undefined
    ? ok(numbers.map((uuid) => uuid ?? 0))
    : failed(
        MuxResult.error_feature_unsupported,
        `there is no counter ${unknown}: the device has 0 to ${COUNTERS.length - 1}`,
      );
}

/** The entry points for dispatches and what orders and measures them. */
export const SYNCHRONISATION: Pick<
  MuxTarget,
  | "createFence"
  | "destroyFence"
  | "createSemaphore"
  | "destroySemaphore"
  | "createQueryPool"
  | "destroyQueryPool"
  | "getQueryCounterRequiredPasses"
  | "getQueryPoolResults"
  | "getSupportedQueryCounters"
  | "dispatch"
  | "tryWait"
  | "waitAll"
  | "waitAllAsync"
  | "tryWaitAsync"
> = {
  createFence: (device) => {
    const fence = deviceOf(device).host.createFence();
    return fence.ok ? ok(new HostMuxFence(device, fence.value)) : failedWith(fence.error);
  },
  destroyFence: (_device, fence) => {
    // A fence of a dispatch in flight stays with it: its slot comes back with the device.
    void own(fence, HostMuxFence).host.destroy();
  },
  createSemaphore: (device) => {
    const semaphore = deviceOf(device).host.createSemaphore();
    return semaphore.ok ? ok(new HostMuxSemaphore(device, semaphore.value)) : failedWith(semaphore.error);
  },
  destroySemaphore: (_device, semaphore) => {
    own(semaphore, HostMuxSemaphore).host.destroy();
  },
  createQueryPool: (queue, queryType, queryCount, configs) => {
    const known = knownCounters(configs);
    if (!known.ok) return known;
    const pool = deviceOf(queue.device).host.createQueryPool(queryCount, known.value);
    return pool.ok ? ok(new HostMuxQueryPool(queue, queryType, pool.value)) : failedWith(pool.error);
  },
  destroyQueryPool: (_queue, queryPool) => {
    own(queryPool, HostMuxQueryPool).host.destroy();
  },
  getQueryCounterRequiredPasses: (_queue, _count, configs) => {
    const known = knownCounters(configs);
    return known.ok ? ok(1) : known;
  },
  getSupportedQueryCounters: () =>
    ok(
      COUNTERS.map(({ name, category, description, unit }, uuid) => ({
        counter: { unit, storage: MuxQueryCounterStorage.uint64, uuid, hardwareCounters: 0 },
        description: { name, category, description },
      })),
    ),
  getQueryPoolResults: (_queue, queryPool, queryIndex, queryCount) => {
    const { host } = own(queryPool, HostMuxQueryPool);
    if (queryPool.type === MuxQueryType.counter) {
      const counts = host.counts(queryIndex, queryCount);
      return counts.ok ? ok(counts.value.map((value) => ({ value: BigInt(value) }))) : failedWith(counts.error);
    }
    const results = host.results(queryIndex, queryCount);
    if (!results.ok) return failedWith(results.error);
    return ok(
      results.value.map(({ start, end }) => ({ start: BigInt(Math.round(start)), end: BigInt(Math.round(end)) })),
    );
  },
  dispatch: (queue, commandBuffer, fence, waitSemaphores, signalSemaphores, userFunction, completed) => {
    const commands = own(commandBuffer, HostMuxCommandBuffer);
    if (fence !== null) own(fence, HostMuxFence).commandNumbers = commands.commandNumbers;
    const dispatched = deviceOf(queue.device).host.dispatch(commands.host, {
      waits: waitSemaphores.map((semaphore) => own(semaphore, HostMuxSemaphore).host),
      signals: signalSemaphores.map((semaphore) => own(semaphore, HostMuxSemaphore).host),
      ...(fence === null ? {} : { fence: own(fence, HostMuxFence).host }),
      deadline: commands.deadline || own(queue, HostMuxQueue).deadline,
      callback:
        userFunction === null
          ? null
          : (failure) => {
              userFunction(
                commandBuffer,
                failure === null
                  ? null
                  : muxError(
                      RESULTS[failure.code],
                      "muxDispatch",
                      "",
                      failure.message,
                      commandIdOf(failure, commands.commandNumbers),
                    ),
              );
            },
      completed: () => {
        completed();
      },
    });
    return dispatched.ok ? dispatched : failedWith(dispatched.error);
  },
  tryWait: (queue, timeout, fence) => {
    const { host, commandNumbers } = own(fence, HostMuxFence);
    return waited(deviceOf(queue.device).host.tryWait(host, timeout), commandNumbers);
  },
  tryWaitAsync: async (queue, timeout, fence) => {
    const { host, commandNumbers } = own(fence, HostMuxFence);
    return waited(await deviceOf(queue.device).host.tryWaitAsync(host, timeout), commandNumbers);
  },
  waitAll: (queue) => {
    const result = deviceOf(queue.device).host.waitAll();
    return result.ok ? result : failedWith(result.error);
  },
  waitAllAsync: async (queue) => {
    const result = await deviceOf(queue.device).host.waitAllAsync();
    return result.ok ? result : failedWith(result.error);
  },
};
