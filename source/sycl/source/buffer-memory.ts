// SPDX-License-Identifier: Apache-2.0
// The bytes behind a buffer and its sub-buffers: where they are, and which commands use them.
//
// Accesses are kept as a list of byte ranges with their events. A new access depends on those that overlap it, if one
// of the two writes (read after write, write after read, write after write); what it covers wholly and writes need not
// be remembered any more. Where the bytes go from one device to another that shares no memory with it, the host carries
// them.
//
// Cost: linear in the accesses that are not complete.
import { describeBlockingError } from "@muxkit/cargo";
import { muxSharesObjects } from "@muxkit/mux";

import type { Event } from "./event.ts";
import { SyclException } from "./exception.ts";
import type { RuntimeDevice, Storage } from "./runtime-device.ts";

/** A use of a range of bytes. */
interface Use {
  readonly event: Event;
  readonly start: number;
  readonly end: number;
  readonly writes: boolean;
}

const FORGOTTEN = new FinalizationRegistry<{ storage: Storage | null }>((place) => {
  place.storage?.unuse();
});

/** See the file's head. */
export class BufferMemory {
  readonly size: number;
  /** The host's bytes that it begins with; null: zeros. */
  #initial: Uint8Array | null;
  readonly #place: { storage: Storage | null } = { storage: null };
  #uses: Use[] = [];
  /** A command or a host accessor has written it. */
  isWritten = false;

  constructor(size: number, initial: Uint8Array | null) {
    this.size = size;
    this.#initial = initial;
    FORGOTTEN.register(this, this.#place, this);
  }

  /** The storage for commands on a device. Error: memory_allocation. */
  storageOn(call: string, runtime: RuntimeDevice): Storage {
    const { storage } = this.#place;
    if (storage !== null && (storage.runtime === runtime || muxSharesObjects(storage.runtime.device, runtime.device)))
      return storage;
    const made = runtime.allocate(call, this.size);
    if (storage !== null) {
      this.#waitForAll(call);
      made.bytes(call).set(storage.bytes(call));
      storage.unuse();
    } else if (this.#initial !== null) made.bytes(call).set(this.#initial);
    else made.bytes(call).fill(0);
    this.#initial = null;
    this.#place.storage = made;
    return made;
  }

  /** The storage, wherever it is; null: no command and no accessor has needed one. */
  get storage(): Storage | null {
    return this.#place.storage;
  }

  /** A list with what an access depends on; null: there is nothing, as for most. */
  withDependences(start: number, end: number, writes: boolean, list: Event[] | null): Event[] | null {
    const uses = this.#uses;
    let all = list;
    for (let i = 0; i < uses.length; i++) {
      const use = uses[i] as Use;
      if ((!writes && !use.writes) || use.start >= end || start >= use.end) continue;
      // A list of one has no room for more, which most do not need.
      if (all === null) all = [use.event];
      else if (!all.includes(use.event)) all.push(use.event);
    }
    return all;
  }

  /** Remembers an access. */
  note(event: Event, start: number, end: number, writes: boolean): void {
    this.isWritten ||= writes;
    const uses = this.#uses;
    let count = 0;
    for (let i = 0; i < uses.length; i++) {
      const use = uses[i] as Use;
      const isPast = use.event.isComplete && (use.event.error === null || use.event.isReported);
      const isCovered = writes && start <= use.start && use.end <= end;
      if (!isPast && !isCovered) uses[count++] = use;
    }
    const own = { event, start, end, writes };
    // A list that gets shorter and longer again would have new memory each time.
    if (count === uses.length) uses.push(own);
    else {
      uses[count++] = own;
      if (count < uses.length) uses.length = count;
    }
  }

  /** Events that are not complete. */
  get pending(): readonly Event[] {
    return this.#uses.flatMap(({ event }) => (event.isComplete ? [] : [event]));
  }

  #waitForAll(call: string): void {
    const { pending } = this;
    const reason = pending.length === 0 ? null : describeBlockingError("await the events that use the buffer first");
    if (reason !== null) throw new SyclException("invalid", call, `the buffer moves to another device, and ${reason}`);
    for (const event of pending) event.complete(call);
  }

  /** Its bytes on the host, when nothing uses them. */
  bytes(call: string): Uint8Array {
    return this.#place.storage?.bytes(call) ?? this.#initial ?? new Uint8Array(this.size);
  }

  /** Gives its memory back, when the commands that use it are complete. */
  free(): void {
    FORGOTTEN.unregister(this);
    this.#place.storage?.unuse();
    this.#place.storage = null;
    this.#uses = [];
  }
}
