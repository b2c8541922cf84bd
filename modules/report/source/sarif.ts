// SPDX-License-Identifier: Apache-2.0
// Diagnostics as SARIF 2.1.0 (OASIS), for code hosts and editors.
import type { DiagnosticRow } from "./diagnostic-table.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { type Fix, describeFix } from "./fix.ts";
import { type Span, inclusionsOf, lineAndColumn } from "./source-file.ts";

interface Region {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  /** One after the last character, as SARIF defines it (3.30.8). */
  readonly endColumn: number;
}

interface PhysicalLocation {
  readonly artifactLocation: { readonly uri: string };
  readonly region: Region;
}

function regionOf(span: Span): Region {
  const start = lineAndColumn(span.file, span.start);
  const end = lineAndColumn(span.file, span.end);
  return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
}

/** A file name as a relative or absolute URI reference; a drive letter would be taken for a scheme. */
function uriOf(name: string): string {
  const path = name.replaceAll("\\", "/");
  const rooted = /^[A-Za-z]:\//u.test(path) ? `file:///${path}` : path;
  return encodeURI(rooted).replaceAll("#", "%23").replaceAll("?", "%3F");
}

interface Location {
  readonly physicalLocation: PhysicalLocation;
  /** Other regions of the file that the result is about (3.28.6). */
  readonly annotations?: readonly Region[];
}

function locationOf(span: Span, ranges: readonly Span[] = []): Location {
  const annotations = ranges.filter(({ file }) => file === span.file).map(regionOf);
  return {
    physicalLocation: { artifactLocation: { uri: uriOf(span.file.name) }, region: regionOf(span) },
    ...(annotations.length === 0 ? {} : { annotations }),
  };
}

function fixOf(fix: Fix): unknown {
  const files = [...new Set(fix.edits.map(({ span }) => span.file))];
  const artifactChanges = files.map((file) => ({
    artifactLocation: { uri: uriOf(file.name) },
    replacements: fix.edits
      .filter(({ span }) => span.file === file)
      .map(({ span, replacement }) => ({ deletedRegion: regionOf(span), insertedContent: { text: replacement } })),
  }));
  return { description: { text: describeFix(fix) }, artifactChanges };
}

function relatedOf(notes: readonly Diagnostic[]): readonly unknown[] {
  return notes.flatMap((note) => {
    const own = note.span === null ? [] : [{ ...locationOf(note.span), message: { text: note.message } }];
    return [...own, ...relatedOf(note.notes)];
  });
}

function fixesOf(diagnostic: Diagnostic): readonly Fix[] {
  return [...(diagnostic.fix === null ? [] : [diagnostic.fix]), ...diagnostic.notes.flatMap(fixesOf)];
}

function resultOf(diagnostic: Diagnostic, rules: readonly string[]): unknown {
  const { severity, code, message, span, ranges, notes } = diagnostic;
  const inclusions =
    span === null
      ? []
      : inclusionsOf(span.file).map((from) => ({ ...locationOf(from), message: { text: "included from here" } }));
  const related = [...relatedOf(notes), ...inclusions];
  // A note without a location cannot be a related location: it joins the message.
  const unplaced = notes.filter((note) => note.span === null).map((note) => `\n${note.message}`);
  const fixes = fixesOf(diagnostic);
  return {
    ...(code === "" ? {} : { ruleId: code, ruleIndex: rules.indexOf(code) }),
    level: severity,
    message: { text: message + unplaced.join("") },
    ...(span === null ? {} : { locations: [locationOf(span, ranges)] }),
    ...(related.length === 0 ? {} : { relatedLocations: related }),
    ...(fixes.length === 0 ? {} : { fixes: fixes.map(fixOf) }),
  };
}

function ruleOf(id: string, rows: readonly DiagnosticRow[]): unknown {
  const row = rows.find(({ code }) => code === id);
  if (row === undefined) return { id };
  const { name, template, severity, help } = row;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    shortDescription: { text: template },
    ...(help === undefined ? {} : { help: { text: help } }),
    defaultConfiguration: { level: severity },
  };
}

/** Diagnostics as a SARIF 2.1.0 log with one run; rules that `rows` describes are described. @public */
export function renderSarif(
  diagnostics: readonly Diagnostic[],
  tool: { readonly name: string; readonly version: string },
  rows: readonly DiagnosticRow[] = [],
): string {
  const codes = [...new Set(diagnostics.map((d) => d.code).filter((code) => code !== ""))].toSorted();
  const driver = { name: tool.name, version: tool.version, rules: codes.map((id) => ruleOf(id, rows)) };
  const run = {
    tool: { driver },
    columnKind: "utf16CodeUnits",
    results: diagnostics.map((diagnostic) => resultOf(diagnostic, codes)),
  };
  return JSON.stringify(
    { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] },
    null,
    2,
  );
}
