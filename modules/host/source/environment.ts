// SPDX-License-Identifier: Apache-2.0
// The environment of the host target: time, threads, memory. Tests supply environments that fail on purpose
// (docs/decisions/060-refused-memory.md).
import type { MessagePort } from "node:worker_threads";

import { type Clock, clockEpoch, createClock, type ClockEpoch } from "./clock.ts";
import { type WasmMemory, webAssembly } from "./web-assembly.ts";
import { NODE, SYSTEM } from "./system.ts";
import { startWebWorker } from "./web-worker.ts";
import type { WorkerSettings } from "./worker-settings.ts";

/** A running worker thread. @public */
export interface WorkerHandle {
  /** Ends it, wherever it is: soon, since it runs until it is next scheduled on a core. */
  readonly terminate: () => void;
  /**
   * After {@link WorkerHandle.terminate}: true once the thread runs nothing any more. It is polled, also by a thread
   * that never returns to its event loop. Absent where the environment cannot determine it.
   */
  readonly isGone?: () => boolean;
  /**
   * Sends a shared array (null: forget it). The worker reads it when a transfer names the id. Absent where a worker
   * without turns of an event loop receives no messages.
   */
  readonly sendArray?: (id: number, array: SharedArrayBuffer | null) => void;
  /** Resolves when it is up, or will never be. Absent where it comes up while the thread that started it is blocked. */
  readonly started?: Promise<void>;
}

/**
 * What a device allocates: blocks and growth of its memory, rows of the control block, code, instances of it on the
 * calling thread, workers, parts of the device.
 *
 * @public
 */
export type AllocationKind =
  | "memory"
  | "growth"
  | "node"
  | "edge"
  | "launch"
  | "semaphore"
  | "fence"
  | "waiter"
  | "query"
  | "code"
  | "instance"
  | "worker"
  | "part";

/** Time, threads and memory. @public */
export interface HostEnvironment {
  /** Asked before each allocation: true refuses it, as if there were nothing left. Left out: none is refused. */
  readonly refuses?: (kind: AllocationKind) => boolean;
  /** A clock for all threads and the epoch that makes it. */
  readonly openClock: () => { readonly epoch: ClockEpoch; readonly clock: Clock };
  /** Reserves a linear memory, sizes in pages of 64 KiB. Throws RangeError when there is no room. */
  readonly reserveMemory: (initial: number, maximum: number, shared: boolean) => WasmMemory;
  /** Grows it. Throws RangeError. */
  readonly growMemory: (memory: WasmMemory, pages: number) => void;
  /** Makes the control block. Throws RangeError. */
  readonly reserveControl: (bytes: number, shared: boolean) => ArrayBufferLike;
  /** True: workers can be sent shared arrays, so they copy from and to the caller's; otherwise the host thread does. */
  readonly sendsArrays: boolean;
  /**
   * True: workers start only while the starting thread returns to its event loop, so they are started when a device is
   * opened.
   */
  readonly startsEarly: boolean;
  /**
   * Starts a worker; null: the package's own code. `lost` is called when it ends without having been terminated. Throws
   * when it cannot start.
   */
  readonly startWorker: (
    url: URL | null,
    settings: WorkerSettings,
    lost: (error: Error | null) => void,
  ) => WorkerHandle;
  /** Shows what kernels print. */
  readonly print: (text: string) => void;
}

/** What is the same everywhere. */
const COMMON: Pick<HostEnvironment, "openClock" | "reserveMemory" | "growMemory" | "reserveControl" | "print"> = {
  openClock: () => {
    const epoch = clockEpoch();
    return { epoch, clock: createClock(epoch) };
  },
  reserveMemory: (initial, maximum, shared) => new webAssembly.Memory({ initial, maximum, shared }),
  growMemory: (memory, pages) => {
    memory.grow(pages);
  },
  reserveControl: (bytes, shared) => (shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)),
  print: SYSTEM.print,
};

/** The environment of Node. @public */
export const NODE_ENVIRONMENT: HostEnvironment = {
  ...COMMON,
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

/** The environment of browsers: of pages and their workers. @public */
export const WEB_ENVIRONMENT: HostEnvironment = {
  ...COMMON,
  sendsArrays: false,
  startsEarly: true,
  startWorker: startWebWorker,
};

/** The environment that this code runs in. */
export const ENVIRONMENT: HostEnvironment = NODE === null ? WEB_ENVIRONMENT : NODE_ENVIRONMENT;

/** The worker's code, next to this file. */
export function defaultWorkerUrl(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);
}
