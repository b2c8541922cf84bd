// SPDX-License-Identifier: Apache-2.0
// Native code of one device: sections that are placed, and pages that are given back.
//
// Pages may be given back when no thread can be in them. A thread looks for a function only after it has joined a node,
// and finds none of code that was removed; so those who may still be in it are those who were in a node when it was
// removed, until they leave that node. What they hold waits in a list, which is looked through when code comes or goes.
// No lock is taken for this: a closed device's workers may have ended with it. A thread writes the node that it joins,
// then releases the lock, then reads the slot; here the slot is emptied first, and then the nodes are read.
import { type Result, err, ok } from "@muxkit/cargo";
import type { NativeThread } from "@muxkit/x64-runtime/thread";

import type { Board } from "./board.ts";
import * as L from "./control-layout.ts";
import type { NativeCode } from "./native-part.ts";

/** What threads read of native code: the base of the memory, and the addresses of functions. */
export interface NativeRecord {
  readonly memory: number;
  readonly functions: readonly number[];
}

/** Code that was placed. */
export interface PlacedCode {
  /** A {@link NativeRecord} as threads read it. */
  readonly record: Uint8Array<ArrayBuffer>;
  /** Names of its functions, in the record's order. */
  readonly exports: readonly string[];
  /** Gives it back. Its slot must be empty by then. */
  readonly free: () => void;
}

/** Why code was not placed: it is none, it is refused, or no space is left. */
export interface PlaceError {
  readonly code: "invalid_binary" | "out_of_memory";
  readonly message: string;
}

/** Pages of code that threads may still be in: each with the count of nodes that it had joined. */
interface Leaving {
  readonly address: number;
  readonly bytes: number;
  readonly threads: readonly (readonly [row: number, joined: number])[];
}

/** Native code of a device. */
export class NativeDevice {
  readonly #code: NativeCode;
  readonly #board: Board;
  readonly #memory: number;
  #leaving: Leaving[] = [];

  /** `memory` is the address of the device's memory. */
  constructor(code: NativeCode, board: Board, memory: number) {
    this.#code = code;
    this.#board = board;
    this.#memory = memory;
  }

  /** The features that sections may need. */
  get features(): readonly string[] {
    return this.#code.features;
  }

  /** Calls from the host thread. */
  get thread(): NativeThread {
    return this.#code.thread;
  }

  /** Places the code of a section; what this process did not make is verified before. */
  place(section: Uint8Array, isOwn: boolean): Result<PlacedCode, PlaceError> {
    this.#giveBack();
    const read = this.#code.read(section);
    if (!read.ok) return err({ code: "invalid_binary", message: read.error });
    const { bytes, entries } = read.value;
    const refusal = isOwn ? null : this.#code.refusal(read.value);
    if (refusal !== null) return err({ code: "invalid_binary", message: `the code is refused: ${refusal}` });
    const address = this.#code.place(bytes);
    if (address === 0)
      return err({
        code: "out_of_memory",
        message: `no space is left for ${bytes.length} bytes of native code; destroy executables that are not needed`,
      });
    const record: NativeRecord = {
      memory: this.#memory,
      functions: [...entries.values()].map((offset) => address + offset),
    };
    return ok({
      record: new TextEncoder().encode(JSON.stringify(record)),
      exports: [...entries.keys()],
      free: () => {
        this.#leave(address, bytes.length);
      },
    });
  }

  #leave(address: number, bytes: number): void {
    const { words } = this.#board;
    const rows = Array.from({ length: L.MAX_THREADS }, (_, thread) => L.threadBase(thread));
    const threads = rows
      .filter((row) => Atomics.load(words, row + L.THREAD_CURRENT) !== 0)
      .map((row) => [row, Atomics.load(words, row + L.THREAD_JOINED)] as const);
    this.#leaving.push({ address, bytes, threads });
    this.#giveBack();
  }

  #giveBack(): void {
    if (this.#leaving.length === 0) return;
    const { words } = this.#board;
    const isIn = ([row, joined]: readonly [number, number]): boolean =>
      Atomics.load(words, row + L.THREAD_CURRENT) !== 0 && Atomics.load(words, row + L.THREAD_JOINED) === joined;
    const empty = this.#leaving.filter(({ threads }) => !threads.some(isIn));
    this.#leaving = this.#leaving.filter(({ threads }) => threads.some(isIn));
    for (const { address, bytes } of empty) this.#code.release(address, bytes);
  }
}

/** Makes a thread leave its native code, if it is in some. To be repeated until it has left. */
export function kick({ words }: Board, own: NativeThread, thread: number): void {
  const row = L.threadBase(thread);
  if (Atomics.load(words, row + L.THREAD_STATE) !== L.THREAD_IN_NATIVE) return;
  own.kick(Atomics.load(words, row + L.THREAD_ID), Atomics.load(words, row + L.THREAD_SERIAL));
}
