// SPDX-License-Identifier: Apache-2.0
// The page's end of a worker: requests as promises, and an end for a worker that does not answer.
import type { AnswerMessage, RequestName, Requests } from "./protocol.ts";

/** Says that a worker was ended because it did not answer. */
export class NoAnswer extends Error {}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  /** The longest time in ms that the answer may take; undefined: any. */
  readonly patience: number | undefined;
}

/** See the file's head. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  /** Runs for the first that waits. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(name: string) {
    // Bundlers recognise exactly this expression.
    this.#worker = new Worker(new URL("./worker.ts", import.meta.url), {
      // A name is not static, which older versions of Vite ask for: /* @vite-ignore */
      type: "module",
      name,
    });
    this.#worker.addEventListener("message", ({ data }: MessageEvent<AnswerMessage>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      this.#beginFirst();
      if ("error" in data) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data.answer as never);
    });
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#fail(new Error(`the compiler's thread has ended: ${event.message || "its script could not be loaded"}`));
    });
  }

  /**
   * Asks; `patience` is the longest time in ms until the worker is ended, with NoAnswer. It counts from when the worker
   * has answered what was asked before.
   */
  ask<K extends RequestName>(name: K, ask: Requests[K]["ask"], patience?: number): Promise<Requests[K]["answer"]> {
    const id = ++this.#last;
    // Workers have no origin to aim at.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker.postMessage({ id, name, ask });
    return new Promise<Requests[K]["answer"]>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, patience });
      if (this.#waiting.size === 1) this.#beginFirst();
    });
  }

  /** Ends the worker, when the page that asked is left: what was asked is never answered, which is no error there. */
  end(): void {
    this.#worker.terminate();
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  /** Counts the time of the first that waits, if one does: the worker answers in order. */
  #beginFirst(): void {
    clearTimeout(this.#timer);
    const [first] = this.#waiting.values();
    const patience = first?.patience;
    if (patience === undefined) return;
    this.#timer = setTimeout(() => {
      this.#worker.terminate();
      this.#fail(new NoAnswer(`the kernel did not end within ${patience / 1000} s and was stopped`));
    }, patience);
  }

  #fail(error: Error): void {
    clearTimeout(this.#timer);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
