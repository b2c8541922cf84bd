// SPDX-License-Identifier: Apache-2.0
// Waiting without blocking the thread: additions of the kit to muxTryWait and muxWaitAll.
import { type Result, err, ok } from "@muxkit/cargo";

import * as check from "./checks.ts";
import { type MuxError, type MuxFailure, muxError } from "./error.ts";
import { MuxFence, MuxQueue } from "./generated/structs.ts";

function answer<T>(entry: string, result: Result<T, MuxFailure>): Result<T, MuxError> {
  return result.ok
    ? ok(result.value)
    : err(muxError(result.error.code, entry, "", `${entry}: ${result.error.message}`, result.error.commandId));
}

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
  return wrong === null ? answer(entry, await queue.device.target.tryWaitAsync(queue, timeout, fence)) : err(wrong);
}

/**
 * Waits until nothing of the queue is in flight, and leaves the event loop free. Errors: those of muxWaitAll.
 *
 * @public
 */
export async function muxWaitAllAsync(queue: MuxQueue): Promise<Result<void, MuxError>> {
  const entry = "muxWaitAllAsync";
  const wrong = check.handle(entry, "queue", queue, MuxQueue);
  return wrong === null ? answer(entry, await queue.device.target.waitAllAsync(queue)) : err(wrong);
}
