// SPDX-License-Identifier: Apache-2.0
// Waiting without blocking the thread: additions of the kit to muxTryWait and muxWaitAll.
import { type Result, err } from "@muxkit/cargo";

import * as check from "./checks.ts";
import * as calls from "./calls-async.ts";
import type { MuxError } from "./error.ts";
import { MuxFence, MuxQueue } from "./generated/structs.ts";

/**
 * Waits for a fence, for at most `timeout` ns (Infinity: for ever), and leaves the event loop free. Errors: those of
 * muxTryWait.
 *
 * @public
 */
export async function muxTryWaitAsync(
  queue: MuxQueue,
  timeout: number,
  fence: MuxFence,
): Promise<Result<"ready" | "not_ready", MuxError>> {
  const entry = "muxTryWaitAsync";
  const wrong =
    check.handle(entry, "queue", queue, MuxQueue) ??
    check.timeout(entry, "timeout", timeout) ??
    check.handle(entry, "fence", fence, MuxFence) ??
    check.sameDevice(entry, "fence", fence, queue.device);
  return wrong === null ? await calls.muxTryWaitAsync(queue, timeout, fence) : err(wrong);
}

/**
 * Waits until nothing of the queue is in flight, and leaves the event loop free. Errors: those of muxWaitAll.
 *
 * @public
 */
export async function muxWaitAllAsync(queue: MuxQueue): Promise<Result<void, MuxError>> {
  const entry = "muxWaitAllAsync";
  const wrong = check.handle(entry, "queue", queue, MuxQueue);
  return wrong === null ? await calls.muxWaitAllAsync(queue) : err(wrong);
}
