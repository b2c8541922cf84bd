// SPDX-License-Identifier: Apache-2.0
// split-addresses: reassociates indices of addresses by loop level. Of an index that is a sum, the terms that change
// least are added to the base first; licm then moves those additions out of the loop, and the inner loop adds only what
// varies.
//
//   for (k) load a + (row * n + k) * 4     -->     b = a + row * n * 4;  for (k) load b + k * 4
//
// Only addresses with 32-bit indices in loops are split, of at most six terms, and only where the loop needs at most
// eight different bases: each stays in a register. Correct because 32-bit addresses wrap like the index. Cost: linear
// in instructions.
import {
  type Block,
  I32,
  Instruction,
  type IrFunction,
  type Loop,
  Op,
  type Value,
  constantInt,
  listOf,
} from "@muxkit/ir";

import type { FunctionFrame } from "./pass.ts";

/** Most new bases in one loop: each takes a register, of which machines have sixteen. */
const MOST_BASES = 8;
/** Most terms of a sum. */
const MOST_TERMS = 6;
const BITS = 32;

/** A term of an index. */
interface Term {
  readonly value: Value;
  readonly isNegative: boolean;
  /** Depth of the innermost loop in which the term may change; 0: it is invariant in all of them. */
  readonly level: number;
}

/** Nesting depth of a loop; 0: none. */
function depthOf(loop: Loop | undefined): number {
  return loop?.depth ?? 0;
}

/** Depth of the innermost loop around `home` in which a value may change. */
function levelOf(value: Value, home: Loop): number {
  const block = value.kind === "constant" ? null : value.block;
  if (block === null) return 0;
  for (let loop: Loop | null = home; loop !== null; loop = loop.parent) if (loop.blocks.has(block)) return loop.depth;
  return 0;
}

/** The terms of a sum, the most invariant ones first; null: there is nothing to split, or there are too many terms. */
function termsOf(index: Value, home: Loop): readonly Term[] | null {
  const terms: Term[] = [];
  const rest: { readonly value: Value; readonly isNegative: boolean }[] = [{ value: index, isNegative: false }];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    const { value, isNegative } = one;
    const level = levelOf(value, home);
    const isSum = value.kind === "instruction" && (value.op === Op.ADD || value.op === Op.SUB) && level === home.depth;
    const [left, right] = isSum ? value.operands : [];
    if (isSum && left !== undefined && right !== undefined)
      rest.push({ value: right, isNegative: isNegative !== (value.op === Op.SUB) }, { value: left, isNegative });
    else terms.push({ value, isNegative, level });
    if (terms.length + rest.length > MOST_TERMS) return null;
  }
  return terms.length < 2 || terms.every(({ level }) => level === home.depth)
    ? null
    : terms.toSorted((a, b) => a.level - b.level);
}

/** An address whose index is to be split. */
interface Split {
  readonly address: Instruction;
  readonly terms: readonly Term[];
}

/** A key that all addresses of a loop share which get the same new base. */
function keyOf({ address, terms }: Split, home: Loop, numbers: Map<Value, number>): string {
  const numberOf = (value: Value): number => {
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return number;
  };
  const [base] = address.operands;
  const fixed = terms
    .filter(({ level }) => level < home.depth)
    .map(({ value, isNegative }) => `${isNegative ? "-" : "+"}${numberOf(value)}`);
  return `${base === undefined ? "" : numberOf(base)}*${address.scale}${fixed.join("")}`;
}

function isIndexed({ op, operands: [, index], type }: Instruction): boolean {
  return (
    op === Op.ADDRESS &&
    type.kind === "pointer" &&
    index?.kind === "instruction" &&
    index.type.kind === "int" &&
    index.type.bits === BITS
  );
}

/** Emits the additions to the base; the address itself adds the last term. Returns the new instructions. */
function write({ address, terms }: Split): Instruction[] {
  const steps: Instruction[] = [];
  const insert = (op: number, type: Instruction["type"], operands: readonly Value[]): Instruction => {
    const made = new Instruction(op, type, [...operands], address.location);
    made.block = address.block;
    steps.push(made);
    return made;
  };
  const [base] = address.operands;
  let pointer = base as Value;
  terms.forEach(({ value, isNegative }, i) => {
    const index = isNegative ? insert(Op.SUB, I32, [constantInt(I32, 0), value]) : value;
    if (i === terms.length - 1) {
      address.operands = listOf(pointer, index);
      return;
    }
    const step = insert(Op.ADDRESS, address.type, [pointer, index]);
    step.scale = address.scale;
    pointer = step;
  });
  return steps;
}

/** Splits the indices of addresses in loops, where there are registers for the new bases. */
export function splitAddresses(fn: IrFunction, { analyses, module }: FunctionFrame): boolean {
  const forest = analyses.get("loops");
  if (forest.loops.length === 0 || module.layout.sizeBits !== BITS) return false;
  const byLoop = new Map<Loop, Split[]>();
  for (const block of fn.blocks) {
    const home = forest.innermost.get(block);
    if (home === undefined || depthOf(home) === 0) continue;
    for (const address of block.instructions) {
      const index = isIndexed(address) ? address.operands[1] : undefined;
      const terms = index === undefined ? null : termsOf(index, home);
      if (terms === null) continue;
      const list = byLoop.get(home) ?? [];
      byLoop.set(home, list);
      list.push({ address, terms });
    }
  }
  const steps = new Map<Instruction, readonly Instruction[]>();
  for (const [home, splits] of byLoop) {
    const numbers = new Map<Value, number>();
    if (new Set(splits.map((split) => keyOf(split, home, numbers))).size > MOST_BASES) continue;
    for (const split of splits) steps.set(split.address, write(split));
  }
  if (steps.size === 0) return false;
  const changed = new Set([...steps.keys()].flatMap(({ block }): Block[] => (block === null ? [] : [block])));
  for (const block of changed)
    block.instructions = block.instructions.flatMap((instruction) => [...(steps.get(instruction) ?? []), instruction]);
  return true;
}
