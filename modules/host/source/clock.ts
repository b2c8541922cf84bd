// SPDX-License-Identifier: Apache-2.0
// One clock for all threads: nanoseconds since the device was opened, as a double (exact for 104 days).
import { SYSTEM } from "#system";

/** A moment of the monotonic clock: seconds and nanoseconds. @public */
export type ClockEpoch = readonly [seconds: number, nanoseconds: number];

/** Gives ns since the device was opened. @public */
export type Clock = () => number;

/** The moment now. `performance.now()` would count from each thread's own start (docs/decisions/054-one-clock.md). */
export function clockEpoch(): ClockEpoch {
  return SYSTEM.now();
}

/** A clock that starts at an epoch; threads that share the epoch share the clock. */
export function createClock(epoch: ClockEpoch): Clock {
  const [seconds, nanoseconds] = epoch;
  const { now: read } = SYSTEM;
  return () => {
    const now = read();
    return (now[0] - seconds) * 1e9 + (now[1] - nanoseconds);
  };
}
