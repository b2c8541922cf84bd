// SPDX-License-Identifier: Apache-2.0
// Vector forms of a kernel's functions: along which axis, how many lanes and rows, and what is known of the lanes.
import {
  type Instruction,
  type IrFunction,
  LOCAL,
  type Module,
  Op,
  type Value,
  type WorkItemParameterName,
  loops,
  uses,
  workItemIndex,
  workItemParameter,
} from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import {
  type ParameterFacts,
  type IndexSetSplit,
  type VectorVariants,
  type VectorizeRequest,
  type Vectorized,
  chooseWidth,
  costOf,
  splitIndexSet,
  unrollAndJam,
  vectorize,
} from "@muxkit/vecz";

import type { CalledVariants } from "./called-variants.ts";
import type { Specialization } from "../specialization.ts";
import {
  type JamPlan,
  SCALAR_PLAN,
  type VectorPlan,
  type VectorRemark,
  type VectorizationChoice,
  trailingZeros,
} from "./vector-plan.ts";

/** What decides about widths. */
export interface VectorLaunch {
  readonly machine: MachineTarget;
  readonly specialization: Specialization | null;
  /** True when lanes may span work-groups, along x. */
  readonly isFlat: boolean;
  /** True when work-items may wait at different barriers. */
  readonly hasState: boolean;
  readonly choice: VectorizationChoice;
  /** Makes plain what jamming leaves. */
  readonly tidy: (fn: IrFunction) => void;
}

/** What is known of the parameters of a body or region when an axis is vectorised. */
function factsOf(
  fn: IrFunction,
  width: number,
  axis: number,
  specialization: Specialization | null,
): ReadonlyMap<number, ParameterFacts> {
  const facts = new Map<number, ParameterFacts>();
  const zeros = Math.log2(width);
  facts.set(workItemIndex(fn, "local", axis), { shape: 1, lowZeros: zeros });
  if (specialization?.zeroOffset === true)
    facts.set(workItemIndex(fn, "base", axis), {
      shape: 0,
      lowZeros: trailingZeros(specialization.localSize[axis] ?? 1),
    });
  const [x, y] = specialization?.localSize ?? [1, 1];
  const isAligned =
    specialization !== null && specialization.uniformGroups && (specialization.localSize[axis] ?? 1) % width === 0;
  facts.set(workItemIndex(fn, "linear"), { shape: [1, x, x * y][axis] ?? 1, lowZeros: isAligned ? zeros : 0 });
  return facts;
}

/** The width that is asked for, or the largest that a launch can fill. */
function forcedWidth(width: number, most: number): number {
  return width <= most ? width : 2 ** Math.floor(Math.log2(most));
}

/** How often vectors are taken to pass their test. */
const PASSING = 0.8;

/** What one work-item costs in vector form. */
function costOfOne({ general, tested }: VectorVariants, masked: Vectorized | null): number {
  if (masked !== null) return ((general.cost + masked.cost) / 2 + general.lines) / general.width;
  return (
    ((tested === null ? general.cost : PASSING * tested.cost + (1 - PASSING) * general.cost) + general.lines) /
    general.width
  );
}

/** Axes that can be vectorised, with the lanes that their rows fill. */
function axesOf({ specialization, isFlat, hasState, machine }: VectorLaunch): readonly RowAxis[] {
  if (isFlat || specialization === null) return [{ axis: 0, most: machine.limits.mostLanes }];
  const found = specialization.localSize
    .map((most, axis) => ({ axis, most: Math.min(most, machine.limits.mostLanes) }))
    .filter(({ axis, most }) => most > 1 && (axis === 0 || (specialization.uniformGroups && !hasState)));
  return found;
}

/** Forms along one axis; they are in no module yet. */
interface AxisPlan {
  readonly axis: number;
  readonly results: readonly VectorRemark[];
  /** What a work-item costs in all functions together. */
  readonly cost: number;
}

/** What {@link AxisPlanner} makes forms along. */
interface RowAxis {
  readonly axis: number;
  readonly most: number;
}

/** How much cheaper rows must be when they are jammed, for all the code that it takes. */
const WORTH_JAMMING = 0.9;
/** Rows that are tried. */
const ROWS = [4, 2] as const;

/** Loads from local memory, of a function without loops, from which on rows may have enough to share. */
const MANY_LOADS = 8;

/** True for functions of which rows can share much: what they do in loops, or many loads in a row, as unrolled loops have them. Rows of global memory are read faster one after the other. */
function mayShare(fn: IrFunction): boolean {
  if (loops(fn).loops.length > 0) return true;
  return (
    fn.blocks.reduce((count, { instructions }) => count + instructions.filter(isLocalLoad).length, 0) >= MANY_LOADS
  );
}

function isLocalLoad({ op, operands: [pointer] }: Instruction): boolean {
  return op === Op.LOAD && pointer?.type.addressSpace === LOCAL;
}

/** Makes the forms of a kernel's functions along one axis. */
class AxisPlanner {
  private readonly module: Module;
  private readonly launch: VectorLaunch;
  private readonly along: RowAxis;
  private readonly called: CalledVariants;

  constructor(module: Module, launch: VectorLaunch, along: RowAxis, called: CalledVariants) {
    this.module = module;
    this.launch = launch;
    this.along = along;
    this.called = called;
  }

  plan(sources: readonly IrFunction[]): AxisPlan {
    const {
      launch: { choice, specialization, isFlat, machine },
      along: { axis, most },
    } = this;
    const areRowsLong = isFlat || specialization !== null;
    const results: VectorRemark[] = [];
    let cost = 0;
    for (const fn of sources) {
      const scalar = costOf(fn, machine);
      const width =
        typeof choice === "object" ? forcedWidth(choice.width, most) : chooseWidth(fn, machine, most, areRowsLong);
      const remark = width < 2 ? null : this.remark(fn, width, scalar);
      if (remark !== null) results.push(remark);
      cost += (remark?.isTaken === true ? remark.vectorCost : remark?.scalarCost) ?? scalar;
    }
    return { axis, results, cost };
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
    // Where a width is forced, vectors of the language may be too long for it.
    while (!result.ok && result.refusal === "a vector of too many lanes" && width > 2) {
      width /= 2;
      request = this.request(fn, width);
      result = vectorize(fn, request);
    }
    const underMask =
      hasState && result.ok ? vectorize(fn, { ...request, isMasked: true, name: `${request.name}.masked` }) : null;
    const masked = underMask?.ok === true ? underMask.variants.general : null;
    const alone = scalarCost + (result.ok ? result.variants.general.lines : 0);
    const own = result.ok ? costOfOne(result.variants, masked) : alone;
    const isTaken = result.ok && (underMask === null || masked !== null) && (choice !== "auto" || own < alone);
    const isGathered = result.ok && result.variants.general.accesses.some(({ kind }) => kind === "gathered");
    const jammed = isTaken && !hasState ? this.jam(fn, width, { cost: own, isGathered }) : null;
    return {
      fn,
      result,
      masked,
      isTaken,
      reason: typeof choice === "object" ? "forced" : "types",
      scalarCost: alone,
      vectorCost: jammed?.cost ?? own,
      jam: jammed?.jam ?? null,
    };
  }

  /** Jams so many rows as cost least, or as many as are asked for; null: none. `alone`: what a work-item costs where they are not, and whether lanes are read or written one by one then. */
  private jam(
    fn: IrFunction,
    width: number,
    alone: { readonly cost: number; readonly isGathered: boolean },
  ): MadeJam | null {
    const {
      launch: { choice, specialization },
      along,
    } = this;
    const forced = typeof choice === "object" ? choice.rows : undefined;
    const axis = jamAxis(fn, along.axis, specialization);
    // What lanes find far apart may lie side by side for rows: blocks of it are read and turned.
    if (axis === null || (forced === undefined && !alone.isGathered && !mayShare(fn))) return null;
    const rows = forced === undefined ? ROWS : [forced];
    const most = specialization?.localSize[axis] ?? Number.POSITIVE_INFINITY;
    const widths = forced === undefined && width > 4 ? [width, width / 2] : [width];
    const found = rows
      .filter((count) => count > 1 && count <= most)
      .flatMap((count) => this.jamAt(fn, axis, count, widths));
    const [best] = found.toSorted((a, b) => a.cost - b.cost);
    return best !== undefined && (forced !== undefined || best.cost < alone.cost * WORTH_JAMMING) ? best : null;
  }

  private jamAt(fn: IrFunction, axis: number, rows: number, widths: readonly number[]): MadeJam[] {
    const {
      launch: { specialization, tidy },
      along,
      module,
    } = this;

    const linear = workItemIndex(fn, "linear");
    const behind = workItemIndex(fn, "linear") + 1;
    // What stands behind the hidden parameters is not known before regions are run, and a test is written once a row.
    const unknown = new Set([
      workItemIndex(fn, "local", along.axis),
      linear,
      ...Array.from({ length: fn.parameters.length - behind }, (_, i) => behind + i),
    ]);
    const parameters = new Map(factsOf(fn, rows, axis, specialization));
    const steps = new Map<number, number>();
    const id = fn.parameters[linear];
    if (id !== undefined && specialization?.uniformGroups !== true) {
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
    // Shorter vectors have little for them where the longer ones find registers.
    let isFull = false;
    return widths.flatMap((width) => {
      const result = isFull ? null : vectorize(jammed.fn, this.request(jammed.fn, width));
      if (result?.ok === true)
        isFull = result.variants.general.spilled === 0 && (result.variants.tested?.spilled ?? 0) === 0;
      return result?.ok === true
        ? [
            {
              jam: { rows, axis, writeTest: jammed.writeTest, forms: result.variants },
              cost: costOfOne(result.variants, null) / rows,
            },
          ]
        : [];
    });
  }
}

/** A way to jam rows, with what a work-item costs then. */
interface MadeJam {
  readonly jam: JamPlan;
  readonly cost: number;
}

/** The axis in which rows follow one another: one whose ids the function takes; null: there is none, or one row. */
function jamAxis(fn: IrFunction, axis: number, specialization: Specialization | null): number | null {
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

/** Makes the vector forms of a kernel's functions along the axis that costs least, and adds them to the module. */
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
  const forms = new Map<IrFunction, VectorVariants>();
  let widest = 1;
  const masked = new Map<IrFunction, Vectorized>();
  const jams = new Map<IrFunction, JamPlan>();
  for (const { fn, result, masked: own, isTaken, jam } of best.results) {
    if (!result.ok || !isTaken) continue;
    if (jam !== null) jams.set(fn, jam);
    for (const form of [
      result.variants.general,
      result.variants.tested,
      own,
      jam?.forms.general ?? null,
      jam?.forms.tested ?? null,
    ]) {
      if (form === null) continue;
      module.addFunction(form.fn);
    }
    forms.set(fn, result.variants);
    if (own !== null) masked.set(fn, own);
    widest = Math.max(widest, result.variants.general.width);
  }
  return {
    forms,
    masked,
    jams,
    ranges: rangesOf(module, sources, settings, best.axis),
    axis: best.axis,
    remarks: best.results,
    whyNone: "too few work-items",
    width: widest,
    subGroups: null,
  };
}

/** Rows of fewer work-items are not worth finding out which of them take part. */
const LONG_ROW = 32;

/** Finds the functions of which only a range of each row does more than the rest, and adds what stands for the rest to the module. */
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

/** True when a body knows nothing of its work-group along x: only where it stands in the NDRange. */
export function isIndependentOfGroup(fn: IrFunction, isWhole: boolean): boolean {
  const users = uses(fn);
  const parameter = (name: WorkItemParameterName): Value | undefined => workItemParameter(fn, name);
  const isUsed = (name: WorkItemParameterName): boolean => {
    const value = parameter(name);
    return value !== undefined && (users.get(value) ?? []).length > 0;
  };
  if (isUsed("group") || isUsed("arena") || isUsed("linear") || (isUsed("size") && !isWhole)) return false;
  const [base, local] = [parameter("base"), parameter("local")];
  const isSum = (user: Instruction): boolean =>
    user.op === Op.ADD && user.operands.includes(base as Value) && user.operands.includes(local as Value);
  if (base === undefined || local === undefined) return false;
  return [base, local].every((value) => (users.get(value) ?? []).every(isSum));
}
