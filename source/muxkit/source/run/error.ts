// SPDX-License-Identifier: Apache-2.0
// The errors of muxkit/run.

/** What a call of `muxkit/run` throws: one sentence, what, where, what to do. @public */
export class RunError extends Error {
  /** Its name. */
  override readonly name = "RunError";
}

/** Throws unless something holds. */
export function ensure(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new RunError(message());
}
