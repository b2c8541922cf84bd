// SPDX-License-Identifier: Apache-2.0
// Unroll-and-jam of rows: several rows of work-items along a second dimension run together, so that they share loads
// and what is computed of uniform values. Row counts and vector widths are tried, and the variant that costs least is
// taken where it is clearly cheaper than one row at a time. Where vectors are tested, the variant behind the test says
// what is gained: the general one, for edges, is mostly accesses lane by lane, which rows do not share. A jammed
// function is simplified before it is vectorised, which finds what rows share.
import {
  type Instruction,
  type IrFunction,
  LOCAL,
  type Module,
  Op,
  loops,
  uses,
  workItemIndex,
  workItemParameter,
} from "@muxkit/ir";
import { type VectorizeRequest, unrollAndJam, vectorize } from "@muxkit/vecz";

import type { Specialization } from "../specialization.ts";
import { type VectorLaunch, costOfItem, factsOf, usualCostOfItem } from "./vector-launch.ts";
import type { UnrollAndJamPlan } from "./vector-plan.ts";

/** The variant that most vectors run must cost less than this share of what it costs alone: rows take more code. */
const WORTHWHILE_SHARE = 0.9;
/** Row counts that are tried. */
const ROWS = [4, 2] as const;

/** Loads from local memory, of a function without loops, from which on rows may have enough to share. */
const MANY_LOADS = 8;

/**
 * True for functions whose rows may share much: what is in loops, or many loads from local memory, as unrolled loops
 * have them. Rows of global memory are read faster one after the other.
 */
function mayShare(fn: IrFunction): boolean {
  if (loops(fn).loops.length > 0) return true;
  return (
    fn.blocks.reduce((count, { instructions }) => count + instructions.filter(isLocalLoad).length, 0) >= MANY_LOADS
  );
}

function isLocalLoad({ op, operands: [pointer] }: Instruction): boolean {
  return op === Op.LOAD && pointer?.type.addressSpace === LOCAL;
}

/** The axis in which rows follow one another: one whose ids the function takes; null: there is none, or one row. */
function unrollAndJamAxis(fn: IrFunction, axis: number, specialization: Specialization | null): number | null {
  const users = uses(fn);
  const isTaken = (one: number): boolean => {
    const id = workItemParameter(fn, "local", one);
    return id !== undefined && (users.get(id) ?? []).length > 0;
  };
  return (
    [0, 1, 2].find(
      (one) => one !== axis && isTaken(one) && (specialization === null || (specialization.localSize[one] ?? 1) > 1),
    ) ?? null
  );
}

/** A way to unroll and jam rows, with the cost of a work-item. */
export interface UnrollAndJamCandidate {
  readonly plan: UnrollAndJamPlan;
  readonly cost: number;
  /** The cost in the variant that most vectors run. */
  readonly usualCost: number;
}

/** Rows one at a time. */
export interface SingleRows {
  /** The cost of a work-item. */
  readonly cost: number;
  /** The cost in the variant that most vectors run. */
  readonly usualCost: number;
  /** True when lanes are gathered. */
  readonly isGathered: boolean;
}

/** True when jammed rows are cheaper by so much that their code pays. */
function isWorthwhile(jammed: UnrollAndJamCandidate, alone: SingleRows): boolean {
  return jammed.cost < alone.cost && jammed.usualCost < alone.usualCost * WORTHWHILE_SHARE;
}

/** Plans unroll-and-jam for functions that are vectorised along one axis. */
export class UnrollAndJamPlanner {
  private readonly module: Module;
  private readonly launch: VectorLaunch;
  /** The vectorised axis. */
  private readonly axis: number;
  private readonly request: (fn: IrFunction, width: number) => VectorizeRequest;

  constructor(
    module: Module,
    launch: VectorLaunch,
    axis: number,
    request: (fn: IrFunction, width: number) => VectorizeRequest,
  ) {
    this.module = module;
    this.launch = launch;
    this.axis = axis;
    this.request = request;
  }

  /**
   * The plan that costs least, or the one that is forced; null: none. `alone`: rows without it.
   */
  plan(fn: IrFunction, width: number, alone: SingleRows): UnrollAndJamCandidate | null {
    const { choice, specialization } = this.launch;
    const forced = typeof choice === "object" ? choice.rows : undefined;
    const axis = unrollAndJamAxis(fn, this.axis, specialization);
    // What lanes gather may be contiguous along rows: blocks of it are read and transposed.
    if (axis === null || (forced === undefined && !alone.isGathered && !mayShare(fn))) return null;
    const rows = forced === undefined ? ROWS : [forced];
    const most = specialization?.localSize[axis] ?? Number.POSITIVE_INFINITY;
    const widths = forced === undefined && width > 4 ? [width, width / 2] : [width];
    const found = rows
      .filter((count) => count > 1 && count <= most)
      .flatMap((count) => this.candidatesAt(fn, axis, count, widths));
    const [best] = found.toSorted((a, b) => a.cost - b.cost);
    return best !== undefined && (forced !== undefined || isWorthwhile(best, alone)) ? best : null;
  }

  private candidatesAt(fn: IrFunction, axis: number, rows: number, widths: readonly number[]): UnrollAndJamCandidate[] {
    const {
      launch: { specialization, tidy },
      module,
    } = this;
    const linear = workItemIndex(fn, "linear");
    const rest = linear + 1;
    // Parameters after those of the work-item are not known before regions are run, and a test is written once a row.
    const unknown = new Set([
      workItemIndex(fn, "local", this.axis),
      linear,
      ...Array.from({ length: fn.parameters.length - rest }, (_, i) => rest + i),
    ]);
    const parameters = new Map(factsOf(fn, rows, axis, specialization));
    const steps = new Map<number, number>();
    const id = workItemParameter(fn, "linear");
    if (specialization?.uniformGroups !== true) {
      // Work-items of the next row in y are as far away as rows are long; of those in z less is known.
      if (axis === 1) steps.set(linear, workItemIndex(fn, "size", 0));
      else if ((uses(fn).get(id) ?? []).length > 0) return [];
      parameters.delete(linear);
    }
    const jammed = unrollAndJam(fn, {
      rows,
      layout: module.layout,
      axis,
      parameters,
      steps,
      unknown,
      name: `${fn.name}.rows${rows}`,
    });
    if (jammed === null) return [];
    tidy(jammed.fn);
    // Shorter vectors gain little where the longer ones do not spill.
    let isFull = false;
    return widths.flatMap((width) => {
      const result = isFull ? null : vectorize(jammed.fn, this.request(jammed.fn, width));
      if (result?.ok === true)
        isFull = result.variants.general.spilled === 0 && (result.variants.tested?.spilled ?? 0) === 0;
      return result?.ok === true
        ? [
            {
              plan: { rows, axis, writeTest: jammed.writeTest, variants: result.variants },
              cost: costOfItem(result.variants, null) / rows,
              usualCost: usualCostOfItem(result.variants) / rows,
            },
          ]
        : [];
    });
  }
}
