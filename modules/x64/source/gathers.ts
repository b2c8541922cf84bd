// SPDX-License-Identifier: Apache-2.0
// Gathers: lanes by one instruction a register, whose address takes the base and the factor of an index; lanes of
// 16 bytes by one load each. Of bytes and shorts the bytes around them are read too, as docs/kernel-abi.md allows.
import { type Instruction, Op, type Type, type Value, laneCount, scalarOf } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { chunkOf } from "./chunks.ts";
import { narrow } from "./lane-widths.ts";
import { pickLanes } from "./pick-lanes.ts";
import { bitsOfLane, buildVector, laneOf, laneOfParts, scalarBits, scalarFromBits } from "./lanes.ts";
import { type Address, form, vectorForm } from "./machine-builder.ts";
import { IN_KERNEL } from "./machine-function.ts";
import { keepLanes, limitedMask, maskAsLanes } from "./masks.ts";
import { at, loadScalar } from "./memory.ts";
import type { Selector } from "./selector.ts";
import { isMask, scalarBytes } from "./shape.ts";

const NOTHING = -1;

function isAllOn(condition: Value): boolean {
  return condition.kind === "constant" && condition.lanes.every(({ low }) => low === 1);
}

/** Bytes of a vector that each pointer of a gather or scatter stands for; 0 where lanes have none of their own. */
export function blockBytes(type: Type, pointers: Value): number {
  return isMask(type) ? 0 : (laneCount(type) / laneCount(pointers.type)) * scalarBytes(type);
}

/** Whether one instruction gathers a register: what is smaller than 4 bytes is packed. */
export function isWideGather({ op, type, operands }: Instruction): boolean {
  const [pointers] = operands;
  return op === Op.GATHER && pointers !== undefined && [1, 2, 4, 8].includes(blockBytes(type, pointers));
}

/** A gather. */
export function emitGather(s: Selector, instruction: Instruction): void {
  const [pointers] = instruction.operands as [Value];
  const count = laneCount(pointers.type);
  const bytes = blockBytes(instruction.type, pointers);
  if (isWideGather(instruction)) {
    const parts = gatherWide(s, instruction, Math.max(4, bytes), count);
    s.define(instruction, bytes < 4 ? narrow(s, parts, count, 4, bytes, false) : parts);
  } else if (bytes === 16) gatherBlocks(s, instruction, count);
  else gatherLanes(s, instruction, count);
}

/** A gather in which each lane has 16 bytes: a load each, put together as they are. */
function gatherBlocks(s: Selector, instruction: Instruction, count: number): void {
  const { build } = s;
  const [pointers, condition] = instruction.operands as [Value, Value];
  const safe = safePointers(s, pointers, condition);
  const lane = (number: number): Address => at(bitsOfLane(s, chunkOf(s, safe, number >> 2), number & 3, 4));
  const parts = s.widths(count * 16).map((width, part) => {
    const first = (s.tier.partBytes / 16) * part;
    let made = build.emit(form("vmovups x, x/m128"), [MEMORY], lane(first));
    for (let i = 1; i < width / 16 && first + i < count; i++)
      made = build.emit(
        form(width === 64 ? "vinserti32x4 z, z, x/m128, i8" : "vinserti128 y, y, x/m128, i8"),
        [made, MEMORY, i],
        lane(first + i),
      );
    return made;
  });
  s.define(instruction, isAllOn(condition) ? parts : onlyWhere(s, condition, parts, count));
}

/** Zeros in lanes that are off; a lane has 16 bytes. */
function onlyWhere(s: Selector, condition: Value, parts: readonly number[], count: number): readonly number[] {
  const lanes = Array.from({ length: 2 * count }, (_, i) => i >> 1);
  const own = s.widths(8 * count);
  const mask = s.mask(condition, 8).map((part, i) => maskAsLanes(s, part, 8, own[i] as number));
  const spread = pickLanes(s, [mask], count, 8, lanes);
  const widths = s.widths(16 * count);
  return parts.map((part, i) =>
    s.build.emit(vectorForm("vpand v, v, v/m", widths[i] as number), [part, spread[i] as number]),
  );
}

/** Pointers of which those that are off lead to address 0. */
function safePointers(s: Selector, pointers: Value, condition: Value): readonly number[] {
  const own = s.parts(pointers);
  if (isAllOn(condition)) return own;
  const mask = s.mask(condition, 4);
  const widths = s.widths(4 * laneCount(pointers.type));
  return own.map((part, i) => keepLanes(s, { given: part, address: null }, mask[i] as number, 4, widths[i] as number));
}

/** Element by element. */
function gatherLanes(s: Selector, instruction: Instruction, count: number): void {
  const { build } = s;
  const { type } = instruction;
  const [pointers, condition] = instruction.operands as [Value, Value];
  const each = laneCount(type) / count;
  const all = isAllOn(condition);
  const safe = safePointers(s, pointers, condition);
  const scalar = scalarOf(type);
  const lanes: number[] = [];
  for (let lane = 0; lane < count; lane++) {
    const base = laneOfParts(s, safe, pointers.type, 4, lane);
    const isOn = all ? -1 : laneOf(s, condition, lane);
    for (let k = 0; k < each; k++) {
      let value = loadScalar(s, scalar, at(base, k * scalarBytes(type)));
      if (!all) {
        const keep = build.emit(form("neg r64/m64"), [isOn]);
        const bits = scalarBits(s, scalar, value);
        value = scalarFromBits(s, scalar, build.emit(form("and r64, r64/m64"), [bits, keep]));
      }
      lanes.push(value);
    }
  }
  s.define(instruction, buildVector(s, type, s.maskBytesOf(instruction), lanes));
}

/** Pointers as a base, indices in lanes, and the logarithm of their factor. */
export interface Indices {
  readonly parts: readonly number[];
  readonly base: number;
  readonly scale: number;
  readonly displacement: number;
}

/** Taken from a vector of pointers. */
export function indicesOf(s: Selector, pointers: Value): Indices {
  if (!s.isDeferred(pointers)) return { parts: s.parts(pointers), base: NOTHING, scale: 0, displacement: 0 };
  const [pointer, index] = pointers.operands as [Value, Value];
  const address = s.address(pointer);
  const isPlain = address.index === NOTHING;
  return {
    parts: s.parts(index),
    base: isPlain ? address.base : s.addressValue(address),
    scale: Math.log2(pointers.scale),
    displacement: ((isPlain ? address.displacement : 0) + pointers.offset) | 0,
  };
}

/** Whether the instruction that gathers computes the addresses itself. */
export function isIndexed({ op, type, operands, scale }: Instruction): boolean {
  const [base, index] = operands;
  if (op !== Op.ADDRESS || base === undefined || index === undefined) return false;
  const { kind, bits } = scalarOf(index.type);
  return (
    base.type.kind !== "vector" &&
    index.type.kind === "vector" &&
    kind === "int" &&
    bits === 32 &&
    laneCount(type) === laneCount(index.type) &&
    [1, 2, 4, 8].includes(scale)
  );
}

/** The indices of 4 bytes for a part of lanes of 8 bytes. */
export function indexHalf(s: Selector, indices: readonly number[], part: number): number {
  if (!s.tier.isWide) return chunkOf(s, indices, part);
  const own = indices[part >> 1] as number;
  if ((part & 1) === 0) return own;
  return s.shared(`upper ${own}`, () => s.build.emit(form("vextracti64x4 y/m256, z, i8"), [own, 1]));
}

/** Lanes of 4 or 8 bytes. */
function gatherWide(s: Selector, instruction: Instruction, bytes: number, count: number): readonly number[] {
  const { build } = s;
  const { partBytes, isWide } = s.tier;
  const [pointers, condition] = instruction.operands as [Value, Value];
  const { parts: indices, base, scale, displacement } = indicesOf(s, pointers);
  const total = count * bytes;
  const mask = s.mask(condition, bytes);
  return s.widths(total).map((width, i) => {
    const index = bytes === 8 ? indexHalf(s, indices, i) : (indices[i] as number);
    const own = limitedMask(s, mask[i] as number, (total - partBytes * i) / bytes, bytes, width);
    const key = bytes === 8 ? "vpgatherdq v, m64(h)" : "vpgatherdd v, m32(v)";
    const address: Address = { kind: IN_KERNEL, base, index, scale, displacement };
    if (isWide) return build.emitClearing(vectorForm(key, width), [s.zero(width), MEMORY], own, address);
    return build.emit(vectorForm(`${key}, v`, width), [s.zero(width), MEMORY, own], address);
  });
}
