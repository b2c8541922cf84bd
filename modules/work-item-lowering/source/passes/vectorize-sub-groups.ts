// SPDX-License-Identifier: Apache-2.0
// `vectorize-sub-groups`: makes vectorised variants whose lanes are the work-items of a sub-group.
import type { Module } from "@muxkit/ir";

import { type KernelLowering, type LoweringState, functionsOf } from "../lowering-state.ts";
import { planSubGroups } from "../vector/sub-groups.ts";
import { SCALAR_PLAN } from "../vector/vector-plan.ts";

function vectorize(kernel: KernelLowering, module: Module, state: LoweringState): void {
  const { cut, specialization, subGroupSize } = kernel;
  if (cut === null || kernel.vectors !== null) return;
  const made = planSubGroups(
    module,
    functionsOf(cut),
    { machine: state.request.machine, specialization, hasState: cut.plan?.hasState === true, width: subGroupSize },
    state.calledVariants(module),
  );
  if ("variants" in made) {
    kernel.vectors = { ...SCALAR_PLAN, remarks: made.remarks, width: made.width, subGroups: made };
    return;
  }
  // What vectors cannot do the work-items of a sub-group do one by one: the body itself is cut, at their barriers too.
  kernel.subGroupBody = null;
  kernel.cut = null;
}

/** Plans the kernels that have a body for sub-groups; one that cannot be vectorised so is left to be cut again. */
export function vectorizeSubGroups(module: Module, state: LoweringState): boolean {
  const kernels = state.separate(module).filter(({ subGroupBody }) => subGroupBody !== null);
  for (const kernel of kernels) vectorize(kernel, module, state);
  return kernels.length > 0;
}
