// SPDX-License-Identifier: Apache-2.0
/**
 * Moves that happen at once, as a sequence.
 *
 * A move goes from one place to another; places are registers and slots of the frame. A move whose target nobody reads
 * any more can go first; when only cycles are left, one source is put aside into a place that is free. Each cycle costs
 * one move more (as in Rideau, Serpette and Leroy, "Tilting at windmills with Coq", 2008). Cost: moves squared, and
 * edges have few.
 */

/** One move. Places are numbers; which are registers, the caller knows. */
export interface Move {
  readonly to: number;
  readonly from: number;
}

/** The moves in an order that does the same one after the other; `aside` yields a free place for what is at another. */
export function sequenceMoves(moves: readonly Move[], aside: (place: number) => number): readonly Move[] {
  const open = moves.filter(({ to, from }) => to !== from).map((move) => ({ ...move }));
  const sequence: Move[] = [];
  while (open.length > 0) {
    const free = open.findIndex(({ to }) => open.every((other) => other.from !== to));
    if (free !== -1) {
      sequence.push(...open.splice(free, 1));
      continue;
    }
    // Every target is a source of another move: a cycle.
    const [{ from }] = open as [Move];
    const place = aside(from);
    sequence.push({ to: place, from });
    for (const move of open) if (move.from === from) move.from = place;
  }
  return sequence;
}
