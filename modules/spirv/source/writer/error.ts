// SPDX-License-Identifier: Apache-2.0
// What cannot be written, and where.

/** Why a program cannot be written as SPIR-V. @public */
export interface WriterError {
  /** The function, or the variable. */
  readonly where: string;
  /** Place in the source, `file:line:column`; empty: it is not known. */
  readonly place: string;
  /** One sentence. */
  readonly message: string;
}

/** Ends writing; `writeSpirv` returns what it holds. */
export class Unwritable extends Error {
  readonly error: WriterError;

  constructor(error: WriterError) {
    super(error.message);
    this.error = error;
  }
}

/** An error of the writer as one text. @public */
export function describeWriterError({ where, place, message }: WriterError): string {
  return `${place === "" ? "" : `${place}: `}${where === "" ? "" : `${where}: `}${message}`;
}
