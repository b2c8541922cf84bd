// SPDX-License-Identifier: Apache-2.0
// Native code in a worker of a bundle for browsers: there is none.
import type { NativeCalls } from "../native-calls.ts";

/** Native code of a thread. */
export function openNativeCalls(): () => NativeCalls | null {
  return () => null;
}

/** Runs what machine code may take over. */
export const SUCCESSION = null;

/** In how many ms the host thread must be kicked: never. */
export function untilHostKick(): number {
  return Infinity;
}
