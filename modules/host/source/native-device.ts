// SPDX-License-Identifier: Apache-2.0
// Native code of one device: sections that are placed, and pages that are given back.
//
// Pages may be given back when no thread can be in them. A thread looks for a function only after it has joined a node,
// and finds none of code that was removed; so those who may still be in it are those who were in a node when it was
// removed, until they leave that node. What they hold waits in a list, which is looked through when code comes or goes.
// No lock is taken for this: a closed device's workers may have ended with it. A thread writes the node that it joins,
// then releases the lock, then reads the slot; here the slot is emptied first, and then the nodes are read.
import { type Result, err, ok } from "@muxkit/cargo";

import { type Board, milliseconds } from "./board.ts";
import type { Code, CodeError, CodeStore } from "./code-store.ts";
import * as L from "./control-layout.ts";
import type { DeviceMemory } from "./device-memory.ts";
import { lock, unlock } from "./lock.ts";
import { NativeCalls, type NativeRecord } from "./native-calls.ts";
import type { NativeCode } from "./native-part.ts";
import { cancel } from "./scheduler.ts";

/** Code that was placed. */
export interface PlacedCode {
  readonly code: Code;
  /** Names of its functions, in their order. */
  readonly exports: readonly string[];
}

/** How long the end of native code is waited for when a device is closed, in ms. */
const STOP_MS = 1000;

/** Pages of code that threads may still be in: each with the count of nodes that it had joined. */
interface Leaving {
  readonly address: number;
  readonly bytes: number;
  readonly threads: readonly (readonly [row: number, joined: number])[];
}

/** What native code needs of a device. */
export interface NativeOwner {
  readonly board: Board;
  readonly code: CodeStore;
  readonly pool: { stopNative(): void };
  readonly memory: DeviceMemory;
}

/** Native code of a device. */
export class NativeDevice {
  readonly #code: NativeCode;
  readonly #board: Board;
  readonly #memory: number;
  /** Calls from the host thread. */
  readonly calls: NativeCalls;
  readonly #store: CodeStore;
  readonly #forgetExit: () => void;
  /** The features that sections may need. */
  readonly features: readonly string[];
  readonly #placed = new Set<Code>();
  #leaving: Leaving[] = [];

  /** `memory` is the address of the device's memory. */
  constructor(
    code: NativeCode,
    { board, code: store, pool }: NativeOwner,
    memory: number,
    features: readonly string[],
  ) {
    this.features = features;
    this.#code = code;
    this.#board = board;
    this.#memory = memory;
    this.#store = store;
    this.calls = new NativeCalls(board, code.thread);
    Atomics.store(board.words, L.NATIVE_FILE, code.descriptor + 1);
    // The engine ends workers when the process ends, and waits for them: nothing else makes them leave native code.
    this.#forgetExit = code.atExit(() => {
      pool.stopNative();
    });
  }

  /** Gives all code back: the device is closed. */
  close(): void {
    this.#forgetExit();
    for (const code of this.#placed) this.#store.remove(code);
  }

  /** The address of the device's memory, for tests. */
  get memoryAddress(): number {
    return this.#memory;
  }

  /** Says that a block of the device's memory is large: kernels that go through it miss fewer translations then. */
  adviseLarge(address: number, bytes: number): void {
    this.#code.adviseLarge(this.#memory + address, bytes);
  }

  /** Whether code that was not verified can be. */
  canVerify(): boolean {
    return this.#code.canVerify();
  }

  /** Places the code of a section; what was not verified is, before. */
  place(section: Uint8Array, isVerified: boolean): Result<PlacedCode, CodeError> {
    this.#giveBack();
    const read = this.#code.read(section);
    if (!read.ok) return err({ code: "invalid_binary", message: read.error });
    const { bytes, entries } = read.value;
    const refusal = isVerified ? null : this.#code.refusal(read.value);
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
    const free = (): void => {
      if (code.ok) this.#placed.delete(code.value);
      this.#leave(address, bytes.length);
    };
    const code = this.#store.addNative(new TextEncoder().encode(JSON.stringify(record)), free);
    if (!code.ok) {
      free();
      return code;
    }
    this.#placed.add(code.value);
    return ok({ code: code.value, exports: [...entries.keys()] });
  }

  /**
   * Makes workers leave native code, for good: what they run is cancelled. The engine cannot end a thread in native
   * code, but waits for it.
   */
  stop(workers: number): void {
    const { words } = this.#board;
    const threads = Array.from({ length: workers }, (_, n) => n + 1);
    const areIn = (): boolean =>
      threads.some((thread) => Atomics.load(words, L.threadBase(thread) + L.THREAD_STATE) === L.THREAD_IN_NATIVE);
    if (!areIn()) return;
    lock(words);
    for (const thread of threads) {
      const node = words[L.threadBase(thread) + L.THREAD_CURRENT] as number;
      if (node !== 0) cancel(this.#board, node, L.ERROR_CLOSED);
    }
    unlock(words);
    const end = milliseconds(this.#board) + STOP_MS;
    for (; areIn() && milliseconds(this.#board) < end; Atomics.wait(words, L.DOOM, 0, L.LOOK_MS))
      for (const thread of threads) this.calls.kick(thread);
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
