// SPDX-License-Identifier: Apache-2.0
// The commands of a device in order, and what has failed since the last query.
import type { CommandQueue, Event, OpenCLError } from "@muxkit/opencl";

/** Events that are remembered at most before those that went well are dropped. */
const REMEMBERED = 64;

/** The queue of a device with a memory for failures. @internal */
export class Launches {
  /** The OpenCL queue. */
  readonly queue: CommandQueue;
  #events: Event[] = [];

  /** Remembers the failures of commands of a queue. */
  constructor(queue: CommandQueue) {
    this.queue = queue;
  }

  /** Remembers a command, so that a later read reports its failure. */
  track(event: Event): Event {
    event.markObserved();
    this.#events.push(event);
    if (this.#events.length > REMEMBERED)
      this.#events = this.#events.filter(({ isComplete, error }) => !isComplete || error !== null);
    return event;
  }

  /** Throws the first failure since the last time. */
  throwFailure(): void {
    const failed: OpenCLError | null = this.#events.find(({ error }) => error !== null)?.error ?? null;
    this.#events = this.#events.filter(({ isComplete }) => !isComplete);
    if (failed !== null) throw failed;
  }
}
