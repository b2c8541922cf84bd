// What the host target takes from the outside: time, threads, memory. A test hands in others that fail on purpose (decision 60).
import { type Clock, clockEpoch, createClock, type ClockEpoch } from "./clock.ts";
import { type WasmMemory, webAssembly } from "./web-assembly.ts";
import type { WorkerSettings } from "./worker-settings.ts";

/** A running worker thread. @public */
export interface WorkerHandle {
  /** Ends it, wherever it is. */
  readonly terminate: () => void;
  /** Sends a shared array (null: forget it). The worker reads it when a transfer names the id. */
  readonly sendArray: (id: number, array: SharedArrayBuffer | null) => void;
}

/** Time, threads and memory. @public */
export interface HostEnvironment {
  /** A clock for all threads and the epoch that makes it. */
  readonly openClock: () => { readonly epoch: ClockEpoch; readonly clock: Clock };
  /** Reserves a linear memory, sizes in pages of 64 KiB. Throws RangeError when there is no room. */
  readonly reserveMemory: (initial: number, maximum: number, shared: boolean) => WasmMemory;
  /** Grows it. Throws RangeError. */
  readonly growMemory: (memory: WasmMemory, pages: number) => void;
  /** Makes the control block. Throws RangeError. */
  readonly reserveControl: (bytes: number, shared: boolean) => ArrayBufferLike;
  /** Starts a worker. `lost` is called when it ends although nobody terminated it. Throws when it cannot start. */
  readonly startWorker: (url: URL, settings: WorkerSettings, lost: (error: Error | null) => void) => WorkerHandle;
  /** Shows what kernels print. */
  readonly print: (text: string) => void;
}

/** The environment of Node. @public */
export const NODE_ENVIRONMENT: HostEnvironment = {
  openClock: () => {
    const epoch = clockEpoch();
    return { epoch, clock: createClock(epoch) };
  },
  reserveMemory: (initial, maximum, shared) => new webAssembly.Memory({ initial, maximum, shared }),
  growMemory: (memory, pages) => {
    memory.grow(pages);
  },
  reserveControl: (bytes, shared) => (shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)),
  print: (text) => {
    process.stdout.write(text);
  },
  startWorker: (url, settings, lost) => {
    // Loaded here: a program whose launches are small starts no worker.
    const { MessageChannel, Worker } = process.getBuiltinModule("node:worker_threads");
    const channel = new MessageChannel();
    // A TypeScript worker is run from sources: its own process flags, never those of the user's program.
    const execArgv = url.pathname.endsWith(".ts") ? ["--conditions=source", "--disable-warning=ExperimentalWarning"] : [];
    const worker = new Worker(url, {
      name: `muxkit:host:${settings.thread}`, execArgv, env: {}, stdin: false,
      workerData: { ...settings, arrays: channel.port2 }, transferList: [channel.port2],
    });
    let ended = false;
    let failure: Error | null = null;
    worker.on("error", (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    worker.on("exit", () => {
      if (!ended) lost(failure);
      ended = true;
      channel.port1.close();
    });
    worker.unref();
    channel.port1.unref();
    return {
      terminate: () => {
        ended = true;
        void worker.terminate();
      },
      sendArray: (id, array) => {
        channel.port1.postMessage({ id, array });
      },
    };
  },
};

/** Where the worker's code lies beside this file. */
export function defaultWorkerUrl(): URL {
  return new URL(`./worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
}
