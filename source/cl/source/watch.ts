// SPDX-License-Identifier: Apache-2.0
// How a queue learns from the event loop what is complete, where no blocking call asks before.
import { soon } from "@muxkit/cargo";

import type { Batch } from "./batch.ts";

/** A queue that is told when to look. */
export interface Watched {
  /** Batches whose end matters next. */
  readonly due: readonly Batch[];
  /** Takes note of what is complete. */
  settle(): void;
}

/** Looks after one queue, as long as it has batches on the device. */
export class Watch {
  readonly #queue: Watched;
  #isScheduled = false;

  constructor(queue: Watched) {
    this.#queue = queue;
  }

  /** There is something to look after. */
  begin(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    soon(() => {
      this.#queue.settle();
      const { due } = this.#queue;
      if (due.length === 0) {
        this.#isScheduled = false;
        return;
      }
      void Promise.race(due.map((batch) => batch.complete())).then(() => {
        this.#isScheduled = false;
        this.#queue.settle();
        if (this.#queue.due.length > 0) this.begin();
      });
    });
  }
}
