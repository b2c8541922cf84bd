// SPDX-License-Identifier: Apache-2.0
// Vectorised variants of a kernel's functions along one axis: chooses the width of each function by its types and
// registers, makes the variants, and compares their estimated cost with that of single work-items. Variants are in no
// module yet.
import type { IrFunction, Module } from "@muxkit/ir";
import { type Refusal, type VectorizeRequest, chooseWidth, costOf, vectorize } from "@muxkit/vecz";

import type { CalledVariants } from "./called-variants.ts";
import { UnrollAndJamPlanner } from "./unroll-and-jam-planner.ts";
import { type VectorLaunch, costOfItem, factsOf, isGeneralDear, usualCostOfItem } from "./vector-launch.ts";
import type { VectorRemark } from "./vector-plan.ts";

/** Variants along one axis. */
export interface AxisPlan {
  readonly axis: number;
  readonly remarks: readonly VectorRemark[];
  /** Estimated cost of a work-item in all functions together. */
  readonly cost: number;
}

/** An axis, and the most lanes that a row along it fills. */
export interface RowAxis {
  readonly axis: number;
  readonly most: number;
}

/** The width that is forced, or the largest that a launch can fill. */
function forcedWidth(width: number, most: number): number {
  return width <= most ? width : 2 ** Math.floor(Math.log2(most));
}

/** Refusals that fewer lanes may not meet. */
const LESS_WITH_FEWER_LANES: ReadonlySet<Refusal> = new Set(["a vector of too many lanes", "too much code"]);

/** Makes the variants of a kernel's functions along one axis. */
export class AxisPlanner {
  private readonly launch: VectorLaunch;
  private readonly along: RowAxis;
  private readonly called: CalledVariants;
  private readonly unrollAndJam: UnrollAndJamPlanner;

  constructor(module: Module, launch: VectorLaunch, along: RowAxis, called: CalledVariants) {
    this.launch = launch;
    this.along = along;
    this.called = called;
    this.unrollAndJam = new UnrollAndJamPlanner(module, launch, along.axis, (fn, width) => this.request(fn, width));
  }

  plan(sources: readonly IrFunction[]): AxisPlan {
    const {
      launch: { choice, specialization, isFlat, machine },
      along: { axis, most },
    } = this;
    const areRowsLong = isFlat || specialization !== null;
    const remarks: VectorRemark[] = [];
    let cost = 0;
    for (const fn of sources) {
      const scalar = costOf(fn, machine);
      const width =
        typeof choice === "object" ? forcedWidth(choice.width, most) : chooseWidth(fn, machine, most, areRowsLong);
      const remark = width < 2 ? null : this.remark(fn, width, scalar);
      if (remark !== null) remarks.push(remark);
      cost += (remark?.isTaken === true ? remark.vectorCost : remark?.scalarCost) ?? scalar;
    }
    return { axis, remarks, cost };
  }

  private request(fn: IrFunction, width: number): VectorizeRequest {
    const {
      launch: { specialization, hasState, machine },
      along: { axis },
    } = this;
    const calls = this.called.atWidth(width);
    return {
      width,
      machine,
      axis,
      parameters: factsOf(fn, width, axis, specialization),
      isMasked: false,
      returnsVector: hasState,
      isSubGroup: false,
      isTested: !hasState,
      name: `${fn.name}.v${width}`,
      vectorCall: (callee, vectors, isMasked) => calls.find(callee, vectors, isMasked),
    };
  }

  private remark(fn: IrFunction, wanted: number, scalarCost: number): VectorRemark {
    const { hasState, choice } = this.launch;
    let width = wanted;
    let request = this.request(fn, width);
    let result = vectorize(fn, request);
    // Where a width is forced, vectors of the language may be too long for it; large code becomes less by half.
    while (!result.ok && LESS_WITH_FEWER_LANES.has(result.refusal) && width > 2) {
      width /= 2;
      request = this.request(fn, width);
      result = vectorize(fn, request);
    }
    const underMask =
      hasState && result.ok ? vectorize(fn, { ...request, isMasked: true, name: `${request.name}.masked` }) : null;
    const masked = underMask?.ok === true ? underMask.variants.general : null;
    const alone = scalarCost + (result.ok ? result.variants.general.lines : 0);
    const runsFailingAlone =
      choice === "auto" && result.ok && masked === null && isGeneralDear(result.variants, scalarCost);
    const own = result.ok ? costOfItem(result.variants, masked, runsFailingAlone ? scalarCost : Infinity) : alone;
    const isTaken = result.ok && (underMask === null || masked !== null) && (choice !== "auto" || own < alone);
    const isGathered = result.ok && result.variants.general.accesses.some(({ kind }) => kind === "gathered");
    const jammed =
      isTaken && result.ok && !hasState
        ? this.unrollAndJam.plan(fn, width, { cost: own, usualCost: usualCostOfItem(result.variants), isGathered })
        : null;
    return {
      fn,
      result,
      masked,
      isTaken,
      runsFailingAlone,
      reason: typeof choice === "object" ? "forced" : "types",
      scalarCost: alone,
      vectorCost: jammed?.cost ?? own,
      unrollAndJam: jammed?.plan ?? null,
    };
  }
}
