// SPDX-License-Identifier: Apache-2.0
// Signals at times when no kernel runs, and stacks that are nearly full. Arguments: the folder, rounds. Prints a line
// for each:
// - a worker is kicked while it is in JavaScript, in WebAssembly and in the collector: it computes what it should;
// - a signal of the program's own arrives during a kernel: its listener runs afterwards, the kernel's result is right;
// - kernels are called from a stack of JavaScript that grows until it is exhausted.
import { once } from "node:events";
import { Worker, isMainThread, workerData } from "node:worker_threads";

import { formOf } from "@muxkit/x64-assembler";
import type { Bridge } from "@muxkit/x64-runtime";

import { EAX, FAULTS, engine, makeMemory, open, place } from "./open.ts";

interface Start {
  readonly file: string;
  readonly board: Int32Array;
  readonly rounds: number;
}

/** Words of the board: the thread, the number of the call that ended last, rounds that were wrong, 1 at the end. */
const THREAD = 0;
const CALL = 1;
const WRONG = 2;
const END = 3;

/** `f()`: counts down from 2^20 in WebAssembly, and returns 7. */
// prettier-ignore
const COUNTING = Uint8Array.of(
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0,
  10, 27, 1, 25, 1, 1, 0x7f, 0x41, 0x80, 0x80, 0xc0, 0, 0x21, 0, 0x03, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0,
  0x0b, 0x41, 7, 0x0b
);

function placeCounter(bridge: Bridge, rounds: number): number {
  return place(bridge, (a) => {
    const top = a.newLabel();
    a.emit(formOf("mov r32, i32"), EAX, rounds);
    a.bind(top);
    a.emit(formOf("sub r32/m32, s8"), EAX, 1);
    a.jumpIf(5, top);
    a.emit(formOf("mov r32, i32"), EAX, 9);
    a.emit(formOf("ret"));
  });
}

/** Objects and a sort: the collector runs between. */
function sortedSum(seed: number): number {
  const list = Array.from({ length: 20_000 }, (_, i) => ({ key: (i * 7919 + seed) % 20_000 }));
  list.sort((a, b) => a.key - b.key);
  return list.reduce((sum, { key }, i) => sum + (key === i ? 1 : 0), 0);
}

function work({ file, board, rounds }: Start): void {
  const bridge = open(file, makeMemory());
  const short = placeCounter(bridge, 1);
  const { f } = new engine.Instance(new engine.Module(COUNTING)).exports;
  Atomics.store(board, THREAD, bridge.thread);
  for (let round = 0; round < rounds; round++) {
    bridge.setCode(short);
    const serial = bridge.nextSerial;
    if (bridge.call(0, 0, 0, 0, 0, 0) !== 0 || bridge.result !== 9) Atomics.add(board, WRONG, 1);
    // From now on it is kicked by the number of the call that is over.
    Atomics.store(board, CALL, serial);
    if (sortedSum(round) !== 20_000 || f?.() !== 7) Atomics.add(board, WRONG, 1);
    Atomics.store(board, CALL, 0);
  }
  Atomics.store(board, END, 1);
}

async function kickOutside(bridge: Bridge, rounds: number): Promise<string> {
  const board = new Int32Array(new SharedArrayBuffer(16));
  const start: Start = { file: bridge.file, board, rounds };
  const worker = new Worker(process.argv[1] ?? "", { workerData: start });
  let kicks = 0;
  const timer = setInterval(() => {
    for (let n = 0; n < 8; n++) {
      const call = Atomics.load(board, CALL);
      if (call > 0 && bridge.kick(Atomics.load(board, THREAD), call)) kicks++;
    }
  }, 1);
  await once(worker, "exit");
  clearInterval(timer);
  return `kicked outside: ${kicks > rounds / 2}, wrong ${board[WRONG]}, ended ${board[END]}`;
}

async function signalInside(bridge: Bridge): Promise<string> {
  let heard = 0;
  process.on("SIGUSR2", () => heard++);
  const long = placeCounter(bridge, 100_000_000);
  const { pid } = process;
  const text =
    `const { workerData } = require("node:worker_threads");` +
    `for (let n = 0; n < 20; n++) { process.kill(workerData, "SIGUSR2");` +
    ` Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2); }`;
  const worker = new Worker(text, { eval: true, workerData: pid });
  await once(worker, "online");
  bridge.setCode(long);
  const isRight = bridge.call(0, 0, 0, 0, 0, 0) === 0 && bridge.result === 9;
  const before = heard;
  await once(worker, "exit");
  await new Promise((resolve) => setTimeout(resolve, 20));
  return `signals inside: ${before} before it returned, heard ${heard > 0}, right ${isRight}`;
}

function deepStack(bridge: Bridge): string {
  const codes = FAULTS.map(([, write]) => place(bridge, write));
  let calls = 0;
  let wrong = 0;
  const descend = (depth: number): number => {
    const n = depth % FAULTS.length;
    bridge.setCode(codes[n] ?? 0);
    if (bridge.call(0, 0, 0, 0, 0, 0) === 0 || bridge.end !== FAULTS[n]?.[0]) wrong++;
    calls++;
    return descend(depth + 1) + 1;
  };
  let name = "";
  try {
    descend(0);
  } catch (error) {
    name = error instanceof Error ? error.constructor.name : "";
  }
  bridge.setCode(codes[0] ?? 0);
  bridge.call(0, 0, 0, 0, 0, 0);
  return `deep: ${calls > 1000}, wrong ${wrong}, ${name}, then ${bridge.end}`;
}

async function main(folder: string, rounds: number): Promise<void> {
  const bridge = open(folder, makeMemory());
  process.stdout.write(`${await kickOutside(bridge, rounds)}\n`);
  process.stdout.write(`${await signalInside(bridge)}\n`);
  process.stdout.write(`${deepStack(bridge)}\n`);
}

if (isMainThread) {
  const [folder = "", rounds = "1"] = process.argv.slice(2);
  void main(folder, Number(rounds));
} else work(workerData as Start);
