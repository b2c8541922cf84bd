// SPDX-License-Identifier: Apache-2.0
// The scalars of OpenCL C, and the typed arrays whose elements have their bits.

/** An array of scalars. @public */
export type ScalarArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** Makes arrays of a scalar. @public */
export interface ScalarArrayType<T extends ScalarArray = ScalarArray> {
  /** Name of the class. */
  readonly name: string;
  /** Bytes of a scalar. */
  readonly BYTES_PER_ELEMENT: number;
  /** So many zeros. */
  new (length: number): T;
  /** A view of bytes. */
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): T;
}

/** Scalars that memory holds, by their names in OpenCL C. @public */
export type Scalar =
  | "char"
  | "uchar"
  | "short"
  | "ushort"
  | "int"
  | "uint"
  | "long"
  | "ulong"
  | "half"
  | "float"
  | "double";

/** Arrays by scalar; of halves they hold the bits. @public */
export const SCALAR_ARRAYS: Readonly<Record<Scalar, ScalarArrayType>> = {
  char: Int8Array,
  uchar: Uint8Array,
  short: Int16Array,
  ushort: Uint16Array,
  int: Int32Array,
  uint: Uint32Array,
  long: BigInt64Array,
  ulong: BigUint64Array,
  half: Uint16Array,
  float: Float32Array,
  double: Float64Array,
};

/** The numbers of a scalar or vector type. @public */
export interface NumberType {
  /** What each is. */
  readonly scalar: Scalar;
  /** How many they are; 1: it is no vector. */
  readonly lanes: number;
}

/**
 * The type that a name means: four `float` of `float4`, one `uint` of `unsigned int` and `atomic_uint`; null: none of
 * numbers that memory holds, as the name of a struct.
 *
 * @public
 */
export function numberTypeNamed(name: string): NumberType | null {
  const [, base = "", lanes = "1"] = /^(.+?)(2|3|4|8|16)?$/u.exec(name) ?? [];
  const scalar = base === "unsigned" ? "uint" : base.replace(/^(?:signed |atomic_)/u, "").replace(/^unsigned /u, "u");
  return Object.hasOwn(SCALAR_ARRAYS, scalar) ? { scalar: scalar as Scalar, lanes: Number(lanes) } : null;
}

/** Bytes of a scalar of that name; null: memory holds none. @public */
export function scalarBytes(name: string): number | null {
  return Object.hasOwn(SCALAR_ARRAYS, name) ? SCALAR_ARRAYS[name as Scalar].BYTES_PER_ELEMENT : null;
}
