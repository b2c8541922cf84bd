// SPDX-License-Identifier: Apache-2.0
// Kernel code on the host thread's side: bytes in the code memory for the workers, compiled modules, and evictions.
import { err, ok, type Result } from "@muxkit/cargo";

import { Allocator } from "./allocator.ts";
import * as L from "./control-layout.ts";
import { compileModule } from "./engine.ts";
import { SlotPool } from "./slot-pool.ts";
import type { WasmModule } from "./web-assembly.ts";

/** Code that can be run: its slot in the control block. */
export interface Code {
  readonly slot: number;
  readonly id: number;
}

interface Entry {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly handle: number;
  module: WasmModule | null;
  /** Gives native code back; null: it is a module. */
  readonly free: (() => void) | null;
}

/** Why code cannot be loaded. */
export interface CodeError {
  readonly code: "invalid_binary" | "out_of_memory";
  readonly message: string;
}

/** Instances a thread may keep: four thousand small ones cost 80 MB (docs/decisions/019-code-cache.md). */
const MAX_LOADED = 256;

/** All code of a device. */
export class CodeStore {
  readonly #words: Int32Array;
  readonly #memory: Uint8Array;
  readonly #allocator: Allocator;
  readonly #slots: SlotPool;
  readonly #entries = new Map<number, Entry>();
  /** When each slot was used last, counted in uses; 0: no thread has an instance of it. */
  readonly #lastUses = new Float64Array(L.MAX_CODES);
  #uses = 0;
  /** Slots that threads may have instances of. */
  #loaded = 0;
  readonly #eager: boolean;
  #nextId = 1;

  constructor(words: Int32Array, memory: ArrayBufferLike, eager: boolean, slots: SlotPool) {
    this.#slots = slots;
    this.#words = words;
    this.#memory = new Uint8Array(memory);
    this.#allocator = new Allocator(0, memory.byteLength);
    this.#eager = eager;
  }

  /** Rows of the control block. */
  get rows(): SlotPool {
    return this.#slots;
  }

  /**
   * Compiles code and copies it to where workers read it. The error's code distinguishes faulty bytes from a lack of
   * memory.
   */
  add(bytes: Uint8Array<ArrayBuffer>): Result<Code, CodeError> {
    let module: WasmModule;
    try {
      module = compileModule(bytes, this.#eager);
    } catch (error) {
      return err({
        code: "invalid_binary",
        message: `the engine refuses the code: ${error instanceof Error ? error.message : String(error)}`,
      });
    }
    return this.#store(bytes, module, null);
  }

  /** Copies the record of native code to where threads read it; `free` gives the code back. */
  addNative(record: Uint8Array<ArrayBuffer>, free: () => void): Result<Code, CodeError> {
    return this.#store(record, null, free);
  }

  #store(
    bytes: Uint8Array<ArrayBuffer>,
    module: WasmModule | null,
    free: (() => void) | null,
  ): Result<Code, CodeError> {
    const taken = this.#allocator.take(bytes.length);
    if (!taken.ok)
      return err({
        code: "out_of_memory",
        message:
          `the code memory is full: ${bytes.length} bytes wanted, ${this.#allocator.freeBytes} free; destroy ` +
          "executables that are not needed",
      });
    const slot = this.#slots.take();
    if (slot === 0) {
      this.#allocator.release(taken.value);
      return err({
        code: "out_of_memory",
        message: `more than ${L.MAX_CODES - 1} executables exist; destroy those that are not needed`,
      });
    }
    const offset = this.#allocator.addressOf(taken.value);
    this.#memory.set(bytes, offset);
    const id = this.#nextId++;
    this.#entries.set(slot, { id, bytes, handle: taken.value, module, free });
    const base = L.codeBase(slot);
    Atomics.store(this.#words, base + L.CODE_OFFSET, offset);
    Atomics.store(this.#words, base + L.CODE_LENGTH, bytes.length);
    Atomics.store(this.#words, base + L.CODE_EVICTED, 0);
    Atomics.store(this.#words, base + L.CODE_ID, id);
    this.use(slot);
    return ok({ slot, id });
  }

  /** Says that code is about to be run; the one that was not run for longest may be forgotten. */
  use(slot: number): void {
    // It is on the path of every launch, so it searches nothing and allocates nothing.
    const isNew = this.#lastUses[slot] === 0;
    this.#lastUses[slot] = ++this.#uses;
    if (!isNew) return;
    this.#loaded++;
    Atomics.store(this.#words, L.codeBase(slot) + L.CODE_EVICTED, 0);
    if (this.#loaded > MAX_LOADED) this.#evict(this.#oldest());
  }

  #oldest(): number {
    let oldest = 0;
    let least = Infinity;
    for (let slot = 0; slot < this.#lastUses.length; slot++) {
      const use = this.#lastUses[slot] as number;
      if (use === 0 || use >= least) continue;
      oldest = slot;
      least = use;
    }
    return oldest;
  }

  /** The module in a slot, compiled again when it was evicted; null when the slot holds other code, or native code. */
  module(slot: number, id: number): WasmModule | null {
    const entry = this.#entries.get(slot);
    if (entry?.id !== id || entry.free !== null) return null;
    entry.module ??= compileModule(entry.bytes, this.#eager);
    return entry.module;
  }

  /** Forgets code for ever. */
  remove(code: Code): void {
    const entry = this.#entries.get(code.slot);
    if (entry?.id !== code.id) return;
    Atomics.store(this.#words, L.codeBase(code.slot) + L.CODE_ID, 0);
    this.#evict(code.slot);
    this.#entries.delete(code.slot);
    this.#allocator.release(entry.handle);
    this.#slots.release(code.slot);
    entry.free?.();
  }

  #evict(slot: number): void {
    if (this.#lastUses[slot] !== 0) this.#loaded--;
    this.#lastUses[slot] = 0;
    const entry = this.#entries.get(slot);
    if (entry !== undefined) entry.module = null;
    Atomics.store(this.#words, L.codeBase(slot) + L.CODE_EVICTED, 1);
    Atomics.add(this.#words, L.EVICTIONS, 1);
  }
}
