// SPDX-License-Identifier: Apache-2.0
// Runs an NDRange that other code may take over (takeover.ts), as `execute` does others. The word that says in which
// row that code is is read before each claim. As long as it is awaited, claims are sized by time: by the time that the
// last one took, the next takes some ms; so threads come to the word soon, and guided sizes, which are long at first,
// begin when there is nothing more to wait for.
import { MAX_GROUPS_PER_CALL } from "@muxkit/kernel-abi";

import { claim, double, unclaimed } from "./board.ts";
import * as L from "./control-layout.ts";
import { type Executor, codeOf, fail, prepareWorkerBlock, runGroups } from "./execute.ts";

/** How long a claim takes while other code is awaited, in ns; and so long it is until somebody asks for it again. */
export const AWAITING_NS = 2_000_000;
/** How many times as long as the last claim the next one is at most. */
const GROWTH = 4;

/** See the file's head. */
export function succession(executor: Executor, node: number, base: number): void {
  const { board } = executor;
  const { words } = board;
  let run = codeOf(executor, base);
  if (run === null) {
    fail(board, node, L.ERROR_CODE);
    return;
  }
  const block = (words[L.threadBase(board.thread) + L.THREAD_BLOCK] as number) >>> 0;
  prepareWorkerBlock(board, base, block);
  const total = double(board, base + L.NODE_TOTAL);
  const least = words[base + L.NODE_MIN_CLAIM] as number;
  const shares = executor.claimsLeast?.() === true ? Infinity : executor.threads * 3;
  let launch = base;
  let successor = 0;
  let most = least;
  for (;;) {
    if (Atomics.load(words, base + L.NODE_CANCELLED) !== 0) break;
    const left = unclaimed(board, node);
    if (left <= 0) break;
    const seen = Atomics.load(words, base + L.NODE_SUCCESSOR);
    if (seen > 0 && seen !== successor) {
      successor = seen;
      // A thread that cannot call it keeps to what it has.
      const next = codeOf(executor, L.launchAsNode(seen));
      if (next !== null) {
        run = next;
        launch = L.launchAsNode(seen);
        prepareWorkerBlock(board, launch, block);
      }
    }
    const awaits = seen === L.SUCCESSOR_AWAITED;
    const share = Math.max(least, Math.ceil(left / shares));
    const size = Math.min(left, awaits ? Math.min(share, most) : share, MAX_GROUPS_PER_CALL);
    const begin = awaits ? board.clock() : 0;
    const first = claim(board, node, size);
    if (first >= total) break;
    if (!runGroups(board, node, launch, block, run, first, Math.min(total, first + size))) break;
    if (awaits) most = Math.ceil(size * Math.min(GROWTH, AWAITING_NS / (board.clock() - begin + 1)));
    // After the last groups there is nothing to leave.
    if (first + size >= total || executor.shouldLeave?.(node) === true) break;
  }
}
