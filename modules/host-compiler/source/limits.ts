// SPDX-License-Identifier: Apache-2.0
// Programs beyond the limits of engines are the user's: what is wrong with them is an error of the compiler interface.
import { type CompilerError, compilerError } from "@muxkit/compiler";
import { EngineLimitError } from "@muxkit/wasm";

/** What `make` returns, or why no engine takes the code that it was to make. */
export function withinLimits<T>(make: () => T): T | CompilerError {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof EngineLimitError)) throw error;
    return compilerError("finalize_program_failure", error.message);
  }
}
