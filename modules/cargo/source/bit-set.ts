// SPDX-License-Identifier: Apache-2.0
// Sets of small integers as bits, 32 per word.
import { type Allocator, heapAllocator } from "./allocator.ts";
import { assert } from "./assert.ts";
import { type CargoError, cargoError } from "./error.ts";
import { isCount } from "./numeric.ts";
import { type Result, err, map } from "./result.ts";

/** A set of integers from 0 to `length` - 1. Integers outside of this range are an InternalError. @public */
export class BitSet implements Iterable<number> {
  /** One more than the largest integer that it can hold. */
  readonly length: number;
  private readonly words: Uint32Array;

  private constructor(length: number, words: Uint32Array) {
    this.length = length;
    this.words = words;
  }

  /** An empty set. Errors: `bad_argument`, `bad_alloc`. */
  static create(length: number, allocator: Allocator = heapAllocator): Result<BitSet, CargoError> {
    if (!isCount(length)) return err(cargoError("bad_argument", `a set cannot have ${length} integers`));
    return map(
      allocator.allocateBytes(Math.ceil(length / 32) * 4),
      (buffer) => new BitSet(length, new Uint32Array(buffer)),
    );
  }

  private wordOf(index: number): number {
    assert(isCount(index) && index < this.length, () => `${index} is not in a set of integers below ${this.length}`);
    return Math.floor(index / 32);
  }

  /** True when `index` is in it. */
  has(index: number): boolean {
    return (((this.words[this.wordOf(index)] as number) >>> (index & 31)) & 1) === 1;
  }

  /** Adds `index`; true when it was absent. */
  add(index: number): boolean {
    const word = this.wordOf(index);
    const old = this.words[word] as number;
    this.words[word] = old | (1 << (index & 31));
    return this.words[word] !== old;
  }

  /** Removes `index`; true when it was present. */
  delete(index: number): boolean {
    const word = this.wordOf(index);
    const old = this.words[word] as number;
    this.words[word] = old & ~(1 << (index & 31));
    return this.words[word] !== old;
  }

  /** Removes all integers. */
  clear(): void {
    this.words.fill(0);
  }

  /** Adds all integers. */
  fill(): void {
    this.words.fill(0xffff_ffff);
    const rest = this.length & 31;
    if (rest !== 0) this.words[this.words.length - 1] = (1 << rest) - 1;
  }

  /** Number of integers in it. */
  get size(): number {
    let size = 0;
    for (let i = 0; i < this.words.length; i++) size += countOnes(this.words[i] as number);
    return size;
  }

  /** The least integer in it that is not below `from`; -1 when there is none. */
  next(from: number): number {
    if (from >= this.length) return -1;
    let word = this.wordOf(from);
    let bits = (this.words[word] as number) & (-1 << (from & 31));
    while (bits === 0) {
      word++;
      if (word === this.words.length) return -1;
      bits = this.words[word] as number;
    }
    return word * 32 + 31 - Math.clz32(bits & -bits);
  }

  /** The integers in it, ascending. */
  *[Symbol.iterator](): Iterator<number> {
    for (let i = this.next(0); i >= 0; i = this.next(i + 1)) yield i;
  }

  private combine(other: BitSet, operation: (mine: number, others: number) => number): boolean {
    assert(this.length === other.length, () => `sets of ${this.length} and ${other.length} integers`);
    let changed = false;
    for (let i = 0; i < this.words.length; i++) {
      const old = this.words[i] as number;
      this.words[i] = operation(old, other.words[i] as number);
      changed ||= this.words[i] !== old;
    }
    return changed;
  }

  /** Union: adds the integers of `other`; true when something changed. */
  unite(other: BitSet): boolean {
    return this.combine(other, (mine, others) => mine | others);
  }

  /** Intersection: keeps the integers that are in `other`; true when something changed. */
  intersect(other: BitSet): boolean {
    return this.combine(other, (mine, others) => mine & others);
  }

  /** Difference: removes the integers of `other`; true when something changed. */
  subtract(other: BitSet): boolean {
    return this.combine(other, (mine, others) => mine & ~others);
  }

  /** True when both have the same length and integers. */
  equals(other: BitSet): boolean {
    return this.length === other.length && this.words.every((word, i) => word === other.words[i]);
  }
}

/** Population count of 32 bits (Warren, Hacker's Delight, figure 5-2). */
function countOnes(word: number): number {
  let n = word - ((word >>> 1) & 0x5555_5555);
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
