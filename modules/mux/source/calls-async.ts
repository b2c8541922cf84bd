// SPDX-License-Identifier: Apache-2.0
// The calls of waits.ts without their checks.
import type { Result } from "@muxkit/cargo";

import { type MuxError, failed } from "./error.ts";
import type { MuxFence, MuxQueue } from "./generated/structs.ts";

/** See waits.ts. @public */
export async function muxTryWaitAsync(
  queue: MuxQueue,
  timeout: number,
  fence: MuxFence,
): Promise<Result<"ready" | "not_ready", MuxError>> {
  const result = await queue.device.target.tryWaitAsync(queue, timeout, fence);
  return result.ok ? result : failed("muxTryWaitAsync", result.error);
}

/** See waits.ts. @public */
export async function muxWaitAllAsync(queue: MuxQueue): Promise<Result<void, MuxError>> {
  const result = await queue.device.target.waitAllAsync(queue);
  return result.ok ? result : failed("muxWaitAllAsync", result.error);
}
