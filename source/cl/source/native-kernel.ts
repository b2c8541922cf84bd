// SPDX-License-Identifier: Apache-2.0
// Native kernels (OpenCL 3.0, 5.10): functions of the host thread as commands of a queue.
import { NO_ACCESSES, changes, reads } from "./access.ts";
import { type OpenCLError, ensure } from "./error.ts";
import { type Event, checkedWaits } from "./event.ts";
import { NO_EVENTS } from "./kernel-launch.ts";
import type { MemoryObject } from "./memory-object.ts";
import type { CommandQueue } from "./queue.ts";
import {
  type HostOutcome,
  enqueue,
  enqueueWithCopies,
  hasCopies,
  hostCommand,
  liveMemory,
  liveQueue,
} from "./enqueue-checks.ts";

/**
 * Runs a function on the host thread as a command. It gets the bytes of each memory object, to read and write while it
 * runs; they are no longer valid when it has returned. What it throws is the command's failure. Errors:
 * CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_VALUE for what is no function, CL_INVALID_MEM_OBJECT,
 * CL_INVALID_EVENT_WAIT_LIST.
 *
 * @public
 */
export function clEnqueueNativeKernel(
  queue: CommandQueue,
  kernel: (...bytes: readonly Uint8Array[]) => void,
  objects: readonly MemoryObject[] = [],
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueNativeKernel";
  liveQueue(call, queue);
  ensure(typeof kernel === "function", "CL_INVALID_VALUE", call, "the callback is not a function");
  for (const object of objects) liveMemory(call, queue, object);
  const held = [...objects];
  return enqueue(
    call,
    queue,
    "CL_COMMAND_NATIVE_KERNEL",
    waits,
    held,
    hostCommand(() => {
      const bytes = held.map((object) => object.view(call, 0, object.size));
      for (const object of held) object.synchronize(call, "from_device", 0, object.size);
      kernel(...bytes);
      for (const object of held) object.synchronize(call, "to_device", 0, object.size);
    }),
    hasCopies(queue) ? held.map((object) => changes(object)) : NO_ACCESSES,
    true,
  );
}

/** Work that the host thread begins in a queue's order, and that may go on elsewhere. @public */
export interface HostWork {
  /** Begins it. */
  readonly begin: () => HostOutcome;
  /** True: the objects stay as they are. */
  readonly isRead?: boolean;
  /** Called when the command has failed, or will never begin. */
  readonly failed: (error: OpenCLError) => void;
}

/**
 * Enqueues work for drivers built on this package. The objects stay alive until it is over. Errors: those of {@link
 * clEnqueueNativeKernel}.
 *
 * @public
 */
export function enqueueHostWork(
  queue: CommandQueue,
  { begin, failed, isRead = false }: HostWork,
  objects: readonly MemoryObject[] = [],
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "enqueueHostWork";
  liveQueue(call, queue);
  for (const object of objects) liveMemory(call, queue, object);
  const command = {
    waits: checkedWaits(call, queue.context, waits),
    objects,
    record: hostCommand(begin),
    launch: null,
    failed,
  };
  const event = enqueueWithCopies(
    call,
    "CL_COMMAND_NATIVE_KERNEL",
    queue,
    command,
    hasCopies(queue) ? objects.map((object) => (isRead ? reads(object) : changes(object))) : NO_ACCESSES,
    true,
  );
  event.markObserved();
  return event;
}
