// Tables of diagnostics: one row for each thing that can be said.
import { assert } from "@muxkit/cargo";

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
  return template.replaceAll(/\{(\d+)\}/gu, (_, index: string) => {
    const value = values[Number(index)];
    assert(value !== undefined, () => `the diagnostic "${template}" has no value for {${index}}`);
    return String(value);
  });
}
