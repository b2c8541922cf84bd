// SPDX-License-Identifier: Apache-2.0
// Source files, spans in them, lines and columns, and presumed locations (`#line`).

/** A `#line` directive: from an offset on, lines have other numbers and another file name. @public */
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
  /** The directive that included it; null for a main file. */
  readonly includedFrom: Span | null;
  /** The `#line` directives, in the order of the text. */
  readonly marks: LineMark[];
}

/** One macro in the expansion of a token. @public */
export interface ExpansionFrame {
  /** Name of the macro. */
  readonly macro: string;
  /** The location in its definition. */
  readonly span: Span;
}

/** The macros that a token was expanded from, computed on demand. @public */
export interface Expansion {
  /** From the macro that the source names to the innermost. */
  readonly frames: readonly ExpansionFrame[];
}

/** A range of a file: UTF-16 offsets, `end` exclusive. @public */
export interface Span {
  /** The file. */
  readonly file: SourceFile;
  /** First character. */
  readonly start: number;
  /** One after the last character. */
  readonly end: number;
  /** The macros that it was expanded from; the span is then the use of the outermost one. */
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

/** A location for readers: both numbers from 1, columns in UTF-16 units. @public */
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

/** The presumed location of an offset: file name and line as `#line` directives set them (C 6.10.4). @public */
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

/** The include directives that led to a file, innermost first. @public */
export function inclusionsOf(file: SourceFile): readonly Span[] {
  const chain: Span[] = [];
  for (let from = file.includedFrom; from !== null; from = from.file.includedFrom) chain.push(from);
  return chain;
}
