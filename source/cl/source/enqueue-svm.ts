// SPDX-License-Identifier: Apache-2.0
// Commands on shared virtual memory (OpenCL 3.0, 5.6.1).
import { CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION } from "./generated/constants.ts";
import { checkMigrationFlags } from "./enqueue-migrate.ts";
import { ensure } from "./error.ts";
import type { Event } from "./event.ts";
import { NO_EVENTS } from "./kernel-launch.ts";
import { type PointerMemory, copyPointers, fillPointer } from "./pointer-commands.ts";
import type { CommandQueue } from "./queue.ts";
import { block, checkBlocking, enqueue, enqueueChecked, hostCommand, liveQueue } from "./enqueue-checks.ts";
import { type SvmPointer, freeSvm, ensureSvm, svmRange } from "./svm.ts";

/** Shared virtual memory, for what it has in common with other memory that numbers name. */
export const SVM: PointerMemory = {
  resolve: (call, { context }, pointer, size) => svmRange(call, context, pointer, size),
  copy: "CL_COMMAND_SVM_MEMCPY",
  fill: "CL_COMMAND_SVM_MEMFILL",
};

/** One side of a copy: shared virtual memory, or an array of the host's. @public */
export type SvmOrArray = SvmPointer | ArrayBufferView;

function svmQueue(call: string, queue: CommandQueue): void {
  ensureSvm(call, liveQueue(call, queue).context);
}

/**
 * Frees allocations when everything before it is done, or calls `free` with the queue and the pointers, which frees
 * them then. Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_OPERATION without shared virtual memory, CL_INVALID_VALUE for
 * no pointers, CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST.
 *
 * @public
 */
export function clEnqueueSVMFree(
  queue: CommandQueue,
  pointers: readonly SvmPointer[],
  free: ((queue: CommandQueue, pointers: readonly SvmPointer[]) => void) | null = null,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueSVMFree";
  svmQueue(call, queue);
  ensure(pointers.length > 0, "CL_INVALID_VALUE", call, "the list of pointers is empty");
  const list = [...pointers];
  return enqueue(
    call,
    queue,
    "CL_COMMAND_SVM_FREE",
    waits,
    [],
    hostCommand(() => {
      if (free !== null) free(queue, list);
      else for (const pointer of list) if (pointer !== 0) freeSvm(call, queue.context, pointer);
    }),
  );
}

/**
 * Copies bytes: each side is a pointer or an array of the host's. Without blocking, an array of more than 64 KiB must
 * stay as it is until the event is complete. Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_OPERATION without shared
 * virtual memory, CL_INVALID_VALUE for null and for bytes that are not within an allocation or array,
 * CL_MEM_COPY_OVERLAP, CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST; of a blocking call, what the command failed
 * with.
 *
 * @public
 */
export function clEnqueueSVMMemcpy(
  queue: CommandQueue,
  blocking: boolean,
  target: SvmOrArray,
  source: SvmOrArray,
  size: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueSVMMemcpy";
  checkBlocking(call, blocking);
  svmQueue(call, queue);
  return block(
    enqueueChecked(call, queue, copyPointers(call, queue, SVM, target, source, size, blocking), waits),
    blocking,
  );
}

/**
 * Fills bytes with a pattern of 1 to 128 bytes. Errors: those of {@link clEnqueueSVMMemcpy}; CL_INVALID_VALUE for the
 * pattern and for a pointer or size that is no multiple of it.
 *
 * @public
 */
export function clEnqueueSVMMemFill(
  queue: CommandQueue,
  pointer: SvmPointer,
  pattern: ArrayBufferView,
  size: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueSVMMemFill";
  svmQueue(call, queue);
  return enqueueChecked(call, queue, fillPointer(call, queue, SVM, pointer, pattern, size), waits);
}

/**
 * Lets the host use bytes of an allocation of coarse grain when everything before it is done: `svmView` shows them.
 * Errors: those of {@link clEnqueueSVMMemcpy}; CL_INVALID_VALUE for no bytes and for flags that cannot be combined.
 *
 * @public
 */
export function clEnqueueSVMMap(
  queue: CommandQueue,
  blocking: boolean,
  flags: number,
  pointer: SvmPointer,
  size: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueSVMMap";
  checkBlocking(call, blocking);
  svmQueue(call, queue);
  const invalidates = (flags & CL_MAP_WRITE_INVALIDATE_REGION) !== 0;
  ensure(
    (flags & ~7) === 0 && !(invalidates && (flags & (CL_MAP_READ | CL_MAP_WRITE)) !== 0),
    "CL_INVALID_VALUE",
    call,
    `the flags 0x${flags.toString(16)} cannot be combined`,
  );
  ensure(Number.isSafeInteger(size) && size > 0, "CL_INVALID_VALUE", call, `at least one byte is needed, not ${size}`);
  const { buffer } = svmRange(call, queue.context, pointer, size);
  return block(enqueue(call, queue, "CL_COMMAND_SVM_MAP", waits, [buffer], null), blocking);
}

/**
 * Ends a {@link clEnqueueSVMMap}: commands after it see what the host wrote. Errors: those of {@link
 * clEnqueueSVMMemcpy}.
 *
 * @public
 */
export function clEnqueueSVMUnmap(
  queue: CommandQueue,
  pointer: SvmPointer,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueSVMUnmap";
  svmQueue(call, queue);
  const { buffer } = svmRange(call, queue.context, pointer, 1);
  return enqueue(call, queue, "CL_COMMAND_SVM_UNMAP", waits, [buffer], null);
}

/**
 * Announces where allocations will be used next; `sizes` of 0, or none, mean the whole allocation. They keep their
 * contents. Errors: those of {@link clEnqueueSVMMemcpy}; CL_INVALID_VALUE for no pointers, as many sizes as there are
 * not pointers, unknown flags.
 *
 * @public
 */
export function clEnqueueSVMMigrateMem(
  queue: CommandQueue,
  pointers: readonly SvmPointer[],
  sizes: readonly number[] | null,
  flags: number,
  waits: readonly Event[] = NO_EVENTS,
): Event {
  const call = "clEnqueueSVMMigrateMem";
  svmQueue(call, queue);
  ensure(pointers.length > 0, "CL_INVALID_VALUE", call, "the list of pointers is empty");
  ensure(
    sizes === null || sizes.length === pointers.length,
    "CL_INVALID_VALUE",
    call,
    () => `${sizes?.length ?? 0} sizes were passed for ${pointers.length} pointers`,
  );
  checkMigrationFlags(call, flags);
  const held = pointers.map((pointer, i) => {
    const size = sizes?.[i] ?? 0;
    ensure(Number.isSafeInteger(size) && size >= 0, "CL_INVALID_VALUE", call, `${size} is not a number of bytes`);
    return svmRange(call, queue.context, pointer, Math.max(1, size)).buffer;
  });
  return enqueue(call, queue, "CL_COMMAND_SVM_MIGRATE_MEM", waits, held, null);
}
