// SPDX-License-Identifier: Apache-2.0
// A loop that counts, for code that the host writes around kernels.
import { type Builder, I32, Op, type Value, constantInt } from "@muxkit/ir";

/** Writes a loop: `from` to `end` in steps, body given the counter; `end` lies a whole number of steps behind `from`. All values are i32, compared unsigned. `isSure`: there is at least one round. */
export function countedLoop(
  builder: Builder,
  from: Value,
  end: Value,
  body: (counter: Value) => void,
  isSure: boolean = false,
  step: number = 1,
): void {
  // One round is no loop.
  if (from.kind === "constant" && end.kind === "constant" && end.low === from.low + step) {
    body(from);
    return;
  }
  const { owner } = builder.block;
  const head = owner.addBlock("loop");
  const inside = owner.addBlock("loop.body");
  const out = owner.addBlock("loop.end");
  const counter = head.addParameter(I32, "i");
  if (isSure) builder.branch(head, from);
  else builder.conditionalBranch(builder.compare(Op.ULT, from, end), head, out, [from], []);
  builder.block = head;
  builder.branch(inside);
  builder.block = inside;
  body(counter);
  const next = builder.same(Op.ADD, counter, constantInt(I32, step));
  builder.conditionalBranch(builder.compare(Op.ULT, next, end), head, out, [next], []);
  builder.block = out;
}
