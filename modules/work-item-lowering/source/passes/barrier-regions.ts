// SPDX-License-Identifier: Apache-2.0
// `barrier-regions`: cuts the bodies of kernels at their barriers.
import type { IrFunction, Module } from "@muxkit/ir";

import { type ConvergenceScope, hasConvergencePoint } from "../barriers/convergence.ts";
import { cutAtBarriers } from "../barriers/regions.ts";
import type { CutBody, LoweringState } from "../lowering-state.ts";

function cut(body: IrFunction, module: Module, least: ConvergenceScope): CutBody {
  const plan = hasConvergencePoint(body, least) ? cutAtBarriers(body, module, least) : null;
  if (plan !== null) module.functions.delete(body.name);
  return { body, plan };
}

/**
 * Cuts every kernel that has not been cut. Where sub-groups may become vectors, a copy of the body is cut at the
 * barriers of the work-group alone, since the lanes of a vector need not wait for one another.
 */
export function barrierRegions(module: Module, state: LoweringState): boolean {
  let changed = false;
  for (const kernel of state.separate(module)) {
    if (kernel.cut !== null) continue;
    const { subGroupBody, body } = kernel;
    kernel.cut = subGroupBody === null ? cut(body, module, "sub_group") : cut(subGroupBody, module, "work_group");
    changed ||= kernel.cut.plan !== null;
  }
  return changed;
}
