// SPDX-License-Identifier: Apache-2.0
// The thread of Node that compiles variants of kernels while launches go on: how it is started. Answers come by a port
// that is read without turns of an event loop, and are counted in shared memory, so that the other side can wait for
// one.
//
// A thread that ends while the other side waits sends no event that could be seen there. So it says in shared memory
// that it ends; and where the system lists the threads of a process, its number there says whether it still exists,
// however it ended. Who waits looks after both a few times a second.
import type { CompileAnswer, CompileJob, CompilePort } from "@muxkit/loader";

/** The parts of Node's MessagePort that the thread uses: users of these types need no types of Node. */
interface ThreadPort {
  readonly on: (event: "message", take: (job: CompileJob) => void) => unknown;
  readonly postMessage: (answer: CompileAnswer) => void;
}

/** What the thread is started with. */
export interface CompileThreadData {
  /** Brings jobs, takes answers. */
  readonly port: ThreadPort;
  /** How many answers were sent. */
  readonly sent: Int32Array;
  /** The thread's number in the system, and whether it has ended. */
  readonly life: Int32Array;
  /** The module that it runs. */
  readonly script: string;
  /** What the starting script has to say besides. */
  readonly more: unknown;
}

/** Words of `life`: the number of the thread, 0 where it is not known, and 1 when it has ended. */
const NUMBER = 0;
const ENDED = 1;
/** How often who waits or launches looks after the thread, in ms. */
const LOOK_MS = 200;
/** Most threads: few programs have variants made for more kernels at a time. */
const MOST_THREADS = 3;

/** What the thread runs first: it says who it is, also where its module cannot be loaded. */
const FIRST = `
const { life, script } = require("node:worker_threads").workerData;
process.on("exit", () => { Atomics.store(life, ${ENDED}, 1); });
try {
  const self = require("node:fs").readlinkSync("/proc/thread-self");
  Atomics.store(life, ${NUMBER}, Number(self.slice(self.lastIndexOf("/") + 1)));
} catch {} // A system without such a list.
import(script);
`;

/** Threads that may compile at the same time, so that one core at least is left for the calling thread. */
export function mostCompileThreads(): number {
  const { availableParallelism } = process.getBuiltinModule("node:os");
  return Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));
}

/** Starts the thread with a module that calls `runCompileThread`. `more` is data for the module. */
export function startCompileThread(url: URL, more: unknown = null): CompilePort {
  // Loaded here: most programs need no such thread.
  const { MessageChannel, Worker, receiveMessageOnPort } = process.getBuiltinModule("node:worker_threads");
  const { existsSync } = process.getBuiltinModule("node:fs");
  const { port1, port2 } = new MessageChannel();
  const sent = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const life = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const workerData: CompileThreadData = { port: port2, sent, life, script: url.href, more };
  const worker = new Worker(FIRST, {
    eval: true,
    name: "muxkit:compiler",
    // A TypeScript module is run from sources: its own process flags, never those of the user's program.
    execArgv: url.pathname.endsWith(".ts") ? ["--conditions=source", "--disable-warning=ExperimentalWarning"] : [],
    env: {},
    stdin: false,
    workerData,
    transferList: [port2],
  });
  let received = 0;
  let isLost = false;
  // A thread that cannot run answers nothing: launches stay with the code that they have.
  const lose = (): void => {
    isLost = true;
  };
  worker.on("error", lose);
  worker.on("exit", lose);
  worker.unref();
  port1.unref();
  const take = (): CompileAnswer | null => {
    // Launches look here one by one.
    if (Atomics.load(sent, 0) === received) return null;
    const found: { readonly message: CompileAnswer } | undefined = receiveMessageOnPort(port1);
    if (found === undefined) return null;
    received++;
    return found.message;
  };
  let lookedAt = -Infinity;
  const hasEnded = (): boolean => {
    const now = performance.now();
    if (isLost || now - lookedAt < LOOK_MS) return isLost;
    lookedAt = now;
    const number = Atomics.load(life, NUMBER);
    isLost = Atomics.load(life, ENDED) !== 0 || (number !== 0 && !existsSync(`/proc/self/task/${number}`));
    return isLost;
  };
  return {
    post: (job: CompileJob) => {
      port1.postMessage(job);
    },
    receive: (timeout) => {
      const end = performance.now() + timeout;
      for (;;) {
        const left = end - performance.now();
        const answer = take();
        if (answer !== null || left <= 0) return answer;
        // What it sent before it ended.
        if (hasEnded()) return take();
        Atomics.wait(sent, 0, received, Math.min(left, LOOK_MS));
      }
    },
    isLost: hasEnded,
  };
}
