// SPDX-License-Identifier: Apache-2.0
// The types of the IR: immutable, interned, compared with ===.
import { assert } from "@muxkit/cargo";

/**
 * Number of an address space (docs/decisions/006-ir-contract.md): private 0, global 1, constant 2, local 3, generic 4;
 * targets may add numbers from 100.
 *
 * @public
 */
export type AddressSpace = number;
/** Memory of one work-item. @public */
export const PRIVATE: AddressSpace = 0;
/** Memory of the device, shared by all work-items. @public */
export const GLOBAL: AddressSpace = 1;
/** Memory that kernels only read. @public */
export const CONSTANT: AddressSpace = 2;
/** Memory of one work-group. @public */
export const LOCAL: AddressSpace = 3;
/** An address in private, global or local memory. @public */
export const GENERIC: AddressSpace = 4;

/** Names of the address spaces in the text form, by number. @public */
export const ADDRESS_SPACE_NAMES: readonly string[] = ["private", "global", "constant", "local", "generic"];

/** Kind of a {@link Type}. @public */
export type TypeKind = "void" | "int" | "float" | "vector" | "pointer" | "array" | "struct" | "opaque";

/**
 * One type. Made only by the functions of this file, which intern: equal types are the same object.
 *
 * @public
 */
export class Type {
  /** What kind of type this is. */
  readonly kind: TypeKind;
  /** Width in bits of an int (1, 8, 16, 32, 64) or float (16, 32, 64); 0 otherwise. */
  readonly bits: number;
  /** Element of a vector or array; null otherwise. */
  readonly element: Type | null;
  /** Lanes of a vector (2 to 64), elements of an array; 0 otherwise. */
  readonly count: number;
  /** Address space of a pointer; 0 otherwise. */
  readonly addressSpace: AddressSpace;
  /** Members of a struct, in order. */
  readonly members: readonly Type[];
  /** Name of a struct or of an opaque type (`image2d`, `sampler`, `event`); empty otherwise. */
  readonly name: string;
  /** True for a struct without padding. */
  readonly packed: boolean;
  /** Alignment in bytes that an attribute of a struct requires; 0: natural. */
  readonly minimumAlignment: number;
  /** The type as text, which is also what it is interned by. */
  readonly text: string;

  /** @internal */
  constructor(kind: TypeKind, text: string, part: TypeParts) {
    this.kind = kind;
    this.bits = part.bits ?? 0;
    this.element = part.element ?? null;
    this.count = part.count ?? 0;
    this.addressSpace = part.addressSpace ?? 0;
    this.members = part.members ?? [];
    this.name = part.name ?? "";
    this.packed = part.packed ?? false;
    this.minimumAlignment = part.minimumAlignment ?? 0;
    this.text = text;
  }

  /** The text form. */
  toString(): string {
    return this.text;
  }
}

/** Optional parts of a {@link Type}. @internal */
export interface TypeParts {
  /** Bits of a number. */
  readonly bits?: number;
  /** Type of an element. */
  readonly element?: Type;
  /** Elements. */
  readonly count?: number;
  /** Address space of a pointer. */
  readonly addressSpace?: AddressSpace;
  /** Members of a struct. */
  readonly members?: readonly Type[];
  /** Name of a struct or opaque type. */
  readonly name?: string;
  /** No padding. */
  readonly packed?: boolean;
  /** Bytes. */
  readonly minimumAlignment?: number;
}

const interned = new Map<string, Type>();

function intern(kind: TypeKind, text: string, part: TypeParts): Type {
  let type = interned.get(text);
  if (type === undefined) {
    type = new Type(kind, text, part);
    interned.set(text, type);
  }
  return type;
}

/** No value. @public */
export const VOID: Type = intern("void", "void", {});
/** A boolean: 0 or 1. @public */
export const I1: Type = intern("int", "i1", { bits: 1 });
/** An 8-bit integer, without a sign of its own. @public */
export const I8: Type = intern("int", "i8", { bits: 8 });
/** A 16-bit integer. @public */
export const I16: Type = intern("int", "i16", { bits: 16 });
/** A 32-bit integer. @public */
export const I32: Type = intern("int", "i32", { bits: 32 });
/** A 64-bit integer. @public */
export const I64: Type = intern("int", "i64", { bits: 64 });
/** IEEE 754 binary16. @public */
export const F16: Type = intern("float", "f16", { bits: 16 });
/** IEEE 754 binary32. @public */
export const F32: Type = intern("float", "f32", { bits: 32 });
/** IEEE 754 binary64. @public */
export const F64: Type = intern("float", "f64", { bits: 64 });

const INTS: readonly (Type | undefined)[] = [I1, I8, I16, I32, I64].reduce<(Type | undefined)[]>((table, type) => {
  table[type.bits] = type;
  return table;
}, []);
/** Vectors by element and lanes, and pointers by address space: caches for hot paths. */
const vectors = new Map<Type, (Type | undefined)[]>();
const pointers: (Type | undefined)[] = [];

/** The integer type of a width: 1, 8, 16, 32 or 64 bits. @public */
export function intType(bits: number): Type {
  const type = INTS[bits];
  assert(type !== undefined, () => `no integer type of ${bits} bits`);
  return type;
}

/** The float type of a width: 16, 32 or 64 bits. @public */
export function floatType(bits: number): Type {
  const type = interned.get(`f${bits}`);
  assert(type !== undefined, () => `no float type of ${bits} bits`);
  return type;
}

/** Most lanes of a vector. @public */
export const MAX_VECTOR_LANES = 64;

/** The vector of `lanes` (2 to 64) ints, floats or pointers. @public */
export function vectorType(element: Type, lanes: number): Type {
  return vectors.get(element)?.[lanes] ?? makeVector(element, lanes);
}

function makeVector(element: Type, lanes: number): Type {
  assert(
    lanes >= 2 && lanes <= MAX_VECTOR_LANES && Number.isInteger(lanes),
    () => `a vector has 2 to 64 lanes, not ${lanes}`,
  );
  assert(
    element.kind === "int" || element.kind === "float" || element.kind === "pointer",
    () => `no vector of ${element.text}`,
  );
  const made = intern("vector", `<${lanes} x ${element.text}>`, { element, count: lanes });
  const known = vectors.get(element);
  if (known === undefined) vectors.set(element, Object.assign([], { [lanes]: made }));
  else known[lanes] = made;
  return made;
}

/** The pointer type of an address space. Pointers are opaque: they have no element type. @public */
export function pointerType(addressSpace: AddressSpace): Type {
  return (pointers[addressSpace] ??= intern(
    "pointer",
    `ptr<${ADDRESS_SPACE_NAMES[addressSpace] ?? String(addressSpace)}>`,
    { addressSpace },
  ));
}

/** The array of `count` elements. @public */
export function arrayType(element: Type, count: number): Type {
  return intern("array", `[${count} x ${element.text}]`, { element, count });
}

/**
 * A struct: its name is for people and part of its identity; `packed` leaves out padding, `minimumAlignment` (bytes)
 * raises the alignment.
 *
 * @public
 */
export function structType(
  name: string,
  members: readonly Type[],
  packed: boolean = false,
  minimumAlignment: number = 0,
): Type {
  const align = minimumAlignment > 0 ? ` align ${minimumAlignment}` : "";
  const text = `struct ${name} {${members.map((m) => m.text).join(", ")}}${packed ? " packed" : ""}${align}`;
  return intern("struct", text, { members, name, packed, minimumAlignment });
}

/** An opaque type by name, for example `image2d`, `sampler`, `event`. @public */
export function opaqueType(name: string): Type {
  return intern("opaque", `opaque ${name}`, { name });
}

/** Lanes of a vector; 1 for every other type. @public */
export function laneCount(type: Type): number {
  return type.kind === "vector" ? type.count : 1;
}

/** Element of a vector; the type itself otherwise. @public */
export function scalarOf(type: Type): Type {
  return type.kind === "vector" && type.element !== null ? type.element : type;
}

/** `scalar` with the lanes of `shape`: a vector where `shape` is one, the scalar itself otherwise. @public */
export function withLanesOf(scalar: Type, shape: Type): Type {
  return shape.kind === "vector" ? vectorType(scalar, shape.count) : scalar;
}

/** True for ints and vectors of ints. @public */
export function isInt(type: Type): boolean {
  return scalarOf(type).kind === "int";
}

/** True for floats and vectors of floats. @public */
export function isFloat(type: Type): boolean {
  return scalarOf(type).kind === "float";
}

/** True for pointers and vectors of pointers. @public */
export function isPointer(type: Type): boolean {
  return scalarOf(type).kind === "pointer";
}
