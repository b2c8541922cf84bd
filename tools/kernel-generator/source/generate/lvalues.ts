// SPDX-License-Identifier: Apache-2.0
// Reading what memory and variables hold.
import { type Expression, code } from "../tree.ts";
import { nearIndex } from "./bounds.ts";
import type { ArrayLvalue, MakeExpression, State } from "./state.ts";
import { UINT, type ValueType } from "./types.ts";

/** A variable of exactly this type; null: none is in scope, or chance wants something else. */
export function readLvalue(g: State, type: ValueType): Expression | null {
  const fitting = g.scope.lvalues.filter((lvalue) => lvalue.type === type);
  return fitting.length > 0 && g.random.chance(92) ? code(type)`${g.random.pick(fitting).text}` : null;
}

/** The element of an array at an index that is kept in range. */
export function at(g: State, array: ArrayLvalue, depth: number, make: MakeExpression): Expression {
  const index =
    g.inKernel && g.random.chance(15)
      ? nearIndex(g, array.count)
      : g.random.chance(45)
        ? g.random.below(array.count).toString()
        : code(UINT)`(${make(g, UINT, depth - 1)} & ${(array.count - 1).toString()}u)`;
  return g.random.chance(85)
    ? code(array.type)`${array.text}[${index}]`
    : code(array.type)`(*(${array.text} + ${index}))`;
}

/** An element, or lanes that are loaded from scalars one after the other; null: no array holds the type. */
export function elementOf(g: State, type: ValueType, depth: number, make: MakeExpression): Expression | null {
  const arrays = g.scope.arrays.filter((array) => array.type === type);
  const scalars =
    type.lanes === 1
      ? []
      : g.scope.arrays.filter(
          (array) => array.type.lanes === 1 && array.type.scalar === type.scalar && array.count >= type.lanes,
        );
  if (scalars.length > 0 && (arrays.length === 0 || g.random.chance(50))) {
    const array = g.random.pick(scalars);
    const room = Math.floor(array.count / type.lanes);
    return code(
      type,
    )`vload${type.lanes.toString()}(${room === 1 ? "0" : code(UINT)`(${make(g, UINT, depth - 1)} % ${room.toString()}u)`}, ${array.text})`;
  }
  return arrays.length === 0 ? null : at(g, g.random.pick(arrays), depth, make);
}
