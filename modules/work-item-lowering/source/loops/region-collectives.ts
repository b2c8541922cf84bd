// SPDX-License-Identifier: Apache-2.0
// The group collectives of regions: what the work-items of a group, or of a sub-group, compute together while all of
// them wait.
import { assert } from "@muxkit/cargo";
import { Op, type Value } from "@muxkit/ir";

import type { CollectiveItems } from "../barriers/collective-writer.ts";
import { writeCollective } from "../barriers/group-collectives.ts";
import type { RegionPlan } from "../barriers/regions.ts";
import { addressInFrame } from "../barriers/spill-frame.ts";
import { groupItems } from "../work-item-values.ts";
import { type EntryFrame, REGION_NUMBER, index, regionNumber, stateAddress, within } from "./entry-frame.ts";

/**
 * The work-items that a collective is written for: `count` of them from the linear id `first` on; `limit` of them at
 * the most (0: any number).
 */
interface Members {
  readonly first: Value;
  readonly count: Value;
  readonly limit: number;
}

/** All work-items of the group. */
export function groupMembers(frame: EntryFrame): Members {
  return { first: index(frame, 0), count: groupItems(frame.builder, frame.values, "size"), limit: 0 };
}

/**
 * Writes the group collective that comes before a region, if there is one. `incoming`: where uniform values are; null:
 * there are none.
 */
export function runCollective(
  frame: EntryFrame,
  plan: RegionPlan,
  region: number,
  { first, count, limit }: Members,
  incoming: Value | null = null,
): void {
  const { builder, module, frames } = frame;
  const operation = plan.regions[region]?.operation;
  if (operation === null || operation === undefined) return;
  const items: CollectiveItems = {
    builder,
    module,
    count,
    limit,
    linear: (id) => builder.same(Op.ADD, first, id),
    address: (linear, slot) => addressInFrame(builder, frames, linear, slot),
    shared: ({ offset }) => {
      assert(incoming !== null, "room for uniform values");
      return within(frame, incoming, offset);
    },
    takesPart: plan.hasState
      ? (linear) =>
          builder.compare(Op.EQ, builder.load(REGION_NUMBER, stateAddress(frame, linear), 4), regionNumber(region))
      : null,
  };
  writeCollective(items, operation);
}
