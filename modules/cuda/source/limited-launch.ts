// SPDX-License-Identifier: Apache-2.0
/**
 * A launch that a deadline or somebody else may end, on its way. Two events say whether it has begun and ended; its
 * stop word ends it. One that has not begun when its word is set never starts: kernels look at their word before
 * anything else. The deadline counts from when it is found to have begun.
 */
import { type Result, err, ok } from "@muxkit/cargo";
import { type MuxFailure, MuxResult } from "@muxkit/mux";

import type { LaunchLimit } from "./commands.ts";
import type { CudaGpu, Handle } from "./driver.ts";
import { kernelFailure } from "./kernel.ts";
import type { StopWords } from "./stop-words.ts";

/** A launch that was stopped and has not ended after this time, in ms, does not look at its word: the GPU is lost. */
export const ANSWER_MS = 2000;

/** Where it runs: a word that stops it, and events before and behind it. */
export interface Place {
  readonly gpu: CudaGpu;
  readonly words: StopWords;
  readonly word: number;
  readonly begun: Handle;
  readonly ended: Handle;
}

/** A launch of a dispatch. */
export class LimitedLaunch {
  readonly kernel: string;
  readonly limit: LaunchLimit;
  private place: Place | null = null;
  /** When it was found to have begun, and when it was stopped, in ms; 0: not yet. */
  private seenAt = 0;
  private stoppedAt = 0;
  private outcome: "none" | "expired" | "stopped" | "prevented" = "none";
  private isOver = false;
  private readonly told: ((isExpired: boolean) => void) | null;

  /** `wake` is called when it was stopped: what waits may go on. */
  constructor(kernel: string, limit: LaunchLimit, wake: () => void) {
    this.kernel = kernel;
    this.limit = limit;
    this.told =
      limit.watch?.(() => {
        const state = this.stop();
        wake();
        return state;
      }) ?? null;
  }

  /** True when somebody has to look at the clock. */
  get needsClock(): boolean {
    return !this.isOver && (this.limit.deadline > 0 || this.stoppedAt > 0);
  }

  /** True when it must not be started. */
  get isPrevented(): boolean {
    return this.outcome === "prevented";
  }

  /** Says where it runs; its word is taken, and its events are recorded by the caller. */
  begin(place: Place): void {
    this.place = place;
  }

  private stop(): "waiting" | "running" | "ended" {
    const { place } = this;
    if (this.isOver || this.outcome !== "none") return "ended";
    if (place === null) {
      this.outcome = "prevented";
      return "waiting";
    }
    const { gpu, begun, ended, words, word } = place;
    const isEnded = gpu.isDone(ended);
    // What has failed is told by who waits for it.
    if (!isEnded.ok || isEnded.value) return "ended";
    const hasBegun = gpu.isDone(begun);
    this.outcome = "stopped";
    this.stoppedAt = performance.now();
    const isSet = words.set(word);
    if (!isSet.ok || !hasBegun.ok || hasBegun.value || !isSet.value) return "running";
    const began = gpu.isDone(begun);
    return began.ok && !began.value ? "waiting" : "running";
  }

  /** Looks at the clock: stops it past its deadline. False: it was stopped long ago and does not end. */
  watchClock(): boolean {
    const { place, limit } = this;
    if (place === null || this.isOver) return true;
    const now = performance.now();
    if (this.stoppedAt > 0) return now - this.stoppedAt < ANSWER_MS;
    if (limit.deadline === 0) return true;
    if (this.seenAt === 0) {
      const begun = place.gpu.isDone(place.begun);
      if (begun.ok && begun.value) this.seenAt = now;
    } else if (now - this.seenAt > limit.deadline) {
      this.outcome = "expired";
      this.stoppedAt = now;
      // Where this fails, the launch does not end, and the GPU is taken for lost after the answer's time.
      void place.words.set(place.word);
    }
    return true;
  }

  /** Called when it has ended, or will never start: what became of it. Gives its word back. */
  end(): Result<void, MuxFailure> {
    const { place, kernel, limit } = this;
    if (this.isOver) return ok();
    this.isOver = true;
    if (place !== null) {
      const released = place.words.release(place.word, this.stoppedAt > 0);
      if (!released.ok) return err(kernelFailure(kernel, released.error));
    }
    if (this.outcome === "none") return ok();
    const message =
      this.outcome === "expired"
        ? `kernel "${kernel}" was stopped: it ran longer than its deadline of ${limit.deadline} ms`
        : `kernel "${kernel}" was stopped by its signal`;
    return err({ code: MuxResult.error_failure, message });
  }

  /** The sentence for a GPU that is lost with it. */
  get lossReason(): string {
    const why =
      this.outcome === "expired" ? `it ran longer than its deadline of ${this.limit.deadline} ms` : "it was stopped";
    return `${why}, and did not end within ${ANSWER_MS} ms after that`;
  }

  /** Tells who watches that it is over; once. */
  tell(): void {
    this.isOver = true;
    this.told?.(this.outcome === "expired");
  }

  /** Its events, to be used again. */
  get events(): readonly Handle[] {
    return this.place === null ? [] : [this.place.begun, this.place.ended];
  }
}
