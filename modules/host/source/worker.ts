// SPDX-License-Identifier: Apache-2.0
// A worker thread: takes nodes from the control block, runs them, and parks. It has no event loop of its own.
// Before it sleeps it polls for about as long as a sleep and a wake-up cost, since small work is often followed by
// more.
import type { MessagePort } from "node:worker_threads";

import { type Board, createBoard, sendWakes } from "./board.ts";
import { createClock } from "./clock.ts";
import { CodeCache } from "./code-cache.ts";
import * as L from "./control-layout.ts";
import { type Executor, execute } from "./execute.ts";
import { lock, unlock } from "./lock.ts";
import { MemoryViews } from "./memory-views.ts";
import { cancelExpired, leave, releasePermit, take } from "./scheduler.ts";
import { SUCCESSION, openNativeCalls, untilHostKick } from "#native-thread";
import { NODE } from "#system";
import type { WorkerSettings } from "./worker-settings.ts";

/** What a worker gets at its start. */
interface WorkerStart extends WorkerSettings {
  /** Brings the shared arrays of transfers. */
  readonly arrays: MessagePort;
}

/** A worker polls this often for a while after work, so that small launches need no wake-up. */
const LINGER_POLL_MS = 1;
const LINGER_MS = 20;
/** Looks at the wake word before parking: a park and its wake-up cost as much as this many loads. */
const SPINS = 5000;

/** What a page's worker has in addition to Node's. */
interface WorkerScope {
  postMessage(message: "up"): void;
  addEventListener(
    type: "message",
    listener: (event: { readonly data: WorkerSettings }) => void,
    options: { readonly once: true },
  ): void;
}

if (NODE === null) {
  const scope = globalThis as unknown as WorkerScope;
  scope.addEventListener(
    "message",
    ({ data }) => {
      // The last message: from here on this thread has no turns of an event loop. Workers have no origin to aim at.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      scope.postMessage("up");
      run(data, () => null);
    },
    { once: true },
  );
} else {
  const { receiveMessageOnPort, workerData } = NODE.getBuiltinModule("node:worker_threads");
  const start = workerData as WorkerStart;
  run(
    start,
    createArrays(() => receiveMessageOnPort(start.arrays)?.message as ArrayMessage | undefined),
  );
}

function run(start: WorkerSettings, arrays: Executor["arrays"]): void {
  const clock = createClock(start.epoch);
  const board = createBoard(start.control, start.thread, clock, new MemoryViews(start.memory), start.ranges);
  const { words } = board;
  const row = L.threadBase(start.thread);
  const native = openNativeCalls(start.native, board);
  const executor: Executor = {
    board,
    threads: start.threads,
    shouldLeave: null,
    claimsLeast: null,
    succession: SUCCESSION,
    arrays,
    code: new CodeCache(
      start.memory,
      start.code,
      () => (isExpired(board, row) ? 1 : 0),
      null,
      null,
      (record) => native()?.functions(record) ?? null,
    ),
  };
  Atomics.store(words, row + L.THREAD_STATE, L.THREAD_IDLE);
  let lastCall = -Infinity;
  for (;;) {
    const seen = Atomics.load(words, L.WAKE);
    if (Atomics.load(words, L.SHUTDOWN) !== 0) break;
    executor.code.obeyEvictions(board);
    if (work(executor)) {
      lastCall = clock();
      if (spin(words, seen, start.threads)) continue;
    }
    // A worker that was woken in vain lingers too: more small work often follows, and a wake-up costs more than
    // polling.
    if (park(board, native, seen, clock() - lastCall < LINGER_MS * 1e6)) lastCall = clock();
  }
  lock(words);
  releasePermit(board);
  words[row + L.THREAD_STATE] = L.THREAD_ABSENT;
  unlock(words);
}

/** Runs nodes until there is none for this thread: true when there was one. */
function work(executor: Executor): boolean {
  const { board } = executor;
  const { words } = board;
  lock(words);
  let node = take(board);
  const found = node !== 0;
  // A polling worker sees two calls in short order as one: it wakes another worker for the second.
  const head = words[L.READY_HEAD] as number;
  if (found && head !== 0 && head !== node) board.wakes++;
  unlock(words);
  sendWakes(board);
  while (node !== 0) {
    execute(executor, node);
    lock(words);
    leave(board, node);
    node = take(board);
    // One of the threads that new work wants is this one.
    if (node !== 0 && board.wakes > 0) board.wakes--;
    unlock(words);
    sendWakes(board);
  }
  return found;
}

/** Polls for calls; true when there was one. Leaves one core to the host thread. */
function spin(words: Int32Array, seen: number, threads: number): boolean {
  const others = Atomics.add(words, L.SPINNING, 1);
  let called = false;
  if (others < threads - 1) for (let i = 0; i < SPINS && !called; i++) called = Atomics.load(words, L.WAKE) !== seen;
  Atomics.sub(words, L.SPINNING, 1);
  return called;
}

/**
 * Sleeps until a call, or until the next deadline: a parked worker is the device's watchdog. True when it was woken.
 * The host thread, which ends other threads, is sent a signal where it is in native code itself.
 */
function park(board: Board, native: ReturnType<typeof openNativeCalls>, seen: number, lingers: boolean): boolean {
  const { words } = board;
  const earliest = Atomics.load(words, L.EARLIEST);
  const untilDeadline = earliest === L.NEVER ? Infinity : Math.max(0, earliest - board.clock() / 1e6) + 0.5;
  Atomics.add(words, L.PARKED, 1);
  if (lingers) Atomics.add(words, L.LINGERING, 1);
  const untilKick = hostDue(board);
  const answer = Atomics.wait(
    words,
    L.WAKE,
    seen,
    Math.min(untilDeadline, untilKick, lingers ? LINGER_POLL_MS : Infinity),
  );
  if (lingers) Atomics.sub(words, L.LINGERING, 1);
  Atomics.sub(words, L.PARKED, 1);
  if (Atomics.load(words, L.EARLIEST) <= board.clock() / 1e6) {
    lock(words);
    cancelExpired(board);
    unlock(words);
    sendWakes(board);
  }
  if (hostDue(board) === L.LOOK_MS) native()?.kick(L.HOST_THREAD);
  return answer === "ok";
}

/** See {@link untilHostKick}; without it nothing is overdue. */
function hostDue(board: Board): number {
  return Atomics.load(board.words, L.OVERDUE) <= 0 ? Infinity : untilHostKick(board);
}

/** Answers `env.clock`: the kernel leaves when its deadline has passed or it was cancelled. */
function isExpired(board: Board, row: number): boolean {
  const node = Atomics.load(board.words, row + L.THREAD_CURRENT);
  const base = L.nodeBase(node);
  if (Atomics.load(board.words, base + L.NODE_CANCELLED) !== 0) return true;
  const limit = Atomics.load(board.words, base + L.NODE_LIMIT);
  return limit > 0 && board.clock() / 1e6 >= Atomics.load(board.words, base + L.NODE_DEADLINE);
}

interface ArrayMessage {
  readonly id: number;
  /** Null: the array is not needed any more. */
  readonly array: SharedArrayBuffer | null;
}

/** Shared arrays by id; an unknown id looks through the messages that have come, which needs no event loop. */
function createArrays(next: () => ArrayMessage | undefined): Executor["arrays"] {
  const arrays = new Map<number, Uint8Array>();
  return (id) => {
    if (!arrays.has(id)) {
      for (let message = next(); message !== undefined; message = next()) {
        const { id: arrayId, array } = message;
        if (array === null) arrays.delete(arrayId);
        else arrays.set(arrayId, new Uint8Array(array));
      }
    }
    return arrays.get(id) ?? null;
  };
}
