// What the suite consists of, for any test runner.
import type { MuxTarget } from "@muxkit/mux";

/** What the suite needs of a target. @public */
export interface UnitMuxSetup {
  /** The target. It is registered, and its first device is tested. */
  readonly target: MuxTarget;
  /** Bytes for muxCreateExecutable with the kernel `fill(global int* out, int value)`: `out[get_global_id(0)] = value + get_global_id(0)`. */
  readonly executable: Uint8Array;
}

/** One case. @public */
export interface UnitMuxCase {
  /** Entry point that is tested. */
  readonly entryPoint: string;
  /** What is tested, for people. */
  readonly name: string;
  /** `success`, `behaviour` (more of what it does), `types` (values of wrong types), or the rule or check whose error is tested. */
  readonly tests: string;
  /** Runs it; throws when the target, or the front before it, does something else. */
  readonly run: () => void;
}

/** A case that went wrong. @public */
export class UnitMuxFailure extends Error {
  /** Name of the class. */
  override readonly name = "UnitMuxFailure";
}

/** Throws unless the condition holds. */
export function verify(condition: boolean, message: string): asserts condition {
  if (!condition) throw new UnitMuxFailure(message);
}
