// SPDX-License-Identifier: Apache-2.0
// A queue: batches in the order of submission.
import type { Batch } from "./batch.ts";
import { deviceLost } from "./batch.ts";
import type { DevicePools } from "./device-pools.ts";
import { invalid } from "./error.ts";
import { type VkDevice, VkQueue } from "./generated/handles.ts";

/** A queue of a device. */
export class Queue extends VkQueue {
  readonly #pools: DevicePools;
  /** Batches that wait with the host, in order. */
  readonly #held: Batch[] = [];
  /** Batches on the device, in order. */
  readonly #submitted: Batch[] = [];

  /** Who waits for a batch that is held. */
  readonly #onSubmission: (() => void)[] = [];
  readonly #siblings: () => readonly Queue[];

  /** `siblings` are all queues of the device, this one too. */
  constructor(device: VkDevice, pools: DevicePools, siblings: () => readonly Queue[]) {
    super(device, device.validates, false);
    this.#pools = pools;
    this.#siblings = siblings;
  }

  /** Submits held batches whose signals are there by now, of all queues of the device. */
  advanceAll(call: string): void {
    // A batch of one queue may be what another one waits for.
    const queues = this.#siblings();
    for (let isMoving = true; isMoving;) {
      isMoving = false;
      for (let i = 0; i < queues.length; i++) if (queues[i]?.advance(call) === true) isMoving = true;
    }
  }

  /** The pools of its device. */
  get pools(): DevicePools {
    return this.#pools;
  }

  /** The last batch that it was given and that is not known to be complete; null: none. */
  get last(): Batch | null {
    return this.#held.at(-1) ?? this.#submitted.at(-1) ?? null;
  }

  /** Takes a batch: it goes to the device now, or when what it waits for has been submitted. */
  take(call: string, batch: Batch): void {
    this.ensureAlive(call);
    if (this.#held.length === 0 && batch.isReady()) {
      this.#submit(call, batch);
      return;
    }
    this.#held.push(batch);
    this.advance(call);
  }

  /** Throws when the device is lost. */
  ensureAlive(call: string): void {
    if (this.#pools.lost !== null) throw deviceLost(call, this.#pools.lost);
  }

  /** Submits held batches up to the first that must wait longer. True: there were some. */
  advance(call: string): boolean {
    let count = 0;
    for (let first = this.#held[0]; first?.isReady() === true; first = this.#held[0]) {
      this.#held.shift();
      this.#submit(call, first);
      count++;
    }
    return count > 0;
  }

  #submit(call: string, batch: Batch): void {
    try {
      batch.submit(call, this.#submitted.at(-1) ?? null);
    } finally {
      // A part of a batch that was refused may run all the same.
      if (batch.state === "submitted") this.#submitted.push(batch);
    }
    if (this.#onSubmission.length > 0) for (const go of this.#onSubmission.splice(0)) go();
    // The list stays short where nobody waits.
    if (this.#submitted.length > MOST_KEPT) this.retire(call);
  }

  /** Takes note of batches that are complete. */
  retire(call: string): void {
    let count = 0;
    while (this.#submitted[count]?.wait(call, 0) === true) count++;
    if (count > 0) this.#submitted.splice(0, count);
  }

  /** Waits until it is idle. */
  waitIdle(call: string): void {
    this.ensureAlive(call);
    this.advance(call);
    if (this.#held.length > 0)
      throw invalid(
        call,
        "it would wait for ever: a batch waits for a value that nobody has submitted; signal it first",
      );
    this.#submitted.at(-1)?.wait(call, Infinity);
    this.retire(call);
  }

  /** Waits until what it has been given so far is complete, without blocking the thread. */
  async waitIdleAsync(call: string): Promise<void> {
    this.ensureAlive(call);
    this.advance(call);
    const last = this.#held.at(-1) ?? this.#submitted.at(-1);
    if (last !== undefined) await this.#submission(last);
    await last?.waitAsync(call, Infinity);
    this.retire(call);
  }

  /** Resolves when a batch is not held any more: somebody signals what it waits for, as another thread would. */
  async #submission(batch: Batch): Promise<void> {
    if (batch.state !== "held") return;
    await new Promise<void>((resolve) => {
      this.#onSubmission.push(resolve);
    });
    await this.#submission(batch);
  }

  protected release(): void {
    // The device has stopped.
    this.#held.length = 0;
    this.#submitted.length = 0;
  }
}

/** Batches that are kept before a submission looks which are complete. */
const MOST_KEPT = 64;
