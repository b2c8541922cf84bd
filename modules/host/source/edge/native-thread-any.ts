// SPDX-License-Identifier: Apache-2.0
// Native code in a worker, where the environment turns out to be Node.
import { type NativeThread, openThread } from "@muxkit/x64-runtime/thread";

import { NODE } from "#system";

/** Native code of this thread, by the bridge's file; null: it cannot be loaded. */
export function openNativeThread(file: string): NativeThread | null {
  return NODE === null ? null : openThread(NODE, file);
}
