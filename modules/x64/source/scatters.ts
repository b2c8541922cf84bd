// SPDX-License-Identifier: Apache-2.0
// Scatters: lanes in their order, by one instruction a register where a tier has it, else a store for each lane.
import { type Instruction, Op, type Value, laneCount } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { chunkCount, chunkOf } from "./chunks.ts";
import { blockBytes, indexHalf, indicesOf } from "./gathers.ts";
import { bitsOfLane, byteBits } from "./lanes.ts";
import { type Address, form, vectorForm } from "./machine-builder.ts";
import { IN_KERNEL } from "./machine-function.ts";
import { MACRO } from "./macros.ts";
import { limitedMask, maskBitsFrom } from "./masks.ts";
import { at, further, partsForMemory } from "./memory.ts";
import type { Selector } from "./selector.ts";
import { scalarBytes } from "./shape.ts";

/** Stores some bytes of a vector, which begin at an element. */
function storeElements(s: Selector, parts: readonly number[], first: number, bytes: number, address: Address): void {
  let done = 0;
  while (done < bytes) {
    const from = first + done;
    const size = [16, 8, 4, 2, 1].find((one) => one <= bytes - done && from % one === 0) ?? 1;
    const chunk = chunkOf(s, parts, from >> 4);
    if (size === 16) s.build.emit(form("vmovups m128, x"), [MEMORY, chunk], further(address, done));
    else if (size === 4 && (from & 15) === 0)
      s.build.emit(form("vmovd r32/m32, x"), [MEMORY, chunk], further(address, done));
    else if (size === 8 && (from & 15) === 0)
      s.build.emit(form("vmovlps m64, x"), [MEMORY, chunk], further(address, done));
    else if (size === 8) s.build.emit(form("vmovhps m64, x"), [MEMORY, chunk], further(address, done));
    else s.build.emit(form(EXTRACTED[size] as string), [MEMORY, chunk, (from & 15) / size], further(address, done));
    done += size;
  }
}

const EXTRACTED: Readonly<Record<number, string>> = {
  1: "vpextrb r32/m8, x, i8",
  2: "vpextrw m16, x, i8",
  4: "vpextrd r32/m32, x, i8",
};

/**
 * Whether one instruction scatters a register, in wide tiers: 4 or 8 bytes for each pointer, of one lane or several.
 */
export function isWideScatter({ op, operands }: Instruction): boolean {
  const [value, pointers] = operands;
  if (op !== Op.SCATTER || value === undefined || pointers === undefined) return false;
  return [4, 8].includes(blockBytes(value.type, pointers));
}

/** Lanes in their order, as the processor has it too. */
function scatterWide(s: Selector, instruction: Instruction, bytes: number, count: number): void {
  const [value, pointers, condition] = instruction.operands as [Value, Value, Value];
  const { parts: indices, base, scale, displacement } = indicesOf(s, pointers);
  const mask = s.mask(condition, bytes);
  const parts = s.parts(value);
  s.widths(count * bytes).forEach((width, i) => {
    const index = bytes === 8 ? indexHalf(s, indices, i) : (indices[i] as number);
    const own = limitedMask(s, mask[i] as number, (count * bytes - 64 * i) / bytes, bytes, width);
    const key = vectorForm(bytes === 8 ? "vpscatterdq m64(h), v" : "vpscatterdd m32(v), v", width);
    s.build.emitClearing(key, [MEMORY, parts[i] as number], own, { kind: IN_KERNEL, base, index, scale, displacement });
  });
}

/** A scatter: lanes in their order, those that are off are jumped over. */
export function emitScatter(s: Selector, instruction: Instruction): void {
  const { build, fn } = s;
  const [value, pointers, condition] = instruction.operands as [Value, Value, Value];
  const { type } = value;
  const count = laneCount(pointers.type);
  const each = laneCount(type) / count;
  const bytes = scalarBytes(type);
  if (s.tier.isWide && isWideScatter(instruction)) {
    scatterWide(s, instruction, each * bytes, count);
    return;
  }
  const parts = partsForMemory(s, value);
  const addresses = s.parts(pointers);
  const perChunk = 16 / bytes;
  if (condition.kind === "constant" && condition.lanes.every(({ low }) => low === 1)) {
    for (let lane = 0; lane < count; lane++) {
      const base = bitsOfLane(s, chunkOf(s, addresses, lane >> 2), lane & 3, 4);
      storeElements(s, parts, lane * each * bytes, each * bytes, at(base));
    }
    return;
  }
  const mask = s.mask(condition, 1);
  const bits = Array.from({ length: chunkCount(count) }, (_, chunk) =>
    s.tier.isWide ? maskBitsFrom(s, mask[0] as number, 16 * chunk) : byteBits(s, chunkOf(s, mask, chunk)),
  );
  for (let lane = 0; lane < count; lane++) {
    const base = bitsOfLane(s, chunkOf(s, addresses, lane >> 2), lane & 3, 4);
    for (let k = 0; k < each; k++) {
      const element = lane * each + k;
      const chunk = chunkOf(s, parts, Math.floor(element / perChunk));
      build.pseudo(MACRO.storeIf, lane & 15, ((element % perChunk) << 8) | bytes, [
        base,
        chunk,
        bits[lane >> 4] as number,
      ]);
      fn.displacement[fn.instructionCount - 1] = k * bytes;
    }
  }
}
