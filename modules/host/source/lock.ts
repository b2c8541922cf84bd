// SPDX-License-Identifier: Apache-2.0
// The one lock of the control block. Sections under it are some tens of nanoseconds: list surgery, never a kernel.
import { mayBlock } from "@muxkit/cargo";

import { LOCK } from "./control-layout.ts";

const SPINS = 100;
const SLEEP_MS = 5;

/** Takes the lock. */
export function lock(words: Int32Array): void {
  if (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) lockSlowly(words);
}

/** Gives it back. */
export function unlock(words: Int32Array): void {
  if (Atomics.exchange(words, LOCK, 0) === 2) Atomics.notify(words, LOCK, 1);
}

function lockSlowly(words: Int32Array): void {
  for (let spin = 0; spin < SPINS; spin++) {
    if (Atomics.load(words, LOCK) === 0 && Atomics.compareExchange(words, LOCK, 0, 1) === 0) return;
  }
  // The holder lost its core. The wait has a limit so that an owner that was terminated outside of it never costs more
  // than that. Where a thread must not sleep it keeps polling.
  while (Atomics.exchange(words, LOCK, 2) !== 0) if (mayBlock()) Atomics.wait(words, LOCK, 2, SLEEP_MS);
}
