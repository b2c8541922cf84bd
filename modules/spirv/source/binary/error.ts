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
}

/** An error of a module as one text: the offset, the sentence, the rule, the instruction. @public */
export function describeSpirvError({ offset, rule, message, instruction }: SpirvError): string {
  return `word ${offset}: ${message} [${rule}]${instruction === "" ? "" : `\n    ${instruction}`}`;
}
