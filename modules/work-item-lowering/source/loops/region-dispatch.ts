// SPDX-License-Identifier: Apache-2.0
// Runs the regions of a kernel for a work-group: a state machine whose states are regions. All work-items run one
// region, then all run the next; what a region returns is the number of that.
//
// Where control flow is uniform at barriers, one work-item's result stands for all, regions branch straight to the next
// one, and values that are uniform are kept once a group (`incoming`, `outgoing`). Otherwise each work-item has a state
// of its own in its spill frame (stateful-regions.ts) and any region may be next.
//
//     region.0: for items: next = @k.region.0(…)
//               switch next: region.1, region.2, group.end
import { assert } from "@muxkit/cargo";
import { type Block, I8, type Value, arrayType } from "@muxkit/ir";

import { entryVariable } from "../barriers/collective-writer.ts";
import { type RegionPlan, regionOperands } from "../barriers/regions.ts";
import type { WorkItemValues } from "../work-item-values.ts";
import { type EntryFrame, REGION_NUMBER, within } from "./entry-frame.ts";
import { groupMembers, runCollective } from "./region-collectives.ts";
import { statefulItems } from "./stateful-regions.ts";
import { runSubGroupVariants, variantRunner } from "./variants.ts";
import { eachItem } from "./vector-rows.ts";

/** Where uniform values are stored before a region is run and after. */
interface UniformValues {
  readonly incoming: Value;
  readonly outgoing: Value;
}

/** Runs region after region until all work-items are done. */
export function dispatchRegions(frame: EntryFrame, plan: RegionPlan): void {
  const { builder, fn } = frame;
  const out = fn.addBlock("group.end");
  const starts = plan.regions.map((_, i) => fn.addBlock(`region.${i}`));
  const [first] = starts;
  assert(first !== undefined, "a kernel has a first region");
  const uniform = plan.hasState ? null : uniformValues(frame, plan);
  builder.branch(first);
  const startOf = (next: number): Block => (next === 0 ? out : (starts[next] ?? out));
  plan.regions.forEach((region, i) => {
    const start = starts[i];
    assert(start !== undefined, "a block for each region");
    builder.block = start;
    const next = uniform === null ? statefulItems(frame, plan, i) : uniformItems(frame, plan, i, uniform);
    // Where work-items wait at different barriers, any region may be the next to be run.
    const exits = uniform === null ? starts.map((_, number) => number) : [...region.exits];
    const [only = 0, ...others] = exits.toSorted((a, b) => a - b);
    if (others.length === 0) builder.branch(startOf(only));
    else
      builder.switch(
        next,
        startOf(only),
        others.map((exit) => [exit, startOf(exit)]),
      );
  });
  builder.block = out;
}

/** Room for what the work-items of a group share. */
function uniformValues({ fn }: EntryFrame, { uniformBytes }: RegionPlan): UniformValues {
  const make = (name: string): Value => entryVariable(fn, arrayType(I8, Math.max(uniformBytes, 1)), 16, name);
  return { incoming: make("given"), outgoing: make("left") };
}

/** One region for all work-items of a group, which come to it together; returns the region that comes next. */
function uniformItems(
  frame: EntryFrame,
  plan: RegionPlan,
  number: number,
  { incoming, outgoing }: UniformValues,
): Value {
  const { builder, values, fn, kernel, frames, args } = frame;
  runCollective(frame, plan, number, groupMembers(frame), incoming);
  const region = plan.regions[number];
  assert(region !== undefined, "a region");
  const next = entryVariable(fn, REGION_NUMBER, 4, "next");
  const taken = region.reads.map(({ type, alignment, offset }) =>
    builder.load(type, within(frame, incoming, offset), alignment),
  );
  const operands = (current: WorkItemValues): Value[] => [
    ...args,
    ...current.list,
    ...regionOperands({ ...frames, outgoing, incoming: taken }),
  ];
  const after = (result: Value): Value =>
    builder.store(result.type.kind === "vector" ? builder.extract(result, 0) : result, next, 4);
  const { subGroups } = kernel.vectors;
  if (subGroups === null) eachItem(frame, variantRunner(frame, region.fn, operands, after));
  else runSubGroupVariants(frame, subGroups, region.fn, () => operands(values), after);
  // Every work-item has read what comes in by now.
  for (const { type, alignment, offset } of region.writes)
    builder.store(
      builder.load(type, within(frame, outgoing, offset), alignment),
      within(frame, incoming, offset),
      alignment,
    );
  return builder.load(REGION_NUMBER, next, 4);
}
