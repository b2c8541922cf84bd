// SPDX-License-Identifier: Apache-2.0
// What one thread needs to work on the control block: views, a clock, and wake-ups that it has still to send.
import type { Clock } from "./clock.ts";
import * as L from "./control-layout.ts";
import type { MemoryViews } from "./memory-views.ts";

/** One thread's access to the control block. */
export interface Board {
  /** The control block as words. */
  readonly words: Int32Array;
  /** The same memory as 64-bit integers, for wide claims. */
  readonly wide: BigInt64Array;
  /** The same memory as doubles. */
  readonly doubles: Float64Array;
  /** Index of this thread. */
  readonly thread: number;
  /** True when other threads exist or may exist. */
  readonly shared: boolean;
  readonly clock: Clock;
  readonly memory: MemoryViews;
  /** Nodes that are still to be completed or made ready; empty outside of a critical section. */
  readonly completed: number[];
  /** Workers to wake after the lock is released. */
  wakes: number;
  /** True when the host thread is to be woken after the lock is released. */
  callsHost: boolean;
  /** Where threads note which groups they ran; null: nothing is traced. */
  readonly ranges: Float64Array | null;
}

/** Makes a thread's board over a control block. */
export function createBoard(
  control: ArrayBufferLike,
  thread: number,
  clock: Clock,
  memory: MemoryViews,
  ranges: ArrayBufferLike | null = null,
): Board {
  return {
    words: new Int32Array(control),
    wide: new BigInt64Array(control),
    doubles: new Float64Array(control),
    thread,
    shared: !(control instanceof ArrayBuffer),
    clock,
    memory,
    completed: [],
    wakes: 0,
    callsHost: false,
    ranges: ranges === null ? null : new Float64Array(ranges),
  };
}

/** Now in whole ms since the device was opened. */
export function milliseconds(board: Board): number {
  return Math.floor(board.clock() / 1e6);
}

/** A double of the control block at a word index that is even. */
export function double(board: Board, word: number): number {
  return board.doubles[word >> 1] as number;
}

/** Writes a double. */
export function setDouble(board: Board, word: number, value: number): void {
  board.doubles[word >> 1] = value;
}

/** Units of a node that nobody has claimed; negative when threads tried to claim more than there are. */
export function unclaimed(board: Board, node: number): number {
  const base = L.nodeBase(node);
  const claimed =
    (board.words[base + L.NODE_WIDE] as number) === 0
      ? Atomics.load(board.words, base + L.NODE_CLAIM)
      : Number(Atomics.load(board.wide, (base + L.NODE_CLAIM) >> 1));
  return double(board, base + L.NODE_TOTAL) - claimed;
}

/** Claims `count` units and returns the first. */
export function claim(board: Board, node: number, count: number): number {
  const base = L.nodeBase(node);
  return (board.words[base + L.NODE_WIDE] as number) === 0
    ? Atomics.add(board.words, base + L.NODE_CLAIM, count)
    : Number(Atomics.add(board.wide, (base + L.NODE_CLAIM) >> 1, BigInt(count)));
}

/** Sends the wake-ups that a critical section gathered. To be called without the lock. */
export function sendWakes(board: Board): void {
  if (board.wakes > 0) {
    const count = board.wakes;
    board.wakes = 0;
    Atomics.add(board.words, L.WAKE, 1);
    // A worker that is looking sees the count itself; one that stops looking compares it before it sleeps.
    const asleep = count - Atomics.load(board.words, L.SPINNING);
    if (asleep > 0 && Atomics.load(board.words, L.PARKED) > 0) Atomics.notify(board.words, L.WAKE, asleep);
  }
  if (board.callsHost) {
    board.callsHost = false;
    // A notify costs more than a look, but an asynchronous waiter cannot be seen from here.
    if (board.thread !== L.HOST_THREAD) {
      Atomics.add(board.words, L.HOST_WORD, 1);
      Atomics.notify(board.words, L.HOST_WORD);
    }
  }
}
