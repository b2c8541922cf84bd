// SPDX-License-Identifier: Apache-2.0
// Regions of kernels whose work-items may wait at different barriers: each keeps the number of its next region in its
// spill frame, and a region runs those work-items that have come to it. A vector runs the variant under a mask, or the
// whole one where the mask is all ones, or none where it is all zeros.
import { assert } from "@muxkit/cargo";
import { Op, type Value, constantSplat, constantZero, vectorType } from "@muxkit/ir";
import type { Vectorized } from "@muxkit/vecz";

import { entryVariable } from "../barriers/collective-writer.ts";
import { type RegionPlan, regionOperands } from "../barriers/regions.ts";
import { type EntryFrame, REGION_NUMBER, regionNumber, stateAddress } from "./entry-frame.ts";
import { groupMembers, runCollective } from "./region-collectives.ts";
import { eachSubGroup } from "./sub-group-loops.ts";
import { eachItem } from "./vector-rows.ts";

/** A region's variants; `members` are the lanes that are work-items of the group (null: all). */
interface RegionVariants {
  readonly number: number;
  readonly whole: Vectorized;
  readonly masked: Vectorized;
  readonly members: Value | null;
}

/** What the call of a region for the current work-item takes. */
function operandsOf({ args, values, frames }: EntryFrame): Value[] {
  return [...args, ...values.list, ...regionOperands({ ...frames, outgoing: frames.live, incoming: [] })];
}

/** One region for all work-items of a group that have come to it; returns the region that comes next. */
export function statefulItems(frame: EntryFrame, plan: RegionPlan, number: number): Value {
  const { builder, fn, kernel } = frame;
  runCollective(frame, plan, number, groupMembers(frame));
  const next = entryVariable(fn, REGION_NUMBER, 4, "next");
  builder.store(regionNumber(0), next, 4);
  const region = plan.regions[number];
  assert(region !== undefined, "a region");
  const { vectors } = kernel;
  const { subGroups } = vectors;
  const own = subGroups?.variants.get(region.fn);
  if (subGroups !== null && own?.masked != null) {
    const { whole, masked } = own;
    eachSubGroup(frame, subGroups, (members) => regionVector(frame, { number, whole, masked, members }, next));
    return builder.load(REGION_NUMBER, next, 4);
  }
  const [variants, masked] = [vectors.variants.get(region.fn), vectors.masked.get(region.fn)];
  eachItem(frame, {
    unrollAndJam: null,
    range: null,
    oneByOne: null,
    one: () => regionItem(frame, plan, number, next),
    several:
      variants === undefined || masked === undefined
        ? null
        : {
            width: masked.width,
            run: () => regionVector(frame, { number, whole: variants.general, masked, members: null }, next),
            stretch: null,
          },
  });
  return builder.load(REGION_NUMBER, next, 4);
}

/**
 * One region for one work-item, if it has come to it; the region that comes next goes to its spill frame and to `next`.
 */
export function regionItem(frame: EntryFrame, plan: RegionPlan, number: number, next: Value | null): void {
  const { builder, fn, values } = frame;
  const region = plan.regions[number];
  assert(region !== undefined, "a region");
  const state = stateAddress(frame, values.get("linear"));
  const skip = fn.addBlock("item.end");
  if (number > 0) {
    const run = fn.addBlock("item.run");
    builder.conditionalBranch(
      builder.compare(Op.EQ, builder.load(REGION_NUMBER, state, 4), regionNumber(number)),
      run,
      skip,
    );
    builder.block = run;
  }
  const result = builder.call(region.fn, operandsOf(frame));
  builder.store(result, state, 4);
  if (next !== null) {
    const isDone = builder.compare(Op.EQ, result, regionNumber(0));
    builder.store(builder.select(isDone, builder.load(REGION_NUMBER, next, 4), result), next, 4);
  }
  builder.branch(skip);
  builder.block = skip;
}

/**
 * One region for those work-items of a vector that have come to it; the regions that come next go to their spill frames
 * and to `next`.
 */
function regionVector(frame: EntryFrame, { number, whole, masked, members }: RegionVariants, next: Value): void {
  const { builder, fn, values } = frame;
  const linear = values.get("linear");
  const { width } = masked;
  const type = vectorType(REGION_NUMBER, width);
  const operands = operandsOf(frame);
  const state = stateAddress(frame, linear);
  if (number === 0) {
    const first =
      members === null
        ? builder.call(whole.fn, operands)
        : builder.select(members, builder.call(masked.fn, [...operands, members]), constantZero(type));
    keepStates(frame, first, state, members);
    noteNext(frame, first, next, width);
    return;
  }
  const before = builder.load(type, state, 4);
  const waiting = builder.compare(Op.EQ, before, constantSplat(type, regionNumber(number)));
  const on = members === null ? waiting : builder.same(Op.AND, waiting, members);
  const [some, all, part, done, end] = ["some", "all", "part", "done", "vector.end"].map((name) => fn.addBlock(name));
  assert(
    some !== undefined && all !== undefined && part !== undefined && done !== undefined && end !== undefined,
    "five blocks",
  );
  const result = done.addParameter(type, "next");
  builder.conditionalBranch(builder.any(on), some, end);
  builder.block = some;
  builder.conditionalBranch(builder.all(on), all, part);
  builder.block = all;
  builder.branch(done, builder.call(whole.fn, operands));
  builder.block = part;
  builder.branch(done, builder.select(on, builder.call(masked.fn, [...operands, on]), before));
  builder.block = done;
  keepStates(frame, result, state, members);
  noteNext(frame, builder.select(on, result, constantZero(type)), next, width);
  builder.branch(end);
  builder.block = end;
}

/** After the work-items of the group there need not be room. */
function keepStates({ builder }: EntryFrame, result: Value, state: Value, members: Value | null): void {
  if (members === null) builder.store(result, state, 4);
  else builder.maskedStore(result, state, members, 4);
}

/** The last work-item that continues decides which region is the next to be run. */
function noteNext({ builder }: EntryFrame, results: Value, variable: Value, width: number): void {
  let next: Value = builder.load(REGION_NUMBER, variable, 4);
  for (let lane = 0; lane < width; lane++) {
    const own = builder.extract(results, lane);
    next = builder.select(builder.compare(Op.EQ, own, regionNumber(0)), next, own);
  }
  builder.store(next, variable, 4);
}
