// SPDX-License-Identifier: Apache-2.0
// Conversions between value types, and the washing of floats: what makes a float the same on every implementation.
import { type Expression, code } from "../tree.ts";
import type { State } from "./state.ts";
import { type ValueType, comparisonType, isFloat } from "./types.ts";

/**
 * A float without NaN (whose bits are unspecified); in portable programs without infinity, minus zero and very large
 * values either. The function that does it is declared when the program is put together: {@link washingFunction}.
 */
export function wash(g: State, value: Expression): Expression {
  const { type } = value;
  if (!isFloat(type)) return value;
  g.washed.add(type);
  return code(type)`wash_${type.name}(${value})`;
}

/** The text of the function that washes a type. */
export function washingFunction(type: ValueType, portable: boolean): string {
  const { name, lanes, scalar } = type;
  const one = scalar.name === "float" ? "1.0f" : "1.0";
  const limit = scalar.name === "float" ? "1e30f" : "1e30";
  const zero = scalar.name === "float" ? "0.0f" : "0.0";
  const good = portable ? `fabs(x) < ${limit}` : "x == x";
  const kept = portable ? `x + ${zero}` : "x";
  // select() of vectors looks at the top bit, as comparisons set it.
  return (
    `${name} wash_${name}(${name} x) { return ` +
    `${lanes === 1 ? `(${good}) ? ${kept} : ${one}` : `select((${name})(${one}), ${kept}, ${good})`}; ` +
    "}"
  );
}

/** Converts to a type of the same number of lanes. */
export function convert(g: State, to: ValueType, value: Expression): Expression {
  const from = value.type;
  if (from === to) return value;
  if (isFloat(from) && !isFloat(to) && g.portable) return code(to)`convert_${to.name}_sat(${wash(g, value)})`;
  if (isFloat(from) && to.scalar.name === "float") return code(to)`convert_${to.name}(${wash(g, value)})`;
  if (to.lanes > 1) return code(to)`convert_${to.name}(${value})`;
  return g.random.chance(75) ? code(to)`(${to.name})(${value})` : code(to)`convert_${to.name}(${value})`;
}

/** Converts with a saturating or rounding variant of convert. */
export function convertSpecially(g: State, to: ValueType, value: Expression): Expression {
  const from = value.type;
  const sat = isFloat(to) ? "" : g.portable && isFloat(from) ? "_sat" : g.random.pick(["_sat", "_sat", ""]);
  const mode =
    g.portable && !(isFloat(from) && !isFloat(to)) ? "" : g.random.pick(["_rte", "_rtz", "_rtp", "_rtn", ""]);
  return code(to)`convert_${to.name}${sat}${mode}(${wash(g, value)})`;
}

/** Converts a comparison's result type to the wanted one (both of the same lanes). */
export function fromComparison(
  g: State,
  to: ValueType,
  compared: ValueType,
  value: (type: ValueType) => Expression,
): Expression {
  const given = comparisonType(compared);
  return given === to ? value(to) : convert(g, to, value(given));
}
