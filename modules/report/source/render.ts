// Diagnostics as text for people, and as JSON.
import type { Diagnostic, Fix, Severity } from "./diagnostic.ts";
import { type Span, lineAndColumn, lineText } from "./source-file.ts";

/** How to write text. @public */
export interface RenderOptions {
  /** True: with ANSI colours. */
  readonly color?: boolean;
}

const COLORS: Readonly<Record<Severity | "bold" | "caret", string>> = { error: "\u001B[1;31m", warning: "\u001B[1;35m", note: "\u001B[1;36m", bold: "\u001B[1m", caret: "\u001B[1;32m" };
const RESET = "\u001B[0m";

function paint(text: string, color: keyof typeof COLORS, options: RenderOptions): string {
  return options.color === true ? `${COLORS[color]}${text}${RESET}` : text;
}

/** Longest piece of a line that is shown, and how much of it lies before the caret at most. */
const WIDEST = 160;
const WIDEST_LEAD = 80;

/** A control character of the user's text must not reach a terminal; tabs stay and are repeated below, so that the caret stands right. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000A-\u001F\u007F-\u009F]/gu, "\uFFFD");
}

/** The line and, below it, a caret with a tail as long as the span. A span over several lines is shown on its first, a very long line around the caret. */
function excerpt(span: Span, options: RenderOptions): string {
  const { line, column } = lineAndColumn(span.file, span.start);
  const whole = lineText(span.file, line);
  const from = whole.length > WIDEST ? Math.max(0, Math.min(column - 1 - WIDEST_LEAD, whole.length - WIDEST)) : 0;
  const shown = printable(whole.slice(from, from + WIDEST));
  const text = `${from > 0 ? "…" : ""}${shown}${from + WIDEST < whole.length ? "…" : ""}`;
  const before = text.slice(0, column - 1 - from + (from > 0 ? 1 : 0));
  const lead = before.replaceAll(/[^\t]/gu, " ");
  const length = Math.max(1, Math.min(span.end - span.start, shown.length - (column - 1 - from)));
  const number = String(line).padStart(5);
  return `${number} | ${text}\n      | ${lead}${paint(`^${"~".repeat(length - 1)}`, "caret", options)}\n`;
}

function describeFix(fix: Fix): string {
  if (fix.span.start === fix.span.end) return `insert \`${fix.replacement}\``;
  return fix.replacement === "" ? `remove \`${fix.span.file.text.slice(fix.span.start, fix.span.end)}\`` : `write \`${fix.replacement}\``;
}

function renderOne(diagnostic: Diagnostic, options: RenderOptions): string {
  const { severity, code, message, span } = diagnostic;
  let place = "";
  if (span !== null) {
    const { line, column } = lineAndColumn(span.file, span.start);
    place = paint(`${printable(span.file.name)}:${line}:${column}: `, "bold", options);
  }
  let text = `${place}${paint(`${severity}: `, severity, options)}${message.split("\n").map(printable).join("\n")}${code === "" ? "" : ` [${code}]`}\n`;
  if (span !== null) text += excerpt(span, options);
  if (diagnostic.fix !== null) text += `      = fix: ${printable(describeFix(diagnostic.fix))}\n`;
  for (const inner of diagnostic.notes) text += renderOne(inner, options);
  return text;
}

/** Diagnostics as a compiler prints them: place, severity, message, code, the source line with a caret, notes. @public */
export function renderText(diagnostics: readonly Diagnostic[], options: RenderOptions = {}): string {
  return diagnostics.map((diagnostic) => renderOne(diagnostic, options)).join("");
}

interface PlaceJson {
  readonly file: string;
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

function placeJson(span: Span): PlaceJson {
  return { file: span.file.name, start: lineAndColumn(span.file, span.start), end: lineAndColumn(span.file, span.end) };
}

function toJson(diagnostic: Diagnostic): unknown {
  const { severity, code, message, span, notes, fix } = diagnostic;
  return {
    severity,
    code,
    message,
    place: span === null ? null : placeJson(span),
    notes: notes.map(toJson),
    fix: fix === null ? null : { place: placeJson(fix.span), replacement: fix.replacement },
  };
}

/** Diagnostics as a JSON array, with lines and columns from 1. @public */
export function renderJson(diagnostics: readonly Diagnostic[]): string {
  return JSON.stringify(diagnostics.map(toJson), null, 2);
}
