// SPDX-License-Identifier: Apache-2.0
/**
 * Arguments of block parameters: copies that happen at once, written one after the other. A copy is done when nothing
 * else still reads its target; what is left are cycles, of each of which one value is saved first.
 *
 * Cost: quadratic in the copies of one edge.
 */

/** A copy of an operand to a register. */
export interface Copy {
  readonly target: string;
  readonly source: string;
}

/** The copies in an order in which each reads what it is meant to. `save` copies a register to a new one. */
export function orderedCopies(copies: readonly Copy[], save: (register: string) => Copy): readonly Copy[] {
  const ordered: Copy[] = [];
  let rest = copies.filter(({ target, source }) => target !== source);
  while (rest.length > 0) {
    const sources = new Set(rest.map(({ source }) => source));
    const free = rest.filter(({ target }) => !sources.has(target));
    if (free.length > 0) {
      ordered.push(...free);
      rest = rest.filter(({ target }) => sources.has(target));
      continue;
    }
    const [{ target: blocked }] = rest as [Copy];
    const saved = save(blocked);
    ordered.push(saved);
    rest = rest.map((copy) => (copy.source === blocked ? { target: copy.target, source: saved.target } : copy));
  }
  return ordered;
}
