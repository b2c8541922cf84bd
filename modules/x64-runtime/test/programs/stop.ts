// SPDX-License-Identifier: Apache-2.0
// Endless loops in a worker, each stopped by a signal from this thread; a late kick must not stop the call after.
// Arguments: the folder, rounds.
import { Worker, isMainThread, workerData } from "node:worker_threads";

import { formOf } from "@muxkit/x64-assembler";

import { EAX, EDI, makeMemory, open, place } from "./open.ts";

interface Start {
  readonly folder: string;
  readonly memory: SharedArrayBuffer;
  readonly rounds: number;
  readonly board: Int32Array;
}

/** Words of the board: the thread, the call that runs, 0 for none, and how the last one ended. */
const THREAD = 0;
const CALL = 1;
const STOPPED = 2;
const WRONG = 3;

function loop({ folder, memory, rounds, board }: Start): void {
  const bridge = open(folder, memory);
  const endless = place(bridge, (a) => {
    const top = a.newLabel();
    // Flush to zero, which a thread that was stopped must not keep.
    a.emit(formOf("mov m32, s32"), a.kernel(EDI), 0x9fc0);
    a.emit(formOf("ldmxcsr m32"), a.kernel(EDI));
    a.bind(top);
    a.emit(formOf("add r32/m32, s8"), EAX, 1);
    a.jump(top);
  });
  // Some milliseconds: time for late signals to come.
  const long = place(bridge, (a) => {
    const top = a.newLabel();
    a.emit(formOf("mov r32, i32"), EAX, 1_000_000);
    a.bind(top);
    a.emit(formOf("sub r32/m32, s8"), EAX, 1);
    a.jumpIf(5, top);
    a.emit(formOf("ret"));
  });
  Atomics.store(board, THREAD, bridge.thread);
  for (let round = 0; round < rounds; round++) {
    bridge.setCode(endless);
    Atomics.store(board, CALL, bridge.nextSerial);
    bridge.call(0, 0, 0, 0, 0, 0);
    if (bridge.end === "stopped") Atomics.add(board, STOPPED, 1);
    if (Number.MIN_VALUE * (round + 1) === 0) Atomics.add(board, WRONG, 1);
    // The other thread goes on kicking the call that is over.
    bridge.setCode(long);
    if (bridge.call(0, 0, 0, 0, 0, 0) !== 0 || bridge.result !== 0) Atomics.add(board, WRONG, 1);
    Atomics.store(board, CALL, 0);
  }
  Atomics.store(board, CALL, -1);
}

if (isMainThread) {
  const [folder = "", rounds = "1"] = process.argv.slice(2);
  const board = new Int32Array(new SharedArrayBuffer(16));
  const start: Start = { folder, memory: makeMemory(), rounds: Number(rounds), board };
  const bridge = open(folder, start.memory);
  const worker = new Worker(process.argv[1] ?? "", { workerData: start });
  const isGone = bridge.kick(2 ** 22 + 1, 1);
  const timer = setInterval(() => {
    const call = Atomics.load(board, CALL);
    if (call > 0) bridge.kick(Atomics.load(board, THREAD), call);
  }, 1);
  worker.on("exit", () => {
    clearInterval(timer);
    const text = `stopped ${board[STOPPED]}, wrong ${board[WRONG]}, a thread that is not there: ${isGone}`;
    process.stdout.write(`${text}\n`);
  });
} else {
  loop(workerData as Start);
}
