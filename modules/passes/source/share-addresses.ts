// SPDX-License-Identifier: Apache-2.0
// share-addresses: addresses of one base and one index that differ by constants are computed once, and each access adds
// its constant for itself.
import { type Block, Instruction, type IrFunction, Op, type Value, listOf } from "@muxkit/ir";

import type { FunctionFrame } from "./pass.ts";

/** Addresses that differ by constants. */
interface Family {
  readonly base: Value;
  readonly index: Value;
  readonly scale: number;
  readonly members: Instruction[];
}

function isIndexed({ op, operands, type }: Instruction): boolean {
  return op === Op.ADDRESS && operands.length === 2 && type.kind === "pointer";
}

/** The families of a function, in the order in which dominators come before what they dominate. */
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

/**
 * Lets the members of a family that `first` comes before take its address; gives the others. `lowest`: what the shared
 * address adds.
 */
function share(
  [first, ...others]: readonly Instruction[],
  lowest: number,
  comesBefore: (block: Block) => boolean,
  shared: Map<Instruction, Instruction>,
): Instruction[] {
  const [behind, apart]: [Instruction[], Instruction[]] = [[], []];
  for (const one of others) (one.block !== null && comesBefore(one.block) ? behind : apart).push(one);
  if (first === undefined || behind.length === 0) return apart;
  const made = new Instruction(Op.ADDRESS, first.type, [...first.operands], first.location);
  made.scale = first.scale;
  made.offset = lowest;
  made.block = first.block;
  shared.set(first, made);
  for (const one of [first, ...behind]) {
    one.operands = listOf<Value>(made);
    one.scale = 0;
    one.offset -= lowest;
  }
  return apart;
}

/**
 * Gives addresses that differ by constants one address to start from. Comes last: `simplify` puts the parts of an
 * address together again.
 */
export function shareAddresses(_: IrFunction, { analyses }: FunctionFrame): boolean {
  const tree = analyses.get("dominators");
  const shared = new Map<Instruction, Instruction>();
  for (const { members } of familiesOf(tree.order)) {
    if (members.length < 2) continue;
    // Accesses can add what is not negative.
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
