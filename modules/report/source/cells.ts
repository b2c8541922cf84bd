// SPDX-License-Identifier: Apache-2.0
// The characters of a line on a terminal: their widths, and replacements for characters that must not be shown.

/** One character of a line. */
export interface Cell {
  /** UTF-16 units from the beginning of the line. */
  readonly at: number;
  /** What is shown. */
  readonly text: string;
  /** Columns that it takes. */
  readonly width: number;
}

const TAB = 4;

/** Ranges of code points that take two columns (Unicode's East Asian Width W and F, coarsely) and none. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe4f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];
const ZERO: readonly (readonly [number, number])[] = [
  [0x0300, 0x036f],
  [0x200b, 0x200d],
  [0x20d0, 0x20ff],
  [0xfe00, 0xfe0f],
  [0xfe20, 0xfe2f],
];

/** Characters that could control a terminal or change the direction of the text. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u0008\u000A-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu;

/** Replaces the characters that could control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, "\uFFFD");
}

function isWithin(code: number, ranges: readonly (readonly [number, number])[]): boolean {
  return ranges.some(([from, to]) => code >= from && code <= to);
}

function widthOf(code: number): number {
  if (code < 0x300) return 1;
  if (isWithin(code, ZERO)) return 0;
  return isWithin(code, WIDE) ? 2 : 1;
}

/**
 * The characters of a piece of a line that begins at offset `at` of the line; tabs become blanks up to the next stop.
 */
export function cellsOf(text: string, at: number): Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  let offset = at;
  for (const character of text) {
    let shown = printable(character);
    let width = widthOf(character.codePointAt(0) ?? 0);
    if (character === "\t") {
      width = TAB - (column % TAB);
      shown = " ".repeat(width);
    }
    cells.push({ at: offset, text: shown, width });
    column += width;
    offset += character.length;
  }
  return cells;
}
