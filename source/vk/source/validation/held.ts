// SPDX-License-Identifier: Apache-2.0
// Objects that waits of the host use which have not ended: the asynchronous ones, as another thread's in C. What the
// specification calls externally synchronised must not be called with them meanwhile.
import type { VkHandle } from "../handle.ts";

/** A wait that has not ended. */
interface Hold {
  readonly call: string;
  /** Objects that nobody may change. */
  readonly objects: readonly VkHandle[];
}

const HOLDS = new Set<Hold>();

/** Notes that a wait uses objects. Returns what ends that. */
export function hold(call: string, objects: readonly VkHandle[]): () => void {
  const own: Hold = { call, objects };
  HOLDS.add(own);
  return () => HOLDS.delete(own);
}

/** The wait that uses an object; null: none. */
export function holderOf(object: VkHandle): string | null {
  for (const { call, objects } of HOLDS) if (objects.includes(object)) return call;
  return null;
}
