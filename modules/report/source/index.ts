// SPDX-License-Identifier: Apache-2.0
/**
 * Source files, locations, diagnostics as data, and their rendering.
 *
 * @packageDocumentation
 */
export {
  createSourceFile,
  inclusionsOf,
  lineAndColumn,
  lineText,
  presumedLocation,
  type Expansion,
  type ExpansionFrame,
  type LineAndColumn,
  type LineMark,
  type SourceFile,
  type Span,
} from "./source-file.ts";
export { DiagnosticList, note, type Diagnostic, type DiagnosticExtra, type Severity } from "./diagnostic.ts";
export { applyFixes, describeFix, insertBefore, insertAfter, replace, surround, type Edit, type Fix } from "./fix.ts";
export { formatTemplate, type DiagnosticRow } from "./diagnostic-table.ts";
export { lineDifference } from "./line-difference.ts";
export { nearest } from "./nearest.ts";
export { renderJson, renderText, wantsColor, type RenderOptions } from "./render.ts";
export { renderSarif } from "./sarif.ts";
