// SPDX-License-Identifier: Apache-2.0
// What the suite consists of, for any test runner.
import type { MuxDevice, MuxTarget } from "@muxkit/mux";

/** What the suite needs of a target. @public */
export interface UnitMuxSetup {
  /** The target. It is registered, and its first device is tested. */
  readonly target: MuxTarget;
  /**
   * Bytes for muxCreateExecutable with the kernel `fill(global int* out, int value)`:
   * `out[get_global_id(0)] = value + get_global_id(0)`.
   */
  readonly executable: Uint8Array;
  /**
   * How allocations of the target fail on purpose. Left out: those of a device of the hardware layer do, and those of
   * other targets are not tried.
   */
  readonly refusals?: UnitMuxRefusals;
}

/** Makes allocations of a target fail on purpose. @public */
export interface UnitMuxRefusals {
  /** The allocation with this number, counted from 1 and from now on, fails as if nothing were left; 0: none does. */
  readonly refuseAt: (number: number) => void;
  /** True once one has failed since then. */
  readonly hasRefused: () => boolean;
  /** What the device has allocated and not freed, in any units. */
  readonly taken: (device: MuxDevice) => readonly number[];
}

/** One case. @public */
export interface UnitMuxCase {
  /** Entry point that is tested. */
  readonly entryPoint: string;
  /** What is tested, for people. */
  readonly name: string;
  /**
   * `success`, `behaviour` (more of what it does), `types` (values of wrong types), or the rule or check whose error is
   * tested.
   */
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
