// After tests were put around blocks: values that are used where control may not have passed their block get zeros on the ways around it.
import { type Block, type Instruction, type IrFunction, type Parameter, type Value, dominators, reversePostorder } from "@muxkit/ir";
import { type CopiedValue, repairUses } from "@muxkit/passes";

/** Makes every value dominate its uses, by parameters of blocks that are zero on the other ways. Drops what control cannot reach. */
export function repairDominance(fn: IrFunction): void {
  const reached = new Set(reversePostorder(fn));
  fn.blocks = fn.blocks.filter((block) => reached.has(block));
  const tree = dominators(fn);
  const broken = new Map<Instruction | Parameter, CopiedValue>();
  const look = (value: Value, where: Block): void => {
    if (value.kind === "constant" || value.block === null || value.block === where || broken.has(value)) return;
    if (tree.dominates(value.block, where)) return;
    const home = value.block;
    broken.set(value, { original: value, copies: [], home: new Set(fn.blocks.filter((block) => tree.dominates(home, block))) });
  };
  for (const block of fn.blocks) {
    for (const { operands, successorArguments } of block.instructions) {
      for (const value of operands) look(value, block);
      for (const list of successorArguments) for (const value of list) look(value, block);
    }
  }
  repairUses(fn, [...broken.values()]);
}
