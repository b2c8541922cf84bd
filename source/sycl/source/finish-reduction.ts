// SPDX-License-Identifier: Apache-2.0
// Kernels that combine the partial results of reductions into kernels that were not translated: one for each type and
// operator, built when it is needed first.
import { type ReductionOperator, type ScalarName, combinationText, finishingText } from "@muxkit/kernel-library";

import { build } from "./build.ts";
import type { Context } from "./context.ts";
import { createWithSource } from "./create.ts";
import type { Device } from "./device.ts";
import type { ExecutableModule, ImageKernel } from "./module.ts";

const ENTRY = "finish_reduction";
const MADE = new WeakMap<Context, Map<string, ExecutableModule>>();

/** The kernel for scalars of a type. */
export function finishingKernel(
  call: string,
  context: Context,
  device: Device,
  scalar: ScalarName,
  operator: ReductionOperator,
): ImageKernel {
  let made = MADE.get(context);
  if (made === undefined) MADE.set(context, (made = new Map<string, ExecutableModule>()));
  const key = `${scalar} ${operator}`;
  let module = made.get(key);
  if (module === undefined) {
    const text = finishingText(ENTRY, scalar, combinationText(operator, scalar)).join("\n");
    module = build(createWithSource(context, `${text}\n`));
    made.set(key, module);
  }
  return module.findKernel(call, ENTRY, device, null);
}
