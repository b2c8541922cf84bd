// SPDX-License-Identifier: Apache-2.0
// `vectorize`: makes vectorised variants of bodies and regions, for several work-items of a vector row at once.
import { type IrFunction, LOCAL, Module } from "@muxkit/ir";
import { type PassContext, runPasses } from "@muxkit/passes";

import { type CutBody, type KernelLowering, type LoweringState, functionsOf } from "../lowering-state.ts";
import { BEFORE_VECTORS } from "../pass-list.ts";
import { isIndependentOfGroup } from "../vector/group-independence.ts";
import { planVectors } from "../vector/plan-vectors.ts";
import { SCALAR_PLAN, type VectorPlan } from "../vector/vector-plan.ts";

/**
 * Simplifies a function that is in no module: the rows of an unrolled-and-jammed one share what they have in common
 * then.
 */
function tidy(fn: IrFunction, { layout }: Module, context: PassContext): void {
  const apart = new Module("rows", layout);
  apart.addFunction(fn);
  runPasses(apart, BEFORE_VECTORS, context);
}

function usesLocalMemory({ description, body }: KernelLowering, state: LoweringState): boolean {
  return (
    (state.placement?.localBytes ?? 0) > 0 ||
    description.arguments.some(({ kind }) => kind === "local") ||
    body.blocks.some(({ instructions }) =>
      instructions.some(({ symbol }) => symbol?.kind === "global" && symbol.addressSpace === LOCAL),
    )
  );
}

function plan(
  kernel: KernelLowering,
  cut: CutBody,
  module: Module,
  state: LoweringState,
  context: PassContext,
): VectorPlan {
  const { machine, optimize, vectorization } = state.request;
  const { specialization } = kernel;
  const { body, plan: regions } = cut;
  kernel.isFlat =
    regions === null &&
    optimize &&
    !usesLocalMemory(kernel, state) &&
    isIndependentOfGroup(body, specialization?.uniformGroups === true);
  if (!optimize) return SCALAR_PLAN;
  if (regions !== null && regions.subGroupRegions > 0) return { ...SCALAR_PLAN, whyNone: "sub-groups run alone" };
  return planVectors(
    module,
    functionsOf(cut),
    {
      machine,
      specialization,
      isFlat: kernel.isFlat,
      hasState: regions?.hasState === true,
      choice: vectorization(kernel.name),
      tidy: (fn) => tidy(fn, module, context),
    },
    state.calledVariants(module),
  );
}

/** Plans every kernel that has been cut and has no plan. */
export function vectorizeKernels(module: Module, state: LoweringState, context: PassContext): boolean {
  let changed = false;
  for (const kernel of state.separate(module)) {
    if (kernel.vectors !== null || kernel.cut === null) continue;
    kernel.vectors = plan(kernel, kernel.cut, module, state, context);
    changed = true;
  }
  return changed;
}
