// SPDX-License-Identifier: Apache-2.0
// Gathers: lanes by one instruction a register, whose address takes the base and the factor of an index; lanes of
// several elements by one load each. Of bytes and shorts the bytes around them are read too, as docs/kernel-abi.md allows.
import { type Instruction, Op, type Value, laneCount, scalarOf } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import {
  bitsOfLane,
  buildVector,
  chunkOf,
  fromChunks,
  laneOf,
  laneOfParts,
  narrow,
  pickLanes,
  scalarBits,
  scalarFromBits,
} from "./lanes.ts";
import { type Address, form } from "./machine-builder.ts";
import { IN_KERNEL } from "./machine-function.ts";
import { at, limited, loadScalar } from "./memory.ts";
import type { Selector } from "./selector.ts";
import { isMask, partWidths, scalarBytes } from "./shape.ts";

const NOTHING = -1;

function isAllOn(condition: Value): boolean {
  return condition.kind === "constant" && condition.lanes.every(({ low }) => low === 1);
}

/** Whether one instruction gathers a register: of smaller lanes words of 4 bytes, which are packed. */
export function isWideGather({ op, type, operands }: Instruction): boolean {
  const [pointers] = operands;
  if (op !== Op.GATHER || pointers === undefined) return false;
  return laneCount(type) === laneCount(pointers.type) && !isMask(type);
}

/** A gather. */
export function emitGather(s: Selector, instruction: Instruction): void {
  const { type } = instruction;
  const [pointers] = instruction.operands as [Value];
  const count = laneCount(pointers.type);
  if (isWideGather(instruction)) {
    const own = scalarBytes(type);
    const parts = gatherWide(s, instruction, Math.max(4, own), count);
    s.define(instruction, own < 4 ? narrow(s, parts, count, 4, own, false) : parts);
    return;
  }
  const bytes = (laneCount(type) / count) * scalarBytes(type);
  if (!isMask(type) && bytes <= 16 && (bytes & (bytes - 1)) === 0) gatherBlocks(s, instruction, bytes, count);
  else gatherLanes(s, instruction, count);
}

/** A gather in which each lane has a power of two of bytes: a load each, put together as they are. */
function gatherBlocks(s: Selector, instruction: Instruction, bytes: number, count: number): void {
  const { build } = s;
  const [pointers, condition] = instruction.operands as [Value, Value];
  const safe = safePointers(s, pointers, condition);
  const lane = (number: number): Address => at(bitsOfLane(s, chunkOf(s, safe, number >> 2), number & 3, 4));
  const total = count * bytes;
  const perChunk = 16 / bytes;
  let parts: readonly number[];
  if (bytes === 16) {
    parts = partWidths(total).map((width, part) => {
      const low = build.emit(form("vmovups x, x/m128"), [MEMORY], lane(2 * part));
      if (width === 16) return low;
      return build.emit(form("vinserti128 y, y, x/m128, i8"), [low, MEMORY, 1], lane(2 * part + 1));
    });
  } else {
    const chunks: number[] = [];
    for (let first = 0; first < count; first += perChunk) {
      let chunk = firstBlock(s, bytes, lane(first));
      for (let i = 1; i < Math.min(perChunk, count - first); i++)
        chunk =
          bytes === 8
            ? build.emit(form("vmovhps x, x, m64"), [chunk, MEMORY], lane(first + i))
            : build.emit(form(INSERT[bytes] as string), [chunk, MEMORY, i], lane(first + i));
      chunks.push(chunk);
    }
    parts = fromChunks(s, chunks, total);
  }
  s.define(instruction, isAllOn(condition) ? parts : onlyWhere(s, condition, parts, bytes, count));
}

const INSERT: Readonly<Record<number, string>> = {
  1: "vpinsrb x, x, r32/m8, i8",
  2: "vpinsrw x, x, r32/m16, i8",
  4: "vpinsrd x, x, r32/m32, i8",
};

function firstBlock(s: Selector, bytes: number, address: Address): number {
  if (bytes === 8) return s.build.emit(form("vmovq x, x/m64"), [MEMORY], address);
  if (bytes === 4) return s.build.emit(form("vmovd x, r32/m32"), [MEMORY], address);
  return s.build.emit(form(INSERT[bytes] as string), [s.zero(16), MEMORY, 0], address);
}

/** Zeros in lanes that are off; a lane has `bytes` bytes. */
function onlyWhere(
  s: Selector,
  condition: Value,
  parts: readonly number[],
  bytes: number,
  count: number,
): readonly number[] {
  const own = Math.min(bytes, 8);
  const mask = s.mask(condition, own);
  const repeat = bytes / own;
  const spread =
    repeat === 1
      ? mask
      : pickLanes(
          s,
          [mask],
          count,
          own,
          Array.from({ length: count * repeat }, (_, i) => Math.floor(i / repeat)),
        );
  const widths = partWidths(count * bytes);
  return parts.map((part, i) =>
    s.build.emit(form(widths[i] === 32 ? "vpand y, y, y/m256" : "vpand x, x, x/m128"), [part, spread[i] as number]),
  );
}

/** Pointers of which those that are off lead to address 0. */
function safePointers(s: Selector, pointers: Value, condition: Value): readonly number[] {
  const own = s.parts(pointers);
  if (isAllOn(condition)) return own;
  const mask = s.mask(condition, 4);
  return own.map((part, i) =>
    s.build.emit(form(s.fn.width[part] === 32 ? "vpand y, y, y/m256" : "vpand x, x, x/m128"), [
      part,
      mask[i] as number,
    ]),
  );
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
interface Indices {
  readonly parts: readonly number[];
  readonly base: number;
  readonly scale: number;
  readonly displacement: number;
}

function indicesOf(s: Selector, pointers: Value): Indices {
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

/** Lanes of 4 or 8 bytes. */
function gatherWide(s: Selector, instruction: Instruction, bytes: number, count: number): readonly number[] {
  const { build } = s;
  const [pointers, condition] = instruction.operands as [Value, Value];
  const { parts: indices, base, scale, displacement } = indicesOf(s, pointers);
  const total = count * bytes;
  const mask = s.mask(condition, bytes);
  return partWidths(total).map((width, i) => {
    const index = bytes === 8 ? chunkOf(s, indices, i) : (indices[i] as number);
    const own = limited(s, mask[i] as number, total - 32 * i);
    const v = width === 32 ? "y" : "x";
    const key = bytes === 8 ? `vpgatherdq ${v}, m64(x), ${v}` : `vpgatherdd ${v}, m32(${v}), ${v}`;
    const address: Address = { kind: IN_KERNEL, base, index, scale, displacement };
    return build.emit(form(key), [s.zero(width), MEMORY, own], address);
  });
}
