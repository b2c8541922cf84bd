// SPDX-License-Identifier: Apache-2.0
// The error of a compiler that cannot fulfil a request.
import type { Diagnostic } from "@muxkit/report";

/** Kind of failure; the names are those of the compiler interface, see docs of each. @public */
export type CompilerErrorCode =
  | "failure"
  | "invalid_value"
  | "out_of_memory"
  | "invalid_build_options"
  | "invalid_compiler_options"
  | "invalid_linker_options"
  | "build_program_failure"
  | "compile_program_failure"
  | "link_program_failure"
  | "finalize_program_failure"
  | "feature_unsupported";

/** A failed call of the compiler interface. @public */
export interface CompilerError {
  /** Kind of failure. */
  readonly code: CompilerErrorCode;
  /** One sentence: what, where, what to do. */
  readonly message: string;
  /** The diagnostics of the front end; empty for failures unrelated to a source. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Makes a {@link CompilerError}. @public */
export function compilerError(
  code: CompilerErrorCode,
  message: string,
  diagnostics: readonly Diagnostic[] = [],
): CompilerError {
  return { code, message, diagnostics };
}
