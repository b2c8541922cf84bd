// SPDX-License-Identifier: Apache-2.0
// The group collectives by op: what the work-items of a group, or of a sub-group, compute together while all of them
// wait at a convergence point. Operands and results are in spill frames; O(items) for each but a shuffle of many.
import { assert } from "@muxkit/cargo";
import { Op } from "@muxkit/ir";

import { ballot, broadcast, first, pick, vote } from "./collective-exchange.ts";
import { reduce, scan } from "./collective-reductions.ts";
import { type CollectiveItems, CollectiveWriter, type PlacedCollective } from "./collective-writer.ts";

const WRITERS: Readonly<Record<number, (writer: CollectiveWriter) => void>> = {
  [Op.GROUP_ALL]: vote,
  [Op.GROUP_ANY]: vote,
  [Op.GROUP_BROADCAST]: broadcast,
  [Op.GROUP_SHUFFLE]: pick,
  [Op.GROUP_BROADCAST_FIRST]: first,
  [Op.GROUP_BALLOT]: ballot,
  [Op.GROUP_REDUCE]: reduce,
  [Op.GROUP_SCAN_INCLUSIVE]: scan,
  [Op.GROUP_SCAN_EXCLUSIVE]: scan,
};

/** Writes the code that computes the result of every item that takes part. */
export function writeCollective(items: CollectiveItems, operation: PlacedCollective): void {
  const write = WRITERS[operation.instruction.op];
  assert(write !== undefined, "a group collective");
  write(new CollectiveWriter(items, operation));
}
