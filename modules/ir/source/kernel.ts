// SPDX-License-Identifier: Apache-2.0
// The description of a kernel: its arguments and attributes as the source declares them. It travels to the executable.

import type { ArgumentKind, PixelClass } from "@muxkit/kernel-abi";

/** One argument as the source declares it. @public */
export interface ArgumentDescription {
  /** Name in the source. */
  readonly name: string;
  /** Type as the source writes it, without qualifiers, for example `float4*`. */
  readonly typeName: string;
  /** What the host has to pass. */
  readonly kind: ArgumentKind;
  /** Address space as clGetKernelArgInfo returns it. */
  readonly addressSpace: "private" | "global" | "constant" | "local";
  /** Image access. */
  readonly access: "none" | "read_only" | "write_only" | "read_write";
  /** `const` on what is pointed to. */
  readonly isConst: boolean;
  /** `restrict`. */
  readonly isRestrict: boolean;
  /** `volatile` on what is pointed to. */
  readonly isVolatile: boolean;
  /** Bytes of the value that the host passes (pointers: the device's; local: 0). */
  readonly size: number;
  /** Alignment in bytes of that value. */
  readonly alignment: number;
  /**
   * Images: what the kernel takes their components for; absent: it neither reads nor writes any, or this is not a
   * finalized program. It follows from the calls, so it is no part of the text.
   */
  readonly pixelClasses?: readonly PixelClass[];
}

/** Arguments and attributes of a kernel. @public */
export interface KernelDescription {
  /** Arguments in order; the IR function has one parameter for each. */
  readonly arguments: readonly ArgumentDescription[];
  /** `reqd_work_group_size`. */
  readonly requiredWorkGroupSize: readonly [number, number, number] | null;
  /** `work_group_size_hint`. */
  readonly workGroupSizeHint: readonly [number, number, number] | null;
  /** `vec_type_hint`: the type's name. */
  readonly vecTypeHint: string | null;
  /** `intel_reqd_sub_group_size`. */
  readonly requiredSubGroupSize: number | null;
  /** The program assumes work-groups of equal size: OpenCL C before 2.0, or `-cl-uniform-work-group-size`. */
  readonly uniformWorkGroups: boolean;
  /** All attributes as the source writes them, separated by blanks. */
  readonly attributes: string;
  /**
   * Set for the form of a kernel in which each thread does several work-items that follow each other in dimension 0; of
   * which kernel it is one, and how many. Local ids and sizes in x are those of threads in it. It follows from a pass,
   * so it is no part of the text.
   */
  readonly coarsened?: { readonly of: string; readonly items: number };
}
