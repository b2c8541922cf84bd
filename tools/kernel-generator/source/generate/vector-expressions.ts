// SPDX-License-Identifier: Apache-2.0
// Vectors from pieces, and pieces of vectors: every variant of vector literal and every swizzle.
import { type Expression, code } from "../tree.ts";
import type { MakeExpression, State } from "./state.ts";
import { type ValueType, withLanes } from "./types.ts";

/** `(float4)(a, b.xy, c)`: pieces of any lane counts that add up. */
export function compose(g: State, type: ValueType, depth: number, make: MakeExpression): Expression {
  if (g.random.chance(20)) return code(type)`(${type.name})(${make(g, withLanes(type, 1), depth - 1)})`;
  const pieces: Expression[] = [];
  for (let left = type.lanes; left > 0;) {
    const fitting = [1, 2, 3, 4, 8].filter((lanes) => lanes <= left && lanes < type.lanes);
    const lanes = g.random.chance(left > 4 ? 25 : 60) ? 1 : g.random.pick(fitting);
    pieces.push(make(g, withLanes(type, lanes), depth - (type.lanes > 4 ? 2 : 1)));
    left -= lanes;
  }
  return {
    kind: "expression",
    type,
    parts: [`(${type.name})(`, ...pieces.flatMap((piece, i) => (i === 0 ? [piece] : [", ", piece])), ")"],
  };
}

const HEX = "0123456789abcdef";

/** The suffix that picks these lanes of a vector of `lanes`. */
export function selector(g: State, picked: readonly number[], lanes: number): string {
  if (lanes <= 4 && g.random.chance(65)) return picked.map((lane) => "xyzw"[lane]).join("");
  const digits = picked.map((lane) => HEX[lane]).join("");
  return `${g.random.pick(["s", "s", "S"])}${g.random.chance(20) ? digits.toUpperCase() : digits}`;
}

/** Suffixes that name half of the lanes. */
export const HALVES = ["lo", "hi", "even", "odd"] as const;

/** Lanes of a vector, in any order, with repetition. */
export function swizzled(g: State, type: ValueType, depth: number, make: MakeExpression): Expression {
  if (type.lanes <= 8 && type.lanes !== 3 && g.random.chance(30))
    return code(type)`(${make(g, withLanes(type, type.lanes * 2), depth - 1)}).${g.random.pick(HALVES)}`;
  const lanes = g.random.pick([2, 3, 4, 8, 16]);
  const picked = Array.from({ length: type.lanes }, () => g.random.below(lanes));
  return code(type)`(${make(g, withLanes(type, lanes), depth - 1)}).${selector(g, picked, lanes)}`;
}
