// SPDX-License-Identifier: Apache-2.0
// Types of a kernel's values: numbers of declared widths, vectors, records, memory, items. TypeScript knows a number
// only; these say what the number is.
import {
  type AccessMode,
  type ElementType,
  type Lanes,
  type ReductionOperator,
  type ScalarName,
  sizeOf,
  type ImageAccess,
  type VectorElement,
} from "@muxkit/kernel-library";

/** Where memory is. */
export type Space = "global" | "local" | "private" | "constant";

/** Memory: an accessor, a pointer, or an array. Indexing takes its dimensions one by one. */
export interface MemoryType {
  readonly kind: "memory";
  readonly element: ElementType;
  readonly space: Space;
  /** Elements of each dimension: a number, or the C name of a variable that holds it; null: unknown (the first). */
  readonly shape: readonly (number | string | null)[];
  readonly access: AccessMode;
  /** What the type is called in TypeScript. */
  readonly origin: "Accessor" | "LocalArray" | "Pointer" | "privateArray" | "array";
}

/** An item of a range. */
export interface ItemType {
  readonly kind: "item";
  readonly item: "item" | "nd-item";
  readonly dimensions: 1 | 2 | 3;
}

/** A parameter that combines values of all work-items. */
export interface ReducerType {
  readonly kind: "reducer";
  readonly element: ElementType;
  /** By what; `function`: what the second argument of the type names. */
  readonly operator: ReductionOperator | "function";
}

/** An image. */
export interface ImageKernelType {
  readonly kind: "image";
  readonly element: VectorElement;
  readonly access: ImageAccess;
  readonly dimensions: 1 | 2 | 3;
}

/** A number that takes the type of what it meets. */
export interface LiteralType {
  readonly kind: "literal";
  /** It has a point or an exponent, or came of such. */
  readonly isFloat: boolean;
  /** It is a bigint: a number of a long. */
  readonly isBig?: boolean;
}

/** Types of expressions. `error`: something was said about it already. */
export type KernelType =
  | ElementType
  | MemoryType
  | ItemType
  | ReducerType
  | ImageKernelType
  | LiteralType
  | { readonly kind: "void" }
  | { readonly kind: "error" };

export const VOID: KernelType = { kind: "void" };
export const ERROR: KernelType = { kind: "error" };

/** A scalar type. */
export function scalar(name: ScalarName): ElementType {
  return SCALARS[name];
}

/** What is known of the scalars. */
interface ScalarFacts {
  readonly isFloat: boolean;
  readonly isSigned: boolean;
  readonly bits: number;
}

const int = (bits: number, isSigned: boolean): ScalarFacts => ({ isFloat: false, isSigned, bits });
const float = (bits: number): ScalarFacts => ({ isFloat: true, isSigned: true, bits });

/** Scalars by name. */
export const FACTS: Readonly<Record<ScalarName, ScalarFacts>> = {
  bool: int(1, false),
  char: int(8, true),
  uchar: int(8, false),
  short: int(16, true),
  ushort: int(16, false),
  int: int(32, true),
  uint: int(32, false),
  long: int(64, true),
  ulong: int(64, false),
  half: float(16),
  float: float(32),
  double: float(64),
};

const SCALARS = Object.fromEntries(
  Object.keys(FACTS).map((name) => [name, { kind: "scalar", name: name as ScalarName }]),
) as Readonly<Record<ScalarName, ElementType>>;

const VECTOR = /^(char|uchar|short|ushort|int|uint|long|ulong|half|float|double)(2|3|4|8|16)$/u;

/** The scalar or vector that a name says; null: none. */
export function elementNamed(name: string): ElementType | null {
  if (Object.hasOwn(FACTS, name)) return SCALARS[name as ScalarName];
  const match = VECTOR.exec(name);
  return match === null ? null : vector(match[1] as ScalarName, Number(match[2]) as Lanes);
}

/** A vector type. */
export function vector(name: ScalarName, lanes: Lanes): ElementType {
  return { kind: "vector", scalar: name, lanes };
}

/** The scalar of a scalar or vector; null: neither. */
export function scalarOf(type: KernelType): ScalarName | null {
  return type.kind === "scalar" ? type.name : type.kind === "vector" ? type.scalar : null;
}

/** Lanes of a scalar (1) or vector. */
export function lanesOf(type: KernelType): number {
  return type.kind === "vector" ? type.lanes : 1;
}

/** The type with other scalars and the same lanes. */
export function withScalar(type: KernelType, name: ScalarName): ElementType {
  return type.kind === "vector" ? vector(name, type.lanes) : scalar(name);
}

/** True for an integer scalar; `bool` is none. */
export function isInteger(type: KernelType): boolean {
  return type.kind === "scalar" && type.name !== "bool" && !FACTS[type.name].isFloat;
}

/** True for a scalar of floating point. */
export function isFloating(type: KernelType): boolean {
  return type.kind === "scalar" && FACTS[type.name].isFloat;
}

/** True for `long` and `ulong`, which are bigints in JavaScript. */
export function isLong(type: KernelType): boolean {
  const name = scalarOf(type);
  return name === "long" || name === "ulong";
}

/** The type as OpenCL C and diagnostics name it. */
export function typeName(type: KernelType): string {
  switch (type.kind) {
    case "scalar":
      return type.name;
    case "vector":
      return `${type.scalar}${type.lanes}`;
    case "record":
      return type.name;
    case "memory":
      return `${type.origin}<${typeName(type.element)}>`;
    case "item":
      return `${type.item === "item" ? "Item" : "NdItem"}<${type.dimensions}>`;
    case "image":
      return type.access === "sample"
        ? `SampledImageAccessor<${typeName(type.element)}, ${type.dimensions}>`
        : `ImageAccessor<${typeName(type.element)}, "${type.access}", ${type.dimensions}>`;
    case "reducer":
      return `Reducer<${typeName(type.element)}>`;
    case "literal":
      return type.isFloat ? "a number with a fraction" : "a whole number";
    case "void":
      return "void";
    default:
      return "error";
  }
}

/** Equality of types; memory is equal where its elements, space and rank are. */
export function sameType(a: KernelType, b: KernelType): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "memory" && b.kind === "memory")
    return (
      a.space === b.space &&
      a.shape.length === b.shape.length &&
      sameType(a.element, b.element) &&
      a.shape.every((size, i) => i === 0 || typeof size !== "number" || size === b.shape[i])
    );
  if (a.kind === "item" && b.kind === "item") return a.item === b.item && a.dimensions === b.dimensions;
  return typeName(a) === typeName(b) && (a.kind !== "record" || sizeOf(a) === sizeOf(b as ElementType));
}
