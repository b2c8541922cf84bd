// SPDX-License-Identifier: Apache-2.0
// Structures as data: fields with a type, and their offsets by C's rule for a width of pointers.
import { alignUp } from "@muxkit/cargo";

/** Type of a field's elements; `address` has the width of the target's pointers. @public */
export type AbiType = "u32" | "u64" | "address";

/** Bytes of a pointer to global memory. @public */
export type PointerBytes = 4 | 8;

/** A field of a structure. Reserved fields are zero and have names that begin with `reserved`. @public */
export interface AbiField<Name extends string = string> {
  /** Name in camel case; the C header writes it in snake case. */
  readonly name: Name;
  /** Type of one element. */
  readonly type: AbiType;
  /** Number of elements; 1: no array. */
  readonly count: number;
  /** What the field holds, for the documentation: one phrase. */
  readonly text: string;
}

/** A structure that generated code and runtimes share. @public */
export interface AbiStruct<Name extends string = string> {
  /** Name in C. */
  readonly cName: string;
  /** The structure is stored at multiples of this number of bytes. */
  readonly alignment: number;
  /** Fields in the order in which they are stored. */
  readonly fields: readonly AbiField<Name>[];
}

/** Offsets of the fields of a structure in bytes, and the bytes of all of it. @public */
export interface StructLayout<Name extends string = string> {
  /** Byte offset of each field. */
  readonly offsets: Readonly<Record<Name, number>>;
  /** Size of the structure, a multiple of its largest element. */
  readonly bytes: number;
}

/** Bytes of one element of a type. @public */
export function typeBytes(type: AbiType, pointerBytes: PointerBytes): number {
  return { u32: 4, u64: 8, address: pointerBytes }[type];
}

/** Lays a structure out as C does: each field at the next multiple of its element's size. @public */
export function layoutStruct<Name extends string>(
  { fields }: AbiStruct<Name>,
  pointerBytes: PointerBytes,
): StructLayout<Name> {
  let end = 0;
  let largest = 1;
  const offsets = {} as Record<Name, number>;
  for (const { name, type, count } of fields) {
    const bytes = typeBytes(type, pointerBytes);
    offsets[name] = alignUp(end, bytes);
    end = offsets[name] + bytes * count;
    largest = Math.max(largest, bytes);
  }
  return { offsets, bytes: alignUp(end, largest) };
}
