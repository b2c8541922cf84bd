// SPDX-License-Identifier: Apache-2.0
// The words of assembly with their places. Lines do not matter to the assembler; comments begin with `;`.

/** A word of assembly. */
export interface Token {
  readonly text: string;
  /** True for a literal string; `text` is what is between its quotes, with escapes taken away. */
  readonly isString: boolean;
  readonly line: number;
  readonly column: number;
}

/** A sentence about a place in a text of assembly. @public */
export interface AssemblyError {
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1. */
  readonly column: number;
  /** What is wrong. */
  readonly message: string;
}

/** Blanks, a comment, a string, a string without an end, a word. */
const PIECE = /[ \t\r\n\f\v]+|;[^\n]*|"((?:[^"\\]|\\[^])*)"|("[^]*)|[^ \t\r\n\f\v;"]+/gu;

/** Splits assembly into words; the error is a string without its end. */
export function tokensOf(text: string): { readonly tokens: readonly Token[]; readonly error: AssemblyError | null } {
  const tokens: Token[] = [];
  let line = 1;
  let start = 0;
  for (const match of text.matchAll(PIECE)) {
    const [piece, string, endless] = match;
    const column = match.index - start + 1;
    if (endless !== undefined) return { tokens, error: { line, column, message: "a string has no end" } };
    if (string !== undefined) tokens.push({ text: string.replaceAll(/\\([^])/gu, "$1"), isString: true, line, column });
    else if (piece[0] !== ";" && piece.trim() !== "") tokens.push({ text: piece, isString: false, line, column });
    for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", at + 1)) {
      line++;
      start = match.index + at + 1;
    }
  }
  return { tokens, error: null };
}
