// SPDX-License-Identifier: Apache-2.0
// The constants of a call: parameters, results, the cancel word, limits and alignments.

/**
 * Version of the kernel ABI. It is raised when the meaning or the position of anything in this package changes.
 *
 * @public
 */
export const KERNEL_ABI_VERSION = 1;

/** Parameters of a kernel's function, in order. Blocks are addresses; groups are linear numbers of 32 bits. @public */
export const ENTRY_PARAMETERS: readonly ["args", "dispatch", "worker", "first", "end"] = [
  "args",
  "dispatch",
  "worker",
  "first",
  "end",
];

/** Result of a kernel's function: all groups ran. @public */
export const KERNEL_DONE = 0;
/** Result of a kernel's function: it left because of the cancel word. @public */
export const KERNEL_LEFT = 1;

/** Cancel word: continue. @public */
export const CANCEL_NONE = 0;
/** Cancel word: count down, and read the clock at zero. @public */
export const CANCEL_CHECK_CLOCK = 1;
/** Cancel word: leave. @public */
export const CANCEL_LEAVE = 2;
/** Checks of the cancel word from one reading of the clock to the next. @public */
export const CANCEL_COUNTDOWN: number = 2 ** 20;

/** Most groups that one call runs: linear numbers of groups stay below the sign bit. @public */
export const MAX_GROUPS_PER_CALL: number = 2 ** 30;

/** Alignment of the largest type of OpenCL C, and so of arenas, local arguments and pipes. @public */
export const LARGEST_ALIGNMENT = 128;
/** Alignment of live values and of the private stack in the arena. @public */
export const STACK_ALIGNMENT = 16;
/** Live values are stored for a multiple of this number of work-items. @public */
export const LIVE_ITEM_MULTIPLE = 16;
/** Generated code may read, and drop, this many bytes before and after memory that a kernel may read. @public */
export const OVERREAD_BYTES = 512;
/**
 * Generated code may write again what it has read in this many bytes before and after the arena of its thread: no other
 * thread uses them.
 *
 * @public
 */
export const ARENA_MARGIN_BYTES = 128;

/** Sampler bit: coordinates are normalised. @public */
export const SAMPLER_NORMALIZED = 1;
/** Sampler bits of each addressing mode. @public */
export const SAMPLER_ADDRESSING: {
  readonly none: 0;
  readonly clamp_to_edge: 2;
  readonly clamp: 4;
  readonly repeat: 6;
  readonly mirrored_repeat: 8;
} = { none: 0, clamp_to_edge: 2, clamp: 4, repeat: 6, mirrored_repeat: 8 };
/** Sampler bits of each filter. @public */
export const SAMPLER_FILTER: { readonly nearest: 0x10; readonly linear: 0x20 } = { nearest: 0x10, linear: 0x20 };
/** Sampler bits that only shaders have: addressing where the first coordinate is mirrored at the edge once. @public */
export const SAMPLER_MIRROR_CLAMP_TO_EDGE = 10;
/**
 * Where sampler bits that only shaders have begin: what the addressing modes of y and z differ by from that of x, the
 * border's colour, the other filter for texels that become smaller, a filter between levels, the least level of detail,
 * and by how much the greatest is below 15.75, in quarters. @public
 */
export const SAMPLER_SHIFT: {
  readonly addressingY: 12;
  readonly addressingZ: 15;
  readonly border: 18;
  readonly otherFilter: 20;
  readonly betweenLevels: 21;
  readonly leastLevel: 22;
  readonly greatestLevel: 26;
} = {
  addressingY: 12,
  addressingZ: 15,
  border: 18,
  otherFilter: 20,
  betweenLevels: 21,
  leastLevel: 22,
  greatestLevel: 26,
};
/** Where the number of further levels of a view begins; below it are four codes of components, 3 bits each. @public */
export const VIEW_LEVELS_SHIFT = 12;
/** Sampler bit: texels are compared with a reference. Only shaders have such samplers. @public */
export const SAMPLER_COMPARES = 0x100;
/** Sampler bits of each comparison: where reference and texel pass. @public */
export const SAMPLER_COMPARISON: {
  readonly never: 0;
  readonly less: 0x200;
  readonly equal: 0x400;
  readonly less_or_equal: 0x600;
  readonly greater: 0x800;
  readonly not_equal: 0xa00;
  readonly greater_or_equal: 0xc00;
  readonly always: 0xe00;
} = {
  never: 0,
  less: 0x200,
  equal: 0x400,
  less_or_equal: 0x600,
  greater: 0x800,
  not_equal: 0xa00,
  greater_or_equal: 0xc00,
  always: 0xe00,
};

/** Name of the patch of WebAssembly code that makes its memory import shared or not. @public */
export const SHARED_MEMORY_PATCH = "shared-memory";
/** Values of the patched byte: the flags of the memory import's limits (WebAssembly threads proposal). @public */
export const MEMORY_FLAGS: { readonly plain: 1; readonly shared: 3 } = { plain: 1, shared: 3 };

/** The patch of a WebAssembly code section whose memory import has its flags at a byte offset. @public */
export function sharedMemoryPatch(offset: number): {
  readonly name: typeof SHARED_MEMORY_PATCH;
  readonly offset: number;
  readonly values: readonly number[];
} {
  return { name: SHARED_MEMORY_PATCH, offset, values: [MEMORY_FLAGS.plain, MEMORY_FLAGS.shared] };
}
