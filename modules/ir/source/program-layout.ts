// SPDX-License-Identifier: Apache-2.0
// Where a program's data is stored: what all code that is made of one program agrees on.

/** The data of a program: what its constants and program-scope variables begin with. @public */
export interface ProgramBytes {
  /** Bytes. */
  readonly size: number;
  /** Alignment in bytes. */
  readonly alignment: number;
  /** What it begins with. */
  readonly bytes: Uint8Array;
  /** Pointers in it: at `offset`, the address of its byte `target`. */
  readonly relocations: readonly { readonly offset: number; readonly target: number }[];
}

/** The layout of a program's data, which every executable that is made of the program shares. @public */
export interface ProgramLayout {
  /** Offsets by the names of variables. */
  readonly offsets: ReadonlyMap<string, number>;
  /** The data; null: there is none. */
  readonly programData: ProgramBytes | null;
}
