// SPDX-License-Identifier: Apache-2.0
// A thread that runs binaries and has no compiler: a module of one that was loaded here is in its list.
import { registerHooks } from "node:module";
import { type MessagePort, workerData } from "node:worker_threads";

import type { LaunchAnswer, LaunchMessage } from "./launch-message.ts";

const loaded: string[] = [];
registerHooks({
  load: (url, context, next) => {
    loaded.push(url);
    return next(url, context);
  },
});
// What is loaded from here on is seen.
const { runBinary } = await import("./run-binary.ts");

const { port, signal } = workerData as { readonly port: MessagePort; readonly signal: Int32Array };

function answer(message: LaunchMessage): LaunchAnswer {
  try {
    return { ...runBinary(message), error: null, loaded };
  } catch (error) {
    return { buffers: [], printed: "", error: error instanceof Error ? error.message : String(error), loaded };
  }
}

port.on("message", (message: LaunchMessage) => {
  port.postMessage(answer(message));
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
});
