// SPDX-License-Identifier: Apache-2.0
// A set of bytes as intervals: sorted, disjoint and not adjacent, as a flat list [begin, end, begin, end, …) of
// half-open ranges. Sets of buffers have few intervals, mostly none or one.
//
// Before: [0, 4, 8, 12), add 4 to 8. After: [0, 12).
//
// Cost: each operation is linear in the intervals.

/** A half-open range of bytes. */
export type ByteRange = readonly [begin: number, end: number];

/** A set of bytes. */
export class ByteRanges {
  #bounds: number[];

  constructor(bounds: readonly number[] = []) {
    this.#bounds = [...bounds];
  }

  /** The bytes from `begin` up to `end`. */
  static of(begin: number, end: number): ByteRanges {
    return new ByteRanges(begin < end ? [begin, end] : []);
  }

  /** True without bytes. */
  get isEmpty(): boolean {
    return this.#bounds.length === 0;
  }

  /** The number of bytes. */
  get size(): number {
    let size = 0;
    for (let i = 0; i < this.#bounds.length; i += 2)
      size += (this.#bounds[i + 1] as number) - (this.#bounds[i] as number);
    return size;
  }

  /** The intervals in rising order. */
  get list(): readonly ByteRange[] {
    return Array.from({ length: this.#bounds.length / 2 }, (_, i): ByteRange => [
      this.#bounds[2 * i] as number,
      this.#bounds[2 * i + 1] as number,
    ]);
  }

  /** A copy. */
  copy(): ByteRanges {
    return new ByteRanges(this.#bounds);
  }

  /** True when the set has a byte of the range. */
  meets(begin: number, end: number): boolean {
    const bounds = this.#bounds;
    for (let i = 0; i < bounds.length && (bounds[i] as number) < end; i += 2)
      if ((bounds[i + 1] as number) > begin) return true;
    return false;
  }

  /** Adds the bytes of a range. */
  add(begin: number, end: number): void {
    if (begin >= end) return;
    const bounds = this.#bounds;
    let first = 0;
    while (first < bounds.length && (bounds[first + 1] as number) < begin) first += 2;
    let last = first;
    let [low, high] = [begin, end];
    // Neighbours join, so that lists stay short.
    for (; last < bounds.length && (bounds[last] as number) <= end; last += 2) {
      low = Math.min(low, bounds[last] as number);
      high = Math.max(high, bounds[last + 1] as number);
    }
    bounds.splice(first, last - first, low, high);
  }

  /** Removes the bytes of a range. */
  remove(begin: number, end: number): void {
    const bounds = this.#bounds;
    if (bounds.length === 0 || begin >= end) return;
    const left: number[] = [];
    for (let i = 0; i < bounds.length; i += 2) {
      const [from, to] = [bounds[i] as number, bounds[i + 1] as number];
      if (from < begin) left.push(from, Math.min(to, begin));
      if (to > end) left.push(Math.max(from, end), to);
    }
    this.#bounds = left;
  }

  /** Adds all bytes of another set. */
  addAll(other: ByteRanges): void {
    for (const [begin, end] of other.list) this.add(begin, end);
  }

  /** Removes all bytes of another set. */
  removeAll(other: ByteRanges): void {
    for (const [begin, end] of other.list) this.remove(begin, end);
  }

  /** The bytes of the set that are in a range. */
  within(begin: number, end: number): ByteRanges {
    const bounds: number[] = [];
    for (const [from, to] of this.list)
      if (from < end && to > begin) bounds.push(Math.max(from, begin), Math.min(to, end));
    return new ByteRanges(bounds);
  }
}
