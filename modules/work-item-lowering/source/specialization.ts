// SPDX-License-Identifier: Apache-2.0
// What a specialised variant of a kernel may rely on.
import type { KernelDescription } from "@muxkit/ir";
import type { ArgumentFact } from "@muxkit/kernel-abi";

/** What is known of the launches that code is for; a generic variant has none of it. @public */
export interface Specialization {
  /** Local size x, y, z; all 0: any, and of a launch only its arguments are known. */
  readonly localSize: readonly [number, number, number];
  /** The global size is a multiple of it in every dimension. */
  readonly uniformGroups: boolean;
  /** The global offset is zero. */
  readonly zeroOffset: boolean;
  /** What is known of the arguments, in their order; absent: nothing. */
  readonly arguments?: readonly (ArgumentFact | null)[];
}

/** What a specialisation says of the sizes of its launches; null: nothing. */
export function knownSizes(asked: Specialization | null): Specialization | null {
  return asked?.localSize.every((size) => size === 0) === true ? null : asked;
}

/**
 * What is known of all launches of a kernel: the request's specialisation, else the local size that the kernel
 * requires; null: nothing.
 */
export function knownLaunch(
  { requiredWorkGroupSize, uniformWorkGroups }: KernelDescription,
  asked: Specialization | null,
): Specialization | null {
  if (asked !== null || requiredWorkGroupSize === null) return asked;
  return { localSize: requiredWorkGroupSize, uniformGroups: uniformWorkGroups, zeroOffset: false };
}
