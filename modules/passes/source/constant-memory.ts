// SPDX-License-Identifier: Apache-2.0
// Constant memory whose bytes the module knows: constants as bytes, and bytes as constants.
import {
  CONSTANT,
  type Constant,
  type DataLayout,
  Op,
  type Type,
  type Value,
  constantBits,
  constantVector,
  laneCount,
  scalarOf,
  sizeOf,
} from "@muxkit/ir";

import { baseOf, offsetFromBase } from "./alias-analysis.ts";

/** True for types whose constants are bytes: pointers may be addresses that only a linker knows. */
function hasBytes(type: Type): boolean {
  const { kind } = scalarOf(type);
  return kind === "int" || kind === "float";
}

/** Writes a constant as a store of it would; false: it has no bytes, or they are not within the image. */
export function writeConstantBytes(image: Uint8Array, offset: number, constant: Constant, layout: DataLayout): boolean {
  const { type, lanes } = constant;
  if (!hasBytes(type) || !layout.littleEndian || offset < 0 || offset + sizeOf(layout, type) > image.length)
    return false;
  const size = sizeOf(layout, scalarOf(type));
  const count = laneCount(type);
  for (let lane = 0; lane < count; lane++) {
    const { low, high } = lanes[lane] ?? constant;
    for (let i = 0; i < size; i++) image[offset + lane * size + i] = i < 4 ? low >>> (8 * i) : high >>> (8 * (i - 4));
  }
  return true;
}

/** Bytes of constant memory from an address on; null: they are not known, or not all of them are within a variable. */
export function constantBytesAt(pointer: Value | undefined, count: number, layout: DataLayout): Uint8Array | null {
  if (pointer === undefined) return null;
  const base = baseOf(pointer);
  if (base.kind !== "instruction" || base.op !== Op.GLOBAL_ADDRESS) return null;
  const offset = offsetFromBase(pointer);
  if (offset === null) return null;
  const { symbol } = base;
  if (
    symbol?.kind !== "global" ||
    symbol.addressSpace !== CONSTANT ||
    symbol.linkage === "declaration" ||
    symbol.relocations.length > 0
  )
    return null;
  const { initializer, type } = symbol;
  if (offset < 0 || offset + count > (initializer?.length ?? sizeOf(layout, type))) return null;
  return initializer === null ? new Uint8Array(count) : initializer.subarray(offset, offset + count);
}

/** What a load from constant memory gives; null: that is not known. */
export function loadedConstant(pointer: Value | undefined, type: Type, layout: DataLayout): Constant | null {
  if (!hasBytes(type) || !layout.littleEndian) return null;
  const image = constantBytesAt(pointer, sizeOf(layout, type), layout);
  if (image === null) return null;
  const scalar = scalarOf(type);
  const size = sizeOf(layout, scalar);
  const lane = (at: number): Constant => {
    let [low, high] = [0, 0];
    for (let i = 0; i < size; i++) {
      const byte = image[at + i] ?? 0;
      if (i < 4) low |= byte << (8 * i);
      else high |= byte << (8 * (i - 4));
    }
    return constantBits(scalar, low >>> 0, high >>> 0);
  };
  if (type === scalar) return lane(0);
  return constantVector(
    type,
    Array.from({ length: laneCount(type) }, (_, i) => lane(i * size)),
  );
}
