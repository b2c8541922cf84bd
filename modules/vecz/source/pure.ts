// SPDX-License-Identifier: Apache-2.0
// Pure functions: they compute and read memory, and nothing else, so lanes that call them with equal arguments get
// equal results.
import { type IrFunction, Op, hasEffect } from "@muxkit/ir";

const known = new WeakMap<IrFunction, boolean>();

/** True for functions that only compute and read. Cached: functions must not change afterwards. */
export function isPure(fn: IrFunction): boolean {
  const found = known.get(fn);
  if (found !== undefined) return found;
  // False until the answer is known, and for recursion.
  known.set(fn, false);
  const result =
    fn.blocks.length > 0 &&
    fn.blocks.every((block) =>
      block.instructions.every(({ op, symbol, isTerminator }) => {
        if (op === Op.CALL) return symbol?.kind === "function" && isPure(symbol);
        return isTerminator ? op !== Op.UNREACHABLE : hasEffect(op, "s") || op === Op.LOAD || op === Op.DEBUG_VALUE;
      }),
    );
  known.set(fn, result);
  return result;
}
