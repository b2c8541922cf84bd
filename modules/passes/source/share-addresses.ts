// SPDX-License-Identifier: Apache-2.0
// share-addresses: addresses with one base, index and scale that differ only by a constant share one computation, and
// each access adds its constant, which machines fold into the access (common subexpression elimination of base +
// index).
//
// Members of a family are visited in reverse postorder; the first one dominates some of the others, which take its
// address, and the rest forms the next group. The shared offset is the lowest one, or 0, since accesses add only
// non-negative constants. Runs last: `simplify` would join the parts again.
import { type Block, Instruction, type IrFunction, Op, type Value, listOf } from "@muxkit/ir";

import type { FunctionFrame } from "./pass.ts";

/** Addresses that differ only by constants. */
interface Family {
  readonly base: Value;
  readonly index: Value;
  readonly scale: number;
  readonly members: Instruction[];
}

function isIndexed({ op, operands, type }: Instruction): boolean {
  return op === Op.ADDRESS && operands.length === 2 && type.kind === "pointer";
}

/** The families of a function, members in reverse postorder. */
function familiesOf(order: readonly Block[]): Family[] {
  const byBase = new Map<Value, Family[]>();
  const found: Family[] = [];
  for (const { instructions } of order) {
    for (const instruction of instructions) {
      if (!isIndexed(instruction)) continue;
      const {
        scale,
        operands: [base, index],
      } = instruction;
      if (base === undefined || index === undefined) continue;
      const list = byBase.get(base) ?? [];
      byBase.set(base, list);
      let family = list.find((other) => other.index === index && other.scale === scale);
      if (family === undefined) {
        family = { base, index, scale, members: [] };
        list.push(family);
        found.push(family);
      }
      family.members.push(instruction);
    }
  }
  return found;
}

/** Rewrites the members that `first` dominates to use a shared address with the offset `lowest`; returns the others. */
function share(
  [first, ...rest]: readonly Instruction[],
  lowest: number,
  isDominated: (block: Block) => boolean,
  shared: Map<Instruction, Instruction>,
): Instruction[] {
  const [dominated, others]: [Instruction[], Instruction[]] = [[], []];
  for (const one of rest) (one.block !== null && isDominated(one.block) ? dominated : others).push(one);
  if (first === undefined || dominated.length === 0) return others;
  const made = new Instruction(Op.ADDRESS, first.type, [...first.operands], first.location);
  made.scale = first.scale;
  made.offset = lowest;
  made.block = first.block;
  shared.set(first, made);
  for (const one of [first, ...dominated]) {
    one.operands = listOf<Value>(made);
    one.scale = 0;
    one.offset -= lowest;
  }
  return others;
}

/** Shares the computation of addresses that differ only by constants. */
export function shareAddresses(_: IrFunction, { analyses }: FunctionFrame): boolean {
  const tree = analyses.get("dominators");
  const shared = new Map<Instruction, Instruction>();
  for (const { members } of familiesOf(tree.order)) {
    if (members.length < 2) continue;
    // Accesses add only non-negative constants.
    const lowest = Math.min(0, ...members.map(({ offset }) => offset));
    for (let rest: Instruction[] = members; rest.length > 1;) {
      const [first] = rest;
      const home = first?.block ?? null;
      rest = share(rest, lowest, (block) => home !== null && tree.dominates(home, block), shared);
    }
  }
  if (shared.size === 0) return false;
  for (const block of new Set([...shared.values()].flatMap((made) => made.block ?? [])))
    block.instructions = block.instructions.flatMap((instruction) =>
      [shared.get(instruction) ?? [], instruction].flat(),
    );
  return true;
}
