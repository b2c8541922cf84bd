// SPDX-License-Identifier: Apache-2.0
// Runs the regions of a kernel whose sub-groups wait for one another and are no vectors. Two nested state machines:
// each sub-group runs regions until all its work-items wait for the work-group or are done, the lowest region that any
// of them waits for first, so that laggards catch up; when all sub-groups have come that far, the collective of the
// work-group runs, and the next phase begins.
import { assert } from "@muxkit/cargo";
import { type Block, Op, type Value, constantInt } from "@muxkit/ir";

import { entryVariable } from "../barriers/collective-writer.ts";
import type { RegionPlan } from "../barriers/regions.ts";
import { groupItems, subGroupCount } from "../work-item-values.ts";
import { countedLoop } from "./counted-loop.ts";
import { type EntryFrame, REGION_NUMBER, index, regionNumber, stateAddress } from "./entry-frame.ts";
import { runCollective } from "./region-collectives.ts";
import { regionItem } from "./stateful-regions.ts";

/** The work-items of a sub-group by their linear ids. */
interface SubGroup {
  readonly first: Value;
  readonly count: Value;
}

/**
 * Sub-group after sub-group until all its work-items wait for the work-group or are done; then what the work-group
 * waits for; and so on.
 */
export function dispatchSubGroups(frame: EntryFrame, plan: RegionPlan): void {
  const { builder, values, fn } = frame;
  const done = regionNumber(0);
  const [phase, out] = [fn.addBlock("phase"), fn.addBlock("group.end")];
  const entry = phase.addParameter(REGION_NUMBER, "region");
  const next = entryVariable(fn, REGION_NUMBER, 4, "group.next");
  builder.branch(phase, done);
  builder.block = phase;
  const items = groupItems(builder, values, "size");
  builder.store(done, next, 4);
  countedLoop(
    builder,
    index(frame, 0),
    subGroupCount(builder, values, items),
    (number) => {
      const first = builder.same(Op.MUL, number, values.get("subGroup"));
      const count = builder.same(Op.UMIN, values.get("subGroup"), builder.same(Op.SUB, items, first));
      const waitsFor = runSubGroup(frame, plan, entry, { first, count });
      builder.store(
        builder.select(builder.compare(Op.EQ, waitsFor, done), builder.load(REGION_NUMBER, next, 4), waitsFor),
        next,
        4,
      );
    },
    true,
  );
  const released = builder.load(REGION_NUMBER, next, 4);
  const collectives = plan.regions.flatMap(({ operation }, i): [number, Block][] =>
    operation === null || i <= plan.subGroupRegions ? [] : [[i, fn.addBlock("group.operation")]],
  );
  const on = fn.addBlock("phase.next");
  builder.switch(released, on, [[0, out], ...collectives]);
  for (const [number, block] of collectives) {
    builder.block = block;
    runCollective(frame, plan, number, { first: index(frame, 0), count: items, limit: 0 });
    builder.branch(phase, released);
  }
  builder.block = on;
  builder.branch(phase, released);
  builder.block = out;
}

/**
 * Runs the work-items of a sub-group that wait at the region `entry`, and on; returns the region that they wait for as
 * part of the work-group, 0 when all are done.
 */
function runSubGroup(frame: EntryFrame, plan: RegionPlan, entry: Value, { first, count }: SubGroup): Value {
  const { builder, fn, kernel } = frame;
  const [run, choose, end] = [fn.addBlock("sub.run"), fn.addBlock("sub.choose"), fn.addBlock("sub.end")];
  const region = run.addParameter(REGION_NUMBER, "region");
  const result = end.addParameter(REGION_NUMBER, "waits.for");
  const starts = plan.regions.map((_, i) => fn.addBlock(`region.${i}`));
  builder.branch(run, entry);
  builder.block = run;
  const [start] = starts;
  assert(start !== undefined, "a kernel has a first region");
  builder.switch(
    region,
    start,
    starts.slice(1).map((block, i) => [i + 1, block]),
  );
  starts.forEach((block, number) => {
    builder.block = block;
    if (number <= plan.subGroupRegions)
      runCollective(frame, plan, number, { first, count, limit: kernel.subGroupSize });
    countedLoop(
      builder,
      index(frame, 0),
      count,
      (id) => {
        setItem(frame, builder.same(Op.ADD, first, id));
        regionItem(frame, plan, number, null);
      },
      true,
    );
    builder.branch(choose);
  });
  builder.block = choose;
  const lowest = lowestRegion(frame, { first, count });
  const chosen = builder.same(Op.ADD, lowest, regionNumber(1));
  builder.conditionalBranch(
    builder.compare(Op.ULT, lowest, regionNumber(plan.subGroupRegions)),
    run,
    end,
    [chosen],
    [chosen],
  );
  builder.block = end;
  return result;
}

/** The lowest region that any work-item of a sub-group waits for, less 1: one that is done comes last. */
function lowestRegion(frame: EntryFrame, { first, count }: SubGroup): Value {
  const { builder, fn } = frame;
  const least = entryVariable(fn, REGION_NUMBER, 4, "least");
  builder.store(constantInt(REGION_NUMBER, -1), least, 4);
  countedLoop(
    builder,
    index(frame, 0),
    count,
    (id) => {
      const state = builder.load(REGION_NUMBER, stateAddress(frame, builder.same(Op.ADD, first, id)), 4);
      builder.store(
        builder.same(Op.UMIN, builder.load(REGION_NUMBER, least, 4), builder.same(Op.SUB, state, regionNumber(1))),
        least,
        4,
      );
    },
    true,
  );
  return builder.load(REGION_NUMBER, least, 4);
}

/** Sets the ids of the work-item with a linear id. */
function setItem({ builder, values }: EntryFrame, linear: Value): void {
  const [x, y] = [values.get("size", 0), values.get("size", 1)];
  const row = builder.same(Op.UDIV, linear, x);
  values.set("local", 0, builder.same(Op.UREM, linear, x));
  values.set("local", 1, builder.same(Op.UREM, row, y));
  values.set("local", 2, builder.same(Op.UDIV, row, y));
  values.set("linear", 0, linear);
}
