// SPDX-License-Identifier: Apache-2.0
// Which lines differ between two texts: the longest common subsequence between their common beginning and end.

/** Lines kept around a change. */
const AROUND = 2;
/** Pairs of lines that are compared at most; larger changes are shown as one piece. */
const MOST = 4_000_000;

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const [rows, columns] = [before.length, after.length];
  if (rows * columns > MOST)
    return [...before.map((text): Line => ({ sign: "-", text })), ...after.map((text): Line => ({ sign: "+", text }))];
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = rows - 1; i >= 0; i--) {
    const row = lengths[i];
    if (row === undefined) break;
    for (let j = columns - 1; j >= 0; j--)
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), row[j + 1] ?? 0);
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < rows || j < columns)
    if (i < rows && j < columns && before[i] === after[j]) {
      lines.push({ sign: " ", text: before[i] ?? "" });
      i++;
      j++;
    } else if (j >= columns || (i < rows && at(i + 1, j) >= at(i, j + 1)))
      lines.push({ sign: "-", text: before[i++] ?? "" });
    else lines.push({ sign: "+", text: after[j++] ?? "" });
  return lines;
}

function kept(text: string): Line {
  return { sign: " ", text };
}

/** Changed lines with their signs and a few lines around them; empty: nothing has changed. */
export function changedLines(before: readonly string[], after: readonly string[]): string {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  if (start === before.length && start === after.length) return "";
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const lines = [
    ...before.slice(Math.max(0, start - AROUND), start).map(kept),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end, before.length - end + AROUND).map(kept),
  ];
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ sign }) => sign !== " ");
  return lines.map((line, i) => (isNear(i) ? `${line.sign} ${line.text}\n` : isNear(i - 1) ? "  …\n" : "")).join("");
}
