// SPDX-License-Identifier: Apache-2.0
// The types of values in generated kernels: scalars and vectors of them.

/** The name of a scalar type. */
export type ScalarName = "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "float" | "double";

/** The properties of a scalar type. */
export interface Scalar {
  readonly name: ScalarName;
  readonly bits: 8 | 16 | 32 | 64;
  readonly kind: "signed" | "unsigned" | "float";
}

/** A scalar (one lane) or a vector. There is one object for each type, so types are compared by identity. */
export interface ValueType {
  /** As OpenCL C spells it. */
  readonly name: string;
  readonly scalar: Scalar;
  readonly lanes: number;
}

const SCALARS: Readonly<Record<ScalarName, Scalar>> = {
  char: { name: "char", bits: 8, kind: "signed" },
  uchar: { name: "uchar", bits: 8, kind: "unsigned" },
  short: { name: "short", bits: 16, kind: "signed" },
  ushort: { name: "ushort", bits: 16, kind: "unsigned" },
  int: { name: "int", bits: 32, kind: "signed" },
  uint: { name: "uint", bits: 32, kind: "unsigned" },
  long: { name: "long", bits: 64, kind: "signed" },
  ulong: { name: "ulong", bits: 64, kind: "unsigned" },
  float: { name: "float", bits: 32, kind: "float" },
  double: { name: "double", bits: 64, kind: "float" },
};

/** The numbers of lanes that there are. */
export const LANES = [1, 2, 3, 4, 8, 16] as const;

const TYPES = new Map<string, ValueType>(
  Object.values(SCALARS).flatMap((scalar) =>
    LANES.map((lanes): [string, ValueType] => {
      const name = lanes === 1 ? scalar.name : `${scalar.name}${lanes}`;
      return [name, { name, scalar, lanes }];
    }),
  ),
);

/** Every type. */
export const ALL_TYPES: readonly ValueType[] = [...TYPES.values()];

/** The type of a name that is known to be one. */
export function typeOf(scalar: ScalarName, lanes = 1): ValueType {
  const type = TYPES.get(lanes === 1 ? scalar : `${scalar}${lanes}`);
  if (type === undefined) throw new RangeError(`there is no type ${scalar}${lanes}`);
  return type;
}

/** `int`. */
export const INT: ValueType = typeOf("int");
/** `uint`. */
export const UINT: ValueType = typeOf("uint");

/** True for float and double, and vectors of them. */
export function isFloat({ scalar }: ValueType): boolean {
  return scalar.kind === "float";
}

/** The same lanes of another scalar. */
export function withScalar({ lanes }: ValueType, scalar: ScalarName): ValueType {
  return typeOf(scalar, lanes);
}

/** The same scalar in another number of lanes. */
export function withLanes({ scalar }: ValueType, lanes: number): ValueType {
  return typeOf(scalar.name, lanes);
}

/** The int scalar of these bits. */
export function intOf(bits: number, kind: "signed" | "unsigned"): ScalarName {
  const names: Readonly<Record<number, readonly [ScalarName, ScalarName]>> = {
    8: ["char", "uchar"],
    16: ["short", "ushort"],
    32: ["int", "uint"],
    64: ["long", "ulong"],
  };
  return names[bits]?.[kind === "signed" ? 0 : 1] ?? "int";
}

/** The result type of a comparison of two such operands: int, or signed ints as wide as the lanes. */
export function comparisonType(type: ValueType): ValueType {
  return type.lanes === 1 ? INT : withScalar(type, intOf(type.scalar.bits, "signed"));
}

/** The same with unsigned lanes. */
export function unsignedOf(type: ValueType): ValueType {
  return withScalar(type, intOf(type.scalar.bits, "unsigned"));
}

/** Promotion of a scalar (C99 6.3.1.1). */
export function promoted(type: ValueType): ValueType {
  return type.scalar.bits < 32 ? INT : type;
}

/** The usual arithmetic conversions of two scalars (C99 6.3.1.8). */
export function usual(left: ValueType, right: ValueType): ValueType {
  const [a, b] = [promoted(left), promoted(right)];
  if (isFloat(a) || isFloat(b)) {
    if (isFloat(a) && isFloat(b)) return a.scalar.bits >= b.scalar.bits ? a : b;
    return isFloat(a) ? a : b;
  }
  if (a.scalar.bits !== b.scalar.bits) return a.scalar.bits > b.scalar.bits ? a : b;
  return a.scalar.kind === "unsigned" ? a : b;
}

/** Bytes in memory: vectors of three lanes take the room of four. */
export function sizeOf({ scalar, lanes }: ValueType): number {
  return (scalar.bits / 8) * (lanes === 3 ? 4 : lanes);
}
