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
  type MuxSemaphore,
  type MuxTarget,
} from "@muxkit/mux";

import { COUNTERS } from "./counters.table.ts";
import type { WaitResult } from "./device.ts";
import type { HostError } from "./host-error.ts";
import type { HostFence, HostSemaphore } from "./objects.ts";
import { HostMuxCommandBuffer, HostMuxFence, HostMuxQueryPool, HostMuxQueue, HostMuxSemaphore } from "./mux-objects.ts";
import { commandIdOf, deviceOf, failed, failedWith, own, RESULTS } from "./mux-recording.ts";

// Waits are frequent, and their answers are always the same.
const READY: Result<"ready", MuxFailure> = ok("ready");
const NOT_READY: Result<"not_ready", MuxFailure> = ok("not_ready");

function waited(
  result: Result<WaitResult, HostError>,
  commandNumbers: readonly number[],
): Result<"ready" | "not_ready", MuxFailure> {
  if (!result.ok) return failedWith(result.error, commandNumbers);
  return result.value === "success" ? READY : NOT_READY;
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

/** Options of a dispatch, which the call copies: each dispatch writes them anew, and allocates nothing. */
const OPTIONS: {
  readonly waits: HostSemaphore[];
  readonly signals: HostSemaphore[];
  fence: HostFence | null;
  deadline: number;
  callback: ((failure: HostError | null) => void) | null;
  completed: () => void;
} = { waits: [], signals: [], fence: null, deadline: 0, callback: null, completed: () => {} };

function putSemaphores(list: HostSemaphore[], semaphores: readonly MuxSemaphore[]): void {
  for (let i = 0; i < semaphores.length; i++) list[i] = own(semaphores[i] as MuxSemaphore, HostMuxSemaphore).host;
  // A list that keeps its length keeps its storage.
  if (list.length !== semaphores.length) list.length = semaphores.length;
}

function callbackOf(
  commands: HostMuxCommandBuffer,
  userFunction: NonNullable<Parameters<MuxTarget["dispatch"]>[5]>,
): (failure: HostError | null) => void {
  return (failure) => {
    const error =
      failure === null
        ? null
        : muxError(
            RESULTS[failure.code],
            "muxDispatch",
            "",
            failure.message,
            commandIdOf(failure, commands.commandNumbers),
          );
    userFunction(commands, error);
  };
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
    const options = OPTIONS;
    options.fence = null;
    if (fence !== null) {
      const used = own(fence, HostMuxFence);
      used.commandNumbers = commands.commandNumbers;
      options.fence = used.host;
    }
    putSemaphores(options.waits, waitSemaphores);
    putSemaphores(options.signals, signalSemaphores);
    options.deadline = commands.deadline || own(queue, HostMuxQueue).deadline;
    options.callback = userFunction === null ? null : callbackOf(commands, userFunction);
    options.completed = completed;
    const dispatched = deviceOf(queue.device).host.dispatch(commands.host, options);
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
