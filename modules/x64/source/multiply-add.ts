// SPDX-License-Identifier: Apache-2.0
// Which instruction a multiply-add is, of scalars and of lanes. Negations that only products and sums use are a form of
// it. What is a constant or a load is in memory, one of the operands: the form that adds memory is 213, the one that
// multiplies by it 231. `retie.ts` chooses among the others.
import { type Instruction, Op, type Value } from "@muxkit/ir";

import type { Selector } from "./selector.ts";
import { scalarBytes } from "./shape.ts";

/** Whether a value is a negation that a multiply-add can do. */
export function isNegation({ op, type }: Instruction): boolean {
  return op === Op.FNEG && scalarBytes(type) >= 4;
}

/** A multiply-add without the negations of its operands. */
export interface MultiplyAdd {
  /** The instruction's name without `ss` or the like. */
  readonly name: string;
  /** Operands in the instruction's order: the last one may be in memory. */
  readonly operands: readonly [Value, Value, Value];
}

/** The instruction for a product of two values and a sum with a third, with the negations that it has to do. */
export function chooseMultiplyAdd(s: Selector, operands: readonly Value[]): MultiplyAdd {
  const isNegated = operands.map((value) => s.isDeferred(value) && isNegation(value));
  const [a, b, c] = operands.map((value, i) =>
    isNegated[i] === true ? ((value as Instruction).operands[0] as Value) : value,
  ) as [Value, Value, Value];
  const product = isNegated[0] === isNegated[1] ? "" : "n";
  const name = `vf${product}m${isNegated[2] === true ? "sub" : "add"}`;
  const made = (order: string, ...ordered: MultiplyAdd["operands"]): MultiplyAdd => ({
    name: `${name}${order}`,
    operands: ordered,
  });
  if (s.isInMemory(a)) return made("231", c, b, a);
  if (s.isInMemory(b)) return made("231", c, a, b);
  if (c.kind === "constant" || s.isInMemory(c)) return made("213", a, b, c);
  return b.kind === "constant" ? made("231", c, a, b) : made("231", c, b, a);
}
