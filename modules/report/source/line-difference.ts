// SPDX-License-Identifier: Apache-2.0
// What changed between two texts, line by line (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986), with
// the lines around it.

/** Lines shown before and after a change. */
const CONTEXT = 2;
/** Changed lines after which two texts are simply shown one after the other. */
const MOST_EDITS = 2000;

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** The furthest reaching ends on each diagonal, one list a number of edits; null: too many edits. */
function trace(before: readonly string[], after: readonly string[]): readonly ReadonlyMap<number, number>[] | null {
  const steps: Map<number, number>[] = [];
  let ends = new Map<number, number>([[1, 0]]);
  for (let count = 0; count <= MOST_EDITS; count++) {
    const next = new Map(ends);
    steps.push(ends);
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      const down =
        diagonal === -count || (diagonal !== count && (next.get(diagonal - 1) ?? -1) < (next.get(diagonal + 1) ?? -1));
      let x = down ? (next.get(diagonal + 1) ?? 0) : (next.get(diagonal - 1) ?? 0) + 1;
      let y = x - diagonal;
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x++;
        y++;
      }
      next.set(diagonal, x);
      if (x >= before.length && y >= after.length) return steps;
    }
    ends = next;
  }
  return null;
}

function edits(before: readonly string[], after: readonly string[]): readonly Line[] {
  const steps = trace(before, after);
  if (steps === null)
    return [...before.map((text): Line => ({ sign: "-", text })), ...after.map((text): Line => ({ sign: "+", text }))];
  const lines: Line[] = [];
  let x = before.length;
  let y = after.length;
  for (let count = steps.length - 1; count >= 0; count--) {
    const ends = steps[count] ?? new Map<number, number>();
    const diagonal = x - y;
    const down =
      diagonal === -count || (diagonal !== count && (ends.get(diagonal - 1) ?? -1) < (ends.get(diagonal + 1) ?? -1));
    const from = down ? diagonal + 1 : diagonal - 1;
    const startX = ends.get(from) ?? 0;
    const startY = startX - from;
    while (x > startX && y > startY && x > 0 && y > 0) {
      lines.push({ sign: " ", text: before[--x] ?? "" });
      y--;
    }
    if (count === 0) break;
    if (down) lines.push({ sign: "+", text: after[--y] ?? "" });
    else lines.push({ sign: "-", text: before[--x] ?? "" });
  }
  return lines.toReversed();
}

/**
 * The changes from one list of lines to another: `-` and `+` lines with a few around them, `…` where lines are left
 * out; empty: there are none.
 *
 * @public
 */
export function lineDifference(before: readonly string[], after: readonly string[]): string {
  const lines = edits(before, after);
  const near = new Set<number>();
  lines.forEach(({ sign }, i) => {
    if (sign !== " ") for (let at = i - CONTEXT; at <= i + CONTEXT; at++) near.add(at);
  });
  let text = "";
  let last = -1;
  lines.forEach((line, i) => {
    if (!near.has(i)) return;
    if (last !== i - 1) text += "  …\n";
    text += `${line.sign} ${line.text}\n`;
    last = i;
  });
  return text;
}
