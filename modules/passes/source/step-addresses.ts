// SPDX-License-Identifier: Apache-2.0
// step-addresses: strength reduction of addresses in loops (Allen, Cocke and Kennedy, "Reduction of Operator Strength",
// 1981). An address whose index is a product of a counter becomes a pointer that each iteration moves on.
//
//   preheader: br loop(0)                           preheader: s = m * c * 4; br loop(0, b)
//   loop(i):   a = b + i * m * 4           -->      loop(i, p): load p
//              load a                                           br loop(i + c, p + s)
//              br loop(i + c)
//
// Counters are parameters of the header to which the only back edge adds what does not change in the loop. An index is
// affine when it is made of one counter and invariant values by sums, differences, shifts by constants and products.
// Its value in the first iteration is computed in the preheader, by the same operations, and so is the step, which is
// that of the counter times the factors.
//
// Only innermost loops are looked at, only addresses that each iteration computes, and only indices that hold a product
// and serve nothing but such addresses: a sum is what the pointer costs, so the product has to go away for it. A
// pointer takes the register of its base. Correct because addresses wrap like an index of as many bits; narrower ones
// are left alone. Loops need preheaders (loop-rotate makes them), or one edge that enters them. Cost: linear in
// instructions.
import {
  type Block,
  type BlockMap,
  I32,
  I64,
  Instruction,
  type IrFunction,
  type Loop,
  Op,
  type Parameter,
  type Type,
  type Value,
  constantInt,
  listOf,
  smallValue,
} from "@muxkit/ir";

import { branchBlock } from "./loop-shape.ts";
import type { FunctionFrame } from "./pass.ts";

/**
 * Most pointers that one loop steps, of 32 and of 64 bits, which take two registers: each is added to in each
 * iteration.
 */
const MOST_POINTERS = 8;
const MOST_WIDE_POINTERS = 4;
/** Offsets of addresses that 32 bits hold. */
const MOST_OFFSET = 2 ** 31;

/** Addresses that one pointer replaces: they differ by constant offsets. */
interface Family {
  readonly base: Value;
  readonly index: Instruction;
  readonly scale: number;
  readonly members: Instruction[];
}

/** A loop with one back edge, and where it is entered. */
interface SteppedLoop {
  readonly loop: Loop;
  readonly before: BlockMap<readonly Block[]>;
  /** The block that enters it: its preheader, or one that branches elsewhere too. */
  readonly preheader: Block;
  readonly latch: Block;
  /** What each iteration adds to a counter. */
  readonly counters: ReadonlyMap<Parameter, Value>;
  /** The type of counters and indices: as wide as addresses. */
  readonly number: Type;
}

function isInvariant(value: Value, { blocks }: Loop): boolean {
  return value.kind === "constant" || value.block === null || !blocks.has(value.block);
}

/** The arguments of the only edge from a block to the header; null: there are several edges. */
function argumentsOf({ terminator }: Block, header: Block): Value[] | null {
  const at = terminator.successors.indexOf(header);
  return at >= 0 && terminator.successors.lastIndexOf(header) === at ? (terminator.successorArguments[at] ?? []) : null;
}

/** What a back edge adds to a parameter; null: something else than an invariant value. */
function stepOf(parameter: Parameter, next: Value | undefined, loop: Loop, number: Type): Value | null {
  if (parameter.type !== number || next?.kind !== "instruction" || next.op !== Op.ADD) return null;
  const [left, right] = next.operands;
  const step = left === parameter ? right : right === parameter ? left : null;
  return step !== undefined && step !== null && isInvariant(step, loop) ? step : null;
}

/** The only block outside of a loop that branches to it, by one edge; null: there are several. */
function enteringBlock(loop: Loop, before: BlockMap<readonly Block[]>): Block | null {
  const [only, ...others] = (before.get(loop.header) ?? []).filter((block) => !loop.blocks.has(block));
  return only === undefined || others.length > 0 || argumentsOf(only, loop.header) === null ? null : only;
}

/** A block on the edge that enters a loop. */
function splitEntry(fn: IrFunction, { loop: { header }, preheader }: SteppedLoop): Block {
  const { terminator } = preheader;
  const edge = terminator.successors.indexOf(header);
  const made = branchBlock(fn, "preheader", header, terminator, edge);
  fn.blocks.splice(fn.blocks.indexOf(header), 0, made);
  terminator.successors[edge] = made;
  terminator.successorArguments[edge] = [];
  return made;
}

/** A loop as it can be stepped through; null: it has several back edges, no preheader, or no counter. */
function steppedLoop(loop: Loop, before: BlockMap<readonly Block[]>, number: Type): SteppedLoop | null {
  const [latch] = loop.latches;
  const preheader = enteringBlock(loop, before);
  if (latch === undefined || loop.latches.length !== 1 || preheader === null) return null;
  const next = argumentsOf(latch, loop.header);
  if (next === null) return null;
  const counters = new Map<Parameter, Value>();
  loop.header.parameters.forEach((parameter, i) => {
    const step = stepOf(parameter, next[i], loop, number);
    if (step !== null) counters.set(parameter, step);
  });
  return counters.size === 0 ? null : { loop, before, preheader, latch, counters, number };
}

const AFFINE: ReadonlySet<number> = new Set([Op.ADD, Op.SUB, Op.MUL, Op.SHL]);

/** What an affine index is made of, from its root to the counter; null: it is not affine. */
function chainOf(index: Value, { loop, counters, number }: SteppedLoop): Instruction[] | null {
  const chain: Instruction[] = [];
  let value = index;
  while (value.kind === "instruction") {
    const { op, operands } = value;
    const [left, right] = operands;
    if (!AFFINE.has(op) || left === undefined || right === undefined || value.type !== number) return null;
    chain.push(value);
    if (isInvariant(right, loop) && (op !== Op.SHL || right.kind === "constant")) value = left;
    else if (op !== Op.SHL && isInvariant(left, loop)) value = right;
    else return null;
  }
  return value.kind === "parameter" && counters.has(value) ? chain : null;
}

function isIndexed({ op, type, operands }: Instruction, { loop, number }: SteppedLoop): boolean {
  const [base, index] = operands;
  if (op !== Op.ADDRESS || type.kind !== "pointer" || base === undefined || index?.kind !== "instruction") return false;
  return index.type === number && isInvariant(base, loop) && !isInvariant(index, loop);
}

/** The families of a loop. `isEvery`: each iteration executes a block. */
function familiesOf(
  stepped: SteppedLoop,
  users: ReadonlyMap<Value, readonly Instruction[]>,
  isEvery: (block: Block) => boolean,
): readonly Family[] {
  const { loop } = stepped;
  const isCandidate = (user: Instruction, index: Instruction): boolean =>
    user.block !== null && isEvery(user.block) && isIndexed(user, stepped) && user.operands[1] === index;
  const worth = new Map<Instruction, boolean>();
  const isWorth = (index: Instruction): boolean => {
    let known = worth.get(index);
    if (known === undefined) {
      const chain = chainOf(index, stepped);
      known =
        chain !== null &&
        chain.some(({ op }) => op === Op.MUL) &&
        chain.every((part) => part === index || users.get(part)?.length === 1) &&
        (users.get(index) ?? []).every((user) => isCandidate(user, index));
      worth.set(index, known);
    }
    return known;
  };
  const found: Family[] = [];
  for (const block of loop.blocks) {
    for (const address of block.instructions) {
      if (!isIndexed(address, stepped)) continue;
      const { scale } = address;
      const [base, index] = address.operands as [Value, Instruction];
      if (!isWorth(index)) continue;
      const family = found.find((one) => one.base === base && one.index === index && one.scale === scale);
      if (family === undefined) found.push({ base, index, scale, members: [address] });
      else family.members.push(address);
    }
  }
  return found;
}

/** Writes arithmetic in front of a block's terminator. What is constant is computed here. */
class Writer {
  private readonly block: Block;
  private readonly location: Instruction["location"];
  private readonly number: Type;

  constructor(block: Block, location: Instruction["location"], number: Type) {
    this.block = block;
    this.location = location;
    this.number = number;
  }

  private insert(op: number, type: Type, left: Value, right: Value): Instruction {
    const made = new Instruction(op, type, listOf<Value>(left, right), this.location);
    made.block = this.block;
    this.block.instructions.splice(-1, 0, made);
    return made;
  }

  /** Any of the ops of affine indices. */
  compute(op: number, left: Value, right: Value): Value {
    const { number } = this;
    const [a, b] = [numberOf(left), numberOf(right)];
    const folded = a === null || b === null ? null : FOLD[op]?.(BigInt(a), BigInt(b));
    if (folded !== null && folded !== undefined) return constantInt(number, BigInt.asIntN(number.bits, folded));
    const isProduct = op === Op.MUL;
    if (isProduct && (a === 0 || b === 0)) return constantInt(number, 0);
    if (b === (isProduct ? 1 : 0)) return left;
    if ((isProduct && a === 1) || (op === Op.ADD && a === 0)) return right;
    return this.insert(op, number, left, right);
  }

  /** A pointer and a number of elements behind it. */
  address(base: Value, index: Value, scale: number): Value {
    const known = numberOf(index);
    const bytes = known === null ? null : known * scale;
    if (bytes === 0) return base;
    if (bytes === null || Math.abs(bytes) >= MOST_OFFSET) {
      const made = this.insert(Op.ADDRESS, base.type, base, index);
      made.scale = scale;
      return made;
    }
    const made = new Instruction(Op.ADDRESS, base.type, listOf<Value>(base), this.location);
    made.offset = bytes;
    made.block = this.block;
    this.block.instructions.splice(-1, 0, made);
    return made;
  }
}

/** A constant; null for one of more than 32 bits, and for what is none. */
function numberOf(value: Value): number | null {
  return value.kind === "constant" ? smallValue(value) : null;
}

const FOLD: Readonly<Record<number, (a: bigint, b: bigint) => bigint>> = {
  [Op.ADD]: (a, b) => a + b,
  [Op.SUB]: (a, b) => a - b,
  [Op.MUL]: (a, b) => a * b,
  [Op.SHL]: (a, b) => a << (b & 63n),
};

/** What a parameter of a block with one predecessor stands for; other values as they are. */
function passed(value: Value, before: BlockMap<readonly Block[]>): Value {
  let found = value;
  while (found.kind === "parameter" && found.block !== null) {
    const [only, ...others] = before.get(found.block) ?? [];
    const list = only === undefined || others.length > 0 ? null : argumentsOf(only, found.block);
    const next = list?.[found.block.parameters.indexOf(found)];
    if (next === undefined) return found;
    found = next;
  }
  return found;
}

/** An index in the first iteration, and what each iteration adds to it. */
interface Progression {
  readonly first: Value;
  readonly by: Value;
}

function progressionOf(index: Instruction, stepped: SteppedLoop, writer: Writer): Progression {
  const { loop, preheader, counters, before, number } = stepped;
  const chain = chainOf(index, stepped) ?? [];
  const counter = chain.at(-1)?.operands.find((value) => counters.has(value as Parameter)) as Parameter;
  const entry = argumentsOf(preheader, loop.header) ?? [];
  let first = passed(entry[loop.header.parameters.indexOf(counter)] as Value, before);
  let by = counters.get(counter) as Value;
  let inner: Value = counter;
  for (const part of chain.toReversed()) {
    const { op } = part;
    const [left, right] = part.operands as [Value, Value];
    const isLeft = left === inner;
    first = isLeft ? writer.compute(op, first, right) : writer.compute(op, left, first);
    if (op === Op.MUL || op === Op.SHL) by = writer.compute(op, by, isLeft ? right : left);
    else if (!isLeft && op === Op.SUB) by = writer.compute(Op.SUB, constantInt(number, 0), by);
    inner = part;
  }
  return { first, by };
}

/** Gives each family its pointer. */
function stepFamilies(families: readonly Family[], stepped: SteppedLoop): void {
  const { number } = stepped;
  const { header } = stepped.loop;
  const known = new Map<Instruction, Progression>();
  for (const { base, index, scale, members } of families) {
    const location = members[0]?.location ?? index.location;
    const before = new Writer(stepped.preheader, location, number);
    const progression = known.get(index) ?? progressionOf(index, stepped, before);
    known.set(index, progression);
    const shift = Math.log2(scale);
    const bytes = Number.isInteger(shift)
      ? before.compute(Op.SHL, progression.by, constantInt(number, shift))
      : before.compute(Op.MUL, progression.by, constantInt(number, scale));
    const pointer = header.addParameter(base.type);
    argumentsOf(stepped.preheader, header)?.push(before.address(base, progression.first, scale));
    argumentsOf(stepped.latch, header)?.push(new Writer(stepped.latch, location, number).address(pointer, bytes, 1));
    for (const member of members) {
      member.operands = listOf<Value>(pointer);
      member.scale = 0;
    }
  }
}

/** Steps pointers through innermost loops in place of products of their counters. */
export function stepAddresses(fn: IrFunction, { analyses, module }: FunctionFrame): boolean {
  const { loops, innermost } = analyses.get("loops");
  if (loops.length === 0) return false;
  const number = module.layout.sizeBits === 64 ? I64 : I32;
  const before = analyses.get("predecessors");
  const tree = analyses.get("dominators");
  const users = analyses.get("uses");
  const outer = new Set(loops.map(({ parent }) => parent));
  let changed = false;
  for (const loop of loops) {
    const stepped = outer.has(loop) || innermost.get(loop.header) !== loop ? null : steppedLoop(loop, before, number);
    if (stepped === null) continue;
    const families = familiesOf(
      stepped,
      users,
      (block) => loop.blocks.has(block) && tree.dominates(block, stepped.latch),
    );
    if (families.length === 0 || families.length > (number === I64 ? MOST_WIDE_POINTERS : MOST_POINTERS)) continue;
    const isAlone = stepped.preheader.successors.length === 1;
    stepFamilies(families, isAlone ? stepped : { ...stepped, preheader: splitEntry(fn, stepped) });
    changed = true;
  }
  return changed;
}
