// SPDX-License-Identifier: Apache-2.0
// The one place where a command becomes ready and the one where it completes. Every function here is called under the lock.
import { CANCEL_CHECK_CLOCK, CANCEL_COUNTDOWN, CANCEL_LEAVE, CANCEL_NONE, WORKER } from "@muxkit/kernel-abi";

import { type Board, double, milliseconds, setDouble, unclaimed } from "./board.ts";
import * as L from "./control-layout.ts";
import { beginQueries, endQueries, resetQueries } from "./queries.ts";

/** Calls for workers that one record asks for. */
const MOST_WAKES = 1024;

/** Sets a batch in motion: its head waits for `pending` semaphores. */
export function startBatch(board: Board, head: number): void {
  const base = L.recordBase(head);
  board.words[base + L.R_STATE] = L.STATE_WAITING;
  if (board.words[base + L.R_PENDING] === 0) makeReady(board, head);
  settle(board);
}

/** Joins the first record that wants threads: gives it, or 0. A thread without a permit takes one or gets nothing. */
export function take(board: Board): number {
  const { words } = board;
  const row = L.threadBase(board.thread);
  let record = words[L.READY_HEAD] as number;
  while (record !== 0) {
    const next = words[L.recordBase(record) + L.R_NEXT] as number;
    if (unclaimed(board, record) <= 0) {
      unlist(board, record);
      record = next;
      continue;
    }
    if (!hasRoom(board, record)) {
      record = next;
      continue;
    }
    if (words[row + L.T_PERMIT] === 0) {
      if ((words[L.PERMITS] as number) <= 0) return 0;
      words[L.PERMITS] = (words[L.PERMITS] as number) - 1;
      words[row + L.T_PERMIT] = 1;
    }
    join(board, record, row);
    return record;
  }
  releasePermit(board);
  return 0;
}

/** True unless the part of the device that the record runs on has all its threads at work. */
function hasRoom({ words }: Board, record: number): boolean {
  const part = words[L.recordBase(record) + L.R_PART] as number;
  return part === 0 || (words[L.PARTS + part] as number) > 0;
}

/** One thread more, or less, may join records of the part that a record runs on. */
function countPart({ words }: Board, base: number, change: 1 | -1): void {
  const part = words[base + L.R_PART] as number;
  if (part !== 0) words[L.PARTS + part] = (words[L.PARTS + part] as number) + change;
}

/** Gives a permit back, when the thread holds one. */
export function releasePermit(board: Board): void {
  const { words } = board;
  const row = L.threadBase(board.thread);
  if (words[row + L.T_PERMIT] === 0) return;
  words[row + L.T_PERMIT] = 0;
  words[L.PERMITS] = (words[L.PERMITS] as number) + 1;
  if (words[L.READY_HEAD] !== 0) board.wakes++;
}

function join(board: Board, record: number, row: number): void {
  const { words } = board;
  const base = L.recordBase(record);
  words[base + L.R_CLAIMERS] = (words[base + L.R_CLAIMERS] as number) + 1;
  countPart(board, base, -1);
  words[row + L.T_CURRENT] = record;
  words[row + L.T_RECORDS] = (words[row + L.T_RECORDS] as number) + 1;
  words[row + L.T_STATE] = L.THREAD_BUSY;
  if (words[base + L.R_STARTED] === 0) {
    words[base + L.R_STARTED] = 1;
    const now = board.clock();
    setDouble(board, base + L.R_START, now);
    const limit = words[base + L.R_LIMIT] as number;
    if (limit > 0) {
      const deadline = Math.min(L.NEVER - 1, Math.floor(now / 1e6) + limit);
      words[base + L.R_DEADLINE] = deadline;
      if (deadline < (words[L.EARLIEST] as number)) {
        words[L.EARLIEST] = deadline;
        board.callsHost = true;
      }
    }
  }
  // Somebody who is parked without a time has to park again with one; every join asks, since the one who was woken may join too.
  if ((words[base + L.R_LIMIT] as number) > 0) board.wakes++;
  if (double(board, base + L.R_TOTAL) === 1) {
    unlist(board, record);
  } else if (words[base + L.R_NEXT] !== 0) {
    // To the end of the list, so that the next thread helps another queue.
    unlist(board, record);
    enlist(board, record);
  }
  resetCancelWord(board, record, row);
}

/** The cancel word is written under the lock by its owner and by who cancels, so a cancellation never meets the next record. */
function resetCancelWord(board: Board, record: number, row: number): void {
  const block = (board.words[row + L.T_BLOCK] as number) >>> 0;
  const base = L.recordBase(record);
  const limited = (board.words[base + L.R_LIMIT] as number) > 0;
  // The host thread may be the only one there is, so it asks the clock itself.
  const mode = limited && board.thread === L.HOST_THREAD ? CANCEL_CHECK_CLOCK : CANCEL_NONE;
  Atomics.store(board.memory.words, (block + WORKER.cancelWord) >>> 2, mode);
  board.memory.words[(block + WORKER.countdown) >>> 2] = CANCEL_COUNTDOWN;
  board.memory.words[(block + WORKER.faultKind) >>> 2] = 0;
}

/** Leaves the record that the thread works on; the last one to leave a used-up or cancelled record completes it. */
export function leave(board: Board, record: number): void {
  const { words } = board;
  const base = L.recordBase(record);
  const row = L.threadBase(board.thread);
  words[row + L.T_CURRENT] = 0;
  words[row + L.T_STATE] = L.THREAD_IDLE;
  dropClaimer(board, record, base);
  settle(board);
}

/** Takes one thread off a record. */
export function dropClaimer(board: Board, record: number, base: number): void {
  const { words } = board;
  const claimers = (words[base + L.R_CLAIMERS] as number) - 1;
  words[base + L.R_CLAIMERS] = claimers;
  countPart(board, base, 1);
  // Others may have looked past a record of this part.
  if (words[base + L.R_PART] !== 0 && words[L.READY_HEAD] !== 0) board.wakes++;
  const cancelled = words[base + L.R_CANCELLED] !== 0;
  if (claimers === 0) {
    if (cancelled && words[base + L.R_CANCEL_TIME] !== 0) words[L.OVERDUE] = (words[L.OVERDUE] as number) - 1;
    if (cancelled || (unclaimed(board, record) <= 0 && !shareNext(board, base))) {
      if (words[base + L.R_LISTED] !== 0) unlist(board, record);
      finish(board, record);
    } else {
      // The host thread left early: the rest is for others. A record of one unit was taken off the list when it was joined.
      if (words[base + L.R_LISTED] === 0) enlist(board, record);
      board.wakes += Math.min(MOST_WAKES, double(board, base + L.R_TOTAL));
    }
  }
}

/** Goes on to the next launch of a sequence whose launches are shared out: false when there is none. */
function shareNext(board: Board, base: number): boolean {
  const { words } = board;
  if (words[base + L.R_KIND] !== L.KIND_SEQUENCE || words[base + L.S_SHARED] === 0) return false;
  const place = (words[base + L.S_NEXT] as number) + 1;
  if (place >= (words[base + L.S_COUNT] as number)) return false;
  shareLaunch(board, base, place);
  return true;
}

/** From now on the launches of a sequence are shared out, this one first. For the only thread that works on it, or under the lock. */
export function shareLaunch(board: Board, base: number, place: number): void {
  const { words } = board;
  L.loadLaunch(words, base, place);
  words[base + L.S_SHARED] = 1;
  words[base + L.R_CLAIM] = 0;
  setDouble(
    board,
    base + L.R_TOTAL,
    double(board, L.launchBase(words[L.EDGES + (words[base + L.S_LAUNCHES] as number) + place] as number) + L.P_TOTAL),
  );
}

/** Notes the first failure of a record and makes every thread leave it. */
export function cancel(board: Board, record: number, error: number): void {
  const { words } = board;
  const base = L.recordBase(record);
  if (words[base + L.R_STATE] !== L.STATE_READY) return;
  if (words[base + L.R_ERROR] === 0) {
    words[base + L.R_ERROR] = error;
    words[base + L.R_ORIGIN] = record;
  }
  if (words[base + L.R_CANCELLED] !== 0) return;
  Atomics.store(words, base + L.R_CANCELLED, 1);
  if (words[base + L.R_LISTED] !== 0) unlist(board, record);
  if (words[base + L.R_CLAIMERS] === 0) {
    finish(board, record);
    settle(board);
    return;
  }
  words[base + L.R_CANCEL_TIME] = Math.max(1, milliseconds(board));
  words[L.OVERDUE] = (words[L.OVERDUE] as number) + 1;
  for (let thread = 0; thread < L.MAX_THREADS; thread++) {
    const row = L.threadBase(thread);
    if (words[row + L.T_CURRENT] !== record) continue;
    const block = (words[row + L.T_BLOCK] as number) >>> 0;
    Atomics.store(board.memory.words, (block + WORKER.cancelWord) >>> 2, CANCEL_LEAVE);
  }
  // Only the host thread can end a worker that does not answer, and it has to look at the clock for that.
  board.callsHost = true;
}

/**
 * Gives up a worker that is inside generated code for a cancelled record: false when it is elsewhere by now, so that it must not be terminated.
 * The record stays the worker's until {@link abandon}: what is terminated still runs, and writes, until its thread has ended.
 */
export function doom({ words }: Board, thread: number, record: number): boolean {
  const row = L.threadBase(thread);
  if (words[row + L.T_CURRENT] !== record || words[L.recordBase(record) + L.R_CANCELLED] === 0) return false;
  return Atomics.compareExchange(words, row + L.T_STATE, L.THREAD_IN_CALL, L.THREAD_DOOMED) === L.THREAD_IN_CALL;
}

/** Takes a worker whose thread has ended off its record, which fails. */
export function abandon(board: Board, thread: number): void {
  const { words } = board;
  const row = L.threadBase(thread);
  words[row + L.T_STATE] = L.THREAD_ABSENT;
  if (words[row + L.T_PERMIT] !== 0) {
    words[row + L.T_PERMIT] = 0;
    words[L.PERMITS] = (words[L.PERMITS] as number) + 1;
  }
  const record = words[row + L.T_CURRENT] as number;
  words[row + L.T_CURRENT] = 0;
  if (record !== 0) {
    cancel(board, record, L.ERROR_WORKER);
    dropClaimer(board, record, L.recordBase(record));
    settle(board);
  }
  if (words[L.READY_HEAD] !== 0) board.wakes++;
}

/** Cancels what has passed its deadline, and finds the next deadline. */
export function cancelExpired(board: Board): void {
  const { words } = board;
  const now = milliseconds(board);
  if ((words[L.EARLIEST] as number) > now) return;
  words[L.EARLIEST] = L.NEVER;
  for (let thread = 0; thread < L.MAX_THREADS; thread++) {
    const record = words[L.threadBase(thread) + L.T_CURRENT] as number;
    if (record === 0) continue;
    const base = L.recordBase(record);
    if ((words[base + L.R_LIMIT] as number) === 0 || words[base + L.R_CANCELLED] !== 0) continue;
    const deadline = words[base + L.R_DEADLINE] as number;
    if (deadline <= now) cancel(board, record, L.ERROR_DEADLINE);
    else if (deadline < words[L.EARLIEST]) words[L.EARLIEST] = deadline;
  }
  settle(board);
}

/** Completes a record that ran on the host thread. */
export function completeHostRecord(board: Board, record: number, error: number): void {
  const base = L.recordBase(record);
  if (error !== 0) {
    board.words[base + L.R_ERROR] = error;
    board.words[base + L.R_ORIGIN] = record;
  }
  if (board.words[base + L.R_KIND] === L.KIND_TAIL) finishBatch(board, record);
  else finish(board, record);
  settle(board);
}

function finish(board: Board, record: number): void {
  const base = L.recordBase(record);
  if (board.words[base + L.R_STARTED] !== 0) setDouble(board, base + L.R_END, board.clock());
  board.completed.push(record);
}

/** Tells successors, until nothing more becomes complete: a list instead of recursion, since chains are long. */
function settle(board: Board): void {
  const { words, completed } = board;
  for (let record = completed.pop(); record !== undefined; record = completed.pop()) {
    const base = L.recordBase(record);
    words[base + L.R_STATE] = L.STATE_DONE;
    const count = words[base + L.R_SUCCESSOR_COUNT] as number;
    const list =
      count <= L.INLINE_SUCCESSORS ? base + L.R_SUCCESSORS : L.EDGES + (words[base + L.R_SUCCESSORS] as number);
    for (let i = 0; i < count; i++)
      release(board, words[list + i] as number, record, words[base + L.R_ERROR] as number);
  }
}

/** One thing less that a record waits for. */
function release(board: Board, record: number, from: number, error: number): void {
  const { words } = board;
  const base = L.recordBase(record);
  if (error !== 0 && words[base + L.R_ERROR] === 0) {
    words[base + L.R_ERROR] = error;
    words[base + L.R_ORIGIN] = from === 0 ? 0 : (words[L.recordBase(from) + L.R_ORIGIN] as number);
  }
  const pending = (words[base + L.R_PENDING] as number) - 1;
  words[base + L.R_PENDING] = pending;
  if (pending === 0) makeReady(board, record);
}

/** A record waits for nothing any more: it completes at once, or goes to the list of those who can run it. */
function makeReady(board: Board, record: number): void {
  const { words } = board;
  const base = L.recordBase(record);
  const kind = words[base + L.R_KIND] as number;
  words[base + L.R_STATE] = L.STATE_READY;
  if (kind === L.KIND_TAIL) {
    if (words[base + L.E_CALLBACK] === 0) finishBatch(board, record);
    else callHost(board, record);
    return;
  }
  if (words[base + L.R_ERROR] !== 0 || kind === L.KIND_HEAD) {
    board.completed.push(record);
    return;
  }
  const instant = INSTANT[kind];
  if (instant !== undefined) {
    instant(board, base);
    board.completed.push(record);
    return;
  }
  if (kind === L.KIND_HOST) {
    callHost(board, record);
    return;
  }
  const units = double(board, base + L.R_TOTAL);
  if (units === 0) {
    board.completed.push(record);
    return;
  }
  enlist(board, record);
  board.wakes += Math.min(MOST_WAKES, units);
  if (words[L.HOST_SLEEPS] !== 0) board.callsHost = true;
}

/** Kinds that are done by whoever makes them ready. */
const INSTANT: Readonly<Record<number, (board: Board, base: number) => void>> = {
  [L.KIND_QUERY_BEGIN]: beginQueries,
  [L.KIND_QUERY_END]: endQueries,
  [L.KIND_QUERY_RESET]: resetQueries,
};

function callHost(board: Board, record: number): void {
  append(board, record, L.HOST_HEAD, L.HOST_TAIL);
  board.callsHost = true;
}

/** The order is: commands, callback, semaphores, fence, and then the host thread's own books. */
function finishBatch(board: Board, tail: number): void {
  const { words } = board;
  const base = L.recordBase(tail);
  const error = words[base + L.R_ERROR] as number;
  const count = words[base + L.E_SEMAPHORES] as number;
  for (let i = 0; i < count; i++) {
    signal(
      board,
      words[L.EDGES + (words[base + L.E_SEMAPHORE_EDGE] as number) + i] as number,
      error === 0 ? 0 : L.ERROR_DEPENDENCY,
    );
  }
  words[base + L.R_STATE] = L.STATE_DONE;
  const fence = words[base + L.E_FENCE] as number;
  if (fence !== 0) Atomics.store(words, L.FENCES + fence, error === 0 ? L.FENCE_DONE : L.FENCE_FAILED);
  append(board, tail, L.DONE_HEAD, L.DONE_TAIL);
  board.callsHost = true;
}

function signal(board: Board, semaphore: number, error: number): void {
  const { words } = board;
  const base = L.SEMAPHORES + semaphore * L.SEMAPHORE_WORDS;
  words[base + L.S_STATE] = error === 0 ? 1 : 2;
  let waiter = words[base + L.S_WAITERS] as number;
  words[base + L.S_WAITERS] = 0;
  while (waiter !== 0) {
    const node = L.WAITERS + waiter * L.WAITER_WORDS;
    const next = words[node + L.W_NEXT] as number;
    release(board, words[node + L.W_RECORD] as number, 0, error);
    waiter = next;
  }
}

function append(board: Board, record: number, head: number, tail: number): void {
  const { words } = board;
  const last = words[tail] as number;
  const base = L.recordBase(record);
  words[base + L.R_NEXT] = 0;
  words[base + L.R_PREVIOUS] = last;
  if (last === 0) words[head] = record;
  else words[L.recordBase(last) + L.R_NEXT] = record;
  words[tail] = record;
}

/** Puts a record at the end of the ready list. */
function enlist(board: Board, record: number): void {
  append(board, record, L.READY_HEAD, L.READY_TAIL);
  board.words[L.recordBase(record) + L.R_LISTED] = 1;
}

/** Takes a record out of the ready list. */
function unlist(board: Board, record: number): void {
  const { words } = board;
  const base = L.recordBase(record);
  const next = words[base + L.R_NEXT] as number;
  const previous = words[base + L.R_PREVIOUS] as number;
  if (previous === 0) words[L.READY_HEAD] = next;
  else words[L.recordBase(previous) + L.R_NEXT] = next;
  if (next === 0) words[L.READY_TAIL] = previous;
  else words[L.recordBase(next) + L.R_PREVIOUS] = previous;
  words[base + L.R_NEXT] = 0;
  words[base + L.R_PREVIOUS] = 0;
  words[base + L.R_LISTED] = 0;
}

/** Takes the first record off a list of the host thread's: gives it, or 0. */
export function shift(board: Board, head: number, tail: number): number {
  const { words } = board;
  const record = words[head] as number;
  if (record === 0) return 0;
  const next = words[L.recordBase(record) + L.R_NEXT] as number;
  words[head] = next;
  if (next === 0) words[tail] = 0;
  else words[L.recordBase(next) + L.R_PREVIOUS] = 0;
  return record;
}
