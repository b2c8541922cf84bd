// SPDX-License-Identifier: Apache-2.0
// split-addresses: of an index that is a sum, what changes least is added to the base first, so that inner loops add
// only what changes in them.
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

/** Bases that a loop may get on top of those that it has: each takes a register, of which machines have sixteen. */
const MOST_BASES = 8;
/** Terms of a sum that are looked at. */
const MOST_TERMS = 6;
const BITS = 32;

/** A term of an index. */
interface Term {
  readonly value: Value;
  readonly isNegative: boolean;
  /** Loops around the address that the term may change in; 0: none. */
  readonly level: number;
}

/** Loops around a block. */
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

/** The terms of a sum, those that change least first; null: it is none, or one of too many. */
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

/** What is the same for all addresses of a loop that start from one base. */
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

/** Writes a split address: the steps before it, the last of which it goes on from. */
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

/**
 * Splits the indices of addresses in innermost loops, where the pointers that they start from find registers. `licm`
 * moves those to where they belong.
 */
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
