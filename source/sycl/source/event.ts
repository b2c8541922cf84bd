// SPDX-License-Identifier: Apache-2.0
// Events: a command group from its submission to its end.
import { describeBlockingError } from "@muxkit/cargo";
import type { Result } from "@muxkit/cargo";
import type { MuxCommandBuffer, MuxError, MuxLaunch, MuxSyncPoint } from "@muxkit/mux";

import { SyclException, ensure } from "./exception.ts";
import type { RuntimeDevice } from "./runtime-device.ts";
import type { Chain } from "./scheduler.ts";

/** Something that must not be freed while a command needs it. @internal */
export interface Held {
  /** A command begins to need it. */
  use(): void;
  /** A command needs it no longer. */
  unuse(): void;
}

/** A command: a launch, or what a function records. @internal */
export type Command =
  | { readonly launch: MuxLaunch; readonly record: null }
  | { readonly launch: null; readonly record: (to: MuxCommandBuffer) => Result<MuxSyncPoint, MuxError> };

/** How far a command group is. @public */
export type CommandStatus = "submitted" | "running" | "complete";

/** Times of a command group, in ns of the device's clock. @public */
export type ProfilingInfo = "command_submit" | "command_start" | "command_end";

/** What an event is told of its queue. @internal */
export interface EventOwner {
  /** Times are measured. */
  readonly profiles: boolean;
  /** A command group has failed. */
  failed(event: Event): void;
}

const NO_COMMANDS: readonly Command[] = [];
const NO_FAULT = (): null => null;
const NO_EVENTS: readonly Event[] = [];
const NOTHING_HELD: readonly Held[] = [];

/**
 * A command group that was submitted (`sycl::event`). `await event` waits without blocking the thread.
 *
 * @public
 */
export class Event implements PromiseLike<void> {
  /** Of the package itself. @internal */
  readonly runtime: RuntimeDevice;
  /** Events that it waits for; none once it is complete. @internal */
  dependences: readonly Event[];
  /** What it does; nothing once it is complete. @internal */
  commands: readonly Command[];
  /** The chain that it is in; null: it is held, or was never placed. @internal */
  chain: Chain | null = null;
  /** What has failed although all commands went well. @internal */
  fault: () => SyclException | null = NO_FAULT;
  readonly #owner: EventOwner | null;
  #held: readonly Held[];
  #isComplete = false;
  #error: SyclException | null = null;
  #isReported = false;
  #submitted = 0n;
  #times: { readonly start: bigint; readonly end: bigint } | null = null;

  /** Made by submissions. @internal */
  constructor(
    runtime: RuntimeDevice,
    owner: EventOwner | null,
    dependences: readonly Event[],
    commands: readonly Command[],
    held: readonly Held[],
  ) {
    this.runtime = runtime;
    this.#owner = owner;
    this.dependences = dependences;
    this.commands = commands;
    this.#held = held;
    for (let i = 0; i < held.length; i++) (held[i] as Held).use();
    if (owner?.profiles === true) this.#submitted = runtime.now("submit");
  }

  /** True when it has ended, well or not. @internal */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Why it failed; null: it did not. @internal */
  get error(): SyclException | null {
    return this.#error;
  }

  /** True once somebody has been told of its failure. @internal */
  get isReported(): boolean {
    return this.#isReported;
  }

  /** True: its times are measured. @internal */
  get isProfiled(): boolean {
    return this.#owner?.profiles === true;
  }

  /** Takes its failure for a report; null: there is none, or it was reported. @internal */
  takeError(): SyclException | null {
    if (this.#isReported) return null;
    this.#isReported = this.#error !== null;
    return this.#error;
  }

  /** It has ended. @internal */
  settle(error: SyclException | null, times: { readonly start: bigint; readonly end: bigint } | null): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    this.#error = error ?? this.fault();
    this.#times = times;
    this.dependences = NO_EVENTS;
    this.commands = NO_COMMANDS;
    for (const held of this.#held) held.unuse();
    this.#held = NOTHING_HELD;
    if (this.#error !== null) this.#owner?.failed(this);
  }

  /** How far it is. */
  get status(): CommandStatus {
    if (!this.#isComplete) this.#look("status");
    if (this.#isComplete) return "complete";
    return this.chain?.state === "submitted" ? "running" : "submitted";
  }

  /** What it waits for itself, without what is complete. */
  getWaitList(): readonly Event[] {
    return this.dependences.filter(({ isComplete }) => !isComplete);
  }

  #look(call: string): void {
    this.runtime.scheduler.advance(call);
    if (this.chain?.state === "open") this.runtime.scheduler.dispatch(call, this.chain);
    this.chain?.wait(call, 0);
  }

  /**
   * Waits; blocks the thread and helps with the work. Throws the failure of the command group. Errors: event where it
   * waits for a host accessor that is still there; invalid in the main thread of a page.
   */
  wait(): void {
    this.complete("wait");
    const error = this.takeError();
    if (error !== null) throw error;
  }

  /** The same; SYCL's other name for it. */
  waitAndThrow(): void {
    this.wait();
  }

  /** Waits, and throws nothing of the command group. @internal */
  complete(call: string): void {
    if (this.#isComplete) return;
    const { scheduler } = this.runtime;
    scheduler.advance(call);
    if (this.chain === null) {
      for (const one of this.dependences) one.complete(call);
      scheduler.advance(call);
      this.#ensurePlaced(call);
    }
    if (this.chain?.state === "open") scheduler.dispatch(call, this.chain);
    if (this.chain?.wait(call, 0) === true) return;
    const reason = describeBlockingError("await the event instead");
    if (reason !== null) throw new SyclException("invalid", call, reason);
    this.chain?.wait(call, Infinity);
  }

  #ensurePlaced(call: string): void {
    ensure(
      this.chain !== null || this.#isComplete,
      "event",
      call,
      "it would wait for ever: a host accessor keeps the command group back; dispose of the accessor first",
    );
  }

  /** Waits without blocking the thread. Errors: those of {@link Event.wait} but for invalid. */
  async done(): Promise<void> {
    await this.completeAsync("wait");
    const error = this.takeError();
    if (error !== null) throw error;
  }

  /** Waits, and throws nothing of the command group. @internal */
  async completeAsync(call: string): Promise<void> {
    if (this.#isComplete) return;
    const { scheduler } = this.runtime;
    scheduler.advance(call);
    if (this.chain === null) {
      await Promise.all(this.dependences.map(async (one) => one.completeAsync(call)));
      scheduler.advance(call);
      this.#ensurePlaced(call);
    }
    if (this.chain?.state === "open") scheduler.dispatch(call, this.chain);
    await this.chain?.waitAsync(call);
  }

  /** Lets `await event` wait for it. */
  // oxlint-disable-next-line unicorn/no-thenable -- an event is what a program awaits
  then<T = void, U = never>(
    fulfilled?: ((value: void) => T | PromiseLike<T>) | null,
    rejected?: ((reason: unknown) => U | PromiseLike<U>) | null,
  ): Promise<T | U> {
    return this.done().then(fulfilled, rejected);
  }

  /**
   * A time of the command group, in ns. Errors: invalid for a queue without `enableProfiling`; profiling while it is
   * not complete, and where it failed.
   */
  getProfilingInfo(what: ProfilingInfo): bigint {
    const call = "getProfilingInfo";
    ensure(this.isProfiled, "invalid", call, "the queue measures no times; make it with enableProfiling: true");
    if (what === "command_submit") return this.#submitted;
    if (!this.#isComplete) this.#look(call);
    ensure(this.#isComplete, "profiling", call, "the command group is not complete; wait for it first");
    ensure(this.#times !== null, "profiling", call, "the command group has failed and has no times");
    return what === "command_start" ? this.#times.start : this.#times.end;
  }
}
