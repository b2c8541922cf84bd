// SPDX-License-Identifier: Apache-2.0
// Tables of diagnostics: one row for each thing that can be said.
import { InternalError } from "@muxkit/cargo";

import type { Severity } from "./diagnostic.ts";

/** One thing that can be said. @public */
export interface DiagnosticRow {
  /** Stable code; never given to another row. */
  readonly code: string;
  /** How grave it is. */
  readonly severity: Severity;
  /** The sentence, with `{0}`, `{1}` … for what is named. */
  readonly template: string;
  /** Name of the row. */
  readonly name?: string;
  /** What to do about it, where the sentence does not say so. */
  readonly help?: string;
}

/** Puts values into a template. A value that is named but not given is our own bug: InternalError. @public */
export function formatTemplate(template: string, values: readonly (string | number)[]): string {
  let parts = read.get(template);
  if (parts === undefined) read.set(template, (parts = template.split(/\{(\d+)\}/u)));
  let text = parts[0] ?? "";
  // Between two pieces of text stands the number of a value.
  for (let i = 1; i < parts.length; i += 2) {
    const value = values[Number(parts[i])];
    if (value === undefined) throw new InternalError(`the diagnostic "${template}" has no value for {${parts[i]}}`);
    text += String(value) + (parts[i + 1] ?? "");
  }
  return text;
}

/** Templates cut at the numbers of their values; there are as many as rows of tables. */
const read = new Map<string, readonly string[]>();
