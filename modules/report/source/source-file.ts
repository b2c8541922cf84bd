// SPDX-License-Identifier: Apache-2.0
// Source texts, places in them, and lines.

/** From an offset on, lines are counted and named otherwise: what #line says. @public */
export interface LineMark {
  /** First offset that it holds for. */
  readonly offset: number;
  /** Added to the number of the line. */
  readonly shift: number;
  /** Name of the file that is shown. */
  readonly name: string;
}

/** A text with a name. @public */
export interface SourceFile {
  /** Name as diagnostics show it. */
  readonly name: string;
  /** The text. */
  readonly text: string;
  /** Offset of each line's first character, in UTF-16 units. */
  readonly lineStarts: Uint32Array;
  /** The directive that included it; null for a file that was given. */
  readonly includedFrom: Span | null;
  /** What #line said, in the order of the text. */
  readonly marks: LineMark[];
}

/** One macro on the way from the place in the source to a token that an expansion made. @public */
export interface ExpansionFrame {
  /** Name of the macro. */
  readonly macro: string;
  /** The place within its definition. */
  readonly span: Span;
}

/** Tells, when somebody asks, which macros a place came through. @public */
export interface Expansion {
  /** From the macro that the source names to the innermost. */
  readonly frames: readonly ExpansionFrame[];
}

/** A stretch of a file: UTF-16 offsets, `end` exclusive. @public */
export interface Span {
  /** The file. */
  readonly file: SourceFile;
  /** First character. */
  readonly start: number;
  /** One behind the last character. */
  readonly end: number;
  /** The macros that it came through; the span is then the outermost one's use. */
  readonly expansion?: Expansion | null;
}

/** Makes a source file. @public */
export function createSourceFile(name: string, text: string, includedFrom: Span | null = null): SourceFile {
  let lines = 1;
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) lines++;
  const lineStarts = new Uint32Array(lines);
  for (let i = 0, line = 1; line < lines; line++) lineStarts[line] = i = text.indexOf("\n", i) + 1;
  return { name, text, lineStarts, includedFrom, marks: [] };
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

/** The name and line that are shown for an offset: those of #line, where there is one before it. @public */
export function presumedLocation(file: SourceFile, offset: number): LineAndColumn & { readonly name: string } {
  const { line, column } = lineAndColumn(file, offset);
  const mark = file.marks.findLast(({ offset: from }) => from <= offset);
  return { name: mark?.name ?? file.name, line: line + (mark?.shift ?? 0), column };
}

/** The text of a line (from 1) without its end. @public */
export function lineText(file: SourceFile, line: number): string {
  const start = file.lineStarts[line - 1] ?? file.text.length;
  const next = file.lineStarts[line];
  return file.text.slice(start, next === undefined ? file.text.length : next - 1).replace(/\r$/u, "");
}

/** The directives that led to a file, from the innermost outwards. @public */
export function inclusionsOf(file: SourceFile): readonly Span[] {
  const chain: Span[] = [];
  for (let from = file.includedFrom; from !== null; from = from.file.includedFrom) chain.push(from);
  return chain;
}
