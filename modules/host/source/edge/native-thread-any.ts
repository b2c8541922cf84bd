// SPDX-License-Identifier: Apache-2.0
// Native code in a worker, where the environment turns out to be Node.
import { openThread } from "@muxkit/x64-runtime/thread";

import { NODE } from "#system";

import type { Board } from "../board.ts";
import { NATIVE_FILE } from "../control-layout.ts";
import { NativeCalls } from "../native-calls.ts";

export { untilHostKick } from "../native-calls.ts";
export { succession as SUCCESSION } from "../succession.ts";

/**
 * Native code of a thread by the bridge's file, opened when it is first needed; null: there is none. The device that
 * has opened it holds the file open: what was checked is loaded, whatever its name leads to by now.
 */
export function openNativeCalls(file: string | null, board: Board): () => NativeCalls | null {
  let calls: NativeCalls | null = null;
  return () => {
    if (calls !== null || NODE === null) return calls;
    const held = Atomics.load(board.words, NATIVE_FILE);
    const from = held > 0 ? `/proc/self/fd/${held - 1}` : file;
    const thread = from === null ? null : openThread(NODE, from);
    if (thread !== null) calls = new NativeCalls(board, thread);
    return calls;
  };
}
