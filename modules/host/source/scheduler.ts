// SPDX-License-Identifier: Apache-2.0
// The scheduler of command nodes: a topological execution of batches by counters (Kahn 1962), on the shared control
// block.
//
// A node becomes ready when its count of pending predecessors is zero. Ready nodes are in one doubly linked list, the
// ready list, in the order in which they became ready. A thread joins the first node that has unclaimed units and room;
// a node that several threads may work on moves to the end of the list when one joins, so that the next thread serves
// another queue. Units are claimed by an atomic add without the lock (execute.ts). The last thread that leaves a node
// without unclaimed units completes it, which decrements its successors.
//
// Cancellation sets the cancel word of each thread inside the node; the node completes with an error when the last one
// has left. An error spreads to all successors. Completions are a worklist instead of recursion, since chains are long.
//
// Every function here is called under the lock, and costs constant time per node and edge.
import { CANCEL_CHECK_CLOCK, CANCEL_COUNTDOWN, CANCEL_LEAVE, CANCEL_NONE, WORKER } from "@muxkit/kernel-abi";

import { type Board, double, milliseconds, setDouble, unclaimed } from "./board.ts";
import * as L from "./control-layout.ts";
import { beginQueries, endQueries, resetQueries } from "./queries.ts";

/** Most workers that one node wakes. */
const MOST_WAKES = 1024;

/** Sets a batch in motion: its head waits for `pending` semaphores. */
export function startBatch(board: Board, head: number): void {
  const base = L.nodeBase(head);
  board.words[base + L.NODE_STATE] = L.STATE_WAITING;
  if (board.words[base + L.NODE_PENDING] === 0) makeReady(board, head);
  propagateCompletions(board);
}

/** Joins the first node that wants threads and returns it, or 0. A thread without a permit has to take one first. */
export function take(board: Board): number {
  const { words } = board;
  const row = L.threadBase(board.thread);
  let node = words[L.READY_HEAD] as number;
  while (node !== 0) {
    const next = words[L.nodeBase(node) + L.NODE_NEXT] as number;
    if (unclaimed(board, node) <= 0) {
      unlist(board, node);
      node = next;
      continue;
    }
    if (!hasRoom(board, node)) {
      node = next;
      continue;
    }
    if (words[row + L.THREAD_PERMIT] === 0) {
      if ((words[L.PERMITS] as number) <= 0) return 0;
      words[L.PERMITS] = (words[L.PERMITS] as number) - 1;
      words[row + L.THREAD_PERMIT] = 1;
    }
    join(board, node, row);
    return node;
  }
  releasePermit(board);
  return 0;
}

/** True unless the part of the device that the node runs on has all its threads at work. */
function hasRoom({ words }: Board, node: number): boolean {
  const part = words[L.nodeBase(node) + L.NODE_PART] as number;
  return part === 0 || (words[L.PARTS + part] as number) > 0;
}

/** One thread more, or less, may join nodes of the part that a node runs on. */
function countPart({ words }: Board, base: number, change: 1 | -1): void {
  const part = words[base + L.NODE_PART] as number;
  if (part !== 0) words[L.PARTS + part] = (words[L.PARTS + part] as number) + change;
}

/** Releases the thread's permit, if it holds one. */
export function releasePermit(board: Board): void {
  const { words } = board;
  const row = L.threadBase(board.thread);
  if (words[row + L.THREAD_PERMIT] === 0) return;
  words[row + L.THREAD_PERMIT] = 0;
  words[L.PERMITS] = (words[L.PERMITS] as number) + 1;
  if (words[L.READY_HEAD] !== 0) board.wakes++;
}

function join(board: Board, node: number, row: number): void {
  const { words } = board;
  const base = L.nodeBase(node);
  words[base + L.NODE_CLAIMERS] = (words[base + L.NODE_CLAIMERS] as number) + 1;
  countPart(board, base, -1);
  // The count first: who sees the node without the lock sees the count that belongs to it (native-device.ts).
  Atomics.store(words, row + L.THREAD_JOINED, (words[row + L.THREAD_JOINED] as number) + 1);
  Atomics.store(words, row + L.THREAD_CURRENT, node);
  words[row + L.THREAD_STATE] = L.THREAD_BUSY;
  if (words[base + L.NODE_STARTED] === 0) {
    words[base + L.NODE_STARTED] = 1;
    const now = board.clock();
    setDouble(board, base + L.NODE_START, now);
    const limit = words[base + L.NODE_LIMIT] as number;
    if (limit > 0) {
      const deadline = Math.min(L.NEVER - 1, Math.floor(now / 1e6) + limit);
      words[base + L.NODE_DEADLINE] = deadline;
      if (deadline < (words[L.EARLIEST] as number)) {
        words[L.EARLIEST] = deadline;
        board.callsHost = true;
      }
    }
  }
  // A worker that is parked without a timeout has to park again with one; every join wakes one, since the woken worker
  // may join too.
  if ((words[base + L.NODE_LIMIT] as number) > 0) board.wakes++;
  if (double(board, base + L.NODE_TOTAL) === 1) {
    unlist(board, node);
  } else if (words[base + L.NODE_NEXT] !== 0) {
    // To the end of the list, so that the next thread helps another queue.
    unlist(board, node);
    enlist(board, node);
  }
  resetCancelWord(board, node, row);
}

/**
 * Resets the thread's cancel word. It is written under the lock by its thread and by a cancellation, so that a
 * cancellation never reaches the next node.
 */
function resetCancelWord(board: Board, node: number, row: number): void {
  const block = (board.words[row + L.THREAD_BLOCK] as number) >>> 0;
  const base = L.nodeBase(node);
  const limited = (board.words[base + L.NODE_LIMIT] as number) > 0;
  // The host thread may be the only one there is, so its code reads the clock itself.
  const mode = limited && board.thread === L.HOST_THREAD ? CANCEL_CHECK_CLOCK : CANCEL_NONE;
  Atomics.store(board.memory.words, (block + WORKER.cancelWord) >>> 2, mode);
  board.memory.words[(block + WORKER.countdown) >>> 2] = CANCEL_COUNTDOWN;
  board.memory.words[(block + WORKER.faultKind) >>> 2] = 0;
}

/** Leaves the node that the thread works on; the last one to leave a used-up or cancelled node completes it. */
export function leave(board: Board, node: number): void {
  const { words } = board;
  const base = L.nodeBase(node);
  const row = L.threadBase(board.thread);
  words[row + L.THREAD_CURRENT] = 0;
  words[row + L.THREAD_STATE] = L.THREAD_IDLE;
  dropClaimer(board, node, base);
  propagateCompletions(board);
}

/** Takes one thread off a node. */
export function dropClaimer(board: Board, node: number, base: number): void {
  const { words } = board;
  const claimers = (words[base + L.NODE_CLAIMERS] as number) - 1;
  words[base + L.NODE_CLAIMERS] = claimers;
  countPart(board, base, 1);
  // Others may have looked past a node of this part.
  if (words[base + L.NODE_PART] !== 0 && words[L.READY_HEAD] !== 0) board.wakes++;
  const cancelled = words[base + L.NODE_CANCELLED] !== 0;
  if (claimers === 0) {
    if (cancelled && words[base + L.NODE_CANCEL_TIME] !== 0) words[L.OVERDUE] = (words[L.OVERDUE] as number) - 1;
    if (cancelled || (unclaimed(board, node) <= 0 && !shareNext(board, base))) {
      if (words[base + L.NODE_LISTED] !== 0) unlist(board, node);
      finish(board, node);
    } else {
      // The host thread left early: the rest is for others. A node of one unit was taken off the list when it was
      // joined.
      if (words[base + L.NODE_LISTED] === 0) enlist(board, node);
      board.wakes += Math.min(MOST_WAKES, double(board, base + L.NODE_TOTAL));
    }
  }
}

/** Advances to the next launch of a sequence whose launches are shared out: false when there is none. */
function shareNext(board: Board, base: number): boolean {
  const { words } = board;
  if (words[base + L.NODE_KIND] !== L.KIND_SEQUENCE || words[base + L.SEQUENCE_SHARED] === 0) return false;
  const index = (words[base + L.SEQUENCE_NEXT] as number) + 1;
  if (index >= (words[base + L.SEQUENCE_COUNT] as number)) return false;
  shareLaunch(board, base, index);
  return true;
}

/**
 * From now on the launches of a sequence are shared out, this one first. For the only thread that works on it, or under
 * the lock.
 */
export function shareLaunch(board: Board, base: number, index: number): void {
  const { words } = board;
  L.loadLaunch(words, base, index);
  words[base + L.SEQUENCE_SHARED] = 1;
  words[base + L.NODE_CLAIM] = 0;
  setDouble(
    board,
    base + L.NODE_TOTAL,
    double(
      board,
      L.launchBase(words[L.EDGES + (words[base + L.SEQUENCE_LAUNCHES] as number) + index] as number) + L.LAUNCH_TOTAL,
    ),
  );
}

/** Notes the first failure of a node and makes every thread leave it. */
export function cancel(board: Board, node: number, error: number): void {
  const { words } = board;
  const base = L.nodeBase(node);
  if (words[base + L.NODE_STATE] !== L.STATE_READY) return;
  if (words[base + L.NODE_ERROR] === 0) {
    words[base + L.NODE_ERROR] = error;
    words[base + L.NODE_ORIGIN] = node;
  }
  if (words[base + L.NODE_CANCELLED] !== 0) return;
  Atomics.store(words, base + L.NODE_CANCELLED, 1);
  if (words[base + L.NODE_LISTED] !== 0) unlist(board, node);
  if (words[base + L.NODE_CLAIMERS] === 0) {
    finish(board, node);
    propagateCompletions(board);
    return;
  }
  words[base + L.NODE_CANCEL_TIME] = Math.max(1, milliseconds(board));
  words[L.OVERDUE] = (words[L.OVERDUE] as number) + 1;
  for (let thread = 0; thread < L.MAX_THREADS; thread++) {
    const row = L.threadBase(thread);
    if (words[row + L.THREAD_CURRENT] !== node) continue;
    const block = (words[row + L.THREAD_BLOCK] as number) >>> 0;
    Atomics.store(board.memory.words, (block + WORKER.cancelWord) >>> 2, CANCEL_LEAVE);
  }
  // Only the host thread can terminate a worker that does not respond, and it has to watch the clock for that.
  board.callsHost = true;
}

/**
 * Dooms a worker that is inside generated code for a cancelled node: false when it is elsewhere by now, so that it must
 * not be terminated. The node stays the worker's until {@link abandon}: what is terminated still runs, and writes,
 * until its thread has ended.
 */
export function doom({ words }: Board, thread: number, node: number): boolean {
  const row = L.threadBase(thread);
  if (words[row + L.THREAD_CURRENT] !== node || words[L.nodeBase(node) + L.NODE_CANCELLED] === 0) return false;
  return Atomics.compareExchange(words, row + L.THREAD_STATE, L.THREAD_IN_CALL, L.THREAD_DOOMED) === L.THREAD_IN_CALL;
}

/** Takes a worker whose thread has ended off its node, which fails. */
export function abandon(board: Board, thread: number): void {
  const { words } = board;
  const row = L.threadBase(thread);
  words[row + L.THREAD_STATE] = L.THREAD_ABSENT;
  if (words[row + L.THREAD_PERMIT] !== 0) {
    words[row + L.THREAD_PERMIT] = 0;
    words[L.PERMITS] = (words[L.PERMITS] as number) + 1;
  }
  const node = words[row + L.THREAD_CURRENT] as number;
  words[row + L.THREAD_CURRENT] = 0;
  if (node !== 0) {
    cancel(board, node, L.ERROR_WORKER);
    dropClaimer(board, node, L.nodeBase(node));
    propagateCompletions(board);
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
    const node = words[L.threadBase(thread) + L.THREAD_CURRENT] as number;
    if (node === 0) continue;
    const base = L.nodeBase(node);
    if ((words[base + L.NODE_LIMIT] as number) === 0 || words[base + L.NODE_CANCELLED] !== 0) continue;
    const deadline = words[base + L.NODE_DEADLINE] as number;
    if (deadline <= now) cancel(board, node, L.ERROR_DEADLINE);
    else if (deadline < words[L.EARLIEST]) words[L.EARLIEST] = deadline;
  }
  propagateCompletions(board);
}

/** Completes a node that ran on the host thread. */
export function completeHostNode(board: Board, node: number, error: number): void {
  const base = L.nodeBase(node);
  if (error !== 0) {
    board.words[base + L.NODE_ERROR] = error;
    board.words[base + L.NODE_ORIGIN] = node;
  }
  if (board.words[base + L.NODE_KIND] === L.KIND_TAIL) finishBatch(board, node);
  else finish(board, node);
  propagateCompletions(board);
}

function finish(board: Board, node: number): void {
  const base = L.nodeBase(node);
  if (board.words[base + L.NODE_STARTED] !== 0) setDouble(board, base + L.NODE_END, board.clock());
  board.completed.push(node);
}

/** Releases the successors of complete nodes until nothing more becomes complete: a worklist, since chains are long. */
function propagateCompletions(board: Board): void {
  const { words, completed } = board;
  for (let node = completed.pop(); node !== undefined; node = completed.pop()) {
    const base = L.nodeBase(node);
    words[base + L.NODE_STATE] = L.STATE_DONE;
    const count = words[base + L.NODE_SUCCESSOR_COUNT] as number;
    const list =
      count <= L.INLINE_SUCCESSORS ? base + L.NODE_SUCCESSORS : L.EDGES + (words[base + L.NODE_SUCCESSORS] as number);
    for (let i = 0; i < count; i++)
      release(board, words[list + i] as number, node, words[base + L.NODE_ERROR] as number);
  }
}

/** A predecessor of a node is complete. */
function release(board: Board, node: number, from: number, error: number): void {
  const { words } = board;
  const base = L.nodeBase(node);
  if (error !== 0 && words[base + L.NODE_ERROR] === 0) {
    words[base + L.NODE_ERROR] = error;
    words[base + L.NODE_ORIGIN] = from === 0 ? 0 : (words[L.nodeBase(from) + L.NODE_ORIGIN] as number);
  }
  const pending = (words[base + L.NODE_PENDING] as number) - 1;
  words[base + L.NODE_PENDING] = pending;
  if (pending === 0) makeReady(board, node);
}

/**
 * A node's predecessors are complete: it completes at once, or is appended to the list of the threads that can run it.
 */
function makeReady(board: Board, node: number): void {
  const { words } = board;
  const base = L.nodeBase(node);
  const kind = words[base + L.NODE_KIND] as number;
  words[base + L.NODE_STATE] = L.STATE_READY;
  if (kind === L.KIND_TAIL) {
    if (words[base + L.TAIL_CALLBACK] === 0) finishBatch(board, node);
    else callHost(board, node);
    return;
  }
  if (words[base + L.NODE_ERROR] !== 0 || kind === L.KIND_HEAD) {
    board.completed.push(node);
    return;
  }
  const instant = INSTANT[kind];
  if (instant !== undefined) {
    instant(board, base);
    board.completed.push(node);
    return;
  }
  if (kind === L.KIND_HOST) {
    callHost(board, node);
    return;
  }
  const units = double(board, base + L.NODE_TOTAL);
  if (units === 0) {
    board.completed.push(node);
    return;
  }
  enlist(board, node);
  board.wakes += Math.min(MOST_WAKES, units);
  if (words[L.HOST_SLEEPS] !== 0) board.callsHost = true;
}

/** Kinds that complete when they become ready. */
const INSTANT: Readonly<Record<number, (board: Board, base: number) => void>> = {
  [L.KIND_QUERY_BEGIN]: beginQueries,
  [L.KIND_QUERY_END]: endQueries,
  [L.KIND_QUERY_RESET]: resetQueries,
};

function callHost(board: Board, node: number): void {
  append(board, node, L.HOST_HEAD, L.HOST_TAIL);
  board.callsHost = true;
}

/** The order is: commands, callback, semaphores, fence, and then the completion on the host thread. */
function finishBatch(board: Board, tail: number): void {
  const { words } = board;
  const base = L.nodeBase(tail);
  const error = words[base + L.NODE_ERROR] as number;
  const count = words[base + L.TAIL_SEMAPHORES] as number;
  for (let i = 0; i < count; i++) {
    signal(
      board,
      words[L.EDGES + (words[base + L.TAIL_SEMAPHORE_EDGE] as number) + i] as number,
      error === 0 ? 0 : L.ERROR_DEPENDENCY,
    );
  }
  words[base + L.NODE_STATE] = L.STATE_DONE;
  const fence = words[base + L.TAIL_FENCE] as number;
  if (fence !== 0) Atomics.store(words, L.FENCES + fence, error === 0 ? L.FENCE_DONE : L.FENCE_FAILED);
  append(board, tail, L.DONE_HEAD, L.DONE_TAIL);
  board.callsHost = true;
}

function signal(board: Board, semaphore: number, error: number): void {
  const { words } = board;
  const base = L.SEMAPHORES + semaphore * L.SEMAPHORE_WORDS;
  words[base + L.SEMAPHORE_STATE] = error === 0 ? 1 : 2;
  let waiter = words[base + L.SEMAPHORE_WAITERS] as number;
  words[base + L.SEMAPHORE_WAITERS] = 0;
  while (waiter !== 0) {
    const node = L.WAITERS + waiter * L.WAITER_WORDS;
    const next = words[node + L.WAITER_NEXT] as number;
    release(board, words[node + L.WAITER_NODE] as number, 0, error);
    waiter = next;
  }
}

function append(board: Board, node: number, head: number, tail: number): void {
  const { words } = board;
  const last = words[tail] as number;
  const base = L.nodeBase(node);
  words[base + L.NODE_NEXT] = 0;
  words[base + L.NODE_PREVIOUS] = last;
  if (last === 0) words[head] = node;
  else words[L.nodeBase(last) + L.NODE_NEXT] = node;
  words[tail] = node;
}

/** Puts a node at the end of the ready list. */
function enlist(board: Board, node: number): void {
  append(board, node, L.READY_HEAD, L.READY_TAIL);
  board.words[L.nodeBase(node) + L.NODE_LISTED] = 1;
}

/** Takes a node out of the ready list. */
function unlist(board: Board, node: number): void {
  const { words } = board;
  const base = L.nodeBase(node);
  const next = words[base + L.NODE_NEXT] as number;
  const previous = words[base + L.NODE_PREVIOUS] as number;
  if (previous === 0) words[L.READY_HEAD] = next;
  else words[L.nodeBase(previous) + L.NODE_NEXT] = next;
  if (next === 0) words[L.READY_TAIL] = previous;
  else words[L.nodeBase(next) + L.NODE_PREVIOUS] = previous;
  words[base + L.NODE_NEXT] = 0;
  words[base + L.NODE_PREVIOUS] = 0;
  words[base + L.NODE_LISTED] = 0;
}

/** Removes the first node of a list of the host thread and returns it, or 0. */
export function shift(board: Board, head: number, tail: number): number {
  const { words } = board;
  const node = words[head] as number;
  if (node === 0) return 0;
  const next = words[L.nodeBase(node) + L.NODE_NEXT] as number;
  words[head] = next;
  if (next === 0) words[tail] = 0;
  else words[L.nodeBase(next) + L.NODE_PREVIOUS] = 0;
  return node;
}
