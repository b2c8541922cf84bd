// SPDX-License-Identifier: Apache-2.0
// Allocations by their addresses: what a number names.
import type { Buffer } from "./buffer.ts";
import type { Context } from "./platform.ts";

/** A range in an allocation. */
export interface MemoryRange {
  /** The allocation. */
  readonly buffer: Buffer;
  /** Bytes from its first. */
  readonly offset: number;
}

/** The device's address of an allocation's first byte. */
export const addressOf = ({ memory }: Buffer): number => memory.handle;

/** Allocations of one kind, of each context by rising address. */
export class AllocationLists {
  readonly #lists = new WeakMap<Context, Buffer[]>();

  #listOf(context: Context): Buffer[] {
    let list = this.#lists.get(context);
    if (list === undefined) {
      list = [];
      this.#lists.set(context, list);
    }
    return list;
  }

  /** Adds an allocation; returns its address. */
  add(context: Context, buffer: Buffer): number {
    const list = this.#listOf(context);
    list.splice(indexAfter(list, addressOf(buffer)), 0, buffer);
    return addressOf(buffer);
  }

  /** The location of the `size` bytes that begin at an address; null: not within one allocation of the context. */
  find(context: Context, address: number, size: number = 1): MemoryRange | null {
    const list = this.#listOf(context);
    const buffer = list[indexAfter(list, address) - 1];
    if (buffer === undefined) return null;
    const offset = address - addressOf(buffer);
    return offset + size <= buffer.size ? { buffer, offset } : null;
  }

  /** Takes the allocation that begins at an address off the list; null: there is none. */
  remove(context: Context, address: number): Buffer | null {
    const list = this.#listOf(context);
    const index = indexAfter(list, address) - 1;
    const buffer = list[index];
    if (buffer === undefined || addressOf(buffer) !== address) return null;
    list.splice(index, 1);
    return buffer;
  }
}

/** Index of the first allocation that begins after an address. */
function indexAfter(list: readonly Buffer[], address: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (addressOf(list[middle] as Buffer) <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}
