// SPDX-License-Identifier: Apache-2.0
// Associative operators by name, and functions in their place.
import { scalarBytes } from "@muxkit/cargo";

import { type Expression, functionSource } from "./expression.ts";
import { isReal } from "./element.ts";

/**
 * An associative operator: the names `+`, `*`, `min` and `max`, or a function of two values in the order of the array,
 * as an expression in `a` and `b`; it need not be commutative.
 *
 * @public
 */
export type Operator = Expression;

const LOWEST: Readonly<Record<string, string>> = {
  char: "CHAR_MIN",
  uchar: "0",
  short: "SHRT_MIN",
  ushort: "0",
  int: "INT_MIN",
  uint: "0",
  long: "LONG_MIN",
  ulong: "0",
  float: "-INFINITY",
  double: "-(double)INFINITY",
};
const HIGHEST: Readonly<Record<string, string>> = {
  char: "CHAR_MAX",
  uchar: "UCHAR_MAX",
  short: "SHRT_MAX",
  ushort: "USHRT_MAX",
  int: "INT_MAX",
  uint: "UINT_MAX",
  long: "LONG_MAX",
  ulong: "ULONG_MAX",
  float: "INFINITY",
  double: "(double)INFINITY",
};

/** Bytes of a vector. */
const VECTOR = 16;

/** The form of an operator for vectors. */
export interface VectorForm {
  /** Elements of a vector. */
  readonly width: number;
  /** Its type in OpenCL C. */
  readonly type: string;
}

/** An operator in OpenCL C. */
export interface OperatorSource {
  /** The definition of `T combine(T a, T b)`, and of `combine_all` for vectors, where there is a form for them. */
  readonly source: string;
  /** Its neutral element; null: none is known. */
  readonly neutral: string | null;
  /** True: values may be combined in any order. */
  readonly isCommutative: boolean;
  /** Null: a function of the user, who wrote it for single values. */
  readonly vector: VectorForm | null;
}

/** The source of an operator on a scalar type. */
export function operatorSource(operation: string, operator: Operator, scalar: string): OperatorSource {
  const define = (name: string, type: string, expression: Expression): string =>
    functionSource(operation, name, expression, { names: ["a", "b"], types: [type, type], result: type }).source;
  const width = VECTOR / (scalarBytes(scalar) as number);
  const type = `${scalar}${width}`;
  const named = (expression: string, neutral: string | undefined): OperatorSource => ({
    source: define("combine", scalar, expression) + define("combine_all", type, expression),
    neutral: neutral ?? null,
    isCommutative: true,
    vector: { width, type },
  });
  if (operator === "+") return named("a + b", "0");
  if (operator === "*") return named("a * b", "1");
  if (operator === "min") return named(isReal(scalar) ? "fmin(a, b)" : "min(a, b)", HIGHEST[scalar]);
  if (operator === "max") return named(isReal(scalar) ? "fmax(a, b)" : "max(a, b)", LOWEST[scalar]);
  return { source: define("combine", scalar, operator), neutral: null, isCommutative: false, vector: null };
}
