// SPDX-License-Identifier: Apache-2.0
// Makes irreducible control flow reducible: a cycle with several entries gets one dispatch block that all edges into it
// pass, with a parameter that selects the entry (a switch; as LLVM's FixIrreducible). Cycles are found as strongly
// connected components, then again inside each without its entry. Cost: linear for each level of nesting; no code is
// duplicated.
import {
  type Block,
  Builder,
  I32,
  type Instruction,
  type IrFunction,
  type Value,
  constantInt,
  constantZero,
} from "@muxkit/ir";

import { repairDominance } from "./repair.ts";

/** Strongly connected components of some blocks that hold a cycle (Tarjan 1972, with a stack instead of recursion). */
function cycles(blocks: ReadonlySet<Block>): Set<Block>[] {
  const numbers = new Map<Block, number>();
  const lowest = new Map<Block, number>();
  const open: Block[] = [];
  const isOpen = new Set<Block>();
  const found: Set<Block>[] = [];
  const enter = (block: Block): { readonly block: Block; next: number } => {
    numbers.set(block, numbers.size);
    lowest.set(block, numbers.size - 1);
    open.push(block);
    isOpen.add(block);
    return { block, next: 0 };
  };
  const low = (block: Block): number => lowest.get(block) ?? 0;
  for (const start of blocks) {
    if (numbers.has(start)) continue;
    const path = [enter(start)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { block } = top;
      const successor = block.successors[top.next++];
      if (successor !== undefined) {
        if (!blocks.has(successor)) continue;
        if (!numbers.has(successor)) path.push(enter(successor));
        else if (isOpen.has(successor)) lowest.set(block, Math.min(low(block), numbers.get(successor) ?? 0));
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above !== undefined) lowest.set(above.block, Math.min(low(above.block), low(block)));
      if (low(block) !== numbers.get(block)) continue;
      const part = new Set(open.splice(open.indexOf(block)));
      for (const one of part) isOpen.delete(one);
      if (part.size > 1 || block.successors.includes(block)) found.push(part);
    }
  }
  return found;
}

/** Sends the edges of a terminator that lead to entries through a block. */
function redirect(
  terminator: Instruction,
  entries: readonly Block[],
  through: Block,
  zeros: readonly (readonly Value[])[],
): void {
  const { successors, successorArguments } = terminator;
  if (!successors.some((target) => entries.includes(target))) return;
  terminator.successorArguments = successors.map((target, edge) => {
    const which = entries.indexOf(target);
    const given = successorArguments[edge] ?? [];
    return which < 0 ? given : [constantInt(I32, which), ...zeros.flatMap((list, i) => (i === which ? given : list))];
  });
  terminator.successors = successors.map((target) => (entries.includes(target) ? through : target));
}

/** Gives each cycle within some blocks a single entry; true when something was changed. */
function uniteEntries(fn: IrFunction, blocks: ReadonlySet<Block>): boolean {
  let changed = false;
  for (const cycle of cycles(blocks)) {
    const outside = fn.blocks.filter((block) => !cycle.has(block));
    const entries = [...cycle].filter(
      (block) => block === fn.entry || outside.some(({ successors }) => successors.includes(block)),
    );
    const [first] = entries;
    if (first === undefined) continue;
    if (entries.length > 1) {
      const through = fn.addBlock(`${first.name}.entries`);
      const which = through.addParameter(I32, "which");
      const given = entries.map((entry) => entry.parameters.map(({ type, name }) => through.addParameter(type, name)));
      const zeros = entries.map((entry) => entry.parameters.map(({ type }) => constantZero(type)));
      for (const block of fn.blocks) if (block !== through) redirect(block.terminator, entries, through, zeros);
      const builder = new Builder(through);
      builder.location = first.terminator.location;
      builder.switch(
        which,
        first,
        entries.slice(1).map((entry, i) => [i + 1, entry]),
      );
      through.terminator.successorArguments = given;
      changed = true;
    } else cycle.delete(first);
    if (uniteEntries(fn, cycle)) changed = true;
  }
  return changed;
}

/** Makes the control flow of a function reducible. Unreachable blocks must have been removed. @public */
export function makeReducible(fn: IrFunction): void {
  if (uniteEntries(fn, new Set(fn.blocks))) repairDominance(fn, new Set());
}
