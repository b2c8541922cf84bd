// SPDX-License-Identifier: Apache-2.0
// Sets of numbers that are told apart by what they stand for: instructions by their words, say. Open addressing in one
// typed array, at most two thirds full, so an element takes 6 to 12 bytes; Set and Map take 30 to 60 and want a key.

/** What makes elements equal. */
export interface Likeness {
  /** Equal elements have equal numbers. */
  readonly hash: (element: number) => number;
  readonly isSame: (element: number, other: number) => boolean;
}

const LEAST = 16;

/** A set of numbers from 0 to 2^31 - 2. */
export class InstructionSet {
  readonly #likeness: Likeness;
  /** Elements and one; 0: an empty slot. */
  #slots: Int32Array = new Int32Array(LEAST);
  #count = 0;

  constructor(likeness: Likeness) {
    this.#likeness = likeness;
  }

  /** Adds an element. Returns one that was there and equals it, and adds nothing then; -1: there was none. */
  add(element: number): number {
    if ((this.#count + 1) * 3 > this.#slots.length * 2) this.#grow();
    const slot = this.#slot(element);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    this.#slots[slot] = element + 1;
    this.#count++;
    return -1;
  }

  /** The slot of an equal element, or the empty one where it belongs. */
  #slot(element: number): number {
    const { hash, isSame } = this.#likeness;
    const mask = this.#slots.length - 1;
    const mixed = Math.imul(hash(element), 0x9e3779b1);
    for (let slot = (mixed ^ (mixed >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const known = this.#slots[slot] ?? 0;
      if (known === 0 || isSame(known - 1, element)) return slot;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (const known of old) if (known !== 0) this.#slots[this.#slot(known - 1)] = known;
  }
}
