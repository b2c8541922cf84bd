// SPDX-License-Identifier: Apache-2.0
// Faults of kernels, traps of WebAssembly and exhausted stacks of JavaScript in turn, in this thread and in three
// workers at once: each must come back as what it is. Arguments: the folder, rounds. Prints one line for each thread.
import { Worker, isMainThread, workerData } from "node:worker_threads";

import { formOf } from "@muxkit/x64-assembler";

import { EAX, EDI, FAULTS, TRAPPING, engine, makeMemory, nameOf, open, place } from "./open.ts";

interface Start {
  readonly folder: string;
  readonly memory: SharedArrayBuffer;
  readonly rounds: number;
}

function exhaust(depth: number): number {
  return exhaust(depth + 1) + 1;
}

function run({ folder, memory, rounds }: Start): string {
  const bridge = open(folder, memory);
  const codes = FAULTS.map(([, write]) => place(bridge, write));
  const good = place(bridge, (a) => {
    a.emit(formOf("lea r32, m"), EAX, a.flat(EDI, 1));
    a.emit(formOf("ret"));
  });
  const { f } = new engine.Instance(new engine.Module(TRAPPING)).exports;
  let faults = 0;
  let traps = 0;
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round++) {
    FAULTS.forEach(([end], n) => {
      bridge.setCode(codes[n] ?? 0);
      if (bridge.call(1, 2, 3, 4, 5, 6) === 0 || bridge.end !== end) wrong.push(`${end} was ${bridge.end}`);
      faults++;
      bridge.setCode(good);
      if (bridge.call(round, 0, 0, 0, 0, 0) !== 0 || bridge.result !== round + 1)
        wrong.push(`a call was ${bridge.end}`);
    });
    if (round % 2 === 0) {
      if (nameOf(() => f?.()) !== "RuntimeError") wrong.push("a trap");
      traps++;
    }
    if (round % 50 === 0 && nameOf(() => exhaust(0)) !== "RangeError") wrong.push("a stack");
  }
  if (!bridge.hasHandlers()) wrong.push("the handlers");
  return `${faults} faults, ${traps} traps, wrong: ${wrong.slice(0, 3).join("; ") || "none"}`;
}

if (isMainThread) {
  const [folder = "", rounds = "1"] = process.argv.slice(2);
  const start: Start = { folder, memory: makeMemory(), rounds: Number(rounds) };
  const workers = [1, 2, 3].map(() => new Worker(process.argv[1] ?? "", { workerData: start }));
  // Workers start while this thread is in its own calls.
  process.stdout.write(`${run(start)}\n`);
  for (const worker of workers) worker.on("error", (error) => process.stdout.write(`${error.message}\n`));
} else process.stdout.write(`${run(workerData as Start)}\n`);
