// SPDX-License-Identifier: Apache-2.0
// A thread that makes another one leave machine code which computes for too long: wrong code may not end, and nothing
// in the thread itself could end it. Processor time counts: a process that is kept waiting is not wrong.
import { workerData } from "node:worker_threads";

import { openThread } from "@muxkit/x64-runtime/thread";

import { type WatchData, WATCH } from "./native-watch-data.ts";

/** How often it looks, in ms. */
const LOOK_MS = 100;

const { words, file } = workerData as WatchData;
const own = openThread(process, file);

let seen = 0;
let since = 0;

function look(): void {
  const serial = Atomics.load(words, WATCH.serial);
  const { user, system } = process.cpuUsage();
  const now = (user + system) / 1000;
  if (serial === 0 || serial !== seen) {
    seen = serial;
    since = now;
  } else if (now - since > Atomics.load(words, WATCH.mostMs)) own?.kick(Atomics.load(words, WATCH.thread), serial);
}

setInterval(look, LOOK_MS);
