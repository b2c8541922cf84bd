// SPDX-License-Identifier: Apache-2.0
// What a form of a kernel may take for granted.
import type { ArgumentFact } from "@muxkit/compiler";
import type { KernelDescription } from "@muxkit/ir";

/** What is known of launches when the wrapper is written; the generic variant knows nothing. @public */
export interface Specialization {
  /** Local size x, y, z. */
  readonly localSize: readonly [number, number, number];
  /** The global size is a multiple of it in every dimension. */
  readonly uniformGroups: boolean;
  /** The global offset is zero. */
  readonly zeroOffset: boolean;
  /** What is known of the arguments, in their order; absent: nothing. */
  readonly arguments?: readonly (ArgumentFact | null)[];
}

/** What is known of all launches of a kernel, where nothing is asked for: the local size that it requires. Null: nothing. */
export function knownLaunch(
  { requiredWorkGroupSize, uniformWorkGroups }: KernelDescription,
  asked: Specialization | null,
): Specialization | null {
  if (asked !== null || requiredWorkGroupSize === null) return asked;
  return { localSize: requiredWorkGroupSize, uniformGroups: uniformWorkGroups, zeroOffset: false };
}
