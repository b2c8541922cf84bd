// SPDX-License-Identifier: Apache-2.0
// Calls that wait, and writes that need not: the main thread of a page must not be made to wait.
import { mayBlock, describeBlockingError } from "@muxkit/cargo";
import { OpenCLError } from "@muxkit/opencl";

import type { TypedArray } from "./device-array.ts";

/** Throws CL_INVALID_OPERATION where the calling thread must not wait; `instead` is what to do there. */
export function ensureBlocking(call: string, instead: string): void {
  const reason = describeBlockingError(instead);
  if (reason !== null) throw new OpenCLError("CL_INVALID_OPERATION", call, reason);
}

/**
 * How a write gets its source so that its owner can change it at once: it waits where it may, else it takes a copy
 * along.
 */
export function ownedSource(source: TypedArray): { readonly blocking: boolean; readonly source: TypedArray } {
  const blocking = mayBlock();
  return { blocking, source: blocking ? source : source.slice() };
}
