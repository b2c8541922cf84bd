// SPDX-License-Identifier: Apache-2.0
// Workers that come and go: each opens the bridge and has faults; every second is terminated in an endless loop, which
// a kick ends. Their blocks must be given back, and this thread's calls and faults go on. Arguments: the folder, how
// many workers.
import { readFileSync } from "node:fs";
import { Worker, isMainThread, workerData } from "node:worker_threads";

import { FAULTS, makeMemory, open, place } from "./open.ts";

interface Start {
  /** The file that the main thread has checked. */
  readonly file: string;
  readonly memory: SharedArrayBuffer;
  readonly board: Int32Array;
  readonly isEndless: boolean;
}

/** Words of the board: the thread, the call that runs, and calls that ended in another way than they should. */
const THREAD = 0;
const CALL = 1;
const WRONG = 2;

function work({ file, memory, board, isEndless }: Start): void {
  const bridge = open(file, memory);
  for (const [end, write] of FAULTS) {
    bridge.setCode(place(bridge, write));
    bridge.call(0, 0, 0, 0, 0, 0);
    if (bridge.end !== end) Atomics.add(board, WRONG, 1);
  }
  if (!isEndless) return;
  const endless = place(bridge, (a) => {
    const top = a.newLabel();
    a.bind(top);
    a.jump(top);
  });
  bridge.setCode(endless);
  Atomics.store(board, THREAD, bridge.thread);
  Atomics.store(board, CALL, bridge.nextSerial);
  bridge.call(0, 0, 0, 0, 0, 0);
}

/** Bytes of address space that this process has, in MiB. */
function addressSpace(): number {
  return Number(/^VmSize:\s+(\d+) kB/mu.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}

function runWorker(start: Start, stop: () => void): Promise<void> {
  return new Promise((resolve) => {
    const worker = new Worker(process.argv[1] ?? "", { workerData: start });
    let isTerminated = false;
    const timer = setInterval(() => {
      if (!start.isEndless || Atomics.load(start.board, CALL) === 0) return;
      // The engine cannot end what is not its code: the kick does.
      if (!isTerminated) void worker.terminate();
      isTerminated = true;
      stop();
    }, 1);
    worker.on("exit", () => {
      clearInterval(timer);
      Atomics.store(start.board, CALL, 0);
      resolve();
    });
  });
}

async function main(folder: string, workers: number): Promise<void> {
  const memory = makeMemory();
  const board = new Int32Array(new SharedArrayBuffer(16));
  const bridge = open(folder, memory);
  const [, write] = FAULTS[0] ?? ["", () => undefined];
  const faulty = place(bridge, write);
  const stop = (): void => void bridge.kick(Atomics.load(board, THREAD), Atomics.load(board, CALL));
  let after = 0;
  let chain = Promise.resolve();
  for (let n = 0; n < workers; n++) {
    chain = chain
      .then(() => runWorker({ file: bridge.file, memory, board, isEndless: n % 2 === 1 }, stop))
      .then(() => {
        bridge.setCode(faulty);
        bridge.call(0, 0, 0, 0, 0, 0);
        if (bridge.end !== "memory") board[WRONG] = (board[WRONG] ?? 0) + 1;
        // Threads' own stacks and heaps settle first.
        if (n === Math.floor(workers / 2)) after = addressSpace();
      });
  }
  await chain;
  const growth = addressSpace() - after;
  process.stdout.write(
    `${workers} workers, wrong: ${board[WRONG]}, blocks left: ${growth > workers / 2 ? growth : "none"}\n`,
  );
}

if (isMainThread) {
  const [folder = "", workers = "1"] = process.argv.slice(2);
  void main(folder, Number(workers));
} else work(workerData as Start);
