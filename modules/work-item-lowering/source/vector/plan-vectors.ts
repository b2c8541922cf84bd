// SPDX-License-Identifier: Apache-2.0
// The vector plan of a kernel: variants along every axis that can be vectorised, of which the cheapest is taken
// (axis-planner.ts, unroll-and-jam-planner.ts), and index-set splitting of its rows. Costs are those of the machine,
// see `costOf` of @muxkit/vecz.
import type { IrFunction, Module } from "@muxkit/ir";
import { type IndexSetSplit, type VectorVariants, type Vectorized, splitIndexSet } from "@muxkit/vecz";

import { AxisPlanner, type RowAxis } from "./axis-planner.ts";
import type { CalledVariants } from "./called-variants.ts";
import { type VectorLaunch, factsOf } from "./vector-launch.ts";
import { SCALAR_PLAN, type UnrollAndJamPlan, type VectorPlan } from "./vector-plan.ts";

/** Axes that can be vectorised, with the most lanes that their rows fill. */
function axesOf({ specialization, isFlat, hasState, machine }: VectorLaunch): readonly RowAxis[] {
  if (isFlat || specialization === null) return [{ axis: 0, most: machine.limits.mostLanes }];
  return specialization.localSize
    .map((most, axis) => ({ axis, most: Math.min(most, machine.limits.mostLanes) }))
    .filter(({ axis, most }) => most > 1 && (axis === 0 || (specialization.uniformGroups && !hasState)));
}

/**
 * Vectors that are estimated to be less than so many times as fast as single work-items may be slower. Where lanes
 * leave a loop one by one, and where branches are mispredicted, estimates were off by up to four times, either way.
 */
const SURE = 2;

/** Makes the variants of a kernel's functions along the axis that costs least, and adds them to the module. */
export function planVectors(
  module: Module,
  sources: readonly IrFunction[],
  settings: VectorLaunch,
  called: CalledVariants,
): VectorPlan {
  if (settings.choice === "never") return SCALAR_PLAN;
  const plans = axesOf(settings).map((axis) => new AxisPlanner(module, settings, axis, called).plan(sources));
  const [best] = plans.toSorted((a, b) => a.cost - b.cost);
  if (best === undefined) return { ...SCALAR_PLAN, whyNone: "too few work-items" };
  const variants = new Map<IrFunction, VectorVariants>();
  let widest = 1;
  const masked = new Map<IrFunction, Vectorized>();
  const unrollAndJamPlans = new Map<IrFunction, UnrollAndJamPlan>();
  const failingAlone = new Set<IrFunction>();
  const unsure = new Set<IrFunction>();
  for (const remark of best.remarks) {
    const { fn, result, masked: own, isTaken, runsFailingAlone, unrollAndJam, scalarCost, vectorCost } = remark;
    if (!result.ok || !isTaken) continue;
    if (settings.choice === "auto" && !settings.hasState && scalarCost < SURE * vectorCost) unsure.add(fn);
    if (unrollAndJam !== null) unrollAndJamPlans.set(fn, unrollAndJam);
    if (runsFailingAlone) failingAlone.add(fn);
    for (const variant of [
      runsFailingAlone ? null : result.variants.general,
      result.variants.tested,
      own,
      unrollAndJam?.variants.general ?? null,
      unrollAndJam?.variants.tested ?? null,
    ]) {
      if (variant !== null) module.addFunction(variant.fn);
    }
    variants.set(fn, result.variants);
    if (own !== null) masked.set(fn, own);
    widest = Math.max(widest, result.variants.general.width);
  }
  return {
    variants,
    unsure,
    failingAlone,
    masked,
    unrollAndJamPlans,
    ranges: rangesOf(module, sources, settings, best.axis),
    axis: best.axis,
    remarks: best.remarks,
    whyNone: "too few work-items",
    width: widest,
    subGroups: null,
  };
}

/** Rows of fewer work-items are not split. */
const LONG_ROW = 32;

/**
 * Index-set splitting: finds the functions of which only a range of each row does more than the rest, and adds what
 * runs once for the rest to the module.
 */
function rangesOf(
  module: Module,
  sources: readonly IrFunction[],
  { specialization, isFlat, hasState, tidy }: VectorLaunch,
  axis: number,
): ReadonlyMap<IrFunction, IndexSetSplit> {
  const found = new Map<IrFunction, IndexSetSplit>();
  if (hasState || (!isFlat && (specialization === null || (specialization.localSize[axis] ?? 1) < LONG_ROW)))
    return found;
  for (const fn of sources) {
    const range = splitIndexSet(fn, {
      layout: module.layout,
      axis,
      parameters: factsOf(fn, 1, axis, specialization),
      tidy,
      name: `${fn.name}.outside`,
    });
    if (range === null) continue;
    module.addFunction(range.outside);
    found.set(fn, range);
  }
  return found;
}
