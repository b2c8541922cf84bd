// SPDX-License-Identifier: Apache-2.0
// Objects that the front passes are this target's own: it has checked that.
import { type Result, InternalError, err } from "@muxkit/cargo";
import type { MuxFailure, MuxObject, MuxResult } from "@muxkit/mux";

/** An object as the class that this target made it of. Throws InternalError for one of another target. @public */
export function own<T extends MuxObject>(object: MuxObject, kind: abstract new (...args: never) => T): T {
  if (object instanceof kind) return object;
  throw new InternalError(`a ${object.kind} of another target reached this one`, ["hal"]);
}

/** A failure as a result. */
export function failed(code: MuxResult, message: string): Result<never, MuxFailure> {
  return err({ code, message });
}
