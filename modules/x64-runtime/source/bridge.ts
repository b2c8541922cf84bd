// SPDX-License-Identifier: Apache-2.0
// Machine code in this process, by the bridge: loading it, calling it, and what became of a call.
import { type Result, assert, err, ok } from "@muxkit/cargo";
import { FEATURES } from "@muxkit/x64-assembler";
import { readFileSync } from "node:fs";

import { writeBridgeFile } from "./bridge-file.ts";
import { FAULT_SIGNALS, GUARD_AT, KICK_SIGNAL, STACK_AT, WORD } from "./bridge-layout.ts";
import { checkGuard } from "./guard.ts";

/** The addon's own functions; arguments and results are in its words. */
interface Addon {
  readonly words: ArrayBuffer;
  readonly call: () => void;
  readonly place: () => void;
  readonly release: () => void;
  readonly addressOf: (view: ArrayBufferView) => void;
  readonly cpuid: () => void;
  readonly xgetbv: () => void;
  readonly handlers: () => void;
  readonly kick: () => void;
}

/** How a call ended. @public */
export type CallEnd = "returned" | "memory" | "stack" | "arithmetic" | "instruction" | "stopped";

const PAGE = 4096;
const RESULT = 2 * WORD.result;
const ARGUMENT = 2 * WORD.arguments;
const FAULT = 2 * WORD.fault;
const SERIAL = 2 * WORD.serial;

const [SIGNAL_INSTRUCTION, , SIGNAL_ARITHMETIC] = FAULT_SIGNALS;

/** CPUID: whether the system saves the registers of AVX, and XGETBV can be asked. */
const OSXSAVE = 1 << 27;
/** XGETBV: the state of vectors of 256 bits, and all that AVX-512 adds to it. */
const AVX_STATE = 0x6;
const AVX512_STATE = 0xe6;

/** Machine code in this thread. Each thread opens its own; code and addresses are of the whole process. @public */
export class Bridge {
  readonly #addon: Addon;
  readonly #words: Int32Array;
  /** For addresses: words of 32 bits without a sign. */
  readonly #unsigned: Uint32Array;

  /** The file that it was loaded from: other threads of this process open it by {@link loadBridge}. */
  readonly file: string;

  /** @internal */
  constructor(addon: Addon, file: string) {
    this.#addon = addon;
    this.file = file;
    this.#words = new Int32Array(addon.words);
    this.#unsigned = new Uint32Array(addon.words);
  }

  /** Addresses have 47 bits, which a number holds. */
  #address(word: number): number {
    return (this.#unsigned[2 * word] ?? 0) + (this.#unsigned[2 * word + 1] ?? 0) * 2 ** 32;
  }

  #setAddress(word: number, value: number): void {
    this.#unsigned[2 * word] = value % 2 ** 32;
    this.#unsigned[2 * word + 1] = value / 2 ** 32;
  }

  /** The address of the bytes that a view shows. They must not move: shared memory, or an array that is kept. */
  addressOf(view: ArrayBufferView): number {
    this.#addon.addressOf(view);
    const address = this.#address(WORD.result);
    assert(address !== 0 || view.byteLength === 0, "the engine tells no address of this view");
    return address;
  }

  /**
   * Copies code to where it can be executed: the address that all threads may call, 0 when the code space of the
   * process is full.
   *
   * @param reused - An address that `release` was given with the same number of pages or more.
   */
  place(code: Uint8Array, reused: number = 0): number {
    const from = this.addressOf(code);
    this.#setAddress(WORD.arguments, from);
    this.#setAddress(WORD.arguments + 1, code.length);
    this.#setAddress(WORD.arguments + 2, reused);
    this.#addon.place();
    return (this.#words[RESULT + 1] ?? 0) < 0 ? 0 : this.#address(WORD.result);
  }

  /** Gives the pages of code back. Nobody may be in it or call it again. */
  release(address: number, bytes: number): void {
    this.#setAddress(WORD.arguments, address);
    this.#setAddress(WORD.arguments + 1, PAGE * Math.ceil(bytes / PAGE));
    this.#addon.release();
    assert(this.#words[RESULT] === 0, "code that is given back was not placed");
  }

  /** Sets the address that `gs:` means in calls from now on. */
  setMemory(address: number): void {
    this.#setAddress(WORD.memory, address);
  }

  /** Sets the code that `call` calls from now on. */
  setCode(address: number): void {
    this.#setAddress(WORD.code, address);
  }

  /**
   * Calls the code with six arguments, which it has in edi, esi, edx, ecx, r8d and r9d. It may lose all registers,
   * finds rsp at a multiple of 64 less 8, and has `KERNEL_STACK_BYTES` of stack.
   *
   * @returns 0 when it returned, otherwise the signal that ended it; `end` has more.
   */
  call(a: number, b: number, c: number, d: number, e: number, f: number): number {
    const words = this.#words;
    words[ARGUMENT] = a;
    words[ARGUMENT + 2] = b;
    words[ARGUMENT + 4] = c;
    words[ARGUMENT + 6] = d;
    words[ARGUMENT + 8] = e;
    words[ARGUMENT + 10] = f;
    words[ARGUMENT + 1] = words[ARGUMENT + 3] = words[ARGUMENT + 5] = 0;
    words[SERIAL] = (words[SERIAL] ?? 0) + 1;
    this.#addon.call();
    return words[FAULT] ?? 0;
  }

  /** What the last call returned, when it did. */
  get result(): number {
    return this.#words[RESULT] ?? 0;
  }

  /** How the last call ended. */
  get end(): CallEnd {
    const signal = this.#words[FAULT] ?? 0;
    if (signal === 0) return "returned";
    if (signal === KICK_SIGNAL) return "stopped";
    if (signal === SIGNAL_INSTRUCTION) return "instruction";
    if (signal === SIGNAL_ARITHMETIC) return "arithmetic";
    const distance = this.#address(WORD.faultAddress) - this.#address(WORD.block);
    return distance >= GUARD_AT && distance < STACK_AT ? "stack" : "memory";
  }

  /** The address that the last fault was about, and where it came from in the code space. */
  get fault(): { readonly address: number; readonly place: number } {
    return { address: this.#address(WORD.faultAddress), place: this.#address(WORD.faultPlace) };
  }

  /** The number by which other threads stop calls of this one. */
  get thread(): number {
    return this.#words[2 * WORD.thread] ?? 0;
  }

  /** The number that the next call has. A thread tells it to those who may stop the call, before it calls. */
  get nextSerial(): number {
    return ((this.#words[SERIAL] ?? 0) + 1) | 0;
  }

  /**
   * Makes another thread leave the call that it is in, if it is the one with this number and the thread is in its code
   * at this moment; repeat until the thread has left.
   *
   * @returns false when there is no such thread.
   */
  kick(thread: number, serial: number): boolean {
    this.#setAddress(WORD.arguments, thread);
    this.#setAddress(WORD.arguments + 1, serial >>> 0);
    this.#addon.kick();
    return this.#words[RESULT] === 0;
  }

  /** Whether faults still come to the bridge: another addon may have put its handlers over them. */
  hasHandlers(): boolean {
    this.#addon.handlers();
    return this.#words[RESULT] === FAULT_SIGNALS.length + 1;
  }

  /** The four registers of CPUID. */
  cpuid(leaf: number, subleaf: number = 0): readonly [eax: number, ebx: number, ecx: number, edx: number] {
    this.#setAddress(WORD.arguments, leaf);
    this.#setAddress(WORD.arguments + 1, subleaf);
    this.#addon.cpuid();
    const at = (n: number): number => this.#words[ARGUMENT + 2 * n] ?? 0;
    return [at(0), at(1), at(2), at(3)];
  }

  /** Bits of the features that processor and system have, as `FEATURES` of the assembler counts them. */
  features(): number {
    const most = this.cpuid(0)[0];
    const mostExtended = this.cpuid(0x8000_0000)[0] >>> 0;
    let state = 0;
    if ((this.cpuid(1)[2] & OSXSAVE) !== 0) {
      this.#addon.xgetbv();
      state = this.#words[RESULT] ?? 0;
    }
    let bits = 0;
    FEATURES.forEach(([name, leaf, subleaf, register, bit], n) => {
      if (bit < 0 || (leaf < 0x8000_0000 ? leaf > most : leaf > mostExtended)) return;
      const isVector = /^(?:avx|fma|f16c)/u.test(name);
      const needed = name.startsWith("avx512") ? AVX512_STATE : isVector ? AVX_STATE : 0;
      const values = this.cpuid(leaf, subleaf);
      if ((state & needed) === needed && ((values[register] ?? 0) & (1 << bit)) !== 0) bits |= 1 << n;
    });
    return bits;
  }
}

/** The flag of AT_HWCAP2 by which Linux says that programs may set the GS base. */
const HWCAP2 = 26;
const FSGSBASE = 2;

/** Whether a vector of `/proc/self/auxv` says that programs may set the GS base. @internal */
export function maySetGsBase(vector: Uint8Array): boolean {
  const view = new DataView(vector.buffer, vector.byteOffset, vector.byteLength);
  for (let offset = 0; offset + 16 <= vector.length; offset += 16) {
    if (view.getUint32(offset, true) === HWCAP2) return (view.getUint32(offset + 8, true) & FSGSBASE) !== 0;
  }
  return false;
}

/** What this process must be for the bridge, as one sentence when it is not. */
function systemProblem(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return `Native code runs on Linux on x86-64, and this is ${process.platform} on ${process.arch}.`;
  }
  try {
    if (maySetGsBase(readFileSync("/proc/self/auxv"))) return undefined;
  } catch {
    return "Native code is not used, because /proc/self/auxv cannot be read to see what the system allows.";
  }
  return "Native code is not used, because this system does not let programs set the GS base; Linux does from 5.9 on.";
}

function loadProblem(error: unknown, path: string): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const text = error instanceof Error ? error.message : String(error);
  if (code === "ERR_DLOPEN_DISABLED" || code === "ERR_ACCESS_DENIED") {
    return (
      "Native code is not used, because this process may not load addons " +
      "(--no-addons, or --permission without --allow-addons)."
    );
  }
  if (/failed to map segment|Operation not permitted|Permission denied/u.test(text)) {
    return `Native code is not used, because nothing in ${path} may be executed; its folder may be mounted noexec.`;
  }
  return `Native code is not used, because the bridge ${path} could not be loaded: ${text}.`;
}

/** Where code is kept, and the memory of kernels. @public */
export interface BridgeRequest {
  /** A folder of the user's own for the bridge's file; it is made with mode 0700. */
  readonly folder: string;
  /** All bytes of the memory of kernels, a shared one of WebAssembly. What lies behind it is checked. */
  readonly memory: Uint8Array;
}

/** Opens the bridge in this thread, or says in one sentence why there is none. Never throws. @public */
export function openBridge({ folder, memory }: BridgeRequest): Result<Bridge, string> {
  const problem = systemProblem();
  if (problem !== undefined) return err(problem);
  const file = writeBridgeFile(folder);
  return file.ok ? loadBridge(file.value, memory) : file;
}

/**
 * Opens the bridge of a file that {@link openBridge} has checked in another thread of this process; nothing is written
 * or compared again.
 *
 * @param file - The other thread's `bridge.file`.
 * @param memory - See {@link BridgeRequest}.
 * @public
 */
export function loadBridge(file: string, memory: Uint8Array): Result<Bridge, string> {
  const loaded: { exports: Partial<Addon> } = { exports: {} };
  try {
    process.dlopen(loaded, file);
  } catch (error) {
    return err(loadProblem(error, file));
  }
  const { words } = loaded.exports;
  if (words === undefined) return err("Native code is not used, because the system has no address space left for it.");
  const bridge = new Bridge({ ...loaded.exports, words } as Addon, file);
  const base = bridge.addressOf(memory);
  const guard = checkGuard(base, memory.length);
  if (!guard.ok) return guard;
  bridge.setMemory(base);
  return ok(bridge);
}
