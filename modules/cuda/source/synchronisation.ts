// SPDX-License-Identifier: Apache-2.0
// Dispatches, fences, semaphores and queries as mux entry points.
import { ok } from "@muxkit/cargo";
import { own } from "@muxkit/hal";
import type { MuxDevice, MuxQueryDurationResult, MuxQueue, MuxTarget } from "@muxkit/mux";

import { failed } from "./failure.ts";
import { makeGraphs } from "./graphs.ts";
import { CudaMuxCommandBuffer, CudaMuxDevice, CudaMuxFence, CudaMuxSemaphore } from "./objects.ts";
import { CudaMuxQueryPool, freeQueries } from "./queries.ts";
import { tryWait, waitAll } from "./waits.ts";

const deviceOf = (device: MuxDevice): CudaMuxDevice => own(device, CudaMuxDevice);
const ofQueue = ({ device }: MuxQueue): CudaMuxDevice => deviceOf(device);

/** The dispatch that makes graphs: the first goes command by command. */
const GRAPH_DISPATCH = 2;

/** The entry points of queues, fences, semaphores and queries. */
export const SYNCHRONISATION: Pick<
  MuxTarget,
  | "getQueue"
  | "createFence"
  | "createSemaphore"
  | "createQueryPool"
  | "destroyQueryPool"
  | "getQueryPoolResults"
  | "dispatch"
  | "tryWait"
  | "waitAll"
  | "tryWaitAsync"
  | "waitAllAsync"
> = {
  getQueue: (device) => ok(deviceOf(device).queue),
  createFence: (device) => ok(new CudaMuxFence({ device })),
  createSemaphore: (device) => ok(new CudaMuxSemaphore({ device })),
  createQueryPool: (queue, type, count) => ok(new CudaMuxQueryPool(queue.device, queue, type, count)),
  destroyQueryPool: (queue, pool) => {
    freeQueries(ofQueue(queue).scheduler.gpu, own(pool, CudaMuxQueryPool));
  },
  getQueryPoolResults: (queue, pool, index, count) => {
    const { clock, scheduler } = ofQueue(queue);
    const results: MuxQueryDurationResult[] = [];
    for (const slot of own(pool, CudaMuxQueryPool).slots.slice(index, index + count)) {
      const times = clock.times(slot);
      if (!times.ok) {
        const { code, message } = scheduler.noteFailure("the times of commands", times.error);
        return failed(code, message);
      }
      results.push(times.value);
    }
    return ok(results);
  },
  dispatch: (queue, given, fence, waits, signals, callback, completed) => {
    const { scheduler } = ofQueue(queue);
    const commandBuffer = own(given, CudaMuxCommandBuffer);
    if (++commandBuffer.dispatches >= GRAPH_DISPATCH)
      commandBuffer.graphs ??= makeGraphs(scheduler.gpu, commandBuffer.commands);
    return scheduler.add({
      commandBuffer,
      graphs: commandBuffer.graphs,
      fence: fence === null ? null : own(fence, CudaMuxFence),
      waits: waits.map((semaphore) => own(semaphore, CudaMuxSemaphore)),
      signals: signals.map((semaphore) => own(semaphore, CudaMuxSemaphore)),
      callback,
      completed,
    });
  },
  tryWait: (queue, timeout, fence) => tryWait(ofQueue(queue).scheduler, timeout, own(fence, CudaMuxFence)),
  waitAll: (queue) => waitAll(ofQueue(queue).scheduler),
  tryWaitAsync: async (queue, timeout, fence) => await ofQueue(queue).loop.tryWait(timeout, own(fence, CudaMuxFence)),
  waitAllAsync: async (queue) => await ofQueue(queue).loop.waitAll(),
};
