// SPDX-License-Identifier: Apache-2.0
// Renders diagnostics as text and as JSON.
import { printable } from "./cells.ts";
import type { Diagnostic, Severity } from "./diagnostic.ts";
import { excerpt } from "./excerpt.ts";
import { type Fix, describeFix } from "./fix.ts";
import { type SourceFile, type Span, inclusionsOf, lineAndColumn, presumedLocation } from "./source-file.ts";

/** How to write text. @public */
export interface RenderOptions {
  /** True: with ANSI colours. */
  readonly color?: boolean;
}

const COLORS: Readonly<Record<Severity | "bold" | "caret" | "gutter", string>> = {
  error: "\u001B[1;31m",
  warning: "\u001B[1;35m",
  note: "\u001B[1;36m",
  bold: "\u001B[1m",
  caret: "\u001B[1;32m",
  gutter: "\u001B[2m",
};
const RESET = "\u001B[0m";

/**
 * True when text for a stream should be coloured: FORCE_COLOR decides (0 or false: no), then NO_COLOR, then whether the
 * stream is a terminal.
 *
 * @public
 */
export function wantsColor(environment: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: terminal } = environment;
  if (force !== undefined) return force !== "0" && force !== "false";
  if (no !== undefined && no !== "") return false;
  return isTerminal && terminal !== "dumb";
}

function paint(text: string, color: keyof typeof COLORS, options: RenderOptions): string {
  return options.color === true && text !== "" ? `${COLORS[color]}${text}${RESET}` : text;
}

function locationText({ file, start }: Span): string {
  const { name, line, column } = presumedLocation(file, start);
  return `${printable(name)}:${line}:${column}`;
}

function drawn(span: Span, ranges: readonly Span[], options: RenderOptions): string {
  return excerpt(span, ranges)
    .map(({ gutter, text, isMark }) => {
      const lead = isMark ? text.length - text.trimStart().length : text.length;
      return `${paint(`${gutter} |`, "gutter", options)}${text === "" ? "" : " "}${text.slice(0, lead)}${paint(text.slice(lead), "caret", options)}\n`;
    })
    .join("");
}

/** A fix in words, with its location when it is not on the line of the diagnostic. */
function fixText(fix: Fix, span: Span | null): string {
  const [first] = fix.edits;
  if (first === undefined) return "";
  const isElsewhere =
    span === null ||
    first.span.file !== span.file ||
    lineAndColumn(first.span.file, first.span.start).line !== lineAndColumn(span.file, span.start).line;
  return `      = fix: ${printable(describeFix(fix))}${isElsewhere ? ` at ${locationText(first.span)}` : ""}\n`;
}

/** The chain of inclusions of a file, printed once for consecutive diagnostics in it. */
function inclusionText(file: SourceFile, before: SourceFile | null): string {
  if (file === before) return "";
  return inclusionsOf(file)
    .map((from) => `in a file included from ${locationText(from)}:\n`)
    .join("");
}

function renderOne(diagnostic: Diagnostic, before: SourceFile | null, options: RenderOptions): string {
  const { severity, code, message, span, ranges, fix } = diagnostic;
  const location = span === null ? "" : paint(`${locationText(span)}: `, "bold", options);
  const sentence = message.split("\n").map(printable).join("\n");
  let text = span === null ? "" : inclusionText(span.file, before);
  const shown = severity === "note" ? sentence : paint(sentence, "bold", options);
  text += `${location}${paint(`${severity}: `, severity, options)}${shown}${code === "" ? "" : ` [${code}]`}\n`;
  if (span !== null) text += drawn(span, ranges, options);
  if (fix !== null) text += fixText(fix, span);
  for (const inner of diagnostic.notes) text += renderOne(inner, span?.file ?? before, options);
  return text;
}

/** Renders diagnostics as text: location, severity, message, code, source lines with a caret, fix, notes. @public */
export function renderText(diagnostics: readonly Diagnostic[], options: RenderOptions = {}): string {
  let before: SourceFile | null = null;
  let text = "";
  for (const diagnostic of diagnostics) {
    text += renderOne(diagnostic, before, options);
    before = diagnostic.span?.file ?? before;
  }
  return text;
}

interface LocationJson {
  readonly file: string;
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
  readonly includedFrom?: readonly { readonly file: string; readonly line: number; readonly column: number }[];
}

function locationJson(span: Span): LocationJson {
  const { name, line, column } = presumedLocation(span.file, span.start);
  const end = presumedLocation(span.file, span.end);
  const from = inclusionsOf(span.file).map((inclusion) => {
    const at = presumedLocation(inclusion.file, inclusion.start);
    return { file: at.name, line: at.line, column: at.column };
  });
  return {
    file: name,
    start: { line, column },
    end: { line: end.line, column: end.column },
    ...(from.length === 0 ? {} : { includedFrom: from }),
  };
}

function toJson(diagnostic: Diagnostic): unknown {
  const { severity, code, message, span, ranges, notes, fix } = diagnostic;
  return {
    severity,
    code,
    message,
    place: span === null ? null : locationJson(span),
    ranges: ranges.map(locationJson),
    notes: notes.map(toJson),
    fix:
      fix === null
        ? null
        : { edits: fix.edits.map((edit) => ({ place: locationJson(edit.span), replacement: edit.replacement })) },
  };
}

/** Diagnostics as a JSON array, with lines and columns from 1. @public */
export function renderJson(diagnostics: readonly Diagnostic[]): string {
  return JSON.stringify(diagnostics.map(toJson), null, 2);
}
