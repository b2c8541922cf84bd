// SPDX-License-Identifier: Apache-2.0
// Elements of arrays as OpenCL C has them.
import { SCALAR_ARRAYS } from "@muxkit/cargo";
import type { ArrayType, DeviceArray, TypedArray } from "muxkit";

/** Scalars of OpenCL C by the name of the typed array that holds them; arrays of bits of halves are whole numbers. */
const SCALARS: ReadonlyMap<string, string> = new Map([
  ["Uint8ClampedArray", "uchar"],
  ...Object.entries(SCALAR_ARRAYS).flatMap(([scalar, { name }]) =>
    scalar === "half" ? [] : [[name, scalar] as const],
  ),
]);

/** What is wrong with a call of an algorithm, as a sentence. @public */
export class AlgorithmError extends Error {
  /** Name of the class. */
  override readonly name = "AlgorithmError";

  /** `operation` is the function that was called. */
  constructor(operation: string, message: string) {
    super(`${operation}: ${message}`);
  }
}

/** The scalar of OpenCL C for the elements of a class. Throws an {@link AlgorithmError} for structs. */
export function scalarOf<T extends TypedArray>(operation: string, type: ArrayType<T>): string {
  const scalar = SCALARS.get(type.name);
  if (scalar === undefined)
    throw new AlgorithmError(operation, `arrays of ${type.name} are not possible, only numbers`);
  return scalar;
}

/** The scalar of several arrays, which must be the same. */
export function commonScalar(operation: string, arrays: readonly DeviceArray[]): string {
  const [first, ...others] = arrays.map(({ type }) => scalarOf(operation, type));
  const other = others.find((scalar) => scalar !== first);
  if (first === undefined || other !== undefined)
    throw new AlgorithmError(
      operation,
      `the arrays must have elements of one type, not ${first ?? "none"} and ${other ?? ""}`,
    );
  return first;
}

/** True for a type with fractions. */
export function isReal(scalar: string): boolean {
  return scalar === "float" || scalar === "double";
}

const UNSIGNED: Readonly<Record<string, string>> = {
  char: "uchar",
  uchar: "uchar",
  short: "ushort",
  ushort: "ushort",
  int: "uint",
  uint: "uint",
  long: "ulong",
  ulong: "ulong",
  float: "uint",
  double: "ulong",
};

/** The unsigned type of a scalar's size. */
export function unsignedOf(scalar: string): string {
  return UNSIGNED[scalar] as string;
}

/** Throws an {@link AlgorithmError} unless arrays have one length. */
export function checkLengths(operation: string, arrays: readonly DeviceArray[]): void {
  const [first] = arrays;
  const other = arrays.find(({ length }) => length !== first?.length);
  if (first !== undefined && other !== undefined)
    throw new AlgorithmError(operation, `the arrays have ${first.length} and ${other.length} elements`);
}

/** Rows and columns of an array of two dimensions. */
export function matrixOf(operation: string, { shape }: DeviceArray): readonly [rows: number, columns: number] {
  const [rows, columns] = shape;
  if (shape.length !== 2 || rows === undefined || columns === undefined)
    throw new AlgorithmError(
      operation,
      `two dimensions are needed, not [${shape.join(", ")}]; device.array(type, [rows, columns])`,
    );
  return [rows, columns];
}
