// SPDX-License-Identifier: Apache-2.0
// Sizes, alignments and offsets of types in memory, by the data layout of a target.
import { alignUp, assert, unreachable } from "@muxkit/cargo";

import type { AddressSpace, Type } from "./type.ts";

/**
 * The memory model of a target, known before a front end runs (docs/decisions/006-ir-contract.md). No layer above the
 * target assumes a width.
 *
 * @public
 */
export interface DataLayout {
  /** Bytes of a pointer, by number of address space (private, global, constant, local, generic). */
  readonly pointerBytes: readonly number[];
  /** Bits of OpenCL C's `size_t`, `ptrdiff_t`, `intptr_t`: 32 or 64. */
  readonly sizeBits: number;
  /** True when the least significant byte comes first. */
  readonly littleEndian: boolean;
  /** True when the target computes in binary16 itself. */
  readonly nativeF16: boolean;
  /** True when the target has binary64. */
  readonly nativeF64: boolean;
  /** True when the target has 64-bit integers. */
  readonly nativeI64: boolean;
}

/** The layout of a 32-bit little-endian device with f64 and i64: the host target's. @public */
export const LAYOUT_32: DataLayout = {
  pointerBytes: [4, 4, 4, 4, 4],
  sizeBits: 32,
  littleEndian: true,
  nativeF16: false,
  nativeF64: true,
  nativeI64: true,
};

/** The layout of a 64-bit little-endian device. @public */
export const LAYOUT_64: DataLayout = {
  pointerBytes: [8, 8, 8, 8, 8],
  sizeBits: 64,
  littleEndian: true,
  nativeF16: false,
  nativeF64: true,
  nativeI64: true,
};

/** Bytes of a pointer into an address space. @public */
export function pointerBytes(layout: DataLayout, space: AddressSpace): number {
  return layout.pointerBytes[space] ?? layout.sizeBits / 8;
}

/** Bytes of one lane or scalar: i1 takes 1. */
function scalarBytes(layout: DataLayout, type: Type): number {
  return type.kind === "pointer" ? pointerBytes(layout, type.addressSpace) : Math.max(1, type.bits >> 3);
}

/**
 * Bytes that a value of the type takes in memory, padding at its end included. A vector of 3 takes the room of 4
 * (OpenCL C 6.1.5); an opaque type takes 4.
 *
 * @public
 */
export function sizeOf(layout: DataLayout, type: Type): number {
  switch (type.kind) {
    case "void":
      return 0;
    case "opaque":
      return 4;
    case "int":
    case "float":
    case "pointer":
      return scalarBytes(layout, type);
    case "vector":
      assert(type.element !== null, "a vector has an element");
      return scalarBytes(layout, type.element) * (type.count === 3 ? 4 : type.count);
    case "array":
      assert(type.element !== null, "an array has an element");
      return sizeOf(layout, type.element) * type.count;
    case "struct":
      return structLayout(layout, type).size;
    default:
      return unreachable(type.kind);
  }
}

/** Alignment in bytes of a type in memory. Vectors align to their size, at most 128 bytes. @public */
export function alignmentOf(layout: DataLayout, type: Type): number {
  switch (type.kind) {
    case "void":
      return 1;
    case "opaque":
      return 4;
    case "int":
    case "float":
    case "pointer":
      return scalarBytes(layout, type);
    case "vector":
      return Math.min(128, sizeOf(layout, type));
    case "array":
      assert(type.element !== null, "an array has an element");
      return alignmentOf(layout, type.element);
    case "struct":
      return structLayout(layout, type).alignment;
    default:
      return unreachable(type.kind);
  }
}

/** Size, alignment and member offsets of a struct. @public */
export interface StructLayout {
  /** Bytes, padding at the end included. */
  readonly size: number;
  /** Alignment in bytes. */
  readonly alignment: number;
  /** Byte offset of each member. */
  readonly offsets: readonly number[];
}

const layouts = new WeakMap<DataLayout, WeakMap<Type, StructLayout>>();

/** Computes the layout of a struct: each member at its alignment, unless it is packed. Cached. @public */
export function structLayout(layout: DataLayout, type: Type): StructLayout {
  let known = layouts.get(layout);
  if (known === undefined) layouts.set(layout, (known = new WeakMap()));
  let found = known.get(type);
  // Without the cache, nested structs would be laid out again for each query of their size and of their alignment.
  if (found === undefined) known.set(type, (found = layOut(layout, type)));
  return found;
}

function layOut(layout: DataLayout, type: Type): StructLayout {
  const offsets: number[] = [];
  let offset = 0;
  let alignment = 1;
  for (const member of type.members) {
    const own = type.packed ? 1 : alignmentOf(layout, member);
    alignment = Math.max(alignment, own);
    offset = alignUp(offset, own);
    offsets.push(offset);
    offset += sizeOf(layout, member);
  }
  alignment = Math.max(alignment, type.minimumAlignment);
  return { size: alignUp(offset, alignment), alignment, offsets };
}
