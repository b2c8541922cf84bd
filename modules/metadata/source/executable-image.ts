// SPDX-License-Identifier: Apache-2.0
// An executable as data: what compilers write and targets read (docs/kernel-abi.md, section "Metadata of an
// executable"). Nothing here belongs to one code format: what a loader must change in code is a list of patches.
import type { ArgumentKind, PixelClass } from "@muxkit/kernel-abi";

/** Three sizes or counts: x, y, z. @public */
export type Size3 = readonly [number, number, number];

/** Address space of a kernel argument, as clGetKernelArgInfo returns it. @public */
export type ArgumentAddressSpace = "private" | "global" | "constant" | "local";

/** Image access of a kernel argument. @public */
export type ArgumentAccess = "none" | "read_only" | "write_only" | "read_write";

/** One kernel argument: its declaration, and its position in the packed arguments. @public */
export interface ArgumentMetadata {
  /** Name in the source. */
  readonly name: string;
  /** Type as in the source, without qualifiers, for example `float4*`. */
  readonly typeName: string;
  /** What the host has to pass. */
  readonly kind: ArgumentKind;
  /** Address space. */
  readonly addressSpace: ArgumentAddressSpace;
  /** Image access. */
  readonly access: ArgumentAccess;
  /** `const` on the pointee. */
  readonly isConst: boolean;
  /** `restrict`. */
  readonly isRestrict: boolean;
  /** `volatile` on the pointee. */
  readonly isVolatile: boolean;
  /** Bytes of the value that the host passes; 0 for local memory. */
  readonly size: number;
  /** Alignment in bytes: of the value that the host passes, or of local memory. */
  readonly alignment: number;
  /** Byte offset in the packed arguments. */
  readonly offset: number;
  /** Images: what the kernel takes their components for; absent: it neither reads nor writes any. */
  readonly pixelClasses?: readonly PixelClass[];
}

/** One compiled variant of a kernel. @public */
export interface VariantMetadata {
  /** Exported function. */
  readonly functionName: string;
  /** Section that holds its code, for example `.wasm`. */
  readonly section: string;
  /** Local size it was specialised for; 0, 0, 0: generic, any local size. */
  readonly localSize: Size3;
  /** True when it may run only where the global size is a multiple of the local size. */
  readonly needsUniformGroups: boolean;
  /** True when it may run only with a global offset of zero. */
  readonly needsZeroOffset: boolean;
  /** True when it runs work-items one by one where the dispatch block asks for it. Absent: false. */
  readonly offersOneByOne?: boolean;
  /** Bytes of local memory that the kernel declares itself. */
  readonly staticLocalBytes: number;
  /** Bytes for each work-item of values that are live across barriers. */
  readonly liveBytes: number;
  /** Bytes of private stack for each thread. */
  readonly privateBytes: number;
  /** Work-items that one iteration runs: 1 is scalar. */
  readonly vectorWidth: number;
  /** Dimension that is vectorised: 0, 1, 2. */
  readonly vectorDimension: number;
  /** Work-items of a sub-group. */
  readonly subGroupSize: number;
  /** Engine features without which it cannot run, for example `simd`. */
  readonly engineFeatures: readonly string[];
}

/** One kernel. @public */
export interface KernelMetadata {
  /** Name. */
  readonly name: string;
  /** Arguments in order. */
  readonly arguments: readonly ArgumentMetadata[];
  /** Bytes of the packed arguments. */
  readonly packedSize: number;
  /** `reqd_work_group_size`. */
  readonly requiredWorkGroupSize: Size3 | null;
  /** `work_group_size_hint`. */
  readonly workGroupSizeHint: Size3 | null;
  /** `vec_type_hint`: the type's name. */
  readonly vecTypeHint: string | null;
  /** Required sub-group size. */
  readonly requiredSubGroupSize: number | null;
  /** The global size must be a multiple of the local size. */
  readonly uniformWorkGroups: boolean;
  /** All attributes as in the source, separated by spaces. */
  readonly attributes: string;
  /** Private memory that a work-item uses, in bytes, as clGetKernelWorkGroupInfo returns it. */
  readonly privateMemorySize: number;
  /** Compiled variants; one of them is generic unless the executable is a specialised kernel. */
  readonly variants: readonly VariantMetadata[];
}

/** A pointer in the initial bytes of program-scope data: the u32 at `offset` becomes base + `target`. @public */
export interface DataRelocation {
  /** Byte offset of the pointer. */
  readonly offset: number;
  /** Byte offset, in the same data, of what it points to. */
  readonly target: number;
}

/** Program-scope data: one block, initialised once for each program and device. @public */
export interface ProgramData {
  /** Bytes. */
  readonly size: number;
  /** Alignment in bytes: a power of two. */
  readonly alignment: number;
  /** First bytes of it; the rest is zero. */
  readonly bytes: Uint8Array;
  /** Pointers in it. */
  readonly relocations: readonly DataRelocation[];
}

/** One printf call of the program; its index is what the kernel writes into the printf area. @public */
export interface PrintfCall {
  /** Format string. */
  readonly format: string;
  /**
   * What the kernel writes for each argument: `int`, `float4`, `string` (an index), `pointer`; see docs/kernel-abi.md.
   */
  readonly argumentTypes: readonly string[];
  /** Constant strings that `%s` arguments index. */
  readonly strings: readonly string[];
}

/** A byte of code with several valid values, of which a loader chooses one for its device. @public */
export interface BytePatch {
  /** Its meaning; the names belong to the code's format. */
  readonly name: string;
  /** Offset in the section's bytes. */
  readonly offset: number;
  /** Values that it may have; the section's own is one of them. */
  readonly values: readonly number[];
}

/** A section of code in some format. @public */
export interface CodeSection {
  /**
   * Section name: the format, for example `.wasm`; further ones of a format have a suffix, for example `.wasm.simd`.
   */
  readonly name: string;
  /** The code. */
  readonly bytes: Uint8Array;
  /** Engine features without which the section must be skipped. */
  readonly features: readonly string[];
  /** Bytes that a loader may change before it hands the code to the machine; names are unique. */
  readonly patches: readonly BytePatch[];
}

/** A named block that this version does not read itself; it is kept. @public */
export interface ExtraBlock {
  /** Section name. */
  readonly name: string;
  /** Its bytes. */
  readonly bytes: Uint8Array;
}

/** Version of the format that this code writes and reads. @public */
export const EXECUTABLE_FORMAT_VERSION = 3;

/** An executable. @public */
export interface ExecutableImage {
  /** Device it is for, for example `host`. */
  readonly target: string;
  /** Engine features that all of its default code needs. */
  readonly features: readonly string[];
  /** Code, in order. */
  readonly code: readonly CodeSection[];
  /** Kernels, in order of definition; names are unique. */
  readonly kernels: readonly KernelMetadata[];
  /** Program-scope data; null when there is none. */
  readonly programData: ProgramData | null;
  /** Calls of printf. */
  readonly printfCalls: readonly PrintfCall[];
  /**
   * Blocks of other tools, for example the IR; unknown ones are kept (docs/decisions/039-instrumentation-hooks.md).
   * Names differ from those of code.
   */
  readonly extraBlocks: readonly ExtraBlock[];
}

/** An executable as it was read. @public */
export interface LoadedExecutable extends ExecutableImage {
  /** Format version of the bytes: {@link EXECUTABLE_FORMAT_VERSION}. */
  readonly formatVersion: number;
  /** FNV-1a of the ELF part, checked. */
  readonly hash: bigint;
}

/**
 * Name of the block with the linked program in its compiler's own format, from which launches are specialised.
 *
 * @public
 */
export const IR_BLOCK = ".muxkit.ir";

/** The block of a name; null when there is none. @public */
export function findExtraBlock(image: ExecutableImage, name: string): Uint8Array | null {
  return image.extraBlocks.find((block) => block.name === name)?.bytes ?? null;
}

/** The section of a name; null when there is none. @public */
export function findCode(image: ExecutableImage, name: string): CodeSection | null {
  return image.code.find((section) => section.name === name) ?? null;
}

/**
 * The bytes of a section with a patch set to a value; unchanged where the section has no such patch; null when the
 * patch does not take the value.
 *
 * @public
 */
export function patchedBytes(
  { bytes, patches }: CodeSection,
  name: string,
  value: number,
): Uint8Array<ArrayBuffer> | null {
  const copy = new Uint8Array(bytes);
  const patch = patches.find((one) => one.name === name);
  if (patch === undefined) return copy;
  if (!patch.values.includes(value)) return null;
  copy[patch.offset] = value;
  return copy;
}

/** The kernel of a name; null when there is none. @public */
export function findKernelMetadata(image: ExecutableImage, name: string): KernelMetadata | null {
  return image.kernels.find((kernel) => kernel.name === name) ?? null;
}

/** The variant that runs any launch; null when the executable holds only specialised ones. @public */
export function findGenericVariant(kernel: KernelMetadata): VariantMetadata | null {
  return kernel.variants.find((v) => v.localSize[0] === 0) ?? null;
}
