// Diagnostics as SARIF 2.1.0 (OASIS), for code hosts and editors.
import type { Diagnostic, Fix } from "./diagnostic.ts";
import { type Span, lineAndColumn } from "./source-file.ts";

interface Region {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  /** One behind the last character, as SARIF has it (3.30.8). */
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

function locationOf(span: Span): { readonly physicalLocation: PhysicalLocation } {
  return { physicalLocation: { artifactLocation: { uri: uriOf(span.file.name) }, region: regionOf(span) } };
}

function fixOf(fix: Fix): unknown {
  const { physicalLocation } = locationOf(fix.span);
  const replacements = [{ deletedRegion: physicalLocation.region, insertedContent: { text: fix.replacement } }];
  return { artifactChanges: [{ artifactLocation: physicalLocation.artifactLocation, replacements }] };
}

function relatedOf(notes: readonly Diagnostic[]): readonly unknown[] {
  return notes.flatMap((note) => {
    const own = note.span === null ? [] : [{ ...locationOf(note.span), message: { text: note.message } }];
    return [...own, ...relatedOf(note.notes)];
  });
}

function resultOf(diagnostic: Diagnostic): unknown {
  const { severity, code, message, span, notes, fix } = diagnostic;
  const related = relatedOf(notes);
  // What has no place cannot be a related location: it joins the message.
  const unplaced = notes.filter((note) => note.span === null).map((note) => `\n${note.message}`);
  return {
    ...(code === "" ? {} : { ruleId: code }),
    level: severity,
    message: { text: message + unplaced.join("") },
    ...(span === null ? {} : { locations: [locationOf(span)] }),
    ...(related.length === 0 ? {} : { relatedLocations: related }),
    ...(fix === null ? {} : { fixes: [fixOf(fix)] }),
  };
}

/** Diagnostics as a SARIF 2.1.0 log with one run. @public */
export function renderSarif(diagnostics: readonly Diagnostic[], tool: { readonly name: string; readonly version: string }): string {
  const rules = [...new Set(diagnostics.map((d) => d.code).filter((code) => code !== ""))].toSorted().map((id) => ({ id }));
  const run = { tool: { driver: { name: tool.name, version: tool.version, rules } }, columnKind: "utf16CodeUnits", results: diagnostics.map(resultOf) };
  return JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, null, 2);
}
