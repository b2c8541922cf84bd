// SPDX-License-Identifier: Apache-2.0
// From ids to the instructions that define them. A module may claim any bound up to 2^32: a plain array is used only
// where the bound is in proportion to the module, else a hash table of the ids that there are (open addressing, linear
// probing, at most two thirds full).

const NOBODY = -1;

/** Where ids are defined. @public */
export class Definitions {
  readonly #direct: Int32Array | null;
  readonly #keys: Uint32Array;
  readonly #values: Int32Array;
  readonly #mask: number;

  /** Makes one for the results of `count` instructions; the first definition of an id holds. */
  constructor(results: Uint32Array, bound: number, words: number) {
    const isDirect = bound <= 1024 || bound <= words;
    let size = 1;
    if (!isDirect) {
      let used = 0;
      for (const id of results) if (id !== 0) used++;
      while (size * 2 < used * 3 + 2) size *= 2;
    }
    this.#direct = isDirect ? new Int32Array(bound).fill(NOBODY) : null;
    this.#keys = new Uint32Array(isDirect ? 0 : size);
    this.#values = new Int32Array(isDirect ? 0 : size);
    this.#mask = size - 1;
    for (let index = 0; index < results.length; index++) {
      const id = results[index] ?? 0;
      if (id !== 0 && id < bound) this.#put(id, index);
    }
  }

  #put(id: number, index: number): void {
    if (this.#direct !== null) {
      if (this.#direct[id] === NOBODY) this.#direct[id] = index;
      return;
    }
    let slot = this.#slot(id);
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== id) slot = (slot + 1) & this.#mask;
    if (this.#keys[slot] === id) return;
    this.#keys[slot] = id;
    this.#values[slot] = index;
  }

  #slot(id: number): number {
    return (Math.imul(id, 0x9e3779b1) >>> 7) & this.#mask;
  }

  /** The instruction that defines an id; -1: none does. */
  of(id: number): number {
    if (this.#direct !== null) return this.#direct[id] ?? NOBODY;
    if (id === 0) return NOBODY;
    let slot = this.#slot(id);
    for (;;) {
      const key = this.#keys[slot];
      if (key === id) return this.#values[slot] ?? NOBODY;
      if (key === 0) return NOBODY;
      slot = (slot + 1) & this.#mask;
    }
  }
}
