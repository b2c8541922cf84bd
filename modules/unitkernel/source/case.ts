// SPDX-License-Identifier: Apache-2.0
// What the suite consists of, for any test runner.
import type { ScalarArray } from "@muxkit/cargo";
import type { Info } from "@muxkit/compiler";
import type { MuxDeviceInfo, MuxTarget } from "@muxkit/mux";

/** The two halves of a target. @public */
export interface KernelSetup {
  /** The runtime half. It is registered, and its first device is tested. */
  readonly target: MuxTarget;
  /** The compiler half. */
  readonly compiler: Info;
}

/** One case. @public */
export interface UnitKernelCase {
  /** What is tested. */
  readonly name: string;
  /**
   * Runs it; throws a {@link UnitKernelFailure} when the kernel leaves something else, and whatever goes wrong before.
   * A device that lacks what the case needs passes: programs can query it.
   */
  readonly run: () => void;
}

/** A kernel that left something else than it must. @public */
export class UnitKernelFailure extends Error {
  /** Name of the class. */
  override readonly name = "UnitKernelFailure";
}

/** Numbers as kernels see them. @public */
export type Numbers = ScalarArray;

/**
 * An argument: a buffer with its first contents and, where they are checked, the last; bytes; local memory in bytes; a
 * null pointer.
 */
export type CaseArgument =
  | { readonly buffer: Numbers; readonly expected?: Numbers; readonly tolerance?: number }
  | { readonly value: Numbers }
  | { readonly local: number }
  | { readonly nothing: true };

/** A launch and what it must leave. */
export interface KernelCase {
  readonly name: string;
  /** True when a device can run it; absent: every device can. */
  readonly needs?: (info: MuxDeviceInfo) => boolean;
  /** OpenCL C with a kernel `k`. */
  readonly source: string;
  readonly options?: string;
  readonly arguments: readonly CaseArgument[];
  /** Work-items in each dimension. */
  readonly global: readonly number[];
  /** Work-items of a group; absent: 1. */
  readonly local?: readonly number[];
  /** First global id; absent: 0. */
  readonly offset?: readonly number[];
  /** Launches, one after the other; absent: 1. */
  readonly times?: number;
}

/** Ints from a function of their index. */
export function ints(length: number, make: (i: number) => number): Int32Array {
  return Int32Array.from({ length }, (_, i) => make(i));
}

/** Floats from a function of their index. */
export function floats(length: number, make: (i: number) => number): Float32Array {
  return Float32Array.from({ length }, (_, i) => make(i));
}

/** A buffer of zeros that must become these numbers. */
export function fills(expected: Numbers, tolerance: number = 0): CaseArgument {
  const bytes = new Uint8Array(expected.byteLength);
  return { buffer: bytes, expected, tolerance };
}
