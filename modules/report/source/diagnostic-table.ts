// SPDX-License-Identifier: Apache-2.0
// Tables of diagnostics: one row for each message.
import { InternalError } from "@muxkit/cargo";

import type { Severity } from "./diagnostic.ts";

/** One kind of diagnostic. @public */
export interface DiagnosticRow {
  /** Stable code, never reused. */
  readonly code: string;
  /** Its severity. */
  readonly severity: Severity;
  /** The sentence, with `{0}`, `{1}` … for what is named. */
  readonly template: string;
  /** Name of the row. */
  readonly name?: string;
  /** How to correct it, where the sentence does not explain it. */
  readonly help?: string;
}

/** Puts values into a template. A value that is named but not given is our own bug: InternalError. @public */
export function formatTemplate(template: string, values: readonly (string | number)[]): string {
  let parts = read.get(template);
  if (parts === undefined) read.set(template, (parts = template.split(/\{(\d+)\}/u)));
  let text = parts[0] ?? "";
  // Odd entries are the numbers of values.
  for (let i = 1; i < parts.length; i += 2) {
    const value = values[Number(parts[i])];
    if (value === undefined) throw new InternalError(`the diagnostic "${template}" has no value for {${parts[i]}}`);
    text += String(value) + (parts[i + 1] ?? "");
  }
  return text;
}

/** Templates cut at the numbers of their values; there are as many as rows of tables. */
const read = new Map<string, readonly string[]>();
