// SPDX-License-Identifier: Apache-2.0
// Where we differ from clang on purpose, by cause: the sort of the difference, what we say and what clang says.
import type { Difference, Kind } from "./compare.ts";

/** A cause that is meant. */
export interface MeantDifference {
  readonly kind: Kind;
  /** Code of our message; null where we say nothing. */
  readonly ours: string | null;
  /** What clang's message has in it; null where clang says nothing. */
  readonly theirs: RegExp | null;
  /** Why: the section that decides. */
  readonly reason: string;
}

/** The list. */
export const MEANT_DIFFERENCES: readonly MeantDifference[] = [
];

/** Why a difference is meant; null: it is not. */
export function reasonOf({ kind, ours, theirs }: Difference): string | null {
  const entry = MEANT_DIFFERENCES.find(
    (one) =>
      one.kind === kind &&
      (one.ours === null ? ours.text === "" : ours.text.startsWith(`${one.ours} `)) &&
      (one.theirs === null ? theirs.text === "" : one.theirs.test(theirs.text)),
  );
  return entry?.reason ?? null;
}
