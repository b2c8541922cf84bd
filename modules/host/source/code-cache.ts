// SPDX-License-Identifier: Apache-2.0
// Instances of kernel modules, one cache per thread. The host thread orders evictions and supplies its own modules.
import type { Board } from "./board.ts";
import * as L from "./control-layout.ts";
import { type WasmMemory, type WasmModule, webAssembly } from "./web-assembly.ts";

/** A generated function: see docs/kernel-abi.md. */
export type KernelFunction = (args: number, dispatch: number, worker: number, first: number, end: number) => number;

/** A function that can be called. */
export interface KernelEntry {
  /** WebAssembly: what the ABI says; an exception where it traps. Native code: one of the outcomes below. */
  readonly run: KernelFunction;
  readonly isNative: boolean;
}

/** How a call ended: it did what it had to, it left before, or else the kind of its trap. */
export const DONE = -1;
export const LEFT = -2;

/** What a module begins with; the record of native code is JSON. */
const MODULE_BEGIN = 0;

interface Loaded {
  readonly id: number;
  readonly isNative: boolean;
  readonly functions: readonly (KernelEntry | null)[];
}

/** The functions of a record of native code; null: this thread cannot call any. */
export type NativeFunctions = (record: Uint8Array) => readonly KernelEntry[] | null;

/** A thread's instances. */
export class CodeCache {
  readonly #memory: WasmMemory;
  readonly #code: ArrayBufferLike;
  readonly #clock: (worker: number) => number;
  readonly #modules: ((slot: number, id: number) => WasmModule | null) | null;
  readonly #refuses: (() => boolean) | null;
  readonly #native: NativeFunctions;
  readonly #loaded: (Loaded | undefined)[] = [];
  #evictions = 0;

  /**
   * `modules` returns compiled modules where the thread has them already (the host thread). `refuses` is called before
   * each instance is made: true simulates a lack of memory. `native` reads records of native code.
   */
  constructor(
    memory: WasmMemory,
    code: ArrayBufferLike,
    clock: (worker: number) => number,
    modules: ((slot: number, id: number) => WasmModule | null) | null,
    refuses: (() => boolean) | null = null,
    native: NativeFunctions = () => null,
  ) {
    this.#native = native;
    this.#refuses = refuses;
    this.#memory = memory;
    this.#code = code;
    this.#clock = clock;
    this.#modules = modules;
  }

  /** The function with an index among the module's exported functions; null when the code cannot be instantiated. */
  find(board: Board, slot: number, id: number, index: number): KernelEntry | null {
    let loaded = this.#loaded[slot];
    // Modules live as long as a cache holds them; native code that was removed is gone (native-device.ts).
    const isRemoved = loaded?.isNative === true && Atomics.load(board.words, L.codeBase(slot) + L.CODE_ID) !== id;
    if (loaded?.id !== id || isRemoved) {
      const made = this.#instantiate(board, slot, id);
      if (made === null) return null;
      loaded = made;
      this.#loaded[slot] = loaded;
    }
    return loaded.functions[index] ?? null;
  }

  /** Drops what the host thread evicted since the last call. Cheap when there is nothing. */
  obeyEvictions(board: Board): void {
    const evictions = Atomics.load(board.words, L.EVICTIONS);
    if (evictions === this.#evictions) return;
    this.#evictions = evictions;
    for (let slot = 0; slot < this.#loaded.length; slot++) {
      const base = L.codeBase(slot);
      const loaded = this.#loaded[slot];
      if (loaded === undefined) continue;
      if (
        Atomics.load(board.words, base + L.CODE_ID) !== loaded.id ||
        Atomics.load(board.words, base + L.CODE_EVICTED) !== 0
      )
        this.#loaded[slot] = undefined;
    }
  }

  /** Number of instances. */
  get size(): number {
    let count = 0;
    for (const loaded of this.#loaded) if (loaded !== undefined) count++;
    return count;
  }

  #instantiate(board: Board, slot: number, id: number): Loaded | null {
    const base = L.codeBase(slot);
    if (Atomics.load(board.words, base + L.CODE_ID) !== id || this.#refuses?.() === true) return null;
    const offset = Atomics.load(board.words, base + L.CODE_OFFSET) >>> 0;
    const isNative = new Uint8Array(this.#code, offset, 1)[0] !== MODULE_BEGIN;
    if (isNative) {
      const functions = this.#native(this.#bytes(board, base));
      return functions === null ? null : { id, isNative, functions };
    }
    try {
      const module = this.#modules?.(slot, id) ?? new webAssembly.Module(this.#bytes(board, base));
      const instance = new webAssembly.Instance(module, { env: { memory: this.#memory, clock: this.#clock } });
      const functions = Object.values(instance.exports).map((value) =>
        typeof value === "function" ? { run: value as KernelFunction, isNative } : null,
      );
      return { id, isNative, functions };
    } catch {
      // The caller turns this into the command's error; the host thread has compiled the same bytes, so it is memory
      // that ran out.
      return null;
    }
  }

  /**
   * A copy: the Web's engines compile no shared bytes, and an equal copy finds the native code that the host thread
   * made.
   */
  #bytes(board: Board, base: number): Uint8Array<ArrayBuffer> {
    const offset = Atomics.load(board.words, base + L.CODE_OFFSET) >>> 0;
    const length = Atomics.load(board.words, base + L.CODE_LENGTH);
    const copy = new Uint8Array(length);
    copy.set(new Uint8Array(this.#code, offset, length));
    return copy;
  }
}
