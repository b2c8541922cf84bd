// SPDX-License-Identifier: Apache-2.0
// Binding strength of operators, which C and JavaScript have in common, and text with parentheses where it needs them.
import type { BinaryOperator } from "./tree.ts";

/** Text of an expression, and how strongly its outermost operator binds. */
export interface Bound {
  readonly text: string;
  readonly strength: number;
}

/** Strength of names, calls and literals. */
export const PRIMARY = 15;
/** Strength of `-a`, `(float)a`. */
export const UNARY = 14;
/** Strength of `a ? b : c`. */
export const CONDITIONAL = 3;
/** Strength of `a = b`. */
export const ASSIGNMENT = 2;

/** Strength of operators of two operands. */
export const STRENGTH: Readonly<Record<BinaryOperator, number>> = {
  "*": 13,
  "/": 13,
  "%": 13,
  "+": 12,
  "-": 12,
  "<<": 11,
  ">>": 11,
  "<": 10,
  "<=": 10,
  ">": 10,
  ">=": 10,
  "==": 9,
  "!=": 9,
  "&": 8,
  "^": 7,
  "|": 6,
  "&&": 5,
  "||": 4,
};

/** The text where at least some strength is needed. */
export function at({ text, strength }: Bound, least: number): string {
  return strength < least ? `(${text})` : text;
}
