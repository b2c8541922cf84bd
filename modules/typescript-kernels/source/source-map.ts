// SPDX-License-Identifier: Apache-2.0
// Source maps (version 3): the text of a file with replaced parts, and where each part comes from.
import { type SourceFile, lineAndColumn } from "@muxkit/report";

import type { Piece } from "./javascript.ts";

/** A replacement of a part of a text by pieces. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly pieces: readonly Piece[];
}

/** A source map of version 3. @public */
export interface SourceMap {
  /** 3. */
  readonly version: 3;
  /** Paths. */
  readonly sources: readonly string[];
  /** Their texts. */
  readonly sourcesContent: readonly string[];
  /** None. */
  readonly names: readonly string[];
  /** Segments in base 64. */
  readonly mappings: string;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A number in the variable length of source maps. */
function vlq(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += DIGITS[digit | (rest > 0 ? 32 : 0)];
  } while (rest > 0);
  return text;
}

/** Text with its segments. */
class Mapped {
  text = "";
  readonly sources: SourceFile[] = [];
  private readonly lines: string[] = [];
  private segments: string[] = [];
  private column = 0;
  private last = [0, 0, 0, 0] as [column: number, source: number, line: number, sourceColumn: number];

  /** Adds text that begins at a place; null: it has none. */
  add(text: string, file: SourceFile | null, offset: number): void {
    if (text === "") return;
    if (file !== null) this.segment(file, offset);
    const parts = text.split("\n");
    for (const [i, part] of parts.entries()) {
      if (i > 0) this.endLine();
      this.column += part.length;
      this.text += i === 0 ? part : `\n${part}`;
    }
  }

  /** Adds a part of a file as it is: each line begins where it does. */
  copy(file: SourceFile, start: number, end: number): void {
    let from = start;
    while (from < end) {
      const feed = file.text.indexOf("\n", from);
      const to = feed < 0 || feed >= end ? end : feed + 1;
      this.add(file.text.slice(from, to), file, from);
      from = to;
    }
  }

  /** The segments of all lines. */
  get mappings(): string {
    return [...this.lines, this.segments.join(",")].join(";");
  }

  private endLine(): void {
    this.lines.push(this.segments.join(","));
    this.segments = [];
    this.column = 0;
    this.last[0] = 0;
  }

  private segment(file: SourceFile, offset: number): void {
    let source = this.sources.indexOf(file);
    if (source < 0) source = this.sources.push(file) - 1;
    const { line, column } = lineAndColumn(file, offset);
    const next: [number, number, number, number] = [this.column, source, line - 1, column - 1];
    this.segments.push(next.map((value, i) => vlq(value - (this.last[i] ?? 0))).join(""));
    this.last = next;
  }
}

/** A text with replaced parts, in order, and its source map. */
export function replaceParts(
  file: SourceFile,
  replacements: readonly Replacement[],
): { readonly text: string; readonly map: SourceMap } {
  const made = new Mapped();
  let from = 0;
  for (const { start, end, pieces } of replacements.toSorted((a, b) => a.start - b.start)) {
    made.copy(file, from, start);
    for (const { text, span } of pieces) made.add(text, span?.file ?? null, span?.start ?? 0);
    from = end;
  }
  made.copy(file, from, file.text.length);
  const map: SourceMap = {
    version: 3,
    sources: made.sources.map(({ name }) => name),
    sourcesContent: made.sources.map(({ text }) => text),
    names: [],
    mappings: made.mappings,
  };
  return { text: made.text, map };
}
