// SPDX-License-Identifier: Apache-2.0
// The errors of the host target.

/** Kinds of errors, by mux's names. @public */
export type HostErrorCode =
  | "failure"
  | "invalid_value"
  | "out_of_memory"
  | "invalid_binary"
  | "feature_unsupported"
  | "missing_kernel"
  | "fence_failure";

/** An error of a call, or of work that was dispatched. @public */
export interface HostError {
  /** Kind of error. */
  readonly code: HostErrorCode;
  /** One sentence: what, where, what to do. */
  readonly message: string;
  /** Number of the command that failed first, as its command buffer counts; absent where none of its own did. */
  readonly command?: number;
}

/** Makes an error. */
export function hostError(code: HostErrorCode, message: string, command?: number): HostError {
  return command === undefined ? { code, message } : { code, message, command };
}
