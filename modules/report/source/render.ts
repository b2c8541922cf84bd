// Diagnostics as text for people, as JSON, as SARIF.
import type { Diagnostic, Severity } from "./diagnostic.ts";
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

/** The line and, below it, a caret with a tail as long as the span. A span over several lines is shown on its first. */
function excerpt(span: Span, options: RenderOptions): string {
  const { line, column } = lineAndColumn(span.file, span.start);
  const text = lineText(span.file, line);
  const lead = text.slice(0, column - 1).replaceAll(/[^\t]/gu, " ");
  const length = Math.max(1, Math.min(span.end - span.start, text.length - column + 1));
  const number = String(line).padStart(5);
  return `${number} | ${text}\n      | ${lead}${paint(`^${"~".repeat(length - 1)}`, "caret", options)}\n`;
}

function renderOne(diagnostic: Diagnostic, options: RenderOptions): string {
  const { severity, code, message, span } = diagnostic;
  let place = "";
  if (span !== null) {
    const { line, column } = lineAndColumn(span.file, span.start);
    place = paint(`${span.file.name}:${line}:${column}: `, "bold", options);
  }
  let text = `${place}${paint(`${severity}: `, severity, options)}${message}${code === "" ? "" : ` [${code}]`}\n`;
  if (span !== null) text += excerpt(span, options);
  if (diagnostic.fix !== null) text += `      = fix: ${diagnostic.fix.span.start === diagnostic.fix.span.end ? "insert" : "write"} \`${diagnostic.fix.replacement}\`\n`;
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

/** Diagnostics as SARIF 2.1.0. @public */
export function renderSarif(diagnostics: readonly Diagnostic[], tool: { readonly name: string; readonly version: string }): string {
  const region = (span: Span): unknown => {
    const { start, end } = placeJson(span);
    return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
  };
  const location = (span: Span): unknown => ({ physicalLocation: { artifactLocation: { uri: span.file.name }, region: region(span) } });
  const results = diagnostics.map(({ severity, code, message, span, notes, fix }) => ({
    ruleId: code,
    level: severity,
    message: { text: message },
    locations: span === null ? [] : [location(span)],
    relatedLocations: notes.flatMap((n) => (n.span === null ? [] : [{ ...(location(n.span) as object), message: { text: n.message } }])),
    ...(fix === null
      ? {}
      : { fixes: [{ artifactChanges: [{ artifactLocation: { uri: fix.span.file.name }, replacements: [{ deletedRegion: region(fix.span), insertedContent: { text: fix.replacement } }] }] }] }),
  }));
  return JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [{ tool: { driver: tool }, results }] }, null, 2);
}
