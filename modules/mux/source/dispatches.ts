// SPDX-License-Identifier: Apache-2.0
// What is in flight: objects that a dispatch uses are busy until it is complete.
import { type MuxError, muxError } from "./error.ts";
import { MuxResult } from "./generated/enums.ts";
import type { MuxCommandBuffer, MuxFence, MuxSemaphore } from "./generated/structs.ts";
import type { MuxObject } from "./object.ts";

/** What one dispatch at a time uses: kept with the command buffer, so that dispatching it again allocates nothing. */
class Flight {
  readonly #used: (MuxObject | null)[] = [];
  #count = 0;

  /** The dispatch is complete, or was refused. */
  readonly end: () => void = () => {
    for (let i = 0; i < this.#count; i++) {
      const object = this.#used[i] ?? null;
      if (object !== null) object.state.inFlight--;
      this.#used[i] = null;
    }
    this.#count = 0;
  };

  begin(object: MuxObject): void {
    object.state.inFlight++;
    this.#used[this.#count++] = object;
  }
}

const FLIGHTS = new WeakMap<MuxCommandBuffer, Flight>();

/** Marks what a dispatch uses as busy; returns what ends that. */
export function begin(
  commandBuffer: MuxCommandBuffer,
  fence: MuxFence | null,
  waits: readonly MuxSemaphore[],
  signals: readonly MuxSemaphore[],
): () => void {
  let flight = FLIGHTS.get(commandBuffer);
  if (flight === undefined) {
    flight = new Flight();
    FLIGHTS.set(commandBuffer, flight);
  }
  flight.begin(commandBuffer);
  for (let i = 0; i < waits.length; i++) flight.begin(waits[i] as MuxSemaphore);
  for (let i = 0; i < signals.length; i++) flight.begin(signals[i] as MuxSemaphore);
  if (fence !== null) flight.begin(fence);
  return flight.end;
}

/** The error of an allocator that refused. */
export function refused(entry: string): MuxError {
  return muxError(MuxResult.error_out_of_memory, entry, "allocatorInfo", `${entry}: the allocator refused`);
}
