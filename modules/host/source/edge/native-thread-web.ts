// SPDX-License-Identifier: Apache-2.0
// Native code in a worker of a bundle for browsers: there is none.
import type { NativeThread } from "@muxkit/x64-runtime/thread";

/** Native code of this thread. */
export function openNativeThread(): NativeThread | null {
  return null;
}
