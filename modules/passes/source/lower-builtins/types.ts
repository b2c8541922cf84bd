// SPDX-License-Identifier: Apache-2.0
// Types of built-ins' parameters, read from their names in OpenCL C: the IR's types have no sign, and do not say what a
// pointer points to.
import {
  type DataLayout,
  F16,
  F32,
  F64,
  I16,
  I32,
  I64,
  I8,
  type Type,
  VOID,
  laneCount,
  scalarOf,
  vectorType,
} from "@muxkit/ir";

/** A parameter's type. Scalars and vectors are interned. */
export class BuiltinType {
  readonly kind: "int" | "float" | "pointer" | "other";
  readonly name: string;
  /** IR type of a value; void where the name does not say it (images, pipes, pointers). */
  readonly ir: Type;
  /** Bits of the element. */
  readonly bits: number;
  readonly isSigned: boolean;
  readonly lanes: number;
  private readonly own: BuiltinType | null;
  /** What a pointer points to; null: no pointer. */
  readonly target: BuiltinType | null;
  /** A pointer to volatile. */
  readonly isVolatile: boolean;

  constructor(
    kind: BuiltinType["kind"],
    name: string,
    ir: Type,
    parts: {
      readonly bits?: number;
      readonly isSigned?: boolean;
      readonly lanes?: number;
      readonly element?: BuiltinType;
      readonly target?: BuiltinType;
      readonly isVolatile?: boolean;
    } = {},
  ) {
    this.kind = kind;
    this.name = name;
    this.ir = ir;
    this.bits = parts.bits ?? 0;
    this.isSigned = parts.isSigned ?? false;
    this.lanes = parts.lanes ?? 1;
    this.own = parts.element ?? null;
    this.target = parts.target ?? null;
    this.isVolatile = parts.isVolatile ?? false;
  }

  /** Element of a vector; the type itself otherwise. */
  get element(): BuiltinType {
    return this.own ?? this;
  }

  get isVector(): boolean {
    return this.lanes > 1;
  }
}

const scalar = (kind: "int" | "float", name: string, ir: Type, isSigned: boolean): BuiltinType =>
  new BuiltinType(kind, name, ir, { bits: ir.bits, isSigned });

export const INT: BuiltinType = scalar("int", "int", I32, true);
export const HALF: BuiltinType = scalar("float", "half", F16, true);
export const FLOAT: BuiltinType = scalar("float", "float", F32, true);
const DOUBLE = scalar("float", "double", F64, true);
const UINT = scalar("int", "uint", I32, false);
const LONG = scalar("int", "long", I64, true);
const ULONG = scalar("int", "ulong", I64, false);

const SCALARS: readonly BuiltinType[] = [
  scalar("int", "char", I8, true),
  scalar("int", "uchar", I8, false),
  scalar("int", "short", I16, true),
  scalar("int", "ushort", I16, false),
  INT,
  UINT,
  LONG,
  ULONG,
  HALF,
  FLOAT,
  DOUBLE,
];

const NAMED = new Map<string, BuiltinType>(SCALARS.map((type) => [type.name, type]));
for (const element of SCALARS)
  for (const lanes of [2, 3, 4, 8, 16]) {
    const name = `${element.name}${lanes}`;
    const { kind, bits, isSigned } = element;
    NAMED.set(name, new BuiltinType(kind, name, vectorType(element.ir, lanes), { bits, isSigned, lanes, element }));
  }
NAMED.set("bool", scalar("int", "bool", I8, false));
NAMED.set("atomic_flag", INT);
NAMED.set("memory_order", INT);
NAMED.set("memory_scope", INT);

/** The vector of an element type; the element itself for 1. */
export function vectorOf(element: BuiltinType, lanes: number): BuiltinType {
  return lanes === 1 ? element : (NAMED.get(`${element.name}${lanes}`) ?? element);
}

/** The int type of a width and sign. */
export function intOf(bits: number, isSigned: boolean): BuiltinType {
  return SCALARS.find((type) => type.kind === "int" && type.bits === bits && type.isSigned === isSigned) ?? INT;
}

/** A type with another element and as many lanes. */
export function withElement(type: BuiltinType, element: BuiltinType): BuiltinType {
  return vectorOf(element, type.lanes);
}

/** Ints as wide as a type's elements, with as many lanes. */
export function bitsOf(type: BuiltinType, isSigned: boolean): BuiltinType {
  return withElement(type, intOf(type.bits, isSigned));
}

/** A type of an IR type: signed, where it is an int. */
export function typeOfIr(ir: Type): BuiltinType {
  const { kind, bits } = scalarOf(ir);
  const element =
    kind === "int"
      ? intOf(bits, true)
      : kind === "float"
        ? SCALARS.find((type) => type.ir === scalarOf(ir))
        : undefined;
  return element === undefined ? new BuiltinType("other", ir.text, ir) : vectorOf(element, laneCount(ir));
}

const SIZES: Readonly<Record<string, readonly [narrow: BuiltinType, wide: BuiltinType]>> = {
  size_t: [UINT, ULONG],
  uintptr_t: [UINT, ULONG],
  ptrdiff_t: [INT, LONG],
  intptr_t: [INT, LONG],
};

const QUALIFIERS = /\b(?:const|restrict|private|global|constant|local|generic)\b/gu;

const known = new Map<string, BuiltinType>();

/** Reads a type's name: `uint4`, `float*`, `volatile global half*`, `atomic_int*`, `size_t`, `image2d_t`. */
export function readType(name: string, layout: DataLayout): BuiltinType {
  const size = SIZES[name.replace(/^atomic_/u, "")];
  if (size !== undefined) return size[layout.sizeBits === 64 ? 1 : 0];
  let type = NAMED.get(name) ?? known.get(name);
  if (type !== undefined) return type;
  if (name.endsWith("*")) {
    const isVolatile = /\bvolatile\b/u.test(name);
    const target = readType(name.slice(0, -1).replace(QUALIFIERS, "").replace("volatile", "").trim(), layout);
    // Sizes differ between layouts, so what points to them is not kept.
    if (/size_t|ptr_t|ptrdiff_t/u.test(name)) return new BuiltinType("pointer", name, VOID, { target, isVolatile });
    type = new BuiltinType("pointer", name, VOID, { target, isVolatile });
  } else type = NAMED.get(name.replace(/^atomic_/u, "")) ?? new BuiltinType("other", name, VOID);
  known.set(name, type);
  return type;
}
