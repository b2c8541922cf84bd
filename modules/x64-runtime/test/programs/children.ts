// SPDX-License-Identifier: Apache-2.0
// Children of a process that runs machine code: programs that are spawned, and Nodes that are forked and open a bridge
// of their own, while a worker of this process is in its kernels and has faults. Arguments: the folder, how many
// children of each kind. Prints one line.
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { Worker, isMainThread, workerData } from "node:worker_threads";

import type { Bridge } from "@muxkit/x64-runtime";

import { FAULTS, makeMemory, open, place } from "./open.ts";

/** How many faults of each kind ended as another kind. */
function wrongFaults(bridge: Bridge, codes: readonly number[]): number {
  return FAULTS.filter(([end], n) => {
    bridge.setCode(codes[n] ?? 0);
    return bridge.call(0, 0, 0, 0, 0, 0) === 0 || bridge.end !== end;
  }).length;
}

function prepare(folder: string): { readonly bridge: Bridge; readonly codes: readonly number[] } {
  const bridge = open(folder, makeMemory());
  return { bridge, codes: FAULTS.map(([, write]) => place(bridge, write)) };
}

interface Start {
  readonly file: string;
  readonly board: Int32Array;
}

/** Words of the board: 1 when the worker has to end; faults that ended as they should not; faults. */
const END = 0;
const WRONG = 1;
const FAULTS_SEEN = 2;

function work({ file, board }: Start): void {
  const { bridge, codes } = prepare(file);
  while (Atomics.load(board, END) === 0) {
    Atomics.add(board, WRONG, wrongFaults(bridge, codes));
    Atomics.add(board, FAULTS_SEEN, FAULTS.length);
    Atomics.notify(board, FAULTS_SEEN);
  }
}

async function main(folder: string, count: number): Promise<string> {
  const { bridge, codes } = prepare(folder);
  const board = new Int32Array(new SharedArrayBuffer(16));
  const start: Start = { file: bridge.file, board };
  const worker = new Worker(process.argv[1] ?? "", { workerData: start });
  let wrong = 0;
  let spawned = 0;
  const children: ChildProcess[] = [];
  for (let n = 0; n < count; n++) {
    if (spawnSync("/bin/true").status === 0) spawned++;
    wrong += wrongFaults(bridge, codes);
    children.push(fork(process.argv[1] ?? "", [folder, "child"]));
    wrong += wrongFaults(bridge, codes);
  }
  // A program that faults itself ends by the signal: our handlers do not follow it.
  const { signal } = spawnSync("/bin/sh", ["-c", "kill -SEGV $$"]);
  const answers = await Promise.all(children.map((child) => once(child, "exit")));
  const forked = answers.filter(([code]) => code === 0).length;
  // On a busy machine the children may end before the worker has begun.
  await Atomics.waitAsync(board, FAULTS_SEEN, 0).value;
  Atomics.store(board, END, 1);
  await once(worker, "exit");
  const seen = (board[FAULTS_SEEN] ?? 0) > 0;
  return (
    `spawned ${spawned}, forked ${forked}, by signal ${signal}, wrong ${wrong + (board[WRONG] ?? 0)}, ` +
    `faults in the worker: ${seen}, handlers: ${bridge.hasHandlers()}`
  );
}

const [folder = "", word = "1"] = process.argv.slice(2);
if (!isMainThread) work(workerData as Start);
else if (word === "child") {
  const { bridge, codes } = prepare(folder);
  process.exitCode = wrongFaults(bridge, codes);
} else void main(folder, Number(word)).then((line) => process.stdout.write(`${line}\n`));
