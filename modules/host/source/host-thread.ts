// SPDX-License-Identifier: Apache-2.0
// The host thread's part: it starts batches, runs host commands, executes groups while it waits, and resolves promises
// from its event loop.
//
// It makes progress in two ways. A blocking call loops in `block`: host commands first, then work-groups, then sleep on
// the host word. Without a blocking call the event loop does the same in slices: a turn soon after a dispatch,
// `Atomics.waitAsync` for notifications of workers, timers for deadlines. A program that polls gives it neither, so a
// poll is a slice too, where no worker is there to take the work.
import { mayBlock, soon } from "@muxkit/cargo";

import { type Board, double, milliseconds, sendWakes } from "./board.ts";
import * as L from "./control-layout.ts";
import { type Executor, execute } from "./execute.ts";
import { lock, unlock } from "./lock.ts";
import { cancelExpired, completeHostNode, leave, releasePermit, shift, startBatch, take } from "./scheduler.ts";
import type { WorkerPool } from "./worker-pool.ts";

/** After this time a node that the host thread runs alone is worth waking workers for. */
const SLOW_NS = 500_000;
/** After this time it is worth starting them. */
const START_NS = 2_000_000;
/** How long the event loop is kept by groups that run on it. */
const SLICE_NS = 4_000_000;
/** How long a poll takes at most, beyond the last claim; a wait that is shorter is a poll. */
const POLL_NS = 50_000;
/** Looks at the host word before sleeping, about as long as a sleep and its wake-up cost. */
const SPINS = 2000;
/** Polling where the engine has no `Atomics.waitAsync`. */
const POLL_MS = 1;
/** Looks at the host word between two questions to host commands that go on elsewhere. */
const LOOKS_PER_QUESTION = 16;
/** How long the host thread sleeps between two questions, in ms. */
const QUESTION_MS = 0.05;

/** How a wait ended: `stuck` when nothing can happen any more, since what is waited for was never dispatched. */
export type WaitOutcome = "done" | "timeout" | "stuck";

/** What the layers above do for nodes: host commands, and the completion of batches. */
export interface HostCommands {
  /** Runs a host command: 0, one of the `ERROR_…` values, or a function that returns null until it is over. */
  readonly runHostNode: (node: number) => number | ((wake: () => void) => number | null);
  /** A batch is complete and its semaphores and fence are signalled. */
  readonly batchDone: (tail: number) => void;
  /** True where a call of this thread may not end by itself at its deadline: another thread has to watch it. */
  readonly needsWatch: () => boolean;
}

/** A host command that goes on elsewhere. */
interface Open {
  readonly node: number;
  readonly ask: (wake: () => void) => number | null;
}

interface Waiter {
  readonly until: () => boolean;
  readonly deadline: number;
  readonly resolve: (outcome: WaitOutcome) => void;
}

/** The host thread of one device. */
export class HostThread {
  readonly #board: Board;
  readonly #executor: Executor;
  readonly #pool: WorkerPool;
  readonly #commands: HostCommands;
  readonly #threads: number;
  readonly #helps: boolean;
  /** What keeps the process alive while something is pending; browsers' timers are numbers, and keep nothing. */
  readonly #keepAlive: ReturnType<typeof setInterval>;
  #keepsAlive = false;
  /** Host commands that go on elsewhere, in the order in which they began. */
  readonly #open: Open[] = [];
  /** True once something large was dispatched, until nothing is pending. */
  #hasLarge = false;
  readonly #wake = (): void => {
    this.callEventLoop();
  };
  #pending = 0;
  #armed = false;
  #immediate = false;
  #drained = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #waiters: Waiter[] = [];
  #leaveAt = Infinity;
  #until: (() => boolean) | null = null;
  /** True while a poll runs groups: it claims as few as it can, so that it is over soon. */
  #isPoll = false;
  #nodeStart = 0;
  #closed = false;
  /** Called now and then while launches run: returns in how many ms it wants to be called again. */
  askSuccessors: (() => number) | null = null;
  /** True once something with a deadline was dispatched: one more worker watches the clock. */
  #watches = false;

  constructor(executor: Executor, pool: WorkerPool, commands: HostCommands, threads: number, helps: boolean) {
    this.#executor = {
      ...executor,
      shouldLeave: (node) => this.#shouldLeave(node),
      claimsLeast: () => this.#isPoll,
    };
    this.#board = executor.board;
    this.#pool = pool;
    this.#commands = commands;
    this.#threads = threads;
    this.#helps = helps;
    this.#keepAlive = setInterval(() => {}, L.NEVER);
    this.#keepAlive.unref?.();
  }

  /** Batches that were dispatched and are not complete. */
  get pending(): number {
    return this.#pending;
  }

  /** Starts a batch whose head waits for the semaphores counted in its node. `large`: worth waking workers for. */
  submit(head: number, large: boolean, limited: boolean): void {
    const board = this.#board;
    if (limited) this.#watches = true;
    // As many workers as may run groups at once: this thread is one of those, so that one of the workers is free.
    if (limited && this.#commands.needsWatch()) this.#pool.ensure(this.#threads);
    if (large) this.#hasLarge = true;
    this.#pending++;
    if (!this.#keepsAlive) this.#keepAlive.ref?.();
    this.#keepsAlive = true;
    lock(board.words);
    startBatch(board, head);
    unlock(board.words);
    const wanted = board.wakes;
    board.wakes = 0;
    board.callsHost = false;
    if (wanted > 0) {
      if (large || this.#hasSeveralReady()) this.startWorkers();
      if (this.#pool.running) {
        // Small work is left for the blocking call that mostly follows; otherwise a worker that is polling takes it.
        if (large) board.wakes = Math.min(wanted, Math.max(1, this.#threads - 1));
        else if (!this.#helps || Atomics.load(board.words, L.LINGERING) === 0) board.wakes = 1;
        sendWakes(board);
      }
    }
    this.callEventLoop();
  }

  /**
   * True when more than one node wants threads. They may wait for each other, or one may take long: how long is unknown
   * before it has run.
   */
  #hasSeveralReady(): boolean {
    const { words } = this.#board;
    const first = words[L.READY_HEAD] as number;
    return first !== 0 && words[L.nodeBase(first) + L.NODE_NEXT] !== 0;
  }

  /** Starts the workers, when there may be any. */
  startWorkers(): void {
    if (this.#threads > 1) this.#pool.ensure(this.#threads + (this.#watches ? 1 : 0));
  }

  /** Runs host commands and retires what is complete; true when `until` holds then. */
  look(until: () => boolean): boolean {
    this.#drain();
    return until();
  }

  /**
   * The same with a slice of the work that no worker is there to do, so that a program that does nothing but poll comes
   * to an end.
   */
  poll(until: () => boolean): WaitOutcome {
    if (this.look(until)) return "done";
    this.#watch();
    const board = this.#board;
    const { words } = board;
    if (words[L.READY_HEAD] !== 0 && (this.#helps || this.#pool.size === 0) && !this.#pool.hasStarted) {
      const [outerUntil, outerLeaveAt, outerIsPoll] = [this.#until, this.#leaveAt, this.#isPoll];
      const end = board.clock() + POLL_NS;
      this.#until = until;
      this.#leaveAt = end;
      this.#isPoll = true;
      try {
        while (this.#runOne()) if (this.look(until) || board.clock() >= end) break;
      } finally {
        this.#until = outerUntil;
        this.#leaveAt = outerLeaveAt;
        this.#isPoll = outerIsPoll;
        this.#releasePermit();
      }
    }
    return this.look(until) ? "done" : "timeout";
  }

  /** Waits and helps until `until` holds, for at most `timeout` ns. */
  block(until: () => boolean, timeout: number): WaitOutcome {
    if (timeout <= POLL_NS) return this.poll(until);
    const board = this.#board;
    const { words } = board;
    const end = timeout === Infinity ? Infinity : board.clock() + timeout;
    const [outerUntil, outerLeaveAt, outerIsPoll] = [this.#until, this.#leaveAt, this.#isPoll];
    this.#until = until;
    this.#leaveAt = end;
    this.#isPoll = false;
    try {
      for (;;) {
        const seen = Atomics.load(words, L.HOST_WORD);
        this.#drain();
        if (until()) return "done";
        if (end !== Infinity && board.clock() >= end) return "timeout";
        const due = this.#watch();
        if ((this.#helps || this.#pool.size === 0) && this.#runOne()) continue;
        // Completed by this very thread: no need to read the clock.
        if (words[L.DONE_HEAD] !== 0 || words[L.HOST_HEAD] !== 0) continue;
        if (this.#isStuck()) return "stuck";
        this.#sleep(seen, Math.min(due, (end - board.clock()) / 1e6));
      }
    } finally {
      this.#until = outerUntil;
      this.#leaveAt = outerLeaveAt;
      this.#isPoll = outerIsPoll;
      this.#releasePermit();
    }
  }

  /** Nobody but the host thread writes its row, so waits that end without a permit need no lock. */
  #releasePermit(): void {
    const board = this.#board;
    const { words } = board;
    if (words[L.threadBase(L.HOST_THREAD) + L.THREAD_PERMIT] === 0) return;
    lock(words);
    releasePermit(board);
    unlock(words);
    sendWakes(board);
  }

  /** The same as a promise; the event loop does the work. */
  wait(until: () => boolean, timeout: number): Promise<WaitOutcome> {
    this.#drain();
    if (until()) return Promise.resolve("done");
    const deadline = timeout === Infinity ? Infinity : this.#board.clock() + timeout;
    return new Promise((resolve) => {
      this.#waiters.push({ until, deadline, resolve });
      this.callEventLoop();
      this.#setTimer();
    });
  }

  /** Cancels everything and ends the workers. */
  close(): void {
    this.#closed = true;
    this.#pool.close();
    clearInterval(this.#keepAlive);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#open.length = 0;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve("stuck");
  }

  /** Joins a node and runs it: false when there was none or no permit. */
  #runOne(): boolean {
    const board = this.#board;
    const { words } = board;
    if (words[L.READY_HEAD] === 0) return false;
    lock(words);
    const node = take(board);
    unlock(words);
    sendWakes(board);
    if (node === 0) return false;
    const next = words[L.READY_HEAD] as number;
    if (next !== 0 && next !== node && !this.#pool.running) this.startWorkers();
    this.#nodeStart = double(board, L.nodeBase(node) + L.NODE_START);
    this.#executor.code.obeyEvictions(board);
    execute(this.#executor, node);
    lock(words);
    leave(board, node);
    unlock(words);
    // What became ready is taken by this thread's next iteration; workers are woken for it only where they run already.
    if (board.wakes > 0) board.wakes = this.#pool.running ? Math.min(board.wakes - 1, this.#threads - 1) : 0;
    sendWakes(board);
    return true;
  }

  /** Called between claims. */
  #shouldLeave(node: number): boolean {
    const board = this.#board;
    const { words } = board;
    const elapsed = board.clock() - this.#nodeStart;
    if (elapsed > SLOW_NS && this.#threads > 1) {
      if (this.#pool.running) {
        const base = L.nodeBase(node);
        // What is not listed is this thread's alone.
        if (words[base + L.NODE_CLAIMERS] === 1 && words[base + L.NODE_LISTED] !== 0) {
          board.wakes = this.#threads - 1;
          sendWakes(board);
        }
      } else if (elapsed > START_NS) this.startWorkers();
    }
    if (words[L.DONE_HEAD] !== 0 || words[L.HOST_HEAD] !== 0) return true;
    if (Atomics.load(words, L.OVERDUE) > 0) return true;
    this.askSuccessors?.();
    if (board.clock() >= this.#leaveAt) return true;
    return this.#until?.() === true;
  }

  /** Runs host commands and retires complete batches. */
  #drain(): void {
    const board = this.#board;
    const { words } = board;
    this.#drained = Atomics.load(words, L.HOST_WORD);
    if (this.#open.length > 0) this.#askOpen();
    while (words[L.HOST_HEAD] !== 0 || words[L.DONE_HEAD] !== 0) {
      lock(words);
      const done = shift(board, L.DONE_HEAD, L.DONE_TAIL);
      const node = done === 0 ? shift(board, L.HOST_HEAD, L.HOST_TAIL) : 0;
      unlock(words);
      if (done !== 0) {
        if (--this.#pending === 0) {
          this.#hasLarge = false;
          // The next turn lets the process end: most often the program goes on at once with more.
          this.callEventLoop();
        }
        this.#commands.batchDone(done);
      }
      if (node !== 0) {
        const outcome = this.#commands.runHostNode(node);
        if (typeof outcome === "number") this.#completeHostNode(node, outcome);
        else {
          this.#open.push({ node, ask: outcome });
          this.#askOpen();
        }
      }
    }
    if (this.#waiters.length > 0) this.#answerWaiters();
  }

  #completeHostNode(node: number, error: number): void {
    const board = this.#board;
    lock(board.words);
    completeHostNode(board, node, error);
    unlock(board.words);
    if (!this.#pool.running) board.wakes = 0;
    sendWakes(board);
    // Without a blocking call, what became ready is for a turn of the event loop.
    if (this.#until === null && board.words[L.READY_HEAD] !== 0) this.callEventLoop();
  }

  /** Completes the host commands that went on elsewhere and are over: false when there are none. */
  #askOpen(): boolean {
    const open = this.#open;
    let isAny = false;
    for (let i = 0; i < open.length; i++) {
      const { node, ask } = open[i] as Open;
      const outcome = ask(this.#wake);
      if (outcome === null) continue;
      open.splice(i--, 1);
      isAny = true;
      this.#completeHostNode(node, outcome);
    }
    return isAny;
  }

  #answerWaiters(): void {
    const now = this.#board.clock();
    for (let i = 0; i < this.#waiters.length; i++) {
      const waiter = this.#waiters[i] as Waiter;
      const outcome: WaitOutcome | null = waiter.until() ? "done" : now >= waiter.deadline ? "timeout" : null;
      if (outcome === null) continue;
      this.#waiters.splice(i--, 1);
      waiter.resolve(outcome);
    }
  }

  /** Checks deadlines and workers that do not respond; returns the ms until the next check. */
  #watch(): number {
    const board = this.#board;
    const { words } = board;
    const look = this.askSuccessors?.() ?? Infinity;
    const earliest = Atomics.load(words, L.EARLIEST);
    if (earliest === L.NEVER && Atomics.load(words, L.OVERDUE) <= 0) return look;
    if (earliest <= milliseconds(board)) {
      lock(words);
      cancelExpired(board);
      unlock(words);
      sendWakes(board);
    }
    const due = this.#pool.reap() ?? Infinity;
    const next = Atomics.load(words, L.EARLIEST);
    return Math.min(look, due, next === L.NEVER ? Infinity : Math.max(0, next - board.clock() / 1e6) + 0.5);
  }

  #sleep(seen: number, timeout: number): void {
    const { words, shared } = this.#board;
    if (!shared) return;
    const asks = this.#open.length > 0;
    for (let i = 0; i < SPINS; i++) {
      if (Atomics.load(words, L.HOST_WORD) !== seen) return;
      if (asks && i % LOOKS_PER_QUESTION === 0 && this.#askOpen()) return;
    }
    // Where a thread must not sleep it keeps polling.
    if (!mayBlock()) return;
    Atomics.store(words, L.HOST_SLEEPS, 1);
    Atomics.wait(words, L.HOST_WORD, seen, Math.max(0, asks ? Math.min(timeout, QUESTION_MS) : timeout));
    Atomics.store(words, L.HOST_SLEEPS, 0);
  }

  /** Nothing runs, nothing is ready, yet batches are pending: they wait for semaphores that no dispatch will signal. */
  #isStuck(): boolean {
    const { words } = this.#board;
    lock(words);
    let busy =
      this.#open.length > 0 || words[L.READY_HEAD] !== 0 || words[L.HOST_HEAD] !== 0 || words[L.DONE_HEAD] !== 0;
    for (let thread = 1; !busy && thread <= this.#pool.slots; thread++)
      busy = words[L.threadBase(thread) + L.THREAD_CURRENT] !== 0;
    unlock(words);
    return !busy;
  }

  /** Looks at what is ready and complete in a turn of the event loop. */
  callEventLoop(): void {
    if (this.#immediate || this.#closed) return;
    this.#immediate = true;
    soon(() => {
      this.#immediate = false;
      this.#progress();
    });
  }

  /** A turn of the event loop. */
  #progress(): void {
    if (this.#closed) return;
    const board = this.#board;
    this.#drain();
    const due = this.#watch();
    if (board.words[L.READY_HEAD] !== 0) {
      const hasWorkers = this.#pool.running && this.#pool.size > 0;
      // Waking a worker, and being woken by it, takes longer than a small launch.
      const isSmall = this.#helps && !this.#hasLarge;
      if (hasWorkers && !isSmall) {
        // The host thread has returned to its event loop, so all permits are for workers.
        board.wakes = this.#threads;
        sendWakes(board);
      } else {
        this.#leaveAt = board.clock() + (hasWorkers ? SLOW_NS : SLICE_NS);
        while (board.clock() < this.#leaveAt && this.#runOne()) this.#drain();
        this.#leaveAt = Infinity;
        this.#releasePermit();
        if (board.words[L.READY_HEAD] !== 0) {
          // It was not small.
          this.#hasLarge ||= hasWorkers;
          this.callEventLoop();
        }
        this.#drain();
      }
    }
    // Completed by this very thread, which ended a worker: no other thread notifies.
    if (board.words[L.DONE_HEAD] !== 0 || board.words[L.HOST_HEAD] !== 0) this.callEventLoop();
    if (this.#pending === 0 && this.#keepsAlive) {
      this.#keepsAlive = false;
      this.#keepAlive.unref?.();
    }
    this.#setTimer(this.#open.length > 0 ? Math.min(due, POLL_MS) : due);
    this.#arm();
  }

  /** Subscribes to notifications of workers for the host thread. */
  #arm(): void {
    if (this.#armed || this.#closed || (this.#pending === 0 && this.#waiters.length === 0)) return;
    const { words, shared } = this.#board;
    if (!shared) return;
    if (typeof Atomics.waitAsync !== "function") {
      this.#armed = true;
      setTimeout(() => {
        this.#armed = false;
        this.#progress();
      }, POLL_MS);
      return;
    }
    const wait = Atomics.waitAsync(words, L.HOST_WORD, this.#drained);
    if (!wait.async) {
      this.callEventLoop();
      return;
    }
    this.#armed = true;
    void wait.value.then(() => {
      this.#armed = false;
      this.#progress();
    });
  }

  /** A timer for the next deadline or time limit of a waiter. */
  #setTimer(due: number = Infinity): void {
    let next = due;
    const now = this.#board.clock();
    for (const waiter of this.#waiters) next = Math.min(next, (waiter.deadline - now) / 1e6);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (next === Infinity) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#progress();
      },
      Math.min(Math.max(1, Math.ceil(next)), L.NEVER),
    );
    // Pending batches keep the process alive by themselves; a deadline of what is complete must not.
    if (this.#waiters.length === 0) this.#timer.unref?.();
  }
}
