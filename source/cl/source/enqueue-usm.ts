// SPDX-License-Identifier: Apache-2.0
// Commands on unified shared memory (cl_intel_unified_shared_memory).
import { checkMigrationFlags } from "./enqueue-migrate.ts";
import { ensure } from "./error.ts";
import type { Event } from "./event.ts";
import { NO_EVENTS } from "./kernel-launch.ts";
import { type PointerMemory, copyPointers, fillPointer } from "./pointer-commands.ts";
import type { CommandQueue } from "./queue.ts";
import { block, enqueue, enqueueChecked, liveQueue } from "./enqueue-checks.ts";
import { type UsmPointer, usmRange } from "./usm.ts";

/** One side of a copy: unified shared memory, or an array of the host's. @public */
export type UsmOrArray = UsmPointer | ArrayBufferView;

const USM: PointerMemory = {
  resolve: (call, { context }, pointer, size) => usmRange(call, context, pointer, size),
  copy: "CL_COMMAND_MEMCPY_INTEL",
  fill: "CL_COMMAND_MEMFILL_INTEL",
};

/**
 * Copies bytes: each side is a pointer or an array of the host's. Without blocking, an array of more than 64 KiB must
 * stay as it is until the event is complete. Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_VALUE for null and for bytes
 * that are not within an allocation or array, CL_MEM_COPY_OVERLAP, CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST; of a
 * blocking call, what the command failed with.
 *
 * @public
 */
export function clEnqueueMemcpyINTEL(
  queue: CommandQueue,
  blocking: boolean,
  target: UsmOrArray,
  source: UsmOrArray,
  size: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueMemcpyINTEL";
  return block(
    enqueueChecked(call, queue, copyPointers(call, liveQueue(call, queue), USM, target, source, size, blocking), waits),
    blocking,
  );
}

/**
 * Fills bytes with a pattern of 1 to 128 bytes. Errors: those of {@link clEnqueueMemcpyINTEL}; CL_INVALID_VALUE for the
 * pattern and for a pointer or size that is no multiple of it.
 *
 * @public
 */
export function clEnqueueMemFillINTEL(
  queue: CommandQueue,
  pointer: UsmPointer,
  pattern: ArrayBufferView,
  size: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueMemFillINTEL";
  return enqueueChecked(
    call,
    queue,
    fillPointer(call, liveQueue(call, queue), USM, pattern === null ? 0 : pointer, pattern, size),
    waits,
  );
}

/**
 * Fills bytes with the low byte of a value: the older variant of {@link clEnqueueMemFillINTEL}, whose errors it has.
 *
 * @public
 */
export function clEnqueueMemsetINTEL(
  queue: CommandQueue,
  pointer: UsmPointer,
  value: number,
  size: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueMemsetINTEL";
  ensure(Number.isInteger(value), "CL_INVALID_VALUE", call, `${value} is not an integer`);
  return enqueueChecked(
    call,
    queue,
    fillPointer(call, liveQueue(call, queue), USM, pointer, Uint8Array.of(value & 255), size),
    waits,
  );
}

/**
 * Announces where bytes will be used next. They stay where they are: there is one memory. Errors: those of {@link
 * clEnqueueMemcpyINTEL}; CL_INVALID_VALUE for unknown flags.
 *
 * @public
 */
export function clEnqueueMigrateMemINTEL(
  queue: CommandQueue,
  pointer: UsmPointer,
  size: number,
  flags: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueMigrateMemINTEL";
  liveQueue(call, queue);
  checkMigrationFlags(call, flags);
  const { buffer } = usmRange(call, queue.context, pointer, checkedSize(call, size));
  return enqueue(call, queue, "CL_COMMAND_MIGRATEMEM_INTEL", waits, [buffer], null);
}

/**
 * Advises on the use of bytes. There is no advice yet besides 0, which has no effect. Errors: those of {@link
 * clEnqueueMemcpyINTEL}; CL_INVALID_VALUE for other advice.
 *
 * @public
 */
export function clEnqueueMemAdviseINTEL(
  queue: CommandQueue,
  pointer: UsmPointer,
  size: number,
  advice: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueMemAdviseINTEL";
  liveQueue(call, queue);
  ensure(advice === 0, "CL_INVALID_VALUE", call, `the device does not support the advice ${advice}`);
  const { buffer } = usmRange(call, queue.context, pointer, checkedSize(call, size));
  return enqueue(call, queue, "CL_COMMAND_MEMADVISE_INTEL", waits, [buffer], null);
}

function checkedSize(call: string, size: number): number {
  ensure(Number.isSafeInteger(size) && size >= 0, "CL_INVALID_VALUE", call, `${size} is not a number of bytes`);
  return size;
}
