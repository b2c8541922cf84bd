// SPDX-License-Identifier: Apache-2.0
// `work-item-loops`: writes the function that the runtime calls for each kernel: loops over work-groups and work-items.
import { InternalError } from "@muxkit/cargo";
import type { Module } from "@muxkit/ir";
import { packArgumentLayout } from "@muxkit/kernel-abi";

import { hasConvergencePoint } from "../barriers/convergence.ts";
import { type CutBody, type KernelLowering, type LoweringState } from "../lowering-state.ts";
import { writeKernelEntry } from "../loops/kernel-entry.ts";
import { abiPointerBytes } from "../abi-fields.ts";
import { SCALAR_PLAN } from "../vector/vector-plan.ts";

function cutOf({ cut, body, name }: KernelLowering): CutBody {
  if (cut !== null) return cut;
  if (hasConvergencePoint(body, "sub_group"))
    throw new InternalError(
      `the work-items of ${name} wait for one another: barrier-regions comes before work-item-loops`,
    );
  return { body, plan: null };
}

/** Writes the entry of every kernel that has none; it takes the kernel's name. */
export function workItemLoops(module: Module, state: LoweringState): boolean {
  let changed = false;
  for (const kernel of state.separate(module)) {
    if (module.functions.has(kernel.name)) continue;
    const { body, plan } = cutOf(kernel);
    writeKernelEntry(
      {
        ...kernel,
        machine: state.request.machine,
        offsets: packArgumentLayout(kernel.description.arguments, abiPointerBytes(module.layout)).offsets,
        body: plan === null ? body : null,
        plan,
        vectors: kernel.vectors ?? SCALAR_PLAN,
      },
      module,
    );
    changed = true;
  }
  return changed;
}
