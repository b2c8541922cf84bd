// SPDX-License-Identifier: Apache-2.0
// `fix-launch-sizes`: puts constants where work-item parameters are known for every launch that the code is for.
import {
  type IrFunction,
  type Module,
  type Value,
  WORK_ITEM_PARAMETERS,
  type WorkItemParameterName,
  replaceUses,
} from "@muxkit/ir";

import type { LoweringState } from "../lowering-state.ts";
import { type Specialization, knownLaunch } from "../specialization.ts";
import { workItemValues } from "../work-item-values.ts";

/** The value of a work-item parameter in all launches; null: it is not known. */
function knownValue(
  { localSize, uniformGroups, zeroOffset }: Specialization,
  name: WorkItemParameterName,
  axis: number,
): number | null {
  if (name === "enqueued" || (name === "size" && uniformGroups)) return localSize[axis] ?? null;
  return name === "offset" && zeroOffset ? 0 : null;
}

function fixIn(fn: IrFunction, known: Specialization): boolean {
  const values = workItemValues(fn);
  const replaced = new Map<Value, Value>();
  for (const [name, components] of WORK_ITEM_PARAMETERS) {
    for (let axis = 0; axis < components; axis++) {
      const value = knownValue(known, name, axis);
      if (value !== null) replaced.set(values.get(name, axis), values.constant(value));
    }
  }
  if (replaced.size > 0) replaceUses(fn, replaced);
  return replaced.size > 0;
}

/** Fixes the sizes of the request's specialisation, or those that a kernel requires. */
export function fixLaunchSizes(module: Module, state: LoweringState): boolean {
  const { specialization } = state.request;
  let changed = false;
  for (const fn of module.functions.values()) {
    if (fn.convention.kind !== "work_item") continue;
    const known = fn.kernel === null ? specialization : knownLaunch(fn.kernel, specialization);
    if (known !== null) changed = fixIn(fn, known) || changed;
  }
  return changed;
}
