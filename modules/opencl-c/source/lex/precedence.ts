// SPDX-License-Identifier: Apache-2.0
// How tightly binary operators bind (C99 6.5.5 to 6.5.14), in expressions and in conditions of the preprocessor.

/** The precedence of an operator: of two, the greater binds first. */
export const PRECEDENCE: Readonly<Record<string, number>> = {
  "*": 10,
  "/": 10,
  "%": 10,
  "+": 9,
  "-": 9,
  "<<": 8,
  ">>": 8,
  "<": 7,
  ">": 7,
  "<=": 7,
  ">=": 7,
  "==": 6,
  "!=": 6,
  "&": 5,
  "^": 4,
  "|": 3,
  "&&": 2,
  "||": 1,
};
