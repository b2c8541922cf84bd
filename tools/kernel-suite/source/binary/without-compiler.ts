// SPDX-License-Identifier: Apache-2.0
// Launches in a thread without a compiler, and the test waits for them: tests call one function after the other.
import { MessageChannel, type MessagePort, Worker, receiveMessageOnPort } from "node:worker_threads";

import type { LaunchAnswer, LaunchMessage } from "./launch-message.ts";

/** A launch that takes longer was forgotten by its deadline. */
const MOST_MS = 300_000;

/** Packages that compile, and what they stand on. */
const COMPILING =
  /\/(?:modules|@muxkit)\/(?:host-compiler|compiler-base|opencl-c|passes|vecz|wasm|ir|builtins|abacus|builtin-table|interpreter)\//u;

interface Thread {
  readonly port: MessagePort;
  readonly signal: Int32Array;
}

let thread: Thread | null = null;

function startThread(): Thread {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("thread.ts", import.meta.url), {
    execArgv: ["--conditions=source", "--disable-warning=ExperimentalWarning"],
    workerData: { port: port2, signal },
    transferList: [port2],
  });
  // The tests end without it.
  worker.unref();
  port1.unref();
  return { port: port1, signal };
}

/**
 * Runs kernels of a binary where no compiler is loaded. Throws with what went wrong, or when there was a compiler after
 * all.
 */
export function runWithoutCompiler(message: LaunchMessage): LaunchAnswer {
  thread ??= startThread();
  const { port, signal } = thread;
  Atomics.store(signal, 0, 0);
  port.postMessage(message);
  if (Atomics.wait(signal, 0, 0, MOST_MS) === "timed-out")
    throw new Error(`a binary's launch takes longer than ${MOST_MS} ms`);
  const answer = receiveMessageOnPort(port)?.message as LaunchAnswer | undefined;
  if (answer === undefined) throw new Error("the thread that runs binaries says nothing");
  const compiling = answer.loaded.filter((url) => COMPILING.test(url));
  if (compiling.length > 0 || !answer.loaded.some((url) => url.includes("/host/")))
    throw new Error(`the thread that runs binaries has loaded ${compiling.join(", ") || "no runtime"}`);
  if (answer.error !== null) throw new Error(`binary, without a compiler: ${answer.error}`);
  return answer;
}
