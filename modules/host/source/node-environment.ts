// SPDX-License-Identifier: Apache-2.0
// Node.
import type { MessagePort } from "node:worker_threads";

import { growMemory, openClock, print, reserveControl, reserveMemory } from "./common-environment.ts";
import type { HostEnvironment } from "./environment.ts";

/** The environment of Node. @public */
export const NODE_ENVIRONMENT: HostEnvironment = {
  openClock,
  reserveMemory,
  growMemory,
  reserveControl,
  print,
  sendsArrays: true,
  startsEarly: false,
  startWorker: (given, settings, lost) => {
    const url = given ?? defaultWorkerUrl();
    // Loaded here: a program whose launches are small starts no worker.
    const { MessageChannel, Worker, receiveMessageOnPort } = process.getBuiltinModule("node:worker_threads");
    const channel = new MessageChannel();
    // A TypeScript worker is run from sources: its own process flags, never those of the user's program.
    const execArgv = url.pathname.endsWith(".ts")
      ? ["--conditions=source", "--disable-warning=ExperimentalWarning"]
      : [];
    const worker = new Worker(url, {
      name: `muxkit:host:${settings.thread}`,
      execArgv,
      env: {},
      stdin: false,
      workerData: { ...settings, arrays: channel.port2 },
      transferList: [channel.port2],
    });
    // Terminated, or ended by itself; its thread has ended; whether its port reports that.
    let ended = false;
    let gone = false;
    let portTells = false;
    const isOpen = (): boolean => isPortOpen(channel.port1, receiveMessageOnPort);
    let failure: Error | null = null;
    worker.on("error", (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    worker.on("exit", () => {
      gone = true;
      if (!ended) lost(failure);
      ended = true;
      channel.port1.close();
    });
    worker.unref();
    channel.port1.unref();
    return {
      terminate: () => {
        ended = true;
        portTells = isOpen();
        void worker.terminate();
      },
      isGone: () => {
        gone ||= portTells && !isOpen();
        return gone;
      },
      sendArray: (id, array) => {
        channel.port1.postMessage({ id, array });
      },
    };
  },
};

/**
 * False when the thread at the other end of a port has ended. Node closes a thread's ports after its last instruction;
 * the close event needs an event loop, which a blocked thread does not run, but a port whose other end is closed
 * answers a message with nothing instead of `true`.
 */
function isPortOpen(port: MessagePort, receive: (port: MessagePort) => unknown): boolean {
  receive(port);
  return (port.postMessage(NO_ARRAY) as unknown) === true;
}

/** A message that changes nothing: it makes the worker forget an array that it does not have. */
const NO_ARRAY = { id: 0, array: null } as const;

/** The worker's code, next to this file. */
export function defaultWorkerUrl(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);
}
