// SPDX-License-Identifier: Apache-2.0
// Diagnostics about a user's program, as data; render.ts and sarif.ts make text of them.
import type { Fix } from "./fix.ts";
import { type Span, inclusionsOf } from "./source-file.ts";

/** Severity of a diagnostic. @public */
export type Severity = "error" | "warning" | "note";

/** One message. @public */
export interface Diagnostic {
  /** Its severity. */
  readonly severity: Severity;
  /** Stable code, for example `CL2001`. */
  readonly code: string;
  /** One sentence. */
  readonly message: string;
  /** Source location; null when there is none. */
  readonly span: Span | null;
  /** Other ranges on those lines, for example the operands of an operator. */
  readonly ranges: readonly Span[];
  /** Notes, in order. */
  readonly notes: readonly Diagnostic[];
  /** A fix, when it is evident. Notes have fixes when there is a choice. */
  readonly fix: Fix | null;
}

/** Optional parts of a diagnostic. @public */
export interface DiagnosticExtra {
  /** Notes. */
  readonly notes?: readonly Diagnostic[];
  /** A fix. */
  readonly fix?: Fix | null;
  /** Other ranges. */
  readonly ranges?: readonly Span[];
}

/** Makes a note. @public */
export function note(message: string, span: Span | null, fix: Fix | null = null): Diagnostic {
  return { severity: "note", code: "", message, span, ranges: [], notes: [], fix };
}

/** Collects diagnostics, in order, up to a cap of errors. @public */
export class DiagnosticList {
  private readonly list: Diagnostic[] = [];
  private readonly seen = new Set<string>();
  private errors = 0;
  /** Errors kept; further ones are counted only. */
  readonly cap: number;
  /** False: warnings are ignored. */
  readonly takesWarnings: boolean;

  /** An empty list that keeps `cap` errors, and warnings if it takes them. */
  constructor(cap: number = 100, takesWarnings: boolean = true) {
    this.cap = cap;
    this.takesWarnings = takesWarnings;
  }

  /** Everything kept. */
  get all(): readonly Diagnostic[] {
    return this.list;
  }

  /** Errors seen, kept or not; repetitions of one are counted once. */
  get errorCount(): number {
    return this.errors;
  }

  /** True after an error. */
  get hasErrors(): boolean {
    return this.errors > 0;
  }

  /** True when enough errors are kept; a front end may stop. */
  get isFull(): boolean {
    return this.errors >= this.cap;
  }

  /** Adds a diagnostic. A repetition, word for word at the same location, is ignored. */
  add(diagnostic: Diagnostic): void {
    if (diagnostic.severity === "warning" && !this.takesWarnings) return;
    const { severity, span, message } = diagnostic;
    const key = `${severity} ${span?.file.name} ${span?.start} ${span?.end} ${message}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    if (diagnostic.severity === "error") {
      this.errors++;
      if (this.errors > this.cap) return;
    }
    this.list.push(diagnostic);
  }

  /** Adds an error. */
  error(code: string, message: string, span: Span | null, extra: DiagnosticExtra = {}): void {
    this.addWith("error", code, message, span, extra);
  }

  /** Adds a warning. */
  warning(code: string, message: string, span: Span | null, extra: DiagnosticExtra = {}): void {
    this.addWith("warning", code, message, span, extra);
  }

  /** Adds a note that belongs to nothing else. */
  note(message: string, span: Span | null): void {
    this.add(note(message, span));
  }

  /** Sorts by location; diagnostics of an included file are where it is included, those without location at the end. */
  sort(): void {
    this.list.sort((left, right) => compareSpans(left.span, right.span));
  }

  /** Removes kept errors that others explain. */
  removeErrors(isUnwanted: (diagnostic: Diagnostic) => boolean): void {
    const kept = this.list.filter((diagnostic) => diagnostic.severity !== "error" || !isUnwanted(diagnostic));
    this.errors -= this.list.length - kept.length;
    this.list.splice(0, this.list.length, ...kept);
  }

  private addWith(
    severity: Severity,
    code: string,
    message: string,
    span: Span | null,
    { notes = [], fix = null, ranges = [] }: DiagnosticExtra,
  ): void {
    this.add({ severity, code, message, span, ranges, notes, fix });
  }
}

/** The location in the main file that led to a span. */
function rootOf(span: Span): Span {
  return inclusionsOf(span.file).at(-1) ?? span;
}

function compareSpans(left: Span | null, right: Span | null): number {
  if (left === null || right === null) return (left === null ? 1 : 0) - (right === null ? 1 : 0);
  if (left.file === right.file) return left.start - right.start;
  const [a, b] = [rootOf(left), rootOf(right)];
  return a.file === b.file ? a.start - b.start : 0;
}
