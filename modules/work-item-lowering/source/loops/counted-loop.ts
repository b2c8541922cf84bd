// SPDX-License-Identifier: Apache-2.0
// A loop with an induction variable, for code that lowering writes around kernels. It is rotated: the test is at the
// end.
import { type Builder, Op, type Value, constantInt } from "@muxkit/ir";

/**
 * Writes a loop from `from` to `end` in steps; `body` is given the induction variable. `end` is a whole number of steps
 * after `from`; values are integers of one type, compared unsigned. `isSure`: there is at least one iteration.
 */
export function countedLoop(
  builder: Builder,
  from: Value,
  end: Value,
  body: (counter: Value) => void,
  isSure: boolean = false,
  step: number = 1,
): void {
  // One iteration is no loop.
  if (from.kind === "constant" && end.kind === "constant" && end.low === from.low + step) {
    body(from);
    return;
  }
  const { owner } = builder.block;
  const head = owner.addBlock("loop");
  const inside = owner.addBlock("loop.body");
  const out = owner.addBlock("loop.end");
  const counter = head.addParameter(from.type, "i");
  if (isSure) builder.branch(head, from);
  else builder.conditionalBranch(builder.compare(Op.ULT, from, end), head, out, [from], []);
  builder.block = head;
  builder.branch(inside);
  builder.block = inside;
  body(counter);
  const next = builder.same(Op.ADD, counter, constantInt(from.type, step));
  builder.conditionalBranch(builder.compare(Op.ULT, next, end), head, out, [next], []);
  builder.block = out;
}
