// SPDX-License-Identifier: Apache-2.0
// Source locations with their inlining chain.

/** Source location of an instruction. Passes preserve it: optimised code may lose variables, never lines. @public */
export interface Location {
  /** Name of the source file. */
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1. */
  readonly column: number;
  /** Function that contains it in the source. */
  readonly scope: string;
  /** The call that was replaced by this function's body; null outside inlined code. */
  readonly inlinedAt: Location | null;
}

/** The same location, inlined at `call`. @public */
export function inlinedAt(location: Location | null, call: Location | null): Location | null {
  if (location === null) return call;
  const { file, line, column, scope } = location;
  return {
    file,
    line,
    column,
    scope,
    inlinedAt: location.inlinedAt === null ? call : inlinedAt(location.inlinedAt, call),
  };
}
