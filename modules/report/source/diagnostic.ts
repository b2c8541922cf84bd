// SPDX-License-Identifier: Apache-2.0
// What the kit has to say about a user's program: data first, text later.
import type { Fix } from "./fix.ts";
import { type Span, inclusionsOf } from "./source-file.ts";

/** How grave a diagnostic is. @public */
export type Severity = "error" | "warning" | "note";

/** One message. @public */
export interface Diagnostic {
  /** How grave it is. */
  readonly severity: Severity;
  /** Stable code, for example `CL2001`. */
  readonly code: string;
  /** One sentence. */
  readonly message: string;
  /** Where; null when no place can be named. */
  readonly span: Span | null;
  /** What else on those lines it is about: operands of an operator, say. */
  readonly ranges: readonly Span[];
  /** More on it, in order. */
  readonly notes: readonly Diagnostic[];
  /** How to mend it, when that is evident. A note has one when there is a choice. */
  readonly fix: Fix | null;
}

/** What may come with a diagnostic. @public */
export interface DiagnosticExtra {
  /** More on it. */
  readonly notes?: readonly Diagnostic[];
  /** How to mend it. */
  readonly fix?: Fix | null;
  /** What else it is about. */
  readonly ranges?: readonly Span[];
}

/** Makes a note. @public */
export function note(message: string, span: Span | null, fix: Fix | null = null): Diagnostic {
  return { severity: "note", code: "", message, span, ranges: [], notes: [], fix };
}

/** Collects diagnostics, in order, up to a cap of errors. @public */
export class DiagnosticList {
  private readonly list: Diagnostic[] = [];
  private readonly said = new Set<string>();
  private errors = 0;
  /** Errors kept; further ones are counted only. */
  readonly cap: number;
  /** False: warnings are passed over. */
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

  /** Adds one. A repetition, word for word at the same place, is passed over. */
  add(diagnostic: Diagnostic): void {
    if (diagnostic.severity === "warning" && !this.takesWarnings) return;
    const key = `${diagnostic.severity} ${diagnostic.span?.file.name} ${diagnostic.span?.start} ${diagnostic.span?.end} ${diagnostic.message}`;
    if (this.said.has(key)) return;
    this.said.add(key);
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

  /**
   * Brings what is kept into the order of the text; what an included file says stands where it is included, what has no
   * place at the end.
   */
  sort(): void {
    this.list.sort((left, right) => compareSpans(left.span, right.span));
  }

  /** Takes errors back that others explain. They must be kept ones. */
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

/** The place in the file that was given which led to a span. */
function rootOf(span: Span): Span {
  return inclusionsOf(span.file).at(-1) ?? span;
}

function compareSpans(left: Span | null, right: Span | null): number {
  if (left === null || right === null) return (left === null ? 1 : 0) - (right === null ? 1 : 0);
  if (left.file === right.file) return left.start - right.start;
  const [a, b] = [rootOf(left), rootOf(right)];
  return a.file === b.file ? a.start - b.start : 0;
}
