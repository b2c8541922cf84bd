// SPDX-License-Identifier: Apache-2.0
// The description of the kernels of a finalized program.

import type { ArgumentKind, PixelClass } from "@muxkit/kernel-abi";

/** One kernel argument. @public */
export interface ArgumentInfo {
  /** Name in the source. */
  readonly name: string;
  /** Type as the source writes it, for example `float4*`. */
  readonly typeName: string;
  /** What the host must pass. */
  readonly kind: ArgumentKind;
  /** Address space of the argument. */
  readonly addressSpace: "private" | "global" | "constant" | "local";
  /** Image access. */
  readonly access: "none" | "read_only" | "write_only" | "read_write";
  /** `const` on the pointee. */
  readonly isConst: boolean;
  /** `restrict`. */
  readonly isRestrict: boolean;
  /** `volatile` on the pointee. */
  readonly isVolatile: boolean;
  /** Bytes of the value passed; 0 for local memory. */
  readonly size: number;
  /** Alignment of that value in bytes. */
  readonly alignment: number;
  /** Images: what the kernel takes their components for; absent: it neither reads nor writes any. */
  readonly pixelClasses?: readonly PixelClass[];
}

/** One kernel. @public */
export interface KernelInfo {
  /** Name. */
  readonly name: string;
  /** Attributes as the source writes them, separated by blanks. */
  readonly attributes: string;
  /** Arguments in order. */
  readonly arguments: readonly ArgumentInfo[];
  /** `reqd_work_group_size`. */
  readonly requiredWorkGroupSize: readonly [number, number, number] | null;
  /** `work_group_size_hint`. */
  readonly workGroupSizeHint: readonly [number, number, number] | null;
  /** Required sub-group size. */
  readonly requiredSubGroupSize: number | null;
  /** The global size must be a multiple of the local size: OpenCL C before 2.0, or `-cl-uniform-work-group-size`. */
  readonly uniformWorkGroups: boolean;
  /** Private memory a work-item needs, in bytes. */
  readonly privateMemorySize: number;
  /** Local memory that the kernel declares itself, in bytes. */
  readonly localMemorySize: number;
}

/** Every kernel of a program. @public */
export interface ProgramInfo {
  /** In order of definition. */
  readonly kernels: readonly KernelInfo[];
}

/** Finds a kernel by name; null when there is none. @public */
export function findKernel(program: ProgramInfo, name: string): KernelInfo | null {
  return program.kernels.find((kernel) => kernel.name === name) ?? null;
}
