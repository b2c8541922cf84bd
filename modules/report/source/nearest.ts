// SPDX-License-Identifier: Apache-2.0
// The nearest known name to a misspelt one: restricted Damerau-Levenshtein distance (optimal string alignment).

/** Edits (insert, delete, replace, swap of neighbours) between two words, at most `limit` + 1. */
function distance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, j) => j);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1] ? 0 : 1;
      let best = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = previous;
    previous = row;
  }
  return previous[right.length] ?? limit + 1;
}

/**
 * The known name with the smallest distance; null: none is near. The limit grows with the length of the name; names
 * that differ only in case are nearest.
 *
 * @public
 */
export function nearest(name: string, known: Iterable<string>): string | null {
  const limit = name.length < 3 ? 0 : Math.max(1, Math.floor(name.length / 4));
  const lower = name.toLowerCase();
  let best: string | null = null;
  let least = limit + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const edits = candidate.toLowerCase() === lower ? 0 : distance(name, candidate, limit);
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}
