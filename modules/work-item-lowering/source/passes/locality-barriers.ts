// SPDX-License-Identifier: Apache-2.0
// `locality-barriers`: puts barriers between the rows that the work-items of a group read one after the other.
import { type Module, workItemParameter } from "@muxkit/ir";
import { findUniformity } from "@muxkit/vecz";

import { hasConvergencePoint, usesSubGroups } from "../barriers/convergence.ts";
import { insertLocalityBarriers } from "../barriers/locality-barriers.ts";
import { idParameters } from "../barriers/regions.ts";
import type { KernelLowering, LoweringState } from "../lowering-state.ts";
import { isIndependentOfGroup } from "../vector/group-independence.ts";

function insertInto({ body, specialization: known }: KernelLowering, { layout }: Module): boolean {
  // It must be known how long rows are, and that they are all that the group has.
  if (known === null || known.localSize[1] * known.localSize[2] > 1 || usesSubGroups(body)) return false;
  // Vectors that continue from group to group have no rows.
  if (!hasConvergencePoint(body, "sub_group") && isIndependentOfGroup(body, known.uniformGroups)) return false;
  return insertLocalityBarriers(body, {
    layout,
    id: workItemParameter(body, "local", 0),
    count: known.localSize[0],
    findUniformity: () => findUniformity(body, layout, idParameters(body), new Set()),
  });
}

/** Inserts the barriers into kernels that will be cut and vectorised. */
export function localityBarriers(module: Module, state: LoweringState): boolean {
  const { optimize, vectorization } = state.request;
  let changed = false;
  for (const kernel of state.separate(module))
    if (optimize && vectorization(kernel.name) !== "never" && kernel.cut === null && kernel.subGroupBody === null)
      changed = insertInto(kernel, module) || changed;
  return changed;
}
