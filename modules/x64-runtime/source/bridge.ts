// SPDX-License-Identifier: Apache-2.0
// Machine code in this process, by the bridge: loading it, calling it, and what became of a call.
import { type Result, assert, err, ok } from "@muxkit/cargo";
import { FEATURES } from "@muxkit/x64-assembler/features";

import { openBridgeFile, writeBridgeFile } from "./bridge-file.ts";
import { FAULT_SIGNALS, WORD } from "./bridge-layout.ts";
import { checkGuard } from "./guard.ts";
import { systemProblem } from "./system.ts";
import { type Addon, NativeThread, loadAddon } from "./thread.ts";

const PAGE = 4096;
/** Bytes of a large page. @public */
export const LARGE_PAGE: number = 2 ** 21;
const RESULT = 2 * WORD.result;
const ARGUMENT = 2 * WORD.arguments;

/** CPUID: whether the system saves the registers of AVX, and XGETBV can be asked. */
const OSXSAVE = 1 << 27;
/** XGETBV: the state of vectors of 256 bits, and all that AVX-512 adds to it. */
const AVX_STATE = 0x6;
const AVX512_STATE = 0xe6;

/** Machine code in this thread. Each thread opens its own; code and addresses are of the whole process. @public */
export class Bridge extends NativeThread {
  /** The file that it was loaded from: other threads of this process open it by {@link loadBridge}. */
  readonly file: string;
  /**
   * A descriptor of that file, which stays open: other threads may load it by `/proc/self/fd` after its name is gone;
   * -1 where there is none.
   */
  readonly descriptor: number;

  /** @internal */
  constructor(addon: Addon, file: string, descriptor: number = -1) {
    super(addon);
    this.file = file;
    this.descriptor = descriptor;
  }

  /** The address of the bytes that a view shows. They must not move: shared memory, or an array that is kept. */
  addressOf(view: ArrayBufferView): number {
    this.addon.addressOf(view);
    const address = this.address(WORD.result);
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
    this.setAddress(WORD.arguments, from);
    this.setAddress(WORD.arguments + 1, code.length);
    this.setAddress(WORD.arguments + 2, reused);
    this.addon.place();
    return (this.words[RESULT + 1] ?? 0) < 0 ? 0 : this.address(WORD.result);
  }

  /** Gives the pages of code back. Nobody may be in it or call it again. */
  release(address: number, bytes: number): void {
    this.setAddress(WORD.arguments, address);
    this.setAddress(WORD.arguments + 1, PAGE * Math.ceil(bytes / PAGE));
    this.addon.release();
    assert(this.words[RESULT] === 0, "code that is given back was not placed");
  }

  /**
   * Asks the system for pages of 2 MiB where memory is touched first; false where it has none. Both numbers are
   * multiples of {@link LARGE_PAGE}.
   */
  largePages(address: number, bytes: number): boolean {
    this.setAddress(WORD.arguments, address);
    this.setAddress(WORD.arguments + 1, bytes);
    this.addon.largePages();
    return this.words[RESULT] === 0;
  }

  /** Whether faults still come to the bridge: another addon may have put its handlers over them. */
  hasHandlers(): boolean {
    this.addon.handlers();
    return this.words[RESULT] === FAULT_SIGNALS.length + 1;
  }

  /** The four registers of CPUID. */
  cpuid(leaf: number, subleaf: number = 0): readonly [eax: number, ebx: number, ecx: number, edx: number] {
    this.setAddress(WORD.arguments, leaf);
    this.setAddress(WORD.arguments + 1, subleaf);
    this.addon.cpuid();
    const at = (n: number): number => this.words[ARGUMENT + 2 * n] ?? 0;
    return [at(0), at(1), at(2), at(3)];
  }

  /** Bits of the features that processor and system have, as `FEATURES` of the assembler counts them. */
  features(): number {
    const most = this.cpuid(0)[0];
    const mostExtended = this.cpuid(0x8000_0000)[0] >>> 0;
    let state = 0;
    if ((this.cpuid(1)[2] & OSXSAVE) !== 0) {
      this.addon.xgetbv();
      state = this.words[RESULT] ?? 0;
    }
    // Virtual machines take tens of µs for each CPUID.
    const asked = new Map<number, ReturnType<Bridge["cpuid"]>>();
    let bits = 0;
    FEATURES.forEach(([name, leaf, subleaf, register, bit], n) => {
      if (bit < 0 || (leaf < 0x8000_0000 ? leaf > most : leaf > mostExtended)) return;
      const isVector = /^(?:avx|fma|f16c)/u.test(name);
      const needed = name.startsWith("avx512") ? AVX512_STATE : isVector ? AVX_STATE : 0;
      const values = asked.get(leaf) ?? this.cpuid(leaf, subleaf);
      asked.set(leaf, values);
      if ((state & needed) === needed && ((values[register] ?? 0) & (1 << bit)) !== 0) bits |= 1 << n;
    });
    return bits;
  }

  /**
   * The address of all bytes of a memory of kernels, a shared one of WebAssembly; or one sentence on why they could
   * reach more than that. It stays the same when the memory grows.
   */
  memoryOf(memory: Uint8Array): Result<number, string> {
    const base = this.addressOf(memory);
    const guard = checkGuard(base, memory.length);
    return guard.ok ? ok(base) : guard;
  }
}

function loadProblem(error: Error | null, path: string): string {
  if (error === null) return "Native code is not used, because the system has no address space left for it.";
  const code = "code" in error ? String(error.code) : "";
  const text = error.message;
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

/** Descriptors of files that this thread has opened bridges of. */
const DESCRIPTORS = new Map<string, number>();

function descriptorOf(file: string): number {
  let descriptor = DESCRIPTORS.get(file);
  if (descriptor === undefined) {
    descriptor = openBridgeFile(file);
    DESCRIPTORS.set(file, descriptor);
  }
  return descriptor;
}

/**
 * Opens the bridge in this thread, or says in one sentence why there is none. Never throws.
 *
 * @param folder - A folder of the user's own for the bridge's file; it is made with mode 0700.
 * @public
 */
export function openBridge(folder: string): Result<Bridge, string> {
  const problem = systemProblem();
  if (problem !== undefined) return err(problem);
  const file = writeBridgeFile(folder);
  if (!file.ok) return file;
  const addon = loadAddon(process, file.value);
  return addon.ok
    ? ok(new Bridge(addon.value, file.value, descriptorOf(file.value)))
    : err(loadProblem(addon.error, file.value));
}

/**
 * Opens the bridge of a file that {@link openBridge} has checked in another thread of this process; nothing is written
 * or compared again.
 *
 * @param file - The other thread's `bridge.file`.
 * @public
 */
export function loadBridge(file: string): Result<Bridge, string> {
  const addon = loadAddon(process, file);
  return addon.ok ? ok(new Bridge(addon.value, file)) : err(loadProblem(addon.error, file));
}
