// SPDX-License-Identifier: Apache-2.0
// Fixes of a program: edits as data, described in words, and applied.
import type { SourceFile, Span } from "./source-file.ts";

/** One change of the text. @public */
export interface Edit {
  /** The text to replace; empty: insert. */
  readonly span: Span;
  /** The text to put there. */
  readonly replacement: string;
}

/** Changes that belong together, in the order of the text. @public */
export interface Fix {
  /** The changes; they do not overlap. */
  readonly edits: readonly Edit[];
}

/** A fix of one change. @public */
export function replace(span: Span, replacement: string): Fix {
  return { edits: [{ span, replacement }] };
}

/** A fix that inserts text before a span. @public */
export function insertBefore({ file, start }: Span, text: string): Fix {
  return replace({ file, start, end: start }, text);
}

/** A fix that inserts text after a span. @public */
export function insertAfter({ file, end }: Span, text: string): Fix {
  return replace({ file, start: end, end }, text);
}

/** A fix that puts text on both sides of a span. @public */
export function surround(span: Span, before: string, after: string): Fix {
  return { edits: [...insertBefore(span, before).edits, ...insertAfter(span, after).edits] };
}

function inWords({ span, replacement }: Edit): string {
  const old = span.file.text.slice(span.start, span.end);
  // The line feed of an inserted line is not shown.
  if (old === "") return `insert \`${replacement.replace(/\n$/u, "")}\``;
  return replacement === "" ? `remove \`${old}\`` : `write \`${replacement}\` instead of \`${old}\``;
}

/** A fix in words. @public */
export function describeFix({ edits }: Fix): string {
  return edits.map(inWords).join(", ");
}

/** Applies fixes to the text of a file; a fix that overlaps an earlier one is skipped. @public */
export function applyFixes(file: SourceFile, fixes: readonly Fix[]): string {
  const taken: Edit[] = [];
  for (const { edits } of fixes) {
    const isFree = edits.every(
      ({ span }) =>
        span.file === file && taken.every((other) => span.end <= other.span.start || span.start >= other.span.end),
    );
    if (isFree) taken.push(...edits);
  }
  // From the end, so that earlier offsets stay valid; of two edits at one offset the first one comes first.
  return taken
    .map((edit, order) => ({ edit, order }))
    .toSorted((a, b) => b.edit.span.start - a.edit.span.start || b.order - a.order)
    .reduce(
      (text, { edit: { span, replacement } }) => text.slice(0, span.start) + replacement + text.slice(span.end),
      file.text,
    );
}
