// SPDX-License-Identifier: Apache-2.0
// What a runtime writes before it calls a kernel: the layout of the arena, and the dispatch block.
import { alignUp } from "@muxkit/cargo";

import { LARGEST_ALIGNMENT, LIVE_ITEM_MULTIPLE } from "./convention.ts";
import { DISPATCH, DISPATCH_BYTES } from "./generated/offsets.ts";

/** What a variant of a kernel needs of the arena. @public */
export interface ArenaNeeds {
  /** Bytes of local variables. */
  readonly staticLocalBytes: number;
  /** Bytes of live values for one work-item. */
  readonly liveBytes: number;
  /** Bytes of the private stack. */
  readonly privateBytes: number;
}

/** Byte offsets from the arena's base. @public */
export interface ArenaLayout {
  /** First local argument. */
  readonly localArguments: number;
  /** Live values. */
  readonly live: number;
  /** Private stack. */
  readonly private: number;
  /** Bytes of all of it. */
  readonly bytes: number;
}

/** Bytes that a local argument of a size takes in the arena. @public */
export function localArgumentSpace(size: number): number {
  return alignUp(size, LARGEST_ALIGNMENT);
}

/**
 * Lays out the arena of a launch: local variables, local arguments (`localArgumentBytes`, each of {@link
 * localArgumentSpace}), live values of `itemsPerGroup` work-items, private stack. @public
 */
export function layoutArena(needs: ArenaNeeds, localArgumentBytes: number, itemsPerGroup: number): ArenaLayout {
  const localArguments = alignUp(needs.staticLocalBytes, LARGEST_ALIGNMENT);
  const live = alignUp(localArguments + localArgumentBytes, LARGEST_ALIGNMENT);
  const stack = live + needs.liveBytes * alignUp(itemsPerGroup, LIVE_ITEM_MULTIPLE);
  return { localArguments, live, private: stack, bytes: stack + needs.privateBytes };
}

type Size3 = readonly [number, number, number];

/** The fields of a dispatch block that a launch decides. @public */
export interface DispatchValues {
  /** 1 to 3. */
  readonly dimensions: number;
  /** Work-items; 1 in unused dimensions. */
  readonly globalSize: Size3;
  /** First global id. */
  readonly globalOffset: Size3;
  /** Work-items of a group. */
  readonly localSize: Size3;
  /** Groups of the whole range. */
  readonly groupCount: Size3;
  /** First group of the part that runs. */
  readonly rangeStart: Size3;
  /** Groups of the part that runs. */
  readonly rangeCount: Size3;
  /** Byte offset of the live values in the arena. */
  readonly liveOffset: number;
  /** Byte offset of the private stack in the arena. */
  readonly privateOffset: number;
  /** Address of the program-scope data; 0 for none. */
  readonly programData: number;
}

function writeSizes(words: Int32Array, at: number, sizes: Size3): void {
  words[at] = sizes[0] | 0;
  words[at + 1] = sizes[1] | 0;
  words[at + 2] = sizes[2] | 0;
}

/**
 * Writes a dispatch block at an address of a memory with addresses of 32 bits; fields that are not given are zero.
 *
 * @public
 */
export function writeDispatchBlock(words: Int32Array, address: number, values: DispatchValues): void {
  const { rangeCount } = values;
  const total = rangeCount[0] * rangeCount[1] * rangeCount[2];
  // Of shared memory, the engine fills so few words more slowly than a loop does.
  for (let word = address >>> 2; word < (address + DISPATCH_BYTES) >>> 2; word++) words[word] = 0;
  words[(address + DISPATCH.size) >>> 2] = DISPATCH_BYTES;
  words[(address + DISPATCH.dimensions) >>> 2] = values.dimensions;
  writeSizes(words, (address + DISPATCH.globalSize) >>> 2, values.globalSize);
  writeSizes(words, (address + DISPATCH.globalOffset) >>> 2, values.globalOffset);
  writeSizes(words, (address + DISPATCH.localSize) >>> 2, values.localSize);
  writeSizes(words, (address + DISPATCH.groupCount) >>> 2, values.groupCount);
  writeSizes(words, (address + DISPATCH.rangeStart) >>> 2, values.rangeStart);
  writeSizes(words, (address + DISPATCH.rangeCount) >>> 2, rangeCount);
  words[(address + DISPATCH.rangeTotal) >>> 2] = total | 0;
  words[(address + DISPATCH.rangeTotal + 4) >>> 2] = Math.floor(total / 2 ** 32);
  words[(address + DISPATCH.liveOffset) >>> 2] = values.liveOffset;
  words[(address + DISPATCH.privateOffset) >>> 2] = values.privateOffset;
  words[(address + DISPATCH.programData) >>> 2] = values.programData | 0;
}
