// SPDX-License-Identifier: Apache-2.0
// How a call is written so that C and TypeScript read the same: a value for each argument, and rows that change some of
// them.

/**
 * An argument in both languages. Texts that begin with "@" name an object of the fixture (objects.h and scripted.ts),
 * one with an upper-case "CL_" is a constant or several joined by "|". `{ bytes }` is that many zero bytes, `{ words }`
 * these numbers of 32 bits, `{ local }` local memory. Lists of objects bring their length with them, lists of
 * properties are objects.
 */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };

/** A wrong call: the change to a valid one, and the error that the specification requires. */
export interface Row {
  readonly call: string;
  /** Description of the error. */
  readonly what: string;
  /** The error that must come. */
  readonly error: string;
  /** Arguments that are changed, by their names in TypeScript. */
  readonly change: Readonly<Record<string, Value>>;
  /** Parameters that only C has, by their names, as expressions of C. With any of these TypeScript has no such call. */
  readonly native?: Readonly<Record<string, string>>;
  /** Reads freed memory in implementations that free objects on release. */
  readonly isStale?: boolean;
}

/** A name for a row. */
export function nameOf({ call, what }: Row): string {
  return `${call}: ${what}`;
}
