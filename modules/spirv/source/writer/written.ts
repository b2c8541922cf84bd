// SPDX-License-Identifier: Apache-2.0
// Which instructions the writer writes. Tables name each instruction through this file when they are made, so that the
// page of docs/ follows from them.
import type { ExtendedNames, OpName } from "../generated/names.ts";
import { extendedNumber, opcodeOf } from "../grammar/tables.ts";

const WRITTEN = new Set<OpName>();
const EXTENDED = new Map<string, Set<string>>();

/** The opcode of an instruction that is written from now on. */
export function written(name: OpName): number {
  WRITTEN.add(name);
  return opcodeOf(name);
}

/** The number of an instruction of an extended set that is written from now on. */
export function writtenExtended<S extends keyof ExtendedNames>(set: S, name: ExtendedNames[S]): number {
  const known = EXTENDED.get(set);
  if (known === undefined) EXTENDED.set(set, new Set([name]));
  else known.add(name);
  return extendedNumber(set, name);
}

/** True for an instruction that the writer uses. @internal */
export function isWritten(name: OpName): boolean {
  return WRITTEN.has(name);
}
