// SPDX-License-Identifier: Apache-2.0
// What is wrong with a module, and where.

/** What is wrong with a module: where, in which instruction, by which rule. @public */
export interface SpirvError {
  /** The word of the module that is wrong, counted from 0; the header has words 0 to 4. */
  readonly offset: number;
  /** The name of the rule. */
  readonly rule: string;
  /** One sentence. */
  readonly message: string;
  /** The instruction in assembly; empty: it cannot be shown, or there is none. */
  readonly instruction: string;
  /** The place in the source that the module names for the instruction, `file:line:column`; absent: it names none. */
  readonly place?: string;
}

/** An error of a module as one text: the place, the offset, the sentence, the rule, the instruction. @public */
export function describeSpirvError({ offset, rule, message, instruction, place }: SpirvError): string {
  return `${place === undefined ? "" : `${place}: `}word ${offset}: ${message} [${rule}]${instruction === "" ? "" : `\n    ${instruction}`}`;
}
