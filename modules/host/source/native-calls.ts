// SPDX-License-Identifier: Apache-2.0
// Native code in one thread of a device: functions that were placed, called so that others can stop them.
//
// A thread tells the number of its call before the state that says that it is in native code: a signal that names an
// older call does nothing. It never throws, and is never terminated: whoever wants it to leave sends signals until it
// has.
import { KERNEL_DONE } from "@muxkit/kernel-abi";
import type { NativeThread } from "@muxkit/x64-runtime/thread";

import type { Board } from "./board.ts";
import { DONE, type KernelEntry, LEFT } from "./code-cache.ts";
import * as L from "./control-layout.ts";
import { faultKindOfEnd } from "./faults.ts";

/** What threads read of native code: the base of the memory, and the addresses of functions. */
export interface NativeRecord {
  readonly memory: number;
  readonly functions: readonly number[];
}

/** What a function returns that did not return. */
const ENDED = -0x7fff_ffff;

/** Native code in a thread. */
export class NativeCalls {
  readonly #board: Board;
  readonly #thread: NativeThread;
  readonly #row: number;

  /** For the thread of a board. */
  constructor(board: Board, thread: NativeThread) {
    this.#board = board;
    this.#thread = thread;
    this.#row = L.threadBase(board.thread);
    board.words[this.#row + L.THREAD_ID] = thread.thread;
  }

  /** The functions of a record. */
  functions(record: Uint8Array): readonly KernelEntry[] {
    const { memory, functions } = JSON.parse(new TextDecoder().decode(record)) as NativeRecord;
    return functions.map((address) => ({ isNative: true, run: this.#functionAt(address, memory) }));
  }

  #functionAt(address: number, memory: number): KernelEntry["run"] {
    const { words } = this.#board;
    const thread = this.#thread;
    const [state, serial] = [this.#row + L.THREAD_STATE, this.#row + L.THREAD_SERIAL];
    const call = thread.functionAt(address, memory, ENDED);
    return (args, dispatch, worker, first, end) => {
      words[serial] = thread.nextSerial;
      Atomics.store(words, state, L.THREAD_IN_NATIVE);
      const result = call(args, dispatch, worker, first, end);
      Atomics.store(words, state, L.THREAD_BUSY);
      if (result === KERNEL_DONE) return DONE;
      return result === ENDED ? (faultKindOfEnd(thread.end) ?? LEFT) : LEFT;
    };
  }

  /** Makes another thread leave its native code, if it is in some. To be repeated until it has left. */
  kick(thread: number): void {
    const { words } = this.#board;
    const row = L.threadBase(thread);
    if (Atomics.load(words, row + L.THREAD_STATE) !== L.THREAD_IN_NATIVE) return;
    this.#thread.kick(Atomics.load(words, row + L.THREAD_ID), Atomics.load(words, row + L.THREAD_SERIAL));
  }
}

/** In how many ms the host thread must be kicked, because it does not leave native code that was cancelled. */
export function untilHostKick({ words, clock }: Board): number {
  const row = L.threadBase(L.HOST_THREAD);
  if (Atomics.load(words, row + L.THREAD_STATE) !== L.THREAD_IN_NATIVE) return Infinity;
  const base = L.nodeBase(Atomics.load(words, row + L.THREAD_CURRENT));
  if (Atomics.load(words, base + L.NODE_CANCELLED) === 0) return Infinity;
  const due = Atomics.load(words, base + L.NODE_CANCEL_TIME) + L.ANSWER_MS - clock() / 1e6;
  return Math.max(due, L.LOOK_MS);
}
