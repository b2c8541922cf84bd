// SPDX-License-Identifier: Apache-2.0
// The kit's IR as a source: its text, or its binary form. The module is verified, and must have the device's layout.
import {
  type DataLayout,
  type Module,
  decodeModule,
  describeVerifierError,
  parseModule,
  verifyModule,
} from "@muxkit/ir";
import { DiagnosticList, type Span, createSourceFile } from "@muxkit/report";

import type { FrontEnd } from "./front-end.ts";

/** Code of every error of this front end. */
const CODE = "IR1001";

/** One mistake: a sentence, and where it is known where. */
interface Mistake {
  readonly message: string;
  readonly span: Span | null;
}

function readText(name: string, text: string): Module | Mistake {
  const parsed = parseModule(text);
  if (parsed.ok) return parsed.value;
  const { line, column, message } = parsed.error;
  const file = createSourceFile(name, text);
  const start = Math.min((file.lineStarts[line - 1] ?? 0) + column - 1, text.length);
  return { message, span: { file, start, end: Math.min(start + 1, text.length) } };
}

function readBinary(bytes: Uint8Array): Module | Mistake {
  const decoded = decodeModule(bytes);
  return decoded.ok
    ? decoded.value
    : { message: `the module is damaged at byte ${decoded.error.offset}: ${decoded.error.message}`, span: null };
}

/** The error in a module that was read; null: none. */
function mistakeOf(module: Module, layout: DataLayout): string | null {
  const [broken] = verifyModule(module);
  if (broken !== undefined) return describeVerifierError(broken);
  return JSON.stringify(module.layout) === JSON.stringify(layout)
    ? null
    : "the module has another data layout than the device";
}

/** Reads IR: text where the source is a string, else the binary form. @public */
export const IR_FRONT_END: FrontEnd = {
  kind: "ir",
  compile: ({ name, source, layout }) => {
    const diagnostics = new DiagnosticList();
    const read = typeof source === "string" ? readText(name, source) : readBinary(source);
    if ("span" in read) {
      diagnostics.error(CODE, read.message, read.span);
      return { module: null, diagnostics };
    }
    const mistake = mistakeOf(read, layout);
    if (mistake === null) return { module: read, diagnostics };
    diagnostics.error(CODE, mistake, null);
    return { module: null, diagnostics };
  },
};
