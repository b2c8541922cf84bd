// SPDX-License-Identifier: Apache-2.0
// Native code in a worker, where the environment turns out to be Node.
import { openThread } from "@muxkit/x64-runtime/thread";

import { NODE } from "#system";

import type { Board } from "../board.ts";
import { NativeCalls } from "../native-calls.ts";

export { untilHostKick } from "../native-calls.ts";
export { succession as SUCCESSION } from "../succession.ts";

/** Native code of a thread by the bridge's file, opened when it is first needed; null: there is none. */
export function openNativeCalls(file: string | null, board: Board): () => NativeCalls | null {
  let calls: NativeCalls | null = null;
  return () => {
    const thread = calls === null && file !== null && NODE !== null ? openThread(NODE, file) : null;
    if (thread !== null) calls = new NativeCalls(board, thread);
    return calls;
  };
}
