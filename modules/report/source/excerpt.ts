// SPDX-License-Identifier: Apache-2.0
// Source excerpts: the lines of a diagnostic with a caret and underlines.
//
// Marks of spans are collected by line; each line is cut to a window of at most 160 columns around its first mark, in
// cells of terminal columns (tabs expanded, wide characters count two), and drawn with `^` and `~` below.
import { type Cell, cellsOf } from "./cells.ts";
import { type Span, lineAndColumn, lineText, presumedLocation } from "./source-file.ts";

/** Most columns of a line that are shown, and most columns before the caret. */
const WIDEST = 160;
const WIDEST_LEAD = 80;
/** Most lines of a span that are all shown; of a longer span the first and the last one are. */
const MOST_LINES = 4;

/** A marked range of one line, in UTF-16 units. */
interface Mark {
  readonly from: number;
  readonly to: number;
  readonly hasCaret: boolean;
}

/** One line of an excerpt. */
export interface ExcerptLine {
  /** Text on the left of the bar. */
  readonly gutter: string;
  /** Text on the right of it. */
  readonly text: string;
  /** True for carets and underlines. */
  readonly isMark: boolean;
}

function addMarks(marks: Map<number, Mark[]>, span: Span, isMain: boolean): void {
  const first = lineAndColumn(span.file, span.start);
  const last = lineAndColumn(span.file, Math.max(span.start, span.end - 1));
  for (let line = first.line; line <= last.line; line++) {
    const isShown = last.line - first.line < MOST_LINES || line === first.line || line === last.line;
    if (!isShown) continue;
    const text = lineText(span.file, line);
    const from = line === first.line ? first.column - 1 : text.length - text.trimStart().length;
    const to =
      line === last.line
        ? from + Math.max(0, line === first.line ? span.end - span.start : last.column - from)
        : text.length;
    const mark = { from, to: Math.min(to, Math.max(text.length, from)), hasCaret: isMain && line === first.line };
    const list = marks.get(line);
    if (list === undefined) marks.set(line, [mark]);
    else list.push(mark);
  }
}

function columns(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.width, 0);
}

/** The piece of a line that is shown: at most WIDEST columns around its first mark. */
function windowOf(
  text: string,
  anchor: number,
): { readonly cells: readonly Cell[]; readonly isCutBefore: boolean; readonly isCutAfter: boolean } {
  if (text.length <= WIDEST) {
    const cells = cellsOf(text, 0);
    if (columns(cells) <= WIDEST) return { cells, isCutBefore: false, isCutAfter: false };
  }
  let from = Math.max(0, Math.min(anchor - WIDEST_LEAD, text.length - WIDEST));
  // Not in the middle of a surrogate pair.
  if (from > 0 && (text.charCodeAt(from) & 0xfc00) === 0xdc00) from--;
  const all = cellsOf(text.slice(from, from + WIDEST), from);
  // Wide characters take more columns than units: drop some at the front, then those that no longer fit.
  let first = 0;
  if (columns(all) > WIDEST)
    for (let lead = columns(all.filter(({ at }) => at < anchor)); lead > WIDEST_LEAD; first++)
      lead -= all[first]?.width ?? lead;
  const cells: Cell[] = [];
  let width = 0;
  for (const cell of all.slice(first)) {
    width += cell.width;
    if (width > WIDEST) break;
    cells.push(cell);
  }
  return {
    cells,
    isCutBefore: (cells[0]?.at ?? from) > 0,
    isCutAfter: first + cells.length < all.length || from + WIDEST < text.length,
  };
}

function drawLine(text: string, marks: readonly Mark[]): readonly [shown: string, below: string] {
  const anchor = marks.find(({ hasCaret }) => hasCaret)?.from ?? marks[0]?.from ?? 0;
  const { cells, isCutBefore, isCutAfter } = windowOf(text, anchor);
  const shown = `${isCutBefore ? "…" : ""}${cells.map((cell) => cell.text).join("")}${isCutAfter ? "…" : ""}`;
  let below = isCutBefore ? " " : "";
  const symbolAt = (at: number): string => {
    if (marks.some(({ hasCaret, from }) => hasCaret && from === at)) return "^";
    return marks.some(({ from, to }) => at >= from && at < to) ? "~" : " ";
  };
  for (const { at, width } of cells) {
    const symbol = symbolAt(at);
    below +=
      width === 0
        ? ""
        : symbol +
          (symbol === "^" ? (marks.some(({ from, to }) => at >= from && at < to) ? "~" : " ") : symbol).repeat(
            width - 1,
          );
  }
  // A caret after the end of the line, or in the middle of one character.
  if (!below.includes("^")) {
    if (marks.some(({ hasCaret }) => hasCaret)) below = `${below}^`;
  }
  return [shown, below.trimEnd()];
}

/** The excerpt for a span and other ranges, line by line. */
export function excerpt(span: Span, ranges: readonly Span[]): ExcerptLine[] {
  const marks = new Map<number, Mark[]>();
  addMarks(marks, span, true);
  for (const range of ranges) if (range.file === span.file) addMarks(marks, range, false);
  const result: ExcerptLine[] = [];
  let previous = 0;
  for (const [line, list] of [...marks].toSorted(([a], [b]) => a - b)) {
    if (previous !== 0 && line > previous + 1) result.push({ gutter: "  ...", text: "", isMark: false });
    previous = line;
    const [shown, below] = drawLine(lineText(span.file, line), list);
    const number = presumedLocation(span.file, span.file.lineStarts[line - 1] ?? 0).line;
    result.push({ gutter: String(number).padStart(5), text: shown, isMark: false });
    if (below !== "") result.push({ gutter: "     ", text: below, isMark: true });
  }
  return result;
}
