// SPDX-License-Identifier: Apache-2.0
// What a value is while IR runs: the bits of a scalar, or of each lane. Floats stay bits, so that moves keep every NaN
// (docs/decisions/016-nan-bits.md).
import { assert } from "@muxkit/cargo";
import {
  type Constant,
  type DataLayout,
  type Type,
  bigintValue,
  constantInt,
  constantVector,
  laneCount,
  pointerBytes,
  scalarOf,
} from "@muxkit/ir";

import { readBits, writeBits } from "./memory.ts";

/** The unsigned bits of a scalar, or of each lane of a vector. @public */
export type Register = bigint | readonly bigint[];

/** A register that must be a scalar. */
export function scalar(register: Register): bigint {
  assert(typeof register === "bigint", "a scalar");
  return register;
}

/** The lanes of a register; a scalar has one. */
export function lanes(register: Register): readonly bigint[] {
  return typeof register === "bigint" ? [register] : register;
}

/** A register of a type from its lanes. */
export function fromLanes(type: Type, list: readonly bigint[]): Register {
  return type.kind === "vector" ? list : (list[0] ?? 0n);
}

/** Bits of a lane in a register: pointers have the width of the layout. */
export function laneBits(layout: DataLayout, type: Type): number {
  const lane = scalarOf(type);
  if (lane.kind === "pointer") return pointerBytes(layout, lane.addressSpace) * 8;
  return lane.kind === "opaque" ? 32 : lane.bits;
}

/** Bytes of a lane in memory. */
export function laneBytes(layout: DataLayout, type: Type): number {
  return Math.max(1, laneBits(layout, type) >> 3);
}

/** The register of a constant. */
export function constantRegister(constant: Constant): Register {
  return constant.type.kind === "vector" ? constant.lanes.map(bigintValue) : bigintValue(constant);
}

/** The constant of a register. */
export function registerConstant(type: Type, register: Register): Constant {
  const lane = scalarOf(type);
  const list = lanes(register).map((bits) => constantInt(lane, bits));
  return type.kind === "vector" ? constantVector(type, list) : (list[0] ?? constantInt(lane, 0n));
}

/** Reads a value from bytes. An i1 is the lowest bit of its byte. */
export function readRegister(layout: DataLayout, type: Type, view: DataView, offset: number): Register {
  const size = laneBytes(layout, type);
  const mask = scalarOf(type).bits === 1 ? 1n : -1n;
  if (type.kind !== "vector") return readBits(view, offset, size, layout.littleEndian) & mask;
  const list = Array.from(
    { length: laneCount(type) },
    (_, i) => readBits(view, offset + i * size, size, layout.littleEndian) & mask,
  );
  return list;
}

/** Writes a value to bytes. */
export function writeRegister(
  layout: DataLayout,
  type: Type,
  view: DataView,
  offset: number,
  register: Register,
): void {
  const size = laneBytes(layout, type);
  lanes(register).forEach((bits, i) => {
    writeBits(view, offset + i * size, size, bits, layout.littleEndian);
  });
}
