// SPDX-License-Identifier: Apache-2.0
// From a source to a finalized program: options, front end, link, finalize, in this order. The first step that fails
// ends it.
import type { Result } from "@muxkit/cargo";

import type { CompilerError } from "./error.ts";
import type { Module } from "./interfaces.ts";
import type { ProgramInfo } from "./program-info.ts";
import type { ProgramInput } from "./program-input.ts";

/**
 * Compiles a source and links it alone: `none` → `intermediate`. Errors: those of the steps; the module's log has the
 * diagnostics.
 *
 * @public
 */
export function linkProgram(module: Module, input: ProgramInput, options: string = ""): Result<void, CompilerError> {
  const parsed = module.parseOptions(options, "build");
  if (!parsed.ok) return parsed;
  const compiled = module.compile(input);
  return compiled.ok ? module.link([]) : compiled;
}

/**
 * Compiles, links and finalizes a source: `none` → `executable`. Errors: those of the steps; the module's log has the
 * diagnostics.
 *
 * @public
 */
export function buildProgram(
  module: Module,
  input: ProgramInput,
  options: string = "",
): Result<ProgramInfo, CompilerError> {
  const linked = linkProgram(module, input, options);
  return linked.ok ? module.finalize() : linked;
}
