// SPDX-License-Identifier: Apache-2.0
// A batch of command buffers from submission to completion.
//
// The runtime has command buffers, semaphores that any number of dispatches may wait for, and fences. A batch becomes
// one dispatch for each of its command buffers, each of which waits for the one before it; the first waits for the last
// dispatch of its queue and for those of the semaphores, the last one has the fence. States:
//
//   held       a timeline value that it waits for has not been submitted by anybody: it stays with the host
//   submitted  it is on the device, and its semaphores can be waited for there
//   complete   its fence was seen, its values are visible, and its command buffers can be used again
//
// Cost: a dispatch for each command buffer, linear in waits and signals. What it holds on the device is pooled.
import { muxDispatch, muxTryWait, muxTryWaitAsync } from "@muxkit/mux";

import type { DevicePools, Flight, SharedSemaphore, Submittable } from "./device-pools.ts";
import { VulkanError, fromMux } from "./error.ts";

/** What a batch waits for. */
export interface Wait {
  /** True when the batch must stay with the host. */
  isHeld(): boolean;
  /** The batch that signals; null: it is signalled already. Called once, when the batch is dispatched. */
  signaller(): Batch | null;
}

/** See the file's head. */
export class Batch {
  readonly #pools: DevicePools;
  readonly #waits: readonly Wait[];
  readonly #commandBuffers: readonly Submittable[];
  #state: "held" | "submitted" | "complete" = "held";
  /** What it holds on the device; null: nothing yet, or nothing any more. */
  #flight: Flight | null = null;

  constructor(pools: DevicePools, waits: readonly Wait[], commandBuffers: readonly Submittable[]) {
    this.#pools = pools;
    this.#waits = waits;
    this.#commandBuffers = commandBuffers;
  }

  /** See the file's head. */
  get state(): "held" | "submitted" | "complete" {
    return this.#state;
  }

  /** True when everything that it waits for has been submitted. */
  isReady(): boolean {
    for (let i = 0; i < this.#waits.length; i++) if (this.#waits[i]?.isHeld() === true) return false;
    return true;
  }

  /** Dispatches it behind the last batch of its queue. */
  submit(call: string, before: Batch | null): void {
    const flight = this.#pools.takeFlight(call);
    this.#flight = flight;
    awaitOther(flight, before);
    for (let i = 0; i < this.#waits.length; i++) awaitOther(flight, this.#waits[i]?.signaller() ?? null);
    const list = this.#commandBuffers;
    let count = 0;
    try {
      if (list.length === 0) this.#dispatch(call, flight, this.#pools.nothing, true);
      for (; count < list.length; count++)
        this.#dispatch(call, flight, list[count] as Submittable, count + 1 === list.length);
    } catch (error) {
      this.#refused(call, flight, count);
      throw error;
    }
    this.#state = "submitted";
  }

  /** Dispatches a command buffer behind what is awaited so far; the last one has the fence. */
  #dispatch(call: string, flight: Flight, from: Submittable, isLast: boolean): void {
    const taken = from.take(call);
    const semaphore = this.#pools.takeSemaphore(call).use();
    const before = flight.signal;
    // Where one of the batch was dispatched before, it waits for all that the batch waits for.
    if (before !== null) {
      flight.waits.length = 0;
      flight.wait(before);
    }
    flight.signals[0] = semaphore.mux;
    const fence = isLast ? flight.fence : null;
    const dispatched = muxDispatch(this.#pools.queue, taken.commands, fence, flight.waits, flight.signals, null);
    if (!dispatched.ok) {
      taken.giveBack();
      semaphore.unuse();
      fromMux(call, dispatched);
    }
    flight.add(taken);
    before?.unuse();
    flight.signal = semaphore;
  }

  /**
   * One of the command buffers was refused, after so many. Those run: the fence comes behind them, so that what they
   * use is given back. Where there are none, all of it is given back at once.
   */
  #refused(call: string, flight: Flight, count: number): void {
    if (count === 0) {
      this.#complete();
      return;
    }
    this.#dispatch(call, flight, this.#pools.nothing, true);
    this.#state = "submitted";
  }

  /** What later batches wait for; null: it is complete. */
  get semaphore(): SharedSemaphore | null {
    return this.#state === "submitted" ? (this.#flight?.signal ?? null) : null;
  }

  /** Waits for at most so many ns. False: it is not complete. A failed command loses the device. */
  wait(call: string, timeout: number): boolean {
    if (this.#state !== "submitted" || this.#flight === null) return this.#state === "complete";
    return this.#take(call, muxTryWait(this.#pools.queue, timeout, this.#flight.fence));
  }

  /** The same without blocking the thread. */
  async waitAsync(call: string, timeout: number): Promise<boolean> {
    if (this.#state !== "submitted" || this.#flight === null) return this.#state === "complete";
    const waited = await muxTryWaitAsync(this.#pools.queue, timeout, this.#flight.fence);
    return this.#state !== "submitted" || this.#take(call, waited);
  }

  #take(call: string, waited: ReturnType<typeof muxTryWait>): boolean {
    if (waited.ok && waited.value === "not_ready") return false;
    this.#complete();
    if (waited.ok) return true;
    this.#pools.lost ??= waited.error.message;
    throw deviceLost(call, this.#pools.lost);
  }

  #complete(): void {
    this.#state = "complete";
    if (this.#flight !== null) this.#pools.giveFlight(this.#flight);
    this.#flight = null;
  }
}

/** A batch on the device waits for another one. */
function awaitOther(flight: Flight, batch: Batch | null): void {
  const semaphore = batch === null ? null : batch.semaphore;
  if (semaphore !== null) flight.wait(semaphore);
}

/** The error for a device whose command has failed. */
export function deviceLost(call: string, reason: string): VulkanError {
  return new VulkanError("VK_ERROR_DEVICE_LOST", call, reason);
}
