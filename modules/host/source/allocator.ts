// SPDX-License-Identifier: Apache-2.0
// An allocator of address ranges: two-level segregated fit (TLSF: Masmano, Ripoll, Crespo, Real 2004), constant time
// for allocation and release.
//
// Representation: blocks are nodes of a doubly linked list in the order of addresses, and free blocks are also in a
// free list of their size class. Sizes count in units of 128 bytes; there are 16 classes per power of two. Two levels
// of bit maps mark the lists that are not empty. All of this is in arrays of the host thread, never in the memory that
// is allocated, so a kernel that writes out of bounds cannot damage it.
//
// Allocation rounds the size up to the next class, finds the first list that is not empty by two count-leading-zeros,
// and splits the block. So a block that is up to 1/16 larger than needed may be used, and a fit in the class below is
// found only at the head of its list. Release merges the block with free neighbours. Growth appends a block at the top.
import { err, ok, type Result } from "@muxkit/cargo";

/** Size of a unit in bytes; also the least alignment. */
export const UNIT = 128;

const CLASS_BITS = 4;
const CLASSES: number = 1 << CLASS_BITS;
const LEVELS = 26;
const NONE = 0;
/** More than any space has. */
const MOST_UNITS: number = 2 ** 31;

/** Takes ranges out of an address space that can grow at its end. */
export class Allocator {
  // Node 0 is no node. `#size` is in units; a free node is in a free list, an allocated one is not.
  #start: Uint32Array = new Uint32Array(64);
  #size: Uint32Array = new Uint32Array(64);
  #free: Uint8Array = new Uint8Array(64);
  #lower: Int32Array = new Int32Array(64);
  #upper: Int32Array = new Int32Array(64);
  #next: Int32Array = new Int32Array(64);
  #previous: Int32Array = new Int32Array(64);
  #nodes = 1;
  #spare = NONE;
  #top: number = NONE;
  readonly #heads: Int32Array = new Int32Array(LEVELS * CLASSES);
  #levels = 0;
  readonly #classes: Int32Array = new Int32Array(LEVELS);
  #freeUnits = 0;

  /** Starts with the addresses from `start` to `end`, both multiples of {@link UNIT}. */
  constructor(start: number, end: number) {
    const node = this.#newNode(start / UNIT, (end - start) / UNIT);
    this.#top = node;
    this.#insert(node);
  }

  /** Bytes that are free, in however many pieces. */
  get freeBytes(): number {
    return this.#freeUnits * UNIT;
  }

  /** First address after the space. */
  get end(): number {
    return ((this.#start[this.#top] as number) + (this.#size[this.#top] as number)) * UNIT;
  }

  /**
   * Takes `bytes` at an address that is `beyond` bytes beyond a multiple of `alignment` (a power of two): a handle; an
   * error without words when nothing fits.
   */
  take(bytes: number, alignment: number = UNIT, beyond: number = 0): Result<number, null> {
    const units = Math.max(1, Math.ceil(bytes / UNIT));
    const step = Math.max(1, alignment / UNIT);
    // Above 32 bits a size would be truncated to a small one.
    if (units + step > MOST_UNITS) return err(null);
    const node = this.#find(units + step - 1);
    if (node === NONE) return err(null);
    this.#remove(node);
    const start = this.#start[node] as number;
    const skip = (step + beyond / UNIT - (start % step)) % step;
    const taken = skip === 0 ? node : this.#split(node, skip);
    if (skip !== 0) this.#insert(node);
    if ((this.#size[taken] as number) > units) this.#insert(this.#split(taken, units));
    return ok(taken);
  }

  /** Address of a handle's block. */
  addressOf(handle: number): number {
    return (this.#start[handle] as number) * UNIT;
  }

  /** Gives a range back; its handle is no handle any more. */
  release(handle: number): void {
    let node = handle;
    const upper = this.#upper[node] as number;
    if (upper !== NONE && this.#free[upper] === 1) {
      this.#remove(upper);
      this.#merge(node, upper);
    }
    const lower = this.#lower[node] as number;
    if (lower !== NONE && this.#free[lower] === 1) {
      this.#remove(lower);
      this.#merge(lower, node);
      node = lower;
    }
    this.#insert(node);
  }

  /** Adds the addresses up to `end` to the space. */
  grow(end: number): void {
    const from = this.end;
    const node = this.#newNode(from / UNIT, (end - from) / UNIT);
    const top = this.#top;
    this.#lower[node] = top;
    this.#upper[top] = node;
    this.#top = node;
    // As if it had been allocated: the release merges it with a free top.
    this.release(node);
  }

  /** Every block from low to high addresses, for tests and statistics. */
  blocks(): { readonly start: number; readonly size: number; readonly free: boolean }[] {
    const list: { start: number; size: number; free: boolean }[] = [];
    for (let node = this.#top; node !== NONE; node = this.#lower[node] as number) {
      list.push({
        start: (this.#start[node] as number) * UNIT,
        size: (this.#size[node] as number) * UNIT,
        free: this.#free[node] === 1,
      });
    }
    return list.toReversed();
  }

  /** The list for a block of a size, rounded down: a block is in the class whose sizes it reaches. */
  #classOf(units: number): number {
    if (units < CLASSES) return units;
    const level = 31 - Math.clz32(units);
    return ((level - CLASS_BITS + 1) << CLASS_BITS) + ((units >>> (level - CLASS_BITS)) - CLASSES);
  }

  #find(units: number): number {
    // Round up to the next class, so that every block of the list fits.
    let wanted = units;
    if (units >= CLASSES) wanted = units + (1 << (31 - Math.clz32(units) - CLASS_BITS)) - 1;
    const index = this.#classOf(wanted);
    let level = index >>> CLASS_BITS;
    if (level >= LEVELS) return NONE;
    let map = (this.#classes[level] as number) & (-1 << (index & (CLASSES - 1)));
    if (map === 0) {
      const levels = level === 31 ? 0 : this.#levels & (-1 << (level + 1));
      if (levels === 0) return this.#findExactly(units, index);
      level = 31 - Math.clz32(levels & -levels);
      map = this.#classes[level] as number;
    }
    return this.#heads[(level << CLASS_BITS) + 31 - Math.clz32(map & -map)] as number;
  }

  /** Tries the first block of the class below: some of its blocks may fit although not all do. */
  #findExactly(units: number, index: number): number {
    const own = this.#classOf(units);
    if (own === index) return NONE;
    const node = this.#heads[own] as number;
    return node !== NONE && (this.#size[node] as number) >= units ? node : NONE;
  }

  #insert(node: number): void {
    const index = this.#classOf(this.#size[node] as number);
    const head = this.#heads[index] as number;
    this.#free[node] = 1;
    this.#next[node] = head;
    this.#previous[node] = NONE;
    if (head !== NONE) this.#previous[head] = node;
    this.#heads[index] = node;
    const level = index >>> CLASS_BITS;
    this.#levels |= 1 << level;
    this.#classes[level] = (this.#classes[level] as number) | (1 << (index & (CLASSES - 1)));
    this.#freeUnits += this.#size[node] as number;
  }

  #remove(node: number): void {
    const index = this.#classOf(this.#size[node] as number);
    const next = this.#next[node] as number;
    const previous = this.#previous[node] as number;
    if (next !== NONE) this.#previous[next] = previous;
    if (previous !== NONE) this.#next[previous] = next;
    else {
      this.#heads[index] = next;
      if (next === NONE) {
        const level = index >>> CLASS_BITS;
        this.#classes[level] = (this.#classes[level] as number) & ~(1 << (index & (CLASSES - 1)));
        if (this.#classes[level] === 0) this.#levels &= ~(1 << level);
      }
    }
    this.#free[node] = 0;
    this.#freeUnits -= this.#size[node] as number;
  }

  /** Cuts a block that is in no list: the node keeps `units`, the new node has the rest. */
  #split(node: number, units: number): number {
    const rest = this.#newNode((this.#start[node] as number) + units, (this.#size[node] as number) - units);
    const upper = this.#upper[node] as number;
    this.#size[node] = units;
    this.#upper[node] = rest;
    this.#lower[rest] = node;
    this.#upper[rest] = upper;
    if (upper === NONE) this.#top = rest;
    else this.#lower[upper] = rest;
    return rest;
  }

  /** Joins a block with its upper neighbour; both are in no list. */
  #merge(node: number, upper: number): void {
    const above = this.#upper[upper] as number;
    this.#size[node] = (this.#size[node] as number) + (this.#size[upper] as number);
    this.#upper[node] = above;
    if (above === NONE) this.#top = node;
    else this.#lower[above] = node;
    this.#next[upper] = this.#spare;
    this.#spare = upper;
  }

  #newNode(start: number, size: number): number {
    let node = this.#spare;
    if (node === NONE) {
      node = this.#nodes++;
      if (node === this.#start.length) this.#moreNodes();
    } else this.#spare = this.#next[node] as number;
    this.#start[node] = start;
    this.#size[node] = size;
    this.#free[node] = 0;
    this.#lower[node] = NONE;
    this.#upper[node] = NONE;
    return node;
  }

  #moreNodes(): void {
    const count = this.#start.length * 2;
    this.#start = extendUnsigned(this.#start, count);
    this.#size = extendUnsigned(this.#size, count);
    this.#lower = extendSigned(this.#lower, count);
    this.#upper = extendSigned(this.#upper, count);
    this.#next = extendSigned(this.#next, count);
    this.#previous = extendSigned(this.#previous, count);
    const free = new Uint8Array(count);
    free.set(this.#free);
    this.#free = free;
  }
}

function extendUnsigned(column: Uint32Array, count: number): Uint32Array {
  const longer = new Uint32Array(count);
  longer.set(column);
  return longer;
}

function extendSigned(column: Int32Array, count: number): Int32Array {
  const longer = new Int32Array(count);
  longer.set(column);
  return longer;
}
