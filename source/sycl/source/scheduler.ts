// SPDX-License-Identifier: Apache-2.0
// From a graph of commands to submissions.
//
// The representation is the dependence graph: nodes are events (one command group each), edges come from accessors,
// dependsOn, wait lists of queues in order and host accessors. The runtime takes command buffers, whose commands run
// one after the other, and orders them by semaphores. So the graph is covered by chains, paths on which each event
// waits for the one before it; a chain becomes one command buffer.
//
// The graph is covered while it grows:
//   1. An event whose dependences are all complete, on the device, or at the end of one chain that is still open,
//      extends that chain, if the chain waits already for what else it needs.
//   2. Otherwise the open chains that it depends on are dispatched, and it begins a chain.
//   3. A chain is dispatched when nothing runs, when it is full, when somebody waits, and at the end of the turn of the
//      event loop.
// An event that waits for the host (a host accessor, a device that shares no semaphores) is held, and so is what
// depends on it; it is placed when that is there.
//
//     submitted   a   b(a)  c    d(b)  e(c, d)
//     chains      [a b d]   [c]  [e] after both
//
// Cost: linear in events and edges; a dispatch for each chain.
import { mayBlock, soon } from "@muxkit/cargo";
import {
  type MuxCommandBuffer,
  type MuxError,
  type MuxFence,
  type MuxLaunch,
  type MuxQueryPool,
  type MuxSemaphore,
  muxSharesObjects,
} from "@muxkit/mux";
import {
  muxCommandBeginQuery,
  muxCommandEndQuery,
  muxCommandLaunches,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetQueryPoolResults,
  muxTryWait,
  muxTryWaitAsync,
} from "@muxkit/mux/unchecked";

import type { Command, Event } from "./event.ts";
import { SyclException, fromMux } from "./exception.ts";
import type { RuntimeDevice } from "./runtime-device.ts";

/** Events of a chain at most. */
const MOST_EVENTS = 48;
/** Chains that are open at once. */
const MOST_OPEN = 8;
/** Dispatches in flight before the host waits for the first of them. */
const MOST_IN_FLIGHT = 12;

/** A semaphore with those that wait for it. */
class SharedSemaphore {
  readonly mux: MuxSemaphore;
  readonly #runtime: RuntimeDevice;
  #uses = 1;

  constructor(runtime: RuntimeDevice, call: string) {
    this.#runtime = runtime;
    this.mux = runtime.takeSemaphore(call);
  }

  use(): this {
    this.#uses++;
    return this;
  }

  unuse(): void {
    if (--this.#uses === 0) this.#runtime.giveSemaphore(this.mux);
  }
}

/** Events that run one after the other, as one command buffer. */
export class Chain {
  readonly runtime: RuntimeDevice;
  readonly events: Event[] = [];
  /** Chains on the device that its first command waits for. */
  waits: readonly Chain[];
  #state: "open" | "submitted" | "complete" = "open";
  #commands: MuxCommandBuffer | null = null;
  #fence: MuxFence | null = null;
  #semaphore: SharedSemaphore | null = null;
  #awaited: readonly SharedSemaphore[] = NO_SEMAPHORES;
  /** Times of its one event; null: nothing is measured. */
  #query: MuxQueryPool | null = null;
  /** How many commands of the command buffer there are up to the end of each event. */
  readonly #ends: number[] = [];

  constructor(runtime: RuntimeDevice, waits: readonly Chain[]) {
    this.runtime = runtime;
    this.waits = waits;
  }

  get state(): "open" | "submitted" | "complete" {
    return this.#state;
  }

  /** Hands it to the device. */
  dispatch(call: string): void {
    if (this.#state !== "open") return;
    const { runtime } = this;
    const commands = runtime.takeCommandBuffer(call);
    this.#commands = commands;
    this.#fence = runtime.takeFence(call);
    this.#semaphore = new SharedSemaphore(runtime, call);
    if (this.waits.length > 0) this.#awaited = this.waits.flatMap((chain) => chain.#semaphore?.use() ?? []);
    this.#state = "submitted";
    try {
      this.#record(call, commands);
      fromMux(call, muxFinalizeCommandBuffer(commands));
      const dispatched = muxDispatch(
        runtime.queue,
        commands,
        this.#fence,
        this.#awaited.length === 0 ? NO_MUX_SEMAPHORES : this.#awaited.map(({ mux }) => mux),
        [this.#semaphore.mux],
        null,
      );
      fromMux(call, dispatched);
    } catch (error) {
      // Nothing of it runs: its events fail with what was refused.
      this.#end(call, { message: error instanceof Error ? error.message : String(error), cause: error });
    }
  }

  #record(call: string, commands: MuxCommandBuffer): void {
    const profiled = this.events[0]?.isProfiled === true;
    let count = 0;
    let launches: MuxLaunch[] = [];
    const flush = (): void => {
      if (launches.length === 0) return;
      fromMux(call, muxCommandLaunches(commands, launches, []));
      launches = [];
    };
    if (profiled) {
      this.#query = this.runtime.takeQuery(call);
      fromMux(call, muxCommandBeginQuery(commands, this.#query, 0, 1, []));
      count++;
    }
    for (let i = 0; i < this.events.length; i++) {
      const list = (this.events[i] as Event).commands;
      for (let k = 0; k < list.length; k++) {
        const { launch, record } = list[k] as Command;
        count++;
        if (launch !== null) launches.push(launch);
        else {
          flush();
          fromMux(call, record(commands));
        }
      }
      this.#ends.push(count);
    }
    flush();
    if (this.#query !== null) fromMux(call, muxCommandEndQuery(commands, this.#query, 0, 1, []));
  }

  /** Waits for at most so many ns; false: it is not complete. */
  wait(call: string, timeout: number): boolean {
    if (this.#state !== "submitted" || this.#fence === null) return this.#state === "complete";
    return this.#take(call, muxTryWait(this.runtime.queue, timeout, this.#fence));
  }

  /** Waits without blocking the thread. */
  async waitAsync(call: string): Promise<void> {
    if (this.#state !== "submitted" || this.#fence === null) return;
    const waited = await muxTryWaitAsync(this.runtime.queue, Infinity, this.#fence);
    // Another wait may have seen it first.
    if (this.state === "submitted") this.#take(call, waited);
  }

  #take(call: string, waited: ReturnType<typeof muxTryWait>): boolean {
    if (waited.ok && waited.value === "not_ready") return false;
    this.#end(call, waited.ok ? null : failureOf(waited.error));
    return true;
  }

  #end(call: string, failure: Failure | null): void {
    this.#state = "complete";
    // What it waited for is complete too, and gives back what it holds before anybody hears of this one.
    for (const before of this.waits) before.wait(call, 0);
    const { runtime } = this;
    const times = this.#query !== null && failure === null ? this.#times(call, this.#query) : null;
    for (let i = 0; i < this.events.length; i++) {
      const error = failure === null ? null : failureOfEvent(failure, this.#ends[i - 1] ?? 0, this.#ends[i] ?? 0, call);
      (this.events[i] as Event).settle(error, times);
    }
    if (this.#query !== null) runtime.giveQuery(this.#query);
    if (this.#commands !== null) runtime.giveCommandBuffer(call, this.#commands);
    if (this.#fence !== null) runtime.giveFence(this.#fence);
    for (const semaphore of this.#awaited) semaphore.unuse();
    this.#semaphore?.unuse();
    this.#query = null;
    this.#commands = null;
    this.#fence = null;
    this.#semaphore = null;
    this.#awaited = NO_SEMAPHORES;
    // What is complete keeps nothing before it alive.
    this.waits = NO_CHAINS;
  }

  #times(call: string, pool: MuxQueryPool): { readonly start: bigint; readonly end: bigint } | null {
    const [result] = fromMux(call, muxGetQueryPoolResults(this.runtime.queue, pool, 0, 1));
    return result !== undefined && "start" in result ? result : null;
  }
}

const NO_CHAINS: readonly Chain[] = [];
const NO_MUX_SEMAPHORES: readonly MuxSemaphore[] = [];
const NO_SEMAPHORES: readonly SharedSemaphore[] = [];

/** A list with a chain: most events need one or none. */
function withChain(list: readonly Chain[], chain: Chain): readonly Chain[] {
  if (list.includes(chain)) return list;
  return list.length === 0 ? [chain] : [...list, chain];
}

/** The failure of an event among these that nobody has been told of; null: there is none. */
function failedOf(events: readonly Event[]): SyclException | null {
  for (let i = 0; i < events.length; i++) {
    const { error, isReported } = events[i] as Event;
    if (error !== null && !isReported) return error;
  }
  return null;
}

/** Why a chain failed. */
interface Failure {
  readonly message: string;
  readonly cause: unknown;
  /** The command that failed; absent: all of it. */
  readonly command?: number;
}

const failureOf = (error: MuxError): Failure => ({
  message: error.message,
  cause: error,
  ...(error.commandId === undefined ? {} : { command: error.commandId }),
});

/** What a failure is to the event of the commands from `begin` to before `end`; null: it went well. */
function failureOfEvent(failure: Failure, begin: number, end: number, call: string): SyclException | null {
  const { message, cause, command } = failure;
  if (cause instanceof SyclException) return cause;
  if (command === undefined || (command >= begin && command < end))
    return new SyclException("runtime", call, message, cause);
  if (command >= end) return null;
  return new SyclException("event", call, `it was not run, as a command before it has failed: ${message}`, cause);
}

/** See the file's head. */
export class Scheduler {
  readonly #runtime: RuntimeDevice;
  readonly #open: Chain[] = [];
  #inFlight: Chain[] = [];
  /** Events that wait for the host, in order. */
  #held: Event[] = [];
  #isFlushComing = false;

  constructor(runtime: RuntimeDevice) {
    this.#runtime = runtime;
  }

  /** Takes an event: it is dispatched now or later, or held. */
  submit(call: string, event: Event): void {
    if (this.#held.length > 0) this.advance(call);
    if (this.#isHeldBack(event)) {
      this.#held.push(event);
      return;
    }
    this.#place(call, event);
  }

  /** True while an event waits for the host. */
  #isHeldBack({ dependences }: Event): boolean {
    for (let i = 0; i < dependences.length; i++) {
      const one = dependences[i] as Event;
      if (one.isComplete) continue;
      if (one.chain === null || (one.runtime !== this.#runtime && !sharesSemaphores(one.runtime, this.#runtime)))
        return true;
    }
    return false;
  }

  /** Places what was held, as far as what it waits for is there. */
  advance(call: string): void {
    const held = this.#held;
    this.#held = [];
    for (const event of held) this.submit(call, event);
  }

  #place(call: string, event: Event): void {
    this.retire(call);
    const failed = failedOf(event.dependences);
    if (failed !== null) {
      event.settle(
        new SyclException(
          "event",
          call,
          `it was not run, as a command that it depends on has failed: ${failed.message}`,
          failed,
        ),
        null,
      );
      return;
    }
    let opened = NO_CHAINS;
    let submitted = NO_CHAINS;
    const { dependences } = event;
    for (let i = 0; i < dependences.length; i++) {
      const one = (dependences[i] as Event).chain;
      if (one?.state === "open") opened = withChain(opened, one);
      else if (one?.state === "submitted") submitted = withChain(submitted, one);
    }
    let chain = this.#extended(event, opened, submitted);
    if (chain === null) {
      for (const one of opened) {
        one.runtime.scheduler.dispatch(call, one);
        if (one.state === "submitted") submitted = withChain(submitted, one);
      }
      chain = new Chain(this.#runtime, submitted);
      this.#open.push(chain);
      if (this.#open.length > MOST_OPEN) this.dispatch(call, this.#open[0] as Chain);
    }
    chain.events.push(event);
    event.chain = chain;
    if (event.isProfiled || chain.events.length >= MOST_EVENTS || this.#inFlight.length === 0)
      this.dispatch(call, chain);
    else this.#flushSoon();
  }

  /** The open chain that an event extends; null: it begins one. */
  #extended(event: Event, opened: readonly Chain[], submitted: readonly Chain[]): Chain | null {
    if (opened.length !== 1 || event.isProfiled) return null;
    const chain = opened[0];
    if (chain === undefined || chain.runtime !== this.#runtime) return null;
    const last = chain.events.at(-1);
    if (last === undefined || !event.dependences.includes(last)) return null;
    for (let i = 0; i < submitted.length; i++) if (!chain.waits.includes(submitted[i] as Chain)) return null;
    return chain;
  }

  /** Dispatches an open chain. */
  dispatch(call: string, chain: Chain): void {
    const index = this.#open.indexOf(chain);
    if (index < 0) return;
    this.#open.splice(index, 1);
    chain.dispatch(call);
    if (chain.state === "submitted") this.#inFlight.push(chain);
  }

  /** Dispatches all that is open. */
  flush(call: string): void {
    while (this.#open[0] !== undefined) this.dispatch(call, this.#open[0]);
  }

  /** Programs that leave the thread to the event loop have their commands run. */
  #flushSoon(): void {
    if (this.#isFlushComing) return;
    this.#isFlushComing = true;
    soon(() => {
      this.#isFlushComing = false;
      this.flush("submit");
    });
  }

  /** Takes note of what is complete: of the oldest dispatch, and of all where there are many. */
  retire(call: string): void {
    const list = this.#inFlight;
    while (list[0]?.wait(call, 0) === true) list.shift();
    if (list.length <= MOST_IN_FLIGHT) return;
    // A device that is far behind is waited for where that is allowed, so that the host's lists stay short.
    if (mayBlock()) list.shift()?.wait(call, Infinity);
    this.#inFlight = list.filter((chain) => !chain.wait(call, 0));
  }
}

function sharesSemaphores(left: RuntimeDevice, right: RuntimeDevice): boolean {
  return muxSharesObjects(left.device, right.device);
}
