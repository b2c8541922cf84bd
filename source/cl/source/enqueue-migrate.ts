// SPDX-License-Identifier: Apache-2.0
// Migration of memory objects (OpenCL 3.0, 5.5.5). Where the devices of a context share one memory, objects are always
// where they are wanted; elsewhere their bytes are brought before a command needs them.
import { NO_ACCESSES, reads } from "./access.ts";
import { CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, CL_MIGRATE_MEM_OBJECT_HOST } from "./generated/constants.ts";
import { ensure } from "./error.ts";
import { type Event, checkedWaits } from "./event.ts";
import { NO_EVENTS } from "./kernel-launch.ts";
import type { MemoryObject } from "./memory-object.ts";
import type { CommandQueue } from "./queue.ts";
import { enqueue, hasCopies, liveMemory, liveQueue } from "./enqueue-checks.ts";

/** The flags of a migration, checked. */
export function checkMigrationFlags(call: string, flags: number): void {
  const known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
  ensure(
    (flags & ~known) === 0,
    "CL_INVALID_VALUE",
    call,
    `the flags 0x${flags.toString(16)} are not CL_MIGRATE_MEM_OBJECT_HOST and CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED`,
  );
}

/**
 * Brings objects to where they will be used next: the queue's device or the host. With
 * CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED nothing is copied, now or later, until they are written. Errors:
 * CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE for no objects or unknown
 * flags, CL_INVALID_EVENT_WAIT_LIST, CL_MEM_OBJECT_ALLOCATION_FAILURE where the device has no room for them.
 *
 * @public
 */
export function clEnqueueMigrateMemObjects(
  queue: CommandQueue,
  objects: readonly MemoryObject[],
  flags: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueMigrateMemObjects";
  liveQueue(call, queue);
  ensure(objects.length > 0, "CL_INVALID_VALUE", call, "the list of objects is empty");
  for (const object of objects) liveMemory(call, queue, object);
  checkMigrationFlags(call, flags);
  const isAtHome = (flags & CL_MIGRATE_MEM_OBJECT_HOST) !== 0;
  const isUndefined = (flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) !== 0;
  if (isUndefined && checkedWaits(call, queue.context, waits).every(({ error }) => error === null))
    for (const { copies, rootOffset, size } of objects) copies?.unwritten.add(rootOffset, rootOffset + size);
  const accesses = hasCopies(queue) ? objects.map((object) => reads(object)) : NO_ACCESSES;
  return enqueue(call, queue, "CL_COMMAND_MIGRATE_MEM_OBJECTS", waits, [...objects], null, accesses, isAtHome);
}
