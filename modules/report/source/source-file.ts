// Source texts, places in them, and lines.

/** A text with a name. @public */
export interface SourceFile {
  /** Name as diagnostics show it. */
  readonly name: string;
  /** The text. */
  readonly text: string;
  /** Offset of each line's first character, in UTF-16 units. */
  readonly lineStarts: Uint32Array;
}

/** A stretch of a file: UTF-16 offsets, `end` exclusive. @public */
export interface Span {
  /** The file. */
  readonly file: SourceFile;
  /** First character. */
  readonly start: number;
  /** One behind the last character. */
  readonly end: number;
}

/** Makes a source file. @public */
export function createSourceFile(name: string, text: string): SourceFile {
  const starts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return { name, text, lineStarts: Uint32Array.from(starts) };
}

/** A place for people: both counted from 1, columns in UTF-16 units. @public */
export interface LineAndColumn {
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1. */
  readonly column: number;
}

/** Line and column of an offset. @public */
export function lineAndColumn(file: SourceFile, offset: number): LineAndColumn {
  let low = 0;
  let high = file.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((file.lineStarts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (file.lineStarts[low] as number) + 1 };
}

/** The text of a line (from 1) without its end. @public */
export function lineText(file: SourceFile, line: number): string {
  const start = file.lineStarts[line - 1] ?? file.text.length;
  const next = file.lineStarts[line];
  return file.text.slice(start, next === undefined ? file.text.length : next - 1).replace(/\r$/u, "");
}
