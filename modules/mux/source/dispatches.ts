// SPDX-License-Identifier: Apache-2.0
// What is in flight: objects that a dispatch uses are busy until it is complete.
import { type MuxError, muxError } from "./error.ts";
import { MuxResult } from "./generated/enums.ts";
import type { MuxCommandBuffer, MuxFence, MuxSemaphore } from "./generated/structs.ts";
import type { MuxObject } from "./object.ts";

/** Marks what a dispatch uses; returns the argument of {@link end}. */
export function begin(
  commandBuffer: MuxCommandBuffer,
  fence: MuxFence | null,
  waits: readonly MuxSemaphore[],
  signals: readonly MuxSemaphore[],
): readonly MuxObject[] {
  const used: MuxObject[] = [commandBuffer, ...waits, ...signals];
  if (fence !== null) used.push(fence);
  for (const object of used) object.state.inFlight++;
  return used;
}

/** The dispatch is complete. */
export function end(used: readonly MuxObject[]): void {
  for (const object of used) object.state.inFlight--;
}

/** The error of an allocator that refused. */
export function refused(entry: string): MuxError {
  return muxError(MuxResult.error_out_of_memory, entry, "allocatorInfo", `${entry}: the allocator refused`);
}
