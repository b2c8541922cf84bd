// SPDX-License-Identifier: Apache-2.0
// What ends a launch before it is through: a deadline, or a signal. A launch that waits when its signal comes never
// starts, and whoever waits for it knows at once; one that runs ends at its next check of the device.
import { OpenCLError } from "@muxkit/opencl";

/** Longest deadline, in ms: 23 days. */
const MAX_DEADLINE = 2_000_000_000;

/** What a launch needs of an AbortSignal. @public */
export interface StopSignal {
  /** True once it was given. */
  readonly aborted: boolean;
  /** Why. */
  readonly reason: unknown;
  /** Calls a function once it is given. */
  addEventListener(type: "abort", listener: () => void): void;
  /** Ends that. */
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A launch ran longer than it was allowed to. @public */
export class DeadlineError extends Error {
  /** Name of the class. */
  override readonly name = "DeadlineError";
  /** The kernel. */
  readonly kernel: string;
  /** How long it was allowed to run, in ms. */
  readonly deadline: number;

  /** Made by a launch. @internal */
  constructor(kernel: string, deadline: number) {
    super(`kernel "${kernel}" was stopped: it ran longer than its deadline of ${deadline} ms`);
    this.kernel = kernel;
    this.deadline = deadline;
  }
}

/** How a launch is stopped, and how far it was. */
type Stop = () => "waiting" | "running" | "ended";

/** The limits of one launch. */
export class LaunchLimit {
  readonly deadline: number;
  readonly #kernel: string;
  readonly #signal: StopSignal | null;
  readonly #waiters: ((reason: unknown) => void)[] = [];
  /** Set while it is on the device. */
  #stop: Stop | null = null;
  /** Never: it did not start and will not. */
  #outcome: "none" | "expired" | "stopped" | "never" = "none";

  /** Checks the options of a range. Error: CL_INVALID_VALUE. */
  constructor(kernel: string, deadline: number | undefined, signal: StopSignal | undefined) {
    const wrong = (what: string): never => {
      throw new OpenCLError("CL_INVALID_VALUE", kernel, what);
    };
    if (deadline !== undefined && !(Number.isInteger(deadline) && deadline > 0 && deadline <= MAX_DEADLINE))
      wrong(`a deadline is a whole number of ms from 1 to ${MAX_DEADLINE}, not ${String(deadline)}`);
    if (signal !== undefined && typeof (signal as StopSignal | null)?.addEventListener !== "function")
      wrong("a signal is that of an AbortController: new AbortController().signal, or AbortSignal.timeout(ms)");
    this.#kernel = kernel;
    this.deadline = deadline ?? 0;
    this.#signal = signal ?? null;
    if (signal?.aborted === true) this.#outcome = "never";
    else signal?.addEventListener("abort", this.#onAbort);
  }

  /** What the runtime calls at each dispatch. */
  readonly watch = (stop: Stop): ((isExpired: boolean) => void) => {
    this.#stop = stop;
    if (this.#outcome === "never") stop();
    else if (this.#signal?.aborted === true) this.#onAbort();
    // It may have been removed: what an earlier failure takes off the device comes here again.
    else this.#signal?.addEventListener("abort", this.#onAbort);
    return (isExpired) => {
      this.#stop = null;
      this.#signal?.removeEventListener("abort", this.#onAbort);
      if (isExpired) this.#outcome = "expired";
    };
  };

  /** True once its signal has ended it, or will before it starts. */
  get isStopped(): boolean {
    return this.#outcome === "stopped" || this.#outcome === "never";
  }

  /** The error of a launch in place of the runtime's. */
  errorOf(error: unknown): unknown {
    if (this.isStopped) return this.#signal?.reason;
    return this.#outcome === "expired" ? new DeadlineError(this.#kernel, this.deadline) : error;
  }

  /** The end of the launch, or at once the reason why it never starts. */
  race(done: Promise<void>): Promise<void> {
    if (this.#outcome === "never") {
      done.catch(() => {});
      return Promise.reject(this.#signal?.reason);
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push(reject);
      done.then(resolve, reject);
    });
  }

  readonly #onAbort = (): void => {
    if (this.#outcome !== "none") return;
    const state = this.#stop === null ? "waiting" : this.#stop();
    if (state === "ended") return;
    this.#outcome = state === "waiting" ? "never" : "stopped";
    if (state === "waiting") for (const reject of this.#waiters) reject(this.#signal?.reason);
  };
}
