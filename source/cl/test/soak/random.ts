// SPDX-License-Identifier: Apache-2.0
// Numbers that look random and are the same for the same seed.

/** A source of numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 32 bits. */
  bits(): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** An integer from 0 to `end` - 1. */
  below(end: number): number {
    return this.bits() % end;
  }

  /** An integer from `first` to `last`. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  /** True one time in so many. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  /** One of a list; undefined: it is empty. */
  pick<T>(list: readonly T[]): T | undefined {
    return list[this.below(Math.max(1, list.length))];
  }

  /** The list in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const order = [...list];
    for (let i = order.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [order[i], order[j]] = [order[j] as T, order[i] as T];
    }
    return order;
  }
}
