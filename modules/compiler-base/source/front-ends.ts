// SPDX-License-Identifier: Apache-2.0
// The registry of front ends: one reads the sources of each kind and returns a module of the IR. Everything after that
// (lowering of built-ins, linking, passes, code) is the same for all kinds.
import { type Result, err, ok } from "@muxkit/cargo";
import { type CompilerError, type ProgramInput, type ShaderReflection, compilerError } from "@muxkit/compiler";
import type { DataLayout } from "@muxkit/ir";

import type { FrontEnd } from "./front-end.ts";
import { IR_FRONT_END } from "./ir-front-end.ts";
import { OPENCL_C_FRONT_END } from "./opencl-c-front-end.ts";
import { SPIR_FRONT_END } from "./spir-front-end.ts";
import { SPIRV_FRONT_END } from "./spirv-front-end.ts";

const FRONT_ENDS = new Map<string, FrontEnd>();

/**
 * Registers a front end for its kind, for every compiler of this process; a front end registered before for that kind
 * is replaced.
 *
 * @public
 */
export function registerFrontEnd(frontEnd: FrontEnd): void {
  FRONT_ENDS.set(frontEnd.kind, frontEnd);
}

for (const frontEnd of [OPENCL_C_FRONT_END, IR_FRONT_END, SPIRV_FRONT_END, SPIR_FRONT_END]) registerFrontEnd(frontEnd);

/** The front end of a kind. Errors: `feature_unsupported` when none is registered. */
export function findFrontEnd(kind: string): Result<FrontEnd, CompilerError> {
  const found = FRONT_ENDS.get(kind);
  if (found !== undefined) return ok(found);
  const known = [...FRONT_ENDS.keys()].join(", ");
  return err(
    compilerError(
      "feature_unsupported",
      `no front end is registered for programs of kind "${kind}"; there are ${known}`,
    ),
  );
}

/** What shaders of a source want bound. Errors: `feature_unsupported` for kinds of sources that have no shaders. */
export function reflectShaders(input: ProgramInput, layout: DataLayout): Result<ShaderReflection, CompilerError> {
  const found = findFrontEnd(input.kind);
  if (!found.ok) return found;
  return (
    found.value.reflect?.(input, layout) ??
    err(compilerError("feature_unsupported", `programs of kind "${input.kind}" have no shaders`))
  );
}
