// SPDX-License-Identifier: Apache-2.0
// What is the same in all environments.
import { SYSTEM } from "#system";

import { clockEpoch, createClock } from "./clock.ts";
import type { HostEnvironment } from "./environment.ts";
import { webAssembly } from "./web-assembly.ts";

/** A clock for all threads. */
export const openClock: HostEnvironment["openClock"] = () => {
  const epoch = clockEpoch();
  return { epoch, clock: createClock(epoch) };
};

/** Reserves a linear memory. */
export const reserveMemory: HostEnvironment["reserveMemory"] = (initial, maximum, shared) =>
  new webAssembly.Memory({ initial, maximum, shared });

/** Grows it. */
export const growMemory: HostEnvironment["growMemory"] = (memory, pages) => {
  memory.grow(pages);
};

/** Makes the control block. */
export const reserveControl: HostEnvironment["reserveControl"] = (bytes, shared) =>
  shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);

/** Shows what kernels print. */
export const print: HostEnvironment["print"] = (text) => {
  SYSTEM.print(text);
};
