// SPDX-License-Identifier: Apache-2.0
// What event loops let a thread do, in Node and in browsers: come back soon, and wait.

/** Calls of {@link soon} that have not come yet, in a browser. */
const calls: (() => void)[] = [];
let channel: InstanceType<typeof MessageChannel> | null = null;

/**
 * A message to oneself is a turn of a browser's event loop: timers are held back there, for milliseconds or, in a page
 * that nobody sees, for a second.
 */
function callByMessage(call: () => void): void {
  if (channel === null) {
    channel = new MessageChannel();
    channel.port1.addEventListener("message", () => calls.shift()?.());
    channel.port1.start();
  }
  calls.push(call);
  channel.port2.postMessage(null);
}

/** Calls back in the next turn of the event loop. @public */
export function soon(call: () => void): void {
  if (typeof setImmediate === "function") setImmediate(call);
  else callByMessage(call);
}

/** True where `Atomics.wait` is allowed. */
function waits(): boolean {
  if (typeof SharedArrayBuffer === "undefined") return !("document" in globalThis);
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}

let canWait: boolean | null = null;

/** True where this thread may be made to wait: everywhere but in the main thread of a page. @public */
export function mayBlock(): boolean {
  canWait ??= waits();
  return canWait;
}

/**
 * Why this thread must not be made to wait, as a sentence that names what to do `instead`; null where it may wait.
 *
 * @public
 */
export function describeBlockingError(instead: string): string | null {
  return mayBlock() ? null : `the main thread of a page must not wait: ${instead}`;
}
