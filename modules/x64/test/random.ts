// SPDX-License-Identifier: Apache-2.0
// Numbers that look random and are the same for a seed.

/** A source of numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e37_79b1) >>> 0;
  }

  /** From 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  /** One of a list. */
  of<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new Error("nothing to choose from");
    return chosen;
  }
}
