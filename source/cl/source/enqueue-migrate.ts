// SPDX-License-Identifier: Apache-2.0
// Migration of memory objects (OpenCL 3.0, 5.5.5): a context has one device, whose memory the host sees, so objects are
// always where they are wanted.
import { CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, CL_MIGRATE_MEM_OBJECT_HOST } from "./generated/constants.ts";
import { ensure } from "./error.ts";
import type { Event } from "./event.ts";
import { NO_EVENTS } from "./kernel-launch.ts";
import type { MemoryObject } from "./memory-object.ts";
import type { CommandQueue } from "./queue.ts";
import { enqueue, liveMemory, liveQueue } from "./enqueue-checks.ts";

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
 * Announces where objects will be used next: the queue's device or the host. They keep their contents, with
 * CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED too. Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,
 * CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE for no objects or unknown flags, CL_INVALID_EVENT_WAIT_LIST.
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
  return enqueue(call, queue, "CL_COMMAND_MIGRATE_MEM_OBJECTS", waits, [...objects], null);
}
