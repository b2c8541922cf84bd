// SPDX-License-Identifier: Apache-2.0
// Sub-groups as vectors: variants of a kernel's functions with a lane for each work-item of a sub-group, along the
// linear local id. The loops that run them are in loops/sub-group-loops.ts.
import { type IrFunction, type Module, workItemIndex, MAX_VECTOR_LANES } from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import { type ParameterFacts, VARYING, type VectorizeResult, costOf, vectorize } from "@muxkit/vecz";

import type { CalledVariants } from "./called-variants.ts";
import type { Specialization } from "../specialization.ts";
import {
  type SubGroupPlacement,
  type SubGroupVariants,
  type SubGroupPlan,
  type VectorRemark,
  trailingZeros,
} from "./vector-plan.ts";

/** True for sizes of sub-groups that one vector can have. */
export function fitsVector(size: number): boolean {
  return size >= 2 && size <= MAX_VECTOR_LANES;
}

function placementOf(specialization: Specialization | null, width: number, hasState: boolean): SubGroupPlacement {
  if (specialization !== null) {
    const [x, y, z] = specialization.localSize;
    if (y * z === 1) return "rows";
    if (specialization.uniformGroups) return x % width === 0 ? "rows" : "across";
  }
  return hasState ? "across" : "either";
}

/** What is known of the parameters of a body or region whose lanes are a sub-group. */
function factsOf(
  fn: IrFunction,
  width: number,
  isAcross: boolean,
  specialization: Specialization | null,
): ReadonlyMap<number, ParameterFacts> {
  const zeros = Math.log2(width);
  const facts = new Map<number, ParameterFacts>([[workItemIndex(fn, "linear"), { shape: 1, lowZeros: zeros }]]);
  const { localSize } = specialization ?? { localSize: [0, 0, 0] };
  for (const axis of [0, 1, 2] as const) {
    if (isAcross && localSize[axis] !== 1) facts.set(workItemIndex(fn, "local", axis), { shape: VARYING, lowZeros: 0 });
    if (specialization?.zeroOffset === true)
      facts.set(workItemIndex(fn, "base", axis), { shape: 0, lowZeros: trailingZeros(localSize[axis]) });
  }
  if (!isAcross) facts.set(workItemIndex(fn, "local", 0), { shape: 1, lowZeros: zeros });
  return facts;
}

/** True where sub-groups may be smaller than the others of their group. */
export function hasPartialSubGroups(specialization: Specialization | null, width: number): boolean {
  return (
    specialization === null ||
    !specialization.uniformGroups ||
    specialization.localSize.reduce((a, b) => a * b, 1) % width !== 0
  );
}

/** What decides about variants. */
export interface SubGroupLaunch {
  readonly specialization: Specialization | null;
  /** True when work-items may wait at different barriers of the work-group. */
  readonly hasState: boolean;
  /** Work-items of a sub-group. */
  readonly width: number;
  readonly machine: MachineTarget;
}

/** Makes the vectorised variants of a kernel's functions and adds them to the module; or returns why one has none. */
export function planSubGroups(
  module: Module,
  sources: readonly IrFunction[],
  { specialization, hasState, width, machine }: SubGroupLaunch,
  called: CalledVariants,
): SubGroupPlan | Extract<VectorizeResult, { readonly ok: false }> {
  const placement = placementOf(specialization, width, hasState);
  const calls = called.atWidth(width);
  const variants = new Map<IrFunction, SubGroupVariants>();
  const remarks: VectorRemark[] = [];
  for (const fn of sources) {
    const make = (isMasked: boolean): VectorizeResult =>
      vectorize(fn, {
        width,
        machine,
        axis: 0,
        parameters: factsOf(fn, width, placement === "across" || (placement === "either" && isMasked), specialization),
        isMasked,
        returnsVector: hasState,
        isSubGroup: true,
        isTested: false,
        name: `${fn.name}.s${width}${isMasked ? ".masked" : ""}`,
        vectorCall: (callee, vectors, masked) => calls.find(callee, vectors, masked),
      });
    const whole = make(false);
    const masked = !hasPartialSubGroups(specialization, width) && !hasState ? null : make(true);
    if (!whole.ok) return whole;
    if (masked?.ok === false) return masked;
    const made = { whole: whole.variants.general, masked: masked === null ? null : masked.variants.general };
    variants.set(fn, made);
    remarks.push({
      fn,
      result: whole,
      masked: made.masked,
      isTaken: true,
      runsFailingAlone: false,
      reason: "sub-groups",
      scalarCost: costOf(fn, machine),
      vectorCost: made.whole.cost / width,
      unrollAndJam: null,
    });
  }
  for (const { whole, masked } of variants.values()) {
    for (const variant of masked === null ? [whole] : [whole, masked]) {
      module.addFunction(variant.fn);
    }
  }
  return { width, placement, variants, remarks };
}
