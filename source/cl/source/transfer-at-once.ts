// SPDX-License-Identifier: Apache-2.0
// Blocking reads and writes of a queue that has nothing to do: the calling thread would copy anyway, so it does at
// once, without involving the queue.
import { copyBytes } from "@muxkit/cargo";

import { CL_COMPLETE } from "./generated/constants.ts";
import { type CommandType, Event, checkedWaits } from "./event.ts";
import type { MemoryObject } from "./memory-object.ts";
import type { CommandQueue } from "./queue.ts";

/** Bytes between an object and the caller's array, all of which is moved. */
export interface BlockingTransfer {
  readonly call: string;
  readonly type: CommandType;
  readonly queue: CommandQueue;
  readonly object: MemoryObject;
  /** First byte of the object. */
  readonly offset: number;
  readonly array: Uint8Array;
  readonly reads: boolean;
  readonly waits: readonly Event[];
}

/**
 * Moves the bytes and returns the event of a command that is complete; null: this has to go the queue's way, which
 * nothing was changed for.
 */
export function transferAtOnce({
  call,
  type,
  queue,
  object,
  offset,
  array,
  reads,
  waits,
}: BlockingTransfer): Event | null {
  // Shared arrays may be the device's own memory, where source and target overlap; of others, the device's threads copy
  // a part each.
  if (!queue.isIdle || object.copiesOnMap || !(array.buffer instanceof ArrayBuffer)) return null;
  for (const wait of checkedWaits(call, queue.context, waits)) if (!wait.isComplete || wait.error !== null) return null;
  const { copies } = object;
  // Copies that are out of date, or on their way, are the matter of commands.
  if (copies !== null && (copies.memories.of(queue.device) !== copies.memories.home || copies.all.length > 1))
    return null;
  const view = object.view(call, offset, array.length);
  if (view.buffer === array.buffer) return null;
  if (reads) copyBytes(array, 0, view);
  else {
    copyBytes(view, 0, array);
    copies?.unwritten.remove(object.rootOffset + offset, object.rootOffset + offset + array.length);
  }
  const event = new Event(type, queue, null);
  event.advance(CL_COMPLETE);
  return event;
}
