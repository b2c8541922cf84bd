// SPDX-License-Identifier: Apache-2.0
// What a call that the device carries out later returns: something to wait for.
import { type Event, OpenCLError } from "@muxkit/opencl";

import { Described } from "./described.ts";
import type { LaunchLimit } from "./launch-limit.ts";
import type { Launches } from "./launches.ts";
import { ofOperation } from "./operation.ts";

/** What a command did. @public */
export interface CommandReport {
  /** The kernel's name, or the operation's. */
  readonly name: string;
  /**
   * How long the device worked on it, in ms. NaN where the command had already begun when it was first waited for; a
   * profile (`device.profile()`) measures every launch.
   */
  readonly duration: number;
}

/**
 * A launch, a fill or a copy that is under way. Waiting for it is not necessary: commands of a device run in order.
 * `await` waits until it is done and says how long it took; it throws what went wrong.
 *
 * @public
 */
export class Command extends Described implements PromiseLike<CommandReport> {
  /** The kernel's name, or the operation's. */
  readonly name: string;
  /** The underlying OpenCL event. */
  readonly event: Event;
  readonly #launches: Launches;
  readonly #limit: LaunchLimit | null;

  /** Made by the operations of a device. @internal */
  constructor(launches: Launches, name: string, event: Event, limit: LaunchLimit | null) {
    super();
    this.#launches = launches;
    this.name = name;
    this.event = event;
    this.#limit = limit;
  }

  /** True for a launch that its signal has stopped. @internal */
  get isStopped(): boolean {
    return this.#limit?.isStopped === true;
  }

  /** What went wrong, in the words of its operation. @internal */
  errorOf(error: unknown): unknown {
    return commandError(this.name, this.#limit?.errorOf(error) ?? error);
  }

  /** Resolves when it is done; rejects with what went wrong. It is not measured. */
  get done(): Promise<void> {
    const done = this.event.done.catch((error: unknown) => {
      this.#launches.forget(this);
      throw this.errorOf(error);
    });
    return this.#limit === null ? done : this.#limit.race(done);
  }

  /** What `await` calls. */
  // oxlint-disable-next-line no-thenable
  then<Done = CommandReport, Failed = never>(
    onDone?: ((report: CommandReport) => Done | PromiseLike<Done>) | null,
    onFailed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    const isMeasured = this.event.measure();
    // Whoever waits for several commands asks for the times of all before the first is submitted.
    return Promise.resolve()
      .then(() => this.done)
      .then((): CommandReport => {
        const { start, end } = this.event.times;
        return { name: this.name, duration: isMeasured ? (end - start) / 1e6 : Number.NaN };
      })
      .then(onDone, onFailed);
  }

  /** One line: its name, and how far it is. */
  toString(): string {
    const { error, isComplete } = this.event;
    if (this.isStopped) return `${this.name} (stopped by its signal)`;
    const state =
      error !== null ? `failed: ${ofOperation(this.name, error).message}` : isComplete ? "done" : "under way";
    return `${this.name} (${state})`;
  }
}

/** An error of a command as one of its operation. */
export function commandError(name: string, error: unknown): unknown {
  return error instanceof OpenCLError ? ofOperation(name, error) : error;
}
