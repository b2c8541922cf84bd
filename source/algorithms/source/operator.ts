// SPDX-License-Identifier: Apache-2.0
// Associative operators by name, and functions in their place.
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

/** An operator in OpenCL C. */
export interface OperatorSource {
  /** The definition of `T combine(T a, T b)`. */
  readonly source: string;
  /** Its neutral element; null: none is known. */
  readonly neutral: string | null;
  /** True: values may be combined in any order. */
  readonly isCommutative: boolean;
}

/** The source of an operator on a scalar type. */
export function operatorSource(operation: string, operator: Operator, scalar: string): OperatorSource {
  const define = (expression: Expression): string =>
    functionSource(operation, "combine", expression, { names: ["a", "b"], types: [scalar, scalar], result: scalar })
      .source;
  const least = isReal(scalar) ? "fmin(a, b)" : "min(a, b)";
  const greatest = isReal(scalar) ? "fmax(a, b)" : "max(a, b)";
  const named = (expression: string, neutral: string | undefined): OperatorSource => ({
    source: define(expression),
    neutral: neutral ?? null,
    isCommutative: true,
  });
  if (operator === "+") return named("a + b", "0");
  if (operator === "*") return named("a * b", "1");
  if (operator === "min") return named(least, HIGHEST[scalar]);
  if (operator === "max") return named(greatest, LOWEST[scalar]);
  return { source: define(operator), neutral: null, isCommutative: false };
}
