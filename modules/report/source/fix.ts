// SPDX-License-Identifier: Apache-2.0
// Changes that would mend a program: as data, in words, and done.
import type { SourceFile, Span } from "./source-file.ts";

/** One change of the text. @public */
export interface Edit {
  /** What to replace; empty: insert. */
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

/** A fix that inserts text behind a span. @public */
export function insertAfter({ file, end }: Span, text: string): Fix {
  return replace({ file, start: end, end }, text);
}

/** A fix that puts text on both sides of a span. @public */
export function surround(span: Span, before: string, behind: string): Fix {
  return { edits: [...insertBefore(span, before).edits, ...insertAfter(span, behind).edits] };
}

function inWords({ span, replacement }: Edit): string {
  const old = span.file.text.slice(span.start, span.end);
  // The end of an inserted line says nothing.
  if (old === "") return `insert \`${replacement.replace(/\n$/u, "")}\``;
  return replacement === "" ? `remove \`${old}\`` : `write \`${replacement}\` instead of \`${old}\``;
}

/** A fix in words. @public */
export function describeFix({ edits }: Fix): string {
  return edits.map(inWords).join(", ");
}

/** The text of a file after fixes; one that overlaps an earlier one is left out. @public */
export function applyFixes(file: SourceFile, fixes: readonly Fix[]): string {
  const taken: Edit[] = [];
  for (const { edits } of fixes) {
    const isFree = edits.every(
      ({ span }) =>
        span.file === file && taken.every((other) => span.end <= other.span.start || span.start >= other.span.end),
    );
    if (isFree) taken.push(...edits);
  }
  // From the end, so that the offsets before stay what they are; of two at one place the earlier one comes first.
  return taken
    .map((edit, order) => ({ edit, order }))
    .toSorted((a, b) => b.edit.span.start - a.edit.span.start || b.order - a.order)
    .reduce(
      (text, { edit: { span, replacement } }) => text.slice(0, span.start) + replacement + text.slice(span.end),
      file.text,
    );
}
