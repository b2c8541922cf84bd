// SPDX-License-Identifier: Apache-2.0
// Retires submissions from the event loop, for queues on which no blocking call does it.
import { soon } from "@muxkit/cargo";

import type { Submission } from "./submission.ts";

/** A queue whose submissions are retired from the event loop. */
export interface Watched {
  /** The submissions that can be the next to complete. */
  readonly due: readonly Submission[];
  /** Retires the submissions that are complete. */
  retire(): void;
}

/** Watches one queue as long as it has submissions on the device. */
export class Watch {
  readonly #queue: Watched;
  #isScheduled = false;

  constructor(queue: Watched) {
    this.#queue = queue;
  }

  /** Starts to watch, unless that is scheduled already. */
  begin(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    soon(() => {
      this.#queue.retire();
      const { due } = this.#queue;
      if (due.length === 0) {
        this.#isScheduled = false;
        return;
      }
      void Promise.race(due.map((submission) => submission.complete())).then(() => {
        this.#isScheduled = false;
        this.#queue.retire();
        if (this.#queue.due.length > 0) this.begin();
      });
    });
  }
}
