// SPDX-License-Identifier: Apache-2.0
// Commands of OpenCL 1.0 and 1.1 that later versions have other names for.
import { ensure } from "./error.ts";
import { clEnqueueBarrierWithWaitList, clEnqueueMarkerWithWaitList, enqueueLaunch } from "./enqueue.ts";
import { Event } from "./event.ts";
import type { Kernel } from "./kernel.ts";
import { NO_EVENTS } from "./kernel-launch.ts";
import { live } from "./object.ts";
import type { CommandQueue } from "./queue.ts";
import { enqueue, liveQueue } from "./enqueue-checks.ts";

/**
 * An event for everything before it: clEnqueueMarkerWithWaitList without a wait list. Errors: CL_INVALID_COMMAND_QUEUE.
 *
 * @public
 */
export function clEnqueueMarker(queue: CommandQueue): Event {
  return clEnqueueMarkerWithWaitList(liveQueue("clEnqueueMarker", queue));
}

/**
 * Everything after it waits for everything before it: clEnqueueBarrierWithWaitList without a wait list and without an
 * event. Errors: CL_INVALID_COMMAND_QUEUE.
 *
 * @public
 */
export function clEnqueueBarrier(queue: CommandQueue): void {
  clEnqueueBarrierWithWaitList(liveQueue("clEnqueueBarrier", queue));
}

/**
 * Everything after it waits for the events. Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_VALUE for
 * no events, CL_INVALID_EVENT.
 *
 * @public
 */
export function clEnqueueWaitForEvents(queue: CommandQueue, events: readonly Event[]): void {
  const call = "clEnqueueWaitForEvents";
  liveQueue(call, queue);
  ensure(events.length > 0, "CL_INVALID_VALUE", call, "the list of events is empty");
  for (const event of events) live(event, Event, "CL_INVALID_EVENT", call);
  enqueue(call, queue, "CL_COMMAND_BARRIER", [...events], [], null);
}

const ONE: readonly number[] = [1];

/**
 * Runs one work-item of a kernel: clEnqueueNDRangeKernel with one dimension and sizes of 1, whose errors it has.
 *
 * @public
 */
export function clEnqueueTask(queue: CommandQueue, kernel: Kernel, waits: readonly Event[] = NO_EVENTS): Event {
  return enqueueLaunch("clEnqueueTask", "CL_COMMAND_TASK", queue, kernel, 1, null, ONE, ONE, waits);
}
