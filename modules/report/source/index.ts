/**
 * Source files, places, diagnostics as data, and their rendering.
 *
 * @packageDocumentation
 */
export { createSourceFile, lineAndColumn, lineText, type LineAndColumn, type SourceFile, type Span } from "./source-file.ts";
export { DiagnosticList, note, type Diagnostic, type DiagnosticExtra, type Fix, type Severity } from "./diagnostic.ts";
export { formatTemplate, type DiagnosticRow } from "./diagnostic-table.ts";
export { renderJson, renderText, type RenderOptions } from "./render.ts";
export { renderSarif } from "./sarif.ts";
