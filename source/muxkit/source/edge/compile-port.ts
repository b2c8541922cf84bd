// SPDX-License-Identifier: Apache-2.0
// The thread of Node that compiles variants of kernels while launches go on: how it is started. Answers come by a port
// that is read without turns of an event loop, and are counted in shared memory, so that the other side can wait for
// one.
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
  /** What the starting script has to say besides. */
  readonly more: unknown;
}

/** Starts the thread with a module that calls `runCompileThread`. `more` is data for the module. */
export function startCompileThread(url: URL, more: unknown = null): CompilePort {
  // Loaded here: most programs need no such thread.
  const { MessageChannel, Worker, receiveMessageOnPort } = process.getBuiltinModule("node:worker_threads");
  const { port1, port2 } = new MessageChannel();
  const sent = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: CompileThreadData = { port: port2, sent, more };
  const worker = new Worker(url, {
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
  return {
    post: (job: CompileJob) => {
      port1.postMessage(job);
    },
    receive: (timeout) => {
      if (timeout > 0 && !isLost) Atomics.wait(sent, 0, received, timeout);
      const found: { readonly message: CompileAnswer } | undefined = receiveMessageOnPort(port1);
      if (found === undefined) return null;
      received++;
      return found.message;
    },
    isLost: () => isLost,
  };
}
