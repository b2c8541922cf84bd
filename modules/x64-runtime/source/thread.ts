// SPDX-License-Identifier: Apache-2.0
/**
 * `@muxkit/x64-runtime/thread`: calls of machine code in one thread. It is all that a thread needs that runs code which
 * another one has placed, and it imports nothing of Node.
 *
 * The addon's functions take no values: arguments and results are words that both sides see (`bridge-layout.ts`), so
 * that a call converts nothing.
 *
 * @packageDocumentation
 */
import { type Result, err, ok } from "@muxkit/cargo";

import { FAULT_SIGNALS, GUARD_AT, KICK_SIGNAL, STACK_AT, WORD } from "./bridge-layout.ts";

/** The addon's own functions; arguments and results are in its words. @internal */
export interface Addon {
  readonly words: ArrayBuffer;
  readonly call: () => void;
  readonly place: () => void;
  readonly release: () => void;
  readonly largePages: () => void;
  readonly addressOf: (view: ArrayBufferView) => void;
  readonly cpuid: () => void;
  readonly xgetbv: () => void;
  readonly handlers: () => void;
  readonly kick: () => void;
}

/** How a call ended. @public */
export type CallEnd = "returned" | "memory" | "stack" | "arithmetic" | "instruction" | "stopped";

/** A function of machine code: what it returned, or {@link NativeThread.end} when `failed` is it. @public */
export type NativeFunction = (a: number, b: number, c: number, d: number, e: number) => number;

const CODE = 2 * WORD.code;
const MEMORY = 2 * WORD.memory;
const ARGUMENT = 2 * WORD.arguments;
const RESULT = 2 * WORD.result;
const FAULT = 2 * WORD.fault;
const SERIAL = 2 * WORD.serial;

const [SIGNAL_INSTRUCTION, , SIGNAL_ARITHMETIC] = FAULT_SIGNALS;

/** Machine code in this thread. @public */
export class NativeThread {
  /** The functions. @internal */
  readonly addon: Addon;
  /** The words of the thread's block. @internal */
  readonly words: Int32Array;
  /** The same for addresses: words of 32 bits without a sign. @internal */
  readonly unsigned: Uint32Array;

  /** Made by `openThread` and `loadBridge`. @internal */
  constructor(addon: Addon) {
    this.addon = addon;
    this.words = new Int32Array(addon.words);
    this.unsigned = new Uint32Array(addon.words);
  }

  /** Addresses have 47 bits, which a number holds. @internal */
  address(word: number): number {
    return (this.unsigned[2 * word] ?? 0) + (this.unsigned[2 * word + 1] ?? 0) * 2 ** 32;
  }

  /** Writes an address. @internal */
  setAddress(word: number, value: number): void {
    this.unsigned[2 * word] = value % 2 ** 32;
    this.unsigned[2 * word + 1] = value / 2 ** 32;
  }

  /** Sets the address that `gs:` means in calls from now on. */
  setMemory(address: number): void {
    this.setAddress(WORD.memory, address);
  }

  /** Sets the code that `call` calls from now on. */
  setCode(address: number): void {
    this.setAddress(WORD.code, address);
  }

  /**
   * Calls the code with six arguments, which it has in edi, esi, edx, ecx, r8d and r9d. It may lose all registers,
   * finds rsp at a multiple of 64 less 8, and has `KERNEL_STACK_BYTES` of stack.
   *
   * @returns 0 when it returned, otherwise the signal that ended it; `end` has more.
   */
  call(a: number, b: number, c: number, d: number, e: number, f: number): number {
    const { words } = this;
    words[ARGUMENT] = a;
    words[ARGUMENT + 2] = b;
    words[ARGUMENT + 4] = c;
    words[ARGUMENT + 6] = d;
    words[ARGUMENT + 8] = e;
    words[ARGUMENT + 10] = f;
    words[ARGUMENT + 1] = words[ARGUMENT + 3] = words[ARGUMENT + 5] = 0;
    words[SERIAL] = (words[SERIAL] ?? 0) + 1;
    this.addon.call();
    return words[FAULT] ?? 0;
  }

  /**
   * Code at an address as a function of five arguments, for a memory of its own. It returns what the code returns, and
   * `failed` when a signal ended it; then `end` says how.
   */
  functionAt(code: number, memory: number, failed: number): NativeFunction {
    const { words } = this;
    const { call } = this.addon;
    const [codeLow, codeHigh] = [code | 0, Math.floor(code / 2 ** 32)];
    const [memoryLow, memoryHigh] = [memory | 0, Math.floor(memory / 2 ** 32)];
    return (a, b, c, d, e) => {
      words[CODE] = codeLow;
      words[CODE + 1] = codeHigh;
      words[MEMORY] = memoryLow;
      words[MEMORY + 1] = memoryHigh;
      words[ARGUMENT] = a;
      words[ARGUMENT + 2] = b;
      words[ARGUMENT + 4] = c;
      words[ARGUMENT + 6] = d;
      words[ARGUMENT + 8] = e;
      words[ARGUMENT + 1] = words[ARGUMENT + 3] = words[ARGUMENT + 5] = 0;
      words[SERIAL] = (words[SERIAL] as number) + 1;
      call();
      return words[FAULT] === 0 ? (words[RESULT] as number) : failed;
    };
  }

  /** What the last call returned, when it did. */
  get result(): number {
    return this.words[RESULT] ?? 0;
  }

  /** How the last call ended. */
  get end(): CallEnd {
    const signal = this.words[FAULT] ?? 0;
    if (signal === 0) return "returned";
    if (signal === KICK_SIGNAL) return "stopped";
    if (signal === SIGNAL_INSTRUCTION) return "instruction";
    if (signal === SIGNAL_ARITHMETIC) return "arithmetic";
    const distance = this.address(WORD.faultAddress) - this.address(WORD.block);
    return distance >= GUARD_AT && distance < STACK_AT ? "stack" : "memory";
  }

  /** The address that the last fault was about, and where it came from in the code space. */
  get fault(): { readonly address: number; readonly place: number } {
    return { address: this.address(WORD.faultAddress), place: this.address(WORD.faultPlace) };
  }

  /** The number by which other threads stop calls of this one. */
  get thread(): number {
    return this.words[2 * WORD.thread] ?? 0;
  }

  /** The number that the next call has. A thread tells it to those who may stop the call, before it calls. */
  get nextSerial(): number {
    return ((this.words[SERIAL] ?? 0) + 1) | 0;
  }

  /**
   * Makes another thread leave the call that it is in, if it is the one with this number and the thread is in its code
   * at this moment; repeat until the thread has left.
   *
   * @returns false when there is no such thread.
   */
  kick(thread: number, serial: number): boolean {
    this.setAddress(WORD.arguments, thread);
    this.setAddress(WORD.arguments + 1, serial >>> 0);
    this.addon.kick();
    return this.words[RESULT] === 0;
  }
}

/** Addons of this thread by their files: a second one would be a second block of memory for the same thread. */
const LOADED = new Map<string, Addon>();

/** What loads addons: Node's process. @public */
export interface AddonLoader {
  /** Loads a file and fills in its exports. Throws what the system says. */
  readonly dlopen: (module: { exports: unknown }, file: string) => void;
}

/**
 * The addon of a file in this thread. Errors: what `dlopen` threw; null where the system has no address space left.
 *
 * @internal
 */
export function loadAddon(process: AddonLoader, file: string): Result<Addon, Error | null> {
  const known = LOADED.get(file);
  if (known !== undefined) return ok(known);
  const loaded: { exports: Partial<Addon> } = { exports: {} };
  try {
    process.dlopen(loaded, file);
  } catch (error) {
    return err(error instanceof Error ? error : new Error(String(error)));
  }
  const { words } = loaded.exports;
  if (words === undefined) return err(null);
  const addon = { ...loaded.exports, words } as Addon;
  LOADED.set(file, addon);
  return ok(addon);
}

/**
 * Machine code in this thread, by a file that `openBridge` has checked in another thread of this process; null when it
 * cannot be loaded.
 *
 * @public
 */
export function openThread(process: AddonLoader, file: string): NativeThread | null {
  const addon = loadAddon(process, file);
  return addon.ok ? new NativeThread(addon.value) : null;
}
