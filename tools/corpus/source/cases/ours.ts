// SPDX-License-Identifier: Apache-2.0
// The verdict of our front end on a case.
import { lineAndColumn, renderText } from "@muxkit/report";
import { compileOpenCLC } from "@muxkit/opencl-c";

import { type Case, type CaseVerdict, caseOptions } from "./case.ts";

/** Compiles a case: the line of the first error, in the order of the text, its message, and all that is reported. */
export function judgeCase(item: Case): CaseVerdict & { readonly message: string; readonly text: string } {
  const { diagnostics } = compileOpenCLC("program.cl", item.program, caseOptions(item.options));
  let first: { readonly line: number; readonly message: string } | null = null;
  for (const { severity, span, code, message } of diagnostics.all) {
    if (severity !== "error") continue;
    const line = span === null ? 0 : lineAndColumn(span.file, span.start).line;
    if (first === null || line < first.line) first = { line, message: `${code} ${message}` };
  }
  return { ...(first ?? { line: null, message: "" }), text: renderText(diagnostics.all) };
}
