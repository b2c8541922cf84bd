// SPDX-License-Identifier: Apache-2.0
// What a launch is for threads and generated code: words of its command node, or of a row that is read as one, and a
// block in device memory.
import type { Result } from "@muxkit/cargo";
import { DISPATCH_BYTES, writeDispatchBlock } from "@muxkit/kernel-abi";

import type { ArenaSet } from "./arenas.ts";
import * as L from "./control-layout.ts";
import type { Block, DeviceMemory } from "./device-memory.ts";
import { dispatchValues, type Launch } from "./launch.ts";

/** Allocates and writes a launch's dispatch block, and its packed arguments behind it. The error is a sentence. */
export function placeLaunch(memory: DeviceMemory, launch: Launch): Result<Block, string> {
  const block = memory.allocate(DISPATCH_BYTES + launch.args.length);
  if (block.ok) {
    const { address } = block.value;
    memory.views.bytes.set(launch.args, address + DISPATCH_BYTES);
    writeDispatchBlock(memory.views.words, address, dispatchValues(launch));
  }
  return block;
}

/** Writes a launch's code, block and groups, all but their number, into the words of a node. */
export function writeLaunch(words: Int32Array, base: number, launch: Launch, { address }: Block): void {
  const { code, functionIndex } = launch.kernel;
  words[base + L.NDRANGE_CODE] = code.slot;
  words[base + L.NDRANGE_CODE_ID] = code.id;
  words[base + L.NDRANGE_FUNCTION] = functionIndex;
  words[base + L.NDRANGE_ARGS] = (address + DISPATCH_BYTES) | 0;
  words[base + L.NDRANGE_DISPATCH] = address | 0;
  for (let i = 0; i < 3; i++) {
    words[base + L.NDRANGE_COUNT + i] = launch.count[i as 0 | 1 | 2] | 0;
    words[base + L.NDRANGE_FIRST + i] = launch.first[i as 0 | 1 | 2] | 0;
  }
}

/** Writes where the arenas of a launch are into the words of a node. */
export function writeArena(words: Int32Array, base: number, arena: ArenaSet): void {
  words[base + L.NDRANGE_ARENA] = arena.base | 0;
  words[base + L.NDRANGE_ARENA_STRIDE] = arena.stride | 0;
}
