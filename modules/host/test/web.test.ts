// SPDX-License-Identifier: Apache-2.0
// What browsers lack, in Node: workers that receive no messages while they run, and start only while their starter
// waits for nothing.
import type { Result } from "@muxkit/cargo";
import {
  type HostDevice,
  type HostError,
  type HostOptions,
  HostPlatform,
  NODE_ENVIRONMENT,
  WEB_ENVIRONMENT,
  type WorkerHandle,
  type WorkerSettings,
} from "@muxkit/host";
import { afterEach, expect, test, vi } from "vitest";

const devices: HostDevice[] = [];
afterEach(() => {
  for (const device of devices.splice(0)) device.close();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function must<T>(result: Result<T, HostError>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

function open(options: HostOptions): HostDevice {
  const device = must(new HostPlatform({ threads: 2, ...options }).openDevice());
  devices.push(device);
  return device;
}

const NOTHING = (): void => {};

test("shared arrays that workers cannot be sent are copied by the host thread", () => {
  const device = open({
    environment: {
      ...NODE_ENVIRONMENT,
      sendsArrays: false,
      startWorker: (url, settings, lost) => {
        const { terminate } = NODE_ENVIRONMENT.startWorker(url, settings, lost);
        return { terminate };
      },
    },
  });
  device.startWorkers();
  const [source, target] = [
    new Uint8Array(new SharedArrayBuffer(300_000)),
    new Uint8Array(new SharedArrayBuffer(300_000)),
  ];
  source.forEach((_, i) => {
    source[i] = i * 7;
  });
  const buffer = must(device.createBuffer(300_000));
  const commands = device.createCommandBuffer();
  must(commands.write(buffer, 0, source));
  must(commands.read(buffer, 0, target));
  must(commands.finalize());
  const fence = must(device.createFence());
  must(device.dispatch(commands, { fence }));
  expect(device.tryWait(fence, Infinity)).toEqual({ ok: true, value: "success" });
  expect(target).toEqual(source);
});

test("a device is ready when its workers are up, also those that replaced others", async () => {
  const starts: { resolve: () => void; lost: (error: Error) => void }[] = [];
  const startWorker = (
    _url: URL | null,
    _settings: WorkerSettings,
    lost: (error: Error | null) => void,
  ): WorkerHandle => {
    let resolve: () => void = NOTHING;
    const started = new Promise<void>((now) => {
      resolve = now;
    });
    starts.push({ resolve, lost });
    return { started, terminate: () => {} };
  };
  const device = open({ environment: { ...NODE_ENVIRONMENT, startsEarly: true, startWorker } });
  const warnings: string[] = [];
  vi.spyOn(process, "emitWarning").mockImplementation((text) => {
    warnings.push(String(text));
  });
  let isReady = false;
  const ready = device.ready().then(() => {
    isReady = true;
  });
  expect(starts.length).toBe(2);
  starts[0]?.resolve();
  starts[1]?.lost(new Error("no script"));
  starts[1]?.resolve();
  await new Promise(setImmediate);
  expect([starts.length, isReady]).toEqual([3, false]);
  starts[2]?.resolve();
  await ready;
  expect(warnings).toEqual(["2 of 2 threads are up: no script"]);
});

test("Node's devices are ready at once, and start no worker for it", async () => {
  const device = open({});
  await device.ready();
  expect(device.statistics().workers).toBe(0);
});

test("Node's devices start workers when their buffers have a MiB for each together, and not before", () => {
  const device = open({ threads: 3 });
  const workers = [2 ** 20, 2 ** 21 - 1, 1].map((bytes) => {
    expect(device.createBuffer(bytes).ok).toBe(true);
    return device.statistics().workers;
  });
  expect(workers).toEqual([0, 0, 3]);
});

type Listener = (event: { message?: string; preventDefault: () => void }) => void;

/** A browser's worker as far as one is used. */
class FakeWorker {
  static readonly made: FakeWorker[] = [];
  readonly url: URL;
  readonly options: unknown;
  readonly messages: unknown[] = [];
  readonly listeners = new Map<string, Listener>();
  isTerminated = false;

  constructor(url: URL, options: unknown) {
    this.url = url;
    this.options = options;
    FakeWorker.made.push(this);
  }

  postMessage(message: unknown): void {
    this.messages.push(message);
  }

  addEventListener(type: string, listener: Listener): void {
    this.listeners.set(type, listener);
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

function start(
  url: URL | null,
  lost: (error: Error | null) => void = () => {},
): { readonly worker: FakeWorker; readonly handle: WorkerHandle } {
  vi.stubGlobal("Worker", FakeWorker);
  const handle = WEB_ENVIRONMENT.startWorker(url, { thread: 1 } as WorkerSettings, lost);
  const worker = FakeWorker.made.at(-1);
  if (worker === undefined) throw new Error("no worker was made");
  return { worker, handle };
}

test("a browser's worker is a module, gets its settings by a message and reports that it is up", async () => {
  const { worker, handle } = start(null);
  expect(worker.url.pathname).toMatch(/\/worker\.js$/u);
  expect([worker.options, worker.messages]).toEqual([{ type: "module" }, [{ thread: 1 }]]);
  worker.listeners.get("message")?.({ preventDefault: () => {} });
  await handle.started;
  handle.terminate();
  expect(worker.isTerminated).toBe(true);
  expect(start(new URL("https://a.example/w.js")).worker.url.href).toBe("https://a.example/w.js");
});

test("a browser's worker that fails is lost once, with the reason", async () => {
  const lost: (string | undefined)[] = [];
  const { worker, handle } = start(null, (error) => lost.push(error?.message));
  worker.listeners.get("error")?.({ message: "it broke", preventDefault: () => {} });
  worker.listeners.get("error")?.({ message: "again", preventDefault: () => {} });
  await handle.started;
  expect([lost, worker.isTerminated]).toEqual([["it broke"], true]);
  // An event without a message: the script itself is missing.
  start(null, (error) => lost.push(error?.message)).worker.listeners.get("error")?.({ preventDefault: () => {} });
  expect(lost[1]).toContain("could not be loaded");
  // One that was ended is not lost.
  const ended = start(null, (error) => lost.push(error?.message));
  ended.handle.terminate();
  ended.worker.listeners.get("error")?.({ message: "late", preventDefault: () => {} });
  expect(lost.length).toBe(2);
});
