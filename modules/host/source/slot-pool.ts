// SPDX-License-Identifier: Apache-2.0
// Slots of the control block's tables, in runs whose lengths are powers of two. Only the host thread takes and
// releases.

/**
 * Takes and releases runs of slots in constant time: free lists by power of two. Slot 0 is never taken: it means none.
 */
export class SlotPool {
  readonly #limit: number;
  readonly #free: number[][] = [];
  #next = 1;
  #used = 0;
  readonly #refuses: (() => boolean) | null;

  /** `refuses` is called before each run is taken: true simulates an empty pool. */
  constructor(limit: number, refuses: (() => boolean) | null = null) {
    this.#limit = limit;
    this.#refuses = refuses;
  }

  /** Slots in use. */
  get used(): number {
    return this.#used;
  }

  /** First slot of a run of at least `count`; 0 when there is none. */
  take(count: number = 1): number {
    if (this.#refuses?.() === true) return 0;
    const order = orderOf(count);
    const slot = this.#free[order]?.pop();
    const length = 1 << order;
    if (slot !== undefined) {
      this.#used += length;
      return slot;
    }
    if (this.#next + length > this.#limit) return this.#split(order);
    const first = this.#next;
    this.#next += length;
    this.#used += length;
    return first;
  }

  /** Releases a run, with the count that it was taken with. */
  release(slot: number, count: number = 1): void {
    const order = orderOf(count);
    (this.#free[order] ??= []).push(slot);
    this.#used -= 1 << order;
  }

  /** Cuts a longer free run when nothing else is left. */
  #split(order: number): number {
    for (let larger = order + 1; larger < this.#free.length; larger++) {
      const slot = this.#free[larger]?.pop();
      if (slot === undefined) continue;
      for (let rest = larger - 1; rest >= order; rest--) (this.#free[rest] ??= []).push(slot + (1 << rest));
      this.#used += 1 << order;
      return slot;
    }
    return 0;
  }
}

function orderOf(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1);
}
