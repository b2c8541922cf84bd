// SPDX-License-Identifier: Apache-2.0
// Random choices that a seed decides: the same on every machine.

/** A source of choices. */
export interface Random {
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number;
  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean;
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** One of the rows, with probability proportional to its `weight`. */
  weighted<T extends { readonly weight: number }>(rows: readonly T[]): T;
}

/** Choices from a seed: a counter, stirred by the finaliser of MurmurHash3 (public domain constants). */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) | 0;
  const next = (): number => {
    state = (state + 0x9e37_79b9) | 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  const below = (bound: number): number => Math.floor((next() / 2 ** 32) * bound);
  const pick = <T>(list: readonly T[]): T => {
    const item = list[below(list.length)];
    if (item === undefined) throw new RangeError("there is nothing to pick from");
    return item;
  };
  return {
    below,
    chance: (percent) => below(100) < percent,
    pick,
    weighted: (rows) => {
      let left = below(rows.reduce((sum, { weight }) => sum + weight, 0));
      for (const row of rows) {
        if (left < row.weight) return row;
        left -= row.weight;
      }
      return pick(rows);
    },
  };
}
