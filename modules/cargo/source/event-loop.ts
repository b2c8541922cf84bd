// SPDX-License-Identifier: Apache-2.0
// Event loops of Node and browsers: run a call in the next turn, and find out whether a thread may block.

/** Pending calls of {@link soon} in a browser. */
const calls: (() => void)[] = [];
let channel: InstanceType<typeof MessageChannel> | null = null;

/** A message to itself takes one turn of a browser's event loop; timers are throttled, in hidden pages to a second. */
function callByMessage(call: () => void): void {
  if (channel === null) {
    channel = new MessageChannel();
    channel.port1.addEventListener("message", () => calls.shift()?.());
    channel.port1.start();
  }
  calls.push(call);
  channel.port2.postMessage(null);
}

/** Runs a call in the next turn of the event loop. @public */
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

/** True where this thread may block: everywhere except in the main thread of a page. @public */
export function mayBlock(): boolean {
  canWait ??= waits();
  return canWait;
}

/** The error for blocking this thread, with what to do `instead`; null where it may block. @public */
export function describeBlockingError(instead: string): string | null {
  return mayBlock() ? null : `the main thread of a page must not wait: ${instead}`;
}
