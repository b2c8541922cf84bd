// SPDX-License-Identifier: Apache-2.0
// Worker threads of a page, or of a worker of a page.
import type { WorkerHandle } from "./environment.ts";
import type { WorkerSettings } from "./worker-settings.ts";

interface WebEvent {
  readonly message?: string;
  preventDefault(): void;
}

interface WebWorker {
  postMessage(message: WorkerSettings): void;
  terminate(): void;
  addEventListener(type: "message" | "error" | "messageerror", listener: (event: WebEvent) => void): void;
}

declare const Worker: new (url: URL, options: { readonly type: "module" }) => WebWorker;

const NOT_LOADED =
  "a worker's script could not be loaded: the bundler has to emit the worker of @muxkit/host as a file, and a " +
  "Content-Security-Policy has to allow it (worker-src); see docs/how-to/use-in-a-browser.md";

const NOTHING = (): void => {};

/** Starts a worker; see `HostEnvironment`. */
export function startWebWorker(
  url: URL | null,
  settings: WorkerSettings,
  lost: (error: Error | null) => void,
): WorkerHandle {
  // Bundlers recognise exactly this expression and emit the worker and its imports as a file.
  const worker =
    url === null
      ? new Worker(new URL("./worker.js", import.meta.url), { type: "module" })
      : new Worker(url, { type: "module" });
  let ended = false;
  let resolve: () => void = NOTHING;
  const started = new Promise<void>((now) => {
    resolve = now;
  });
  const lose = (event: WebEvent): void => {
    event.preventDefault();
    resolve();
    if (ended) return;
    ended = true;
    worker.terminate();
    lost(new Error(event.message ?? NOT_LOADED));
  };
  worker.addEventListener("error", lose);
  worker.addEventListener("messageerror", lose);
  worker.addEventListener("message", () => resolve());
  // Workers have no origin to aim at.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  worker.postMessage(settings);
  return {
    started,
    terminate: () => {
      ended = true;
      resolve();
      worker.terminate();
    },
  };
}
