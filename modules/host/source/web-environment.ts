// SPDX-License-Identifier: Apache-2.0
// Pages and their workers.
import { growMemory, openClock, print, reserveControl, reserveMemory } from "./common-environment.ts";
import type { HostEnvironment } from "./environment.ts";
import { startWebWorker } from "./web-worker.ts";

/** The environment of browsers: of pages and their workers. @public */
export const WEB_ENVIRONMENT: HostEnvironment = {
  openClock,
  reserveMemory,
  growMemory,
  reserveControl,
  print,
  sendsArrays: false,
  startsEarly: true,
  startWorker: startWebWorker,
};
