// SPDX-License-Identifier: Apache-2.0
/**
 * The parameter of a kernel on devices that run work-items in lock step, each a thread of hardware: the packed
 * arguments with pointers of 64 bits, then, at a multiple of 16, what the launch says. It is one block of bytes.
 *
 * Launches are uniform: a range whose last groups are smaller is launched in parts, each of groups of one size. So
 * hardware's ids within a group are those of OpenCL.
 *
 * Code may be for other groups: a kernel that cannot tell its work-groups runs in any, and a thread may do several
 * work-items that follow each other in x. Then `enqueuedLocalSize` has in x the work-items from one group to the next.
 */
import { alignUp } from "@muxkit/cargo";

/** Where a field is. @public */
export interface SimtLaunchRow {
  /** Bytes from the beginning of the launch's part. */
  readonly offset: number;
  /** Bytes of one of its components. */
  readonly bytes: 4 | 8;
}

/** What a launch says, by field. @public */
export type SimtLaunchField =
  | "globalOffset"
  | "globalSize"
  | "printfArea"
  | "firstGroup"
  | "groupCount"
  | "enqueuedLocalSize"
  | "dimensions";

/** Where the fields are; those of three components have x, y and z one after the other. @public */
export const SIMT_LAUNCH_FIELDS: Readonly<Record<SimtLaunchField, SimtLaunchRow>> = {
  globalOffset: { offset: 0, bytes: 8 },
  globalSize: { offset: 24, bytes: 8 },
  printfArea: { offset: 48, bytes: 8 },
  firstGroup: { offset: 56, bytes: 4 },
  groupCount: { offset: 68, bytes: 4 },
  enqueuedLocalSize: { offset: 80, bytes: 4 },
  dimensions: { offset: 92, bytes: 4 },
};

/** Bytes of the launch's part. @public */
export const SIMT_LAUNCH_BYTES = 96;

/** The line of PTX before a variable that kernels may write to. @public */
export const SIMT_VARIABLE_MARK = "// variable";

/** Among the engine features of code whose work-items may be in other groups than those of the launch. @public */
export const SIMT_ANY_GROUPS = "any-groups";

/** Where the launch's part begins behind packed arguments of so many bytes. @public */
export function simtLaunchOffset(packedBytes: number): number {
  return alignUp(packedBytes, 16);
}
