// SPDX-License-Identifier: Apache-2.0
// Machine code in the process of a test: where the processor and the system run it. All code that is made is verified
// as code from a file would be, run or not.
import { assert } from "@muxkit/cargo";
import { type CodeObject, FEATURES, featureBit, readCodeObject, verifyObject } from "@muxkit/x64-assembler";
import { X64_TIERS } from "@muxkit/host-compiler/native";
import { type Bridge, openBridge } from "@muxkit/x64-runtime";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { TESTED_TIER } from "./native-tier.ts";
import { WATCH, type WatchData } from "./native-watch-data.ts";

/** What the tier that is tested stands for. */
const NEEDED = (X64_TIERS.find(({ name }) => name === TESTED_TIER)?.needs ?? []).reduce(
  (bits, name) => bits | (featureBit(name) ?? 0),
  0,
);

const PAGE_BYTES = 4096;

/** Code objects that were read and verified, as long as their bytes are reachable. */
const verified = new WeakMap<Uint8Array, CodeObject>();

/** Reads a section of native code. Throws for what is damaged, or does what kernels may not do. */
export function nativeCode(bytes: Uint8Array): CodeObject {
  const known = verified.get(bytes);
  if (known !== undefined) return known;
  const read = readCodeObject(bytes);
  if (!read.ok) throw new Error(read.error);
  const checked = verifyObject(read.value, NEEDED);
  if (!checked.ok) throw new Error(checked.error.reason);
  verified.set(bytes, read.value);
  return read.value;
}

function open(): Bridge | string {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-suite-native-"));
  // The thread that watches loads the bridge's file too.
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const opened = openBridge(folder);
  if (!opened.ok) return opened.error;
  const missing = NEEDED & ~opened.value.features();
  const names = FEATURES.flatMap(([name]) => (((featureBit(name) ?? 0) & missing) === 0 ? [] : [name]));
  return missing === 0 ? opened.value : `The processor has no ${names.join(", ")}.`;
}

let bridge: Bridge | null | undefined;

/** What runs machine code in this thread; null, and a loud remark, where nothing does. */
function theBridge(): Bridge | null {
  if (bridge !== undefined) return bridge;
  const opened = open();
  bridge = typeof opened === "string" ? null : opened;
  if (typeof opened === "string") process.stderr.write(`!! native code is made and not run here: ${opened}\n`);
  return bridge;
}

/** Whether this machine runs native code. */
export function runsNative(): boolean {
  return theBridge() !== null;
}

/** Pages of code, and what is in them: used for one call after the other. */
let placed: { readonly address: number; readonly pages: number; readonly code: CodeObject } | null = null;

/** The address at which code can be called, until other code is. */
function place(runner: Bridge, code: CodeObject): number {
  if (placed?.code === code) return placed.address;
  const pages = Math.ceil(code.bytes.length / PAGE_BYTES);
  const reused = placed !== null && pages <= placed.pages ? placed : null;
  const address = runner.place(code.bytes, reused?.address);
  assert(address !== 0, "the space for code is full");
  placed = { address, pages: reused?.pages ?? pages, code };
  return address;
}

/** Where memories begin that were looked at: what is behind them is set aside. */
const bases = new WeakMap<ArrayBufferLike, number>();

function baseOf(runner: Bridge, memory: ArrayBufferLike): number {
  const known = bases.get(memory);
  if (known !== undefined) return known;
  const base = runner.memoryOf(new Uint8Array(memory));
  if (!base.ok) throw new Error(base.error);
  bases.set(memory, base.value);
  return base.value;
}

/** What the watching thread sees of this one; null: it has not been started. */
let watched: Int32Array | null = null;

/** Starts the thread that ends calls which compute for too long. */
function watch(runner: Bridge): Int32Array {
  const words = new Int32Array(new SharedArrayBuffer(WATCH.count * Int32Array.BYTES_PER_ELEMENT));
  words[WATCH.thread] = runner.thread;
  const data: WatchData = { words, file: runner.file };
  new Worker(new URL("native-watch.ts", import.meta.url), {
    execArgv: ["--conditions=source", "--disable-warning=ExperimentalWarning"],
    workerData: data,
  }).unref();
  return words;
}

/**
 * Calls an entry of a code object with a memory of kernels. Faults are thrown, and so is an end by the watching thread
 * after more than `mostMs` of processor time.
 */
export function callNative(
  code: CodeObject,
  entry: string,
  memory: ArrayBufferLike,
  args: readonly number[],
  mostMs: number,
): number {
  const runner = theBridge();
  const offset = code.entries.get(entry);
  assert(runner !== null && offset !== undefined, () => `${entry} is machine code that cannot be called`);
  const address = place(runner, code);
  runner.setMemory(baseOf(runner, memory));
  runner.setCode(address + offset);
  watched ??= watch(runner);
  watched[WATCH.mostMs] = mostMs;
  Atomics.store(watched, WATCH.serial, runner.nextSerial);
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = args;
  const signal = runner.call(a, b, c, d, e, 0);
  Atomics.store(watched, WATCH.serial, 0);
  if (signal !== 0) throw new Error(`${entry} ended by a fault: ${runner.end}`);
  return runner.result;
}
