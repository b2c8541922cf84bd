// SPDX-License-Identifier: Apache-2.0
// The copies of one memory object, with all that shows its bytes (parts, images of it), in the memories of a context:
// where they are, and which bytes of each are out of date. docs/decisions/080-several-devices.md
//
// The state is that after everything that was enqueued so far, in the order of the calls: a wait list names only
// commands of before, so this order is one in which the commands could run.
//
// Invariant: a byte that was ever written is up to date in at least one copy.
import { InternalError } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  type MuxBuffer,
  type MuxDevice,
  type MuxImage,
  type MuxMemory,
  muxFreeMemory,
} from "@muxkit/mux";

import { ByteRanges } from "./byte-ranges.ts";
import type { Event } from "./event.ts";
import { fromMux, orElse } from "./from-mux.ts";
import type { Memories, Memory } from "./memories.ts";
import type { MemoryObject } from "./memory-object.ts";

/** What the runtime calls a memory object. */
export type Form = MuxBuffer | MuxImage;

/** Commands in a list, after which those that are complete are looked for. */
const MOST_UNSORTED = 16;

/** A command that changes bytes of a copy, and which. */
interface Change {
  event: Event;
  begin: number;
  end: number;
}

/** Commands that change bytes of a copy and that may not be complete. */
class Changes {
  #list: Change[] = [];
  #limit = MOST_UNSORTED;

  /**
   * Adds a command. Of a queue that has an order only the last one counts, unless that may fail before its turn comes,
   * as what waits for others does.
   */
  add(event: Event, begin: number, end: number): void {
    const isLast = event.queue.owner?.isInOrder === true && event.command?.waits.length === 0;
    const before = isLast ? this.#list.find((one) => one.event.queue === event.queue) : undefined;
    if (before !== undefined) {
      before.event = event;
      before.begin = Math.min(before.begin, begin);
      before.end = Math.max(before.end, end);
      return;
    }
    if (this.#list.length >= this.#limit) {
      this.#list = this.#list.filter((one) => !one.event.isComplete);
      this.#limit = Math.max(MOST_UNSORTED, this.#list.length * 2);
    }
    this.#list.push({ event, begin, end });
  }

  /** A command that comes after all others that change the same bytes, or a part of them, takes their place. */
  supersede(event: Event, begin: number, end: number): void {
    this.#list = this.#list.filter((one) => one.begin < begin || one.end > end);
    this.#list.push({ event, begin, end });
  }

  /** The same for those that change exactly these bytes, where there are any. */
  supersedeEqual(event: Event, begin: number, end: number): void {
    const left = this.#list.filter((one) => one.begin !== begin || one.end !== end);
    if (left.length < this.#list.length) this.#list = [...left, { event, begin, end }];
  }

  /** Collects those that change bytes of a range and are not complete. */
  collect(begin: number, end: number, into: Event[]): void {
    for (const change of this.#list)
      if (change.begin < end && change.end > begin && !change.event.isComplete && !into.includes(change.event))
        into.push(change.event);
  }

  /** True when none of them is on its way. */
  get isIdle(): boolean {
    return this.#list.every(({ event }) => event.isComplete);
  }
}

/** A copy in one memory. */
export class Copy {
  readonly memory: Memory;
  readonly owner: Copies;
  /** Bytes that are out of date. */
  readonly stale: ByteRanges;
  /** Commands that write it. */
  readonly writers: Changes = new Changes();
  /** What brings bytes from other copies. */
  readonly arrivals: Changes = new Changes();
  /** True when it was dropped. */
  isGone = false;
  /** The runtime's memory; null for that which the object was made with. */
  readonly #own: MuxMemory | null;
  /** What the runtime calls the object, its parts and the images of it, where the memory is not the object's own. */
  readonly #forms = new Map<MemoryObject, Form>();

  constructor(owner: Copies, memory: Memory, own: MuxMemory | null, stale: ByteRanges) {
    this.owner = owner;
    this.memory = memory;
    this.stale = stale;
    this.#own = own;
  }

  /** The form of an object in it; it is made when it is first needed. */
  form(call: string, object: MemoryObject): Form {
    const own = this.#own;
    if (own === null) return object.form;
    const known = this.#forms.get(object);
    if (known !== undefined) return known;
    const made = object.createForm(call, this.memory.runtime);
    orElse(
      () => {
        object.destroyForm(call, made);
      },
      () => {
        object.bindForm(call, made, own);
      },
    );
    this.#forms.set(object, made);
    return made;
  }

  /** Destroys the form of an object that ends. */
  forget(call: string, object: MemoryObject): void {
    const form = this.#forms.get(object);
    this.#forms.delete(object);
    if (form !== undefined) object.destroyForm(call, form);
  }

  /** Gives its memory back. */
  drop(call: string): void {
    for (const object of this.#forms.keys()) this.forget(call, object);
    this.isGone = true;
    this.memory.copies.delete(this);
    if (this.#own !== null) fromMux(call, muxFreeMemory(this.memory.runtime, this.#own, DEFAULT_ALLOCATOR));
  }

  /** True when no command needs it: neither those that change it, nor any that use what it has a form for. */
  get isIdle(): boolean {
    return (
      !this.owner.root.isBusy &&
      this.writers.isIdle &&
      this.arrivals.isIdle &&
      [...this.#forms.keys()].every(({ isBusy }) => !isBusy)
    );
  }
}

/** A change, and what it made out of date, so that it can be taken back while it is the last one. */
interface JournalEntry {
  readonly event: Event;
  readonly copy: Copy;
  readonly begin: number;
  readonly end: number;
  readonly outdated: readonly (readonly [copy: Copy, bytes: ByteRanges])[];
  hasFailed: boolean;
}

/** The copies of one object that has bytes of its own. */
export class Copies {
  readonly memories: Memories;
  readonly root: MemoryObject;
  /** Bytes that nobody has written: there is nothing to bring. */
  readonly unwritten: ByteRanges;
  readonly #list: (Copy | null)[];
  /** Changes since the last one that is known to be complete, in order. */
  #journal: JournalEntry[] = [];
  #journalLimit = MOST_UNSORTED;

  constructor(memories: Memories, root: MemoryObject) {
    this.memories = memories;
    this.root = root;
    this.unwritten = ByteRanges.of(0, root.size);
    this.#list = memories.list.map(() => null);
    this.#list[memories.home.index] = new Copy(this, memories.home, null, new ByteRanges());
  }

  /** The copy in a memory; null: there is none. */
  at({ index }: Memory): Copy | null {
    return this.#list[index] ?? null;
  }

  /** Notes a new copy, nothing of which is up to date. */
  add(memory: Memory, own: MuxMemory): Copy {
    const copy = new Copy(this, memory, own, ByteRanges.of(0, this.root.size));
    this.#list[memory.index] = copy;
    memory.copies.add(copy);
    return copy;
  }

  /** All copies, that of the first memory first. */
  get all(): readonly Copy[] {
    return this.#list.filter((copy) => copy !== null);
  }

  /** The copy that the object was made with. */
  get home(): Copy {
    return this.#list[this.memories.home.index] as Copy;
  }

  /** The form of an object for commands of a device, made when the command was enqueued. */
  formOn(object: MemoryObject, device: MuxDevice): Form {
    const copy = this.at(this.memories.ofRuntime(device));
    if (copy === null) throw new InternalError("a command without a copy of its memory", ["opencl"]);
    return copy.form("clEnqueue", object);
  }

  /** A command, or the host (null), changes bytes in one copy: those of the others are out of date. */
  changed(copy: Copy, event: Event | null, begin: number, end: number): void {
    this.unwritten.remove(begin, end);
    const outdated: [Copy, ByteRanges][] = [];
    for (const other of this.#list) {
      if (other === null || other === copy) continue;
      if (event !== null) {
        const bytes = ByteRanges.of(begin, end);
        bytes.removeAll(other.stale);
        if (!bytes.isEmpty) outdated.push([other, bytes]);
      }
      other.stale.add(begin, end);
    }
    copy.stale.remove(begin, end);
    if (event === null) {
      this.#journal = [];
      return;
    }
    copy.writers.add(event, begin, end);
    this.#note({ event, copy, begin, end, outdated, hasFailed: false });
  }

  /** Appends to the journal; what is before a change that is complete cannot be taken back any more. */
  #note(entry: JournalEntry): void {
    if (this.#journal.length >= this.#journalLimit) {
      const last = this.#journal.findLastIndex(({ event }) => event.isComplete && event.error === null);
      this.#journal.splice(0, last + 1);
      this.#journalLimit = Math.max(MOST_UNSORTED, this.#journal.length * 2);
    }
    this.#journal.push(entry);
  }

  /**
   * A command that changed bytes has failed. Where nothing that was enqueued after it changed the object, what it made
   * out of date is up to date again, and the copy that it would have changed is not: the device may be lost.
   */
  failed(event: Event): void {
    for (const entry of this.#journal) if (entry.event === event) entry.hasFailed = true;
    for (let last = this.#journal.at(-1); last?.hasFailed === true; last = this.#journal.at(-1)) {
      this.#journal.pop();
      for (const [other, bytes] of last.outdated) {
        if (other.isGone) continue;
        other.stale.removeAll(bytes);
        for (const [begin, end] of bytes.list) if (!last.copy.isGone) last.copy.stale.add(begin, end);
      }
    }
  }

  /** What was to be brought did not come: it is out of date again, as far as it is up to date elsewhere. */
  missed(copy: Copy, source: Copy, bytes: ByteRanges): void {
    const missing = bytes.copy();
    missing.removeAll(source.stale);
    if (!copy.isGone) copy.stale.addAll(missing);
  }

  /** Lets a copy go that nothing needs. */
  dismiss(call: string, copy: Copy): void {
    this.#list[copy.memory.index] = null;
    copy.drop(call);
  }

  /** An object that shows these bytes ends; the root ends with all of its copies. */
  forget(call: string, object: MemoryObject): void {
    for (const copy of this.all) {
      if (object !== this.root) copy.forget(call, object);
      else if (copy.memory !== this.memories.home) this.dismiss(call, copy);
    }
  }
}
