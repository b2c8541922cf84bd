// SPDX-License-Identifier: Apache-2.0
// The worker threads of a device. Each has a slot of the control block's thread table for as long as the device is
// open.
//
// Life of a worker: `ensure` starts it when a launch is large enough. When its node is cancelled it has ANSWER_MS to
// leave generated code; after that the watchdog (`reap`) dooms it, which only succeeds inside generated code, and
// terminates it. A terminated thread may run, and write, until it is next scheduled, so its slot is vacated, and its
// node completed, only when the thread is known to have ended (`#bury`). Then another worker starts in the slot. A
// worker that is in native code gets a signal instead, until it has left. A
// worker that cannot start, ends repeatedly or never ends leaves its slot empty, and the other threads do its work.
import type { Board } from "./board.ts";
import { milliseconds, sendWakes } from "./board.ts";
import type { ClockEpoch } from "./clock.ts";
import * as L from "./control-layout.ts";
import type { HostEnvironment, WorkerHandle } from "./environment.ts";
import { lock, unlock } from "./lock.ts";
import type { NativeDevice } from "./native-device.ts";
import { abandon, doom } from "./scheduler.ts";
import type { WasmMemory } from "./web-assembly.ts";

/**
 * An ended worker's thread that still runs after this time is not waited for any more: its node completes, and its slot
 * stays empty.
 */
const END_MS = 5000;
/** The same where the environment cannot determine whether a thread still runs. */
const UNSEEN_END_MS = 100;
/** Workers of one slot that may end by themselves before the slot stays empty. */
const MAX_LOSSES = 3;
/** A worker that could not start is tried again after this time: what refused it may be over. */
const RETRY_MS = 1000;

/** What each worker receives from the pool. */
export interface PoolSettings {
  readonly environment: HostEnvironment;
  readonly board: Board;
  readonly control: ArrayBufferLike;
  readonly code: ArrayBufferLike;
  readonly memory: WasmMemory;
  readonly threads: number;
  readonly epoch: ClockEpoch;
  readonly ranges: ArrayBufferLike | null;
  readonly workerUrl: URL | null;
  /** The file by which workers call native code; null: they never do. */
  readonly nativeFile: () => string | null;
  /** Native code of the device; null: there was none so far. */
  readonly native: () => NativeDevice | null;
}

/** The pool. Thread 0 is the host thread, so workers are 1 to n. */
export class WorkerPool {
  readonly #settings: PoolSettings;
  readonly #workers: (WorkerHandle | null)[] = [null];
  readonly #arrays = new Map<number, SharedArrayBuffer>();
  readonly #losses: number[] = [];
  /** When workers were ended whose threads may still run, in ms since the device was opened. */
  readonly #ending = new Map<number, number>();
  #closed = false;
  /** When slots whose workers could not start are retried; Infinity: there are none. */
  #retryAt = Infinity;
  /** Workers that were ended because they did not answer. */
  terminated = 0;
  /** Why the last worker that could not start did not; null when all could. */
  failure: string | null = null;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  /** True when workers were started. */
  get running(): boolean {
    return this.#workers.length > 1;
  }

  /** The last thread that ever was a worker; 0 before there was one. */
  get slots(): number {
    return this.#workers.length - 1;
  }

  /** Workers that were started and not abandoned. */
  get size(): number {
    let count = 0;
    for (const worker of this.#workers) if (worker !== null) count++;
    return count;
  }

  /** True when a worker looks for work. */
  get hasStarted(): boolean {
    const { words } = this.#settings.board;
    for (let thread = 1; thread < this.#workers.length; thread++) {
      const state = Atomics.load(words, L.threadBase(thread) + L.THREAD_STATE);
      if (state === L.THREAD_IDLE || state === L.THREAD_BUSY || state === L.THREAD_IN_CALL) return true;
      if (state === L.THREAD_IN_NATIVE) return true;
    }
    return false;
  }

  /** Makes sure that there are `count` workers. One that cannot start is no error: the host thread does its work. */
  ensure(count: number): void {
    if (this.#closed || !this.#settings.board.shared) return;
    if (this.#retryAt !== Infinity && milliseconds(this.#settings.board) >= this.#retryAt) this.#retry();
    for (let thread = this.#workers.length; thread <= Math.min(count, L.MAX_THREADS - 1); thread++) this.#start(thread);
  }

  /** Starts those again that could not start. */
  #retry(): void {
    this.#retryAt = Infinity;
    this.failure = null;
    for (let thread = 1; thread < this.#workers.length; thread++)
      if (this.#workers[thread] === null && (this.#losses[thread] ?? 0) < MAX_LOSSES) this.#start(thread);
  }

  /** Resolves when all workers are up that can be; `known` are those that have been waited for. */
  async started(known: ReadonlySet<WorkerHandle | null> = new Set([null])): Promise<void> {
    const more = this.#workers.filter((worker) => !known.has(worker));
    if (more.length === 0) return;
    await Promise.all(more.map(async (worker) => worker?.started));
    // One that was lost meanwhile has been replaced by another.
    await this.started(new Set([...known, ...more]));
  }

  /** Sends a shared array to all workers. */
  sendArray(id: number, array: SharedArrayBuffer): void {
    this.#arrays.set(id, array);
    for (const worker of this.#workers) worker?.sendArray?.(id, array);
  }

  /** Makes the workers forget one. */
  forgetArray(id: number): void {
    this.#arrays.delete(id);
    for (const worker of this.#workers) worker?.sendArray?.(id, null);
  }

  /**
   * Terminates workers that were cancelled and did not leave their node; returns the ms until the next one is due, or
   * null.
   */
  reap(): number | null {
    const { board } = this.#settings;
    const { words } = board;
    if (Atomics.load(words, L.OVERDUE) <= 0) return null;
    const now = milliseconds(board);
    let due: number | null = null;
    for (let thread = 1; thread < this.#workers.length; thread++) {
      if (this.#ending.has(thread)) {
        if (!this.#bury(thread)) due = L.LOOK_MS;
        continue;
      }
      const node = Atomics.load(words, L.threadBase(thread) + L.THREAD_CURRENT);
      if (node === 0) continue;
      const base = L.nodeBase(node);
      if (Atomics.load(words, base + L.NODE_CANCELLED) === 0) continue;
      const left = (words[base + L.NODE_CANCEL_TIME] as number) + L.ANSWER_MS - now;
      if (left > 0) {
        due = Math.min(due ?? Infinity, left);
        continue;
      }
      due = Math.min(due ?? Infinity, L.LOOK_MS);
      this.#settings.native()?.calls.kick(thread);
      lock(words);
      const isDoomed = doom(board, thread, node);
      unlock(words);
      if (!isDoomed) continue;
      this.terminated++;
      this.#ending.set(thread, now);
      this.#workers[thread]?.terminate();
    }
    return due;
  }

  /** Replaces a worker whose thread has ended, whose node completes now; false while it still runs. */
  #bury(thread: number): boolean {
    const { board } = this.#settings;
    const isGone = this.#workers[thread]?.isGone;
    const waited = milliseconds(board) - (this.#ending.get(thread) ?? 0);
    const hasEnded = isGone === undefined ? waited >= UNSEEN_END_MS : isGone();
    if (!hasEnded && waited < END_MS) return false;
    this.#ending.delete(thread);
    if (!hasEnded) {
      this.#losses[thread] = MAX_LOSSES;
      this.failure = `a worker has not ended ${END_MS} ms after it was terminated`;
    }
    this.#vacate(thread);
    if (hasEnded) this.#start(thread);
    return true;
  }

  /** Vacates a worker's slot; what it ran completes, as failed. */
  #vacate(thread: number): void {
    const { board } = this.#settings;
    this.#workers[thread] = null;
    lock(board.words);
    abandon(board, thread);
    unlock(board.words);
    sendWakes(board);
  }

  /** Makes workers leave native code, for good. */
  stopNative(): void {
    this.#settings.native()?.stop(this.slots);
  }

  /** Ends all workers. */
  close(): void {
    this.#closed = true;
    this.stopNative();
    const { words } = this.#settings.board;
    Atomics.store(words, L.SHUTDOWN, 1);
    Atomics.add(words, L.WAKE, 1);
    Atomics.notify(words, L.WAKE);
    for (const worker of this.#workers) worker?.terminate();
    this.#workers.length = 1;
  }

  #start(thread: number): void {
    const { environment, board, control, code, memory, threads, epoch, ranges, workerUrl } = this.#settings;
    Atomics.store(board.words, L.threadBase(thread) + L.THREAD_STATE, L.THREAD_STARTING);
    let worker: WorkerHandle | null = null;
    try {
      if (environment.refuses?.("worker") === true) throw new RangeError("no worker can be started");
      worker = environment.startWorker(
        workerUrl,
        {
          control: control as SharedArrayBuffer,
          code: code as SharedArrayBuffer,
          memory,
          thread,
          threads,
          epoch,
          ranges: ranges as SharedArrayBuffer | null,
          native: this.#settings.nativeFile(),
        },
        (error) => {
          this.#lose(thread, error);
        },
      );
      this.#workers[thread] = worker;
      for (const [id, array] of this.#arrays) worker.sendArray?.(id, array);
    } catch (error) {
      worker?.terminate();
      this.#workers[thread] = null;
      this.failure = error instanceof Error ? error.message : String(error);
      this.#retryAt = Math.min(this.#retryAt, milliseconds(board) + RETRY_MS);
      Atomics.store(board.words, L.threadBase(thread) + L.THREAD_STATE, L.THREAD_ABSENT);
    }
  }

  /** A worker ended by itself: what it ran has failed, and another one replaces it unless that happens repeatedly. */
  #lose(thread: number, error: Error | null): void {
    if (this.#closed) return;
    const { board } = this.#settings;
    this.failure = error === null ? "a worker ended" : error.message;
    this.#vacate(thread);
    const losses = (this.#losses[thread] ?? 0) + 1;
    this.#losses[thread] = losses;
    if (losses < MAX_LOSSES) this.#start(thread);
    // The host thread left its work to workers, and waits in its event loop: where none is left it does that work now.
    Atomics.add(board.words, L.HOST_WORD, 1);
    Atomics.notify(board.words, L.HOST_WORD);
  }
}
