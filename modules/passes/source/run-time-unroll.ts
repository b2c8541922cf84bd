// SPDX-License-Identifier: Apache-2.0
// run-time-unroll: counted loops whose trip count is known only when they run go by several iterations at a time, with
// one test for all of them; what is left over is done by the loop as it was. Machines that issue in order have the
// loads of all copies under way together.
//
//   preheader: br loop(0)                   preheader: room = n - 0; last = n - 3
//   loop(i):                                  cond_br (0 < n and room > 3), four(0), loop(0)
//     body(i)                               four(i):
//     j = i + 1                               body(i) body(i + 1) body(i + 2) body(i + 3); j = i + 4
//     cond_br j < n, loop(j), end     -->     cond_br j < last, four(j), rest
//                                           rest: cond_br j < n, loop(j), end
//                                           loop(i): as before
//
// A loop is counted when its only exit is the test of its latch, which compares the counter's next value with an
// invariant bound. Any constant step will do, and the direction that the comparison has; `!=` takes steps of 1 and -1.
// Exact for all numbers: where a round of copies begins, no test within it can fail, since counter and bound are in
// order and as far apart as the copies go; their difference as an unsigned number is that distance, however large it
// is. Only the last sum of a round may wrap, and it is tested as before.
//
// Where addresses have as many bits as the counter, those of later copies are those of the first and a constant. With
// wider ones: no sum in a round but the last wraps, so the counter extended to 64 bits is that of the first copy and a
// constant, which becomes a part of addresses. Where products of it are computed, it is a counter of its own, for
// step-addresses.
//
// Machines without gathers do this only where work-items read rows of their own (row-walks.ts).
//
// The rounds of a small loop are a counted loop themselves: where the pass runs again, it makes rounds of rounds of it,
// whose own rest are the rounds that were there. So short loops lose nothing, and long ones have more loads under way.
//
// How many copies, and how large they may be, the machine says (`unrolling`). Loops that the source has a hint for are
// left to loop-unroll; loops with convergent ops, calls or other exits stay: work-items would wait for each other in
// every copy. Compare LLVM's runtime unrolling, which counts iterations by a division and does the rest behind.
//
// Cost: linear in the instructions that it makes; SSA form is repaired once.
import {
  Block,
  type BlockMap,
  Builder,
  I32,
  I64,
  Instruction,
  type IrFunction,
  type Loop,
  MIRRORED_COMPARISONS,
  OPPOSITE_COMPARISONS,
  Op,
  type Parameter,
  type Type,
  type Value,
  cloneBlocks,
  constantBits,
  constantInt,
  createCloneMap,
  inductionStep,
  listOf,
  smallValue,
} from "@muxkit/ir";

import { countInstructions } from "./instruction-count.ts";
import { isConvergent, preheaderOf, sizeOfBlocks, usedOutside } from "./loop-shape.ts";
import type { FunctionFrame } from "./pass.ts";
import { walksRows } from "./row-walks.ts";
import { type CopiedValue, repairUses } from "./ssa-construction.ts";

/** Instructions of a function above which no loop is unrolled (docs/decisions/037-inlining-budget.md). */
const BUDGET = 20_000;

const COUNTERS: ReadonlySet<Type> = new Set([I32, I64]);
/** Largest step of a counter: a round of copies stays far from what 32 bits hold. */
const MOST_STEP = 2 ** 24;

/** Comparisons that a counter which goes up, or down, ends. */
const UPWARDS: ReadonlySet<number> = new Set([Op.SLT, Op.ULT, Op.SLE, Op.ULE]);
const DOWNWARDS: ReadonlySet<number> = new Set([Op.SGT, Op.UGT, Op.SGE, Op.UGE]);
const SIGNED: ReadonlySet<number> = new Set([Op.SLT, Op.SGT, Op.SLE, Op.SGE]);
/** Comparisons that hold for the bound itself. */
const INCLUSIVE: ReadonlySet<number> = new Set([Op.SLE, Op.ULE, Op.SGE, Op.UGE]);

/** Offsets of addresses that 32 bits hold. */
const MOST_OFFSET = 2 ** 30;

const ZERO: Value = constantInt(I64, 0);

/** A loop that goes on while `next op bound`. */
interface CountedLoop {
  readonly loop: Loop;
  readonly latch: Block;
  readonly preheader: Block;
  /** Position of the counter among the header's parameters. */
  readonly position: number;
  readonly next: Instruction;
  readonly step: number;
  readonly op: number;
  readonly bound: Value;
  /** The edge of the latch that stays. */
  readonly staying: number;
}

function isInvariant(value: Value, { blocks }: Loop): boolean {
  return value.kind === "constant" || value.block === null || !blocks.has(value.block);
}

/** True for a comparison that the steps of a counter make false. */
function ends(op: number, step: number): boolean {
  if (op === Op.NE) return Math.abs(step) === 1;
  if (step === 0 || Math.abs(step) > MOST_STEP) return false;
  return step > 0 ? UPWARDS.has(op) : DOWNWARDS.has(op);
}

/** A loop as it is counted; null: it is not. */
function countedLoop(loop: Loop, before: BlockMap<readonly Block[]>): CountedLoop | null {
  const [latch] = loop.latches;
  const preheader = preheaderOf(loop, before);
  if (latch === undefined || preheader === null || loop.latches.length !== 1 || loop.exits.length !== 1) return null;
  const { terminator } = latch;
  const [test] = terminator.operands;
  if (terminator.op !== Op.COND_BR || test?.kind !== "instruction" || loop.exits[0]?.[0] !== latch) return null;
  const staying = terminator.successors.indexOf(loop.header);
  const stays = staying === 0 ? test.op : OPPOSITE_COMPARISONS[test.op];
  const [left, right] = test.operands;
  if (stays === undefined || left === undefined || right === undefined || !COUNTERS.has(left.type)) return null;
  for (const [position, counter] of loop.header.parameters.entries()) {
    const found = inductionStep(loop, counter);
    if (found === null || (left !== found.next && right !== found.next)) continue;
    const op = left === found.next ? stays : MIRRORED_COMPARISONS[stays];
    const bound = left === found.next ? right : left;
    const step = smallValue(found.step);
    if (op === undefined || step === null || !isInvariant(bound, loop) || !ends(op, step)) return null;
    return { loop, latch, preheader, position, next: found.next, step, op, bound, staying };
  }
  return null;
}

/** Makes instructions in front of a block's terminator, which is taken off. */
function reopened(block: Block): Builder {
  const { terminator } = block;
  block.instructions.pop();
  const builder = new Builder(block);
  builder.location = terminator.location;
  return builder;
}

/** How the copies' loop is entered and goes on. */
interface Rounds {
  /** True when there is a round of copies from the start. */
  readonly enters: Value;
  /** True when there is one more after a round. */
  readonly goesOn: (builder: Builder, next: Value) => Value;
}

/** Decides about rounds of so many copies, in the preheader. */
function roundsOf({ step, op, bound }: CountedLoop, start: Value, copies: number, builder: Builder): Rounds {
  const { type } = bound;
  const distance = constantInt(type, Math.abs(step) * (copies - 1));
  const roomOf = (made: Builder, from: Value): Value =>
    step > 0 ? made.same(Op.SUB, bound, from) : made.same(Op.SUB, from, bound);
  const isFar = (made: Builder, from: Value): Value =>
    made.compare(INCLUSIVE.has(op) ? Op.UGE : Op.UGT, roomOf(made, from), distance);
  if (op === Op.NE) return { enters: isFar(builder, start), goesOn: isFar };
  const last = builder.same(step > 0 ? Op.SUB : Op.ADD, bound, distance);
  return {
    enters: builder.same(Op.AND, builder.compare(op, start, bound), isFar(builder, start)),
    goesOn: (made, next) => made.compare(op, next, last),
  };
}

/** A copy of the loop's blocks. */
interface Copy {
  readonly header: Block;
  readonly latch: Block;
  readonly valueOf: (value: Value) => Value;
}

type Visit = (copy: Instruction, original: Instruction) => Instruction;

function copyLoop(fn: IrFunction, source: readonly Block[], { loop, latch }: CountedLoop, visit: Visit): Copy {
  const map = createCloneMap();
  cloneBlocks(source, fn, map, visit);
  const blockOf = (block: Block): Block => map.blocks.get(block) ?? block;
  return {
    header: blockOf(loop.header),
    latch: blockOf(latch),
    valueOf: (value) => map.values.get(value) ?? value,
  };
}

/** The extension to 64 bits that a comparison keeps from wrapping; null: it may wrap. */
function extensionOf(op: number): number | null {
  if (op === Op.NE) return null;
  return SIGNED.has(op) ? Op.SEXT : Op.ZEXT;
}

/** Puts an instruction at the beginning of a block. */
function prepend(block: Block, at: number, made: Instruction): Instruction {
  made.block = block;
  block.instructions.splice(at, 0, made);
  return made;
}

/** True for an address that goes along with the counter, by its index: nothing else in the index changes. */
function isAlong({ op, type, operands: [, index] }: Instruction, counter: Value, loop: Loop): boolean {
  return op === Op.ADDRESS && type.kind === "pointer" && index?.type === I32 && isSum(index, counter, loop);
}

/** True for the counter, and for sums of it and invariant values. */
function isSum(value: Value | undefined, counter: Value, loop: Loop): boolean {
  if (value === counter) return true;
  if (value?.kind !== "instruction" || value.op !== Op.ADD || isInvariant(value, loop)) return false;
  const [left, right] = value.operands as [Value, Value];
  return (
    (isInvariant(right, loop) && isSum(left, counter, loop)) || (isInvariant(left, loop) && isSum(right, counter, loop))
  );
}

/** Makes an address that of the first copy, so many elements further. */
function movedOn(address: Instruction, first: Value, elements: number): Instruction {
  address.operands = listOf<Value>(first);
  address.offset = address.scale * elements;
  address.scale = 0;
  return address;
}

/** The copies of a loop. */
interface Copies {
  readonly list: readonly Copy[];
  /** The counter with 64 bits as a parameter of the first header, the last one; null: it has none. */
  readonly wide: { readonly counter: Parameter; readonly extension: number } | null;
}

/** True where a product of the extended counter is computed: its steps are known of a counter with 64 bits. */
function hasProduct(source: readonly Block[], isExtended: (one: Instruction) => boolean): boolean {
  const isOf = (value: Value, depth: number): boolean =>
    value.kind === "instruction" &&
    (isExtended(value) || (depth > 0 && value.op === Op.ADD && value.operands.some((one) => isOf(one, depth - 1))));
  return source.some(({ instructions }) =>
    instructions.some(
      ({ op, type, operands }) => op === Op.MUL && type === I64 && operands.some((one) => isOf(one, 2)),
    ),
  );
}

/** The copies of the loop in order. The counter of each is that of the first and a constant, with 64 bits too. */
function copiesOf(
  fn: IrFunction,
  source: readonly Block[],
  counted: CountedLoop,
  copies: number,
  hasWideAddresses: boolean,
): Copies {
  const { loop, position, op, step, next } = counted;
  const counter = loop.header.parameters[position] as Value;
  const extension = counter.type === I32 ? extensionOf(op) : null;
  const isExtended = ({ op: own, type, operands }: Instruction): boolean =>
    own === extension && type === I64 && operands[0] === counter;
  const isIndexed = ({ op: own, type, operands }: Instruction): boolean =>
    hasWideAddresses &&
    extension === Op.SEXT &&
    own === Op.ADDRESS &&
    type.kind === "pointer" &&
    operands[1] === counter;
  const isParameter = hasWideAddresses && extension !== null && hasProduct(source, isExtended);
  const { location } = next;
  const first = copyLoop(fn, source, counted, (copy) => copy);
  if (!hasWideAddresses && source.length === 1) {
    const others = Array.from({ length: copies - 1 }, (_, i) =>
      copyLoop(fn, source, counted, (copy, original) =>
        isAlong(original, counter, loop) && original.scale * Math.abs(step) * copies < MOST_OFFSET
          ? movedOn(copy, first.valueOf(original), step * (i + 1))
          : copy,
      ),
    );
    return { list: [first, ...others], wide: null };
  }
  const uses = source.some(({ instructions }) => instructions.some((one) => isExtended(one) || isIndexed(one)));
  if (extension === null || !uses) {
    const others = Array.from({ length: copies - 1 }, () => copyLoop(fn, source, counted, (copy) => copy));
    return { list: [first, ...others], wide: null };
  }
  const parameter = isParameter ? first.header.addParameter(I64) : null;
  const prepended = parameter === null ? 1 : 0;
  const wide =
    parameter ?? prepend(first.header, 0, new Instruction(extension, I64, listOf(first.valueOf(counter)), location));
  /** Lets a copy take its counter with 64 bits. */
  const useWide = (copy: Instruction, original: Instruction, own: Value): void => {
    if (isIndexed(original)) copy.operands = listOf<Value>(copy.operands[0] as Value, own);
    if (!isExtended(original)) return;
    // A sum with nothing, which is simplified away.
    copy.op = Op.ADD;
    copy.operands = listOf<Value>(own, ZERO);
  };
  if (parameter !== null)
    for (const { instructions } of source)
      for (const original of instructions) useWide(first.valueOf(original) as Instruction, original, parameter);
  const others = Array.from({ length: copies - 1 }, (_, i) => {
    const distance = constantBits(I64, step * (i + 1), step < 0 ? -1 : 0);
    const own = prepend(
      first.header,
      i + prepended,
      new Instruction(Op.ADD, I64, listOf<Value>(wide, distance), location),
    );
    return copyLoop(fn, source, counted, (copy, original) => {
      useWide(copy, original, own);
      return copy;
    });
  });
  return { list: [first, ...others], wide: parameter === null ? null : { counter: parameter, extension } };
}

/** Ends a block with a branch along one of its edges, to another block. */
function continueIn(block: Block, edge: number, target: Block): void {
  const values = block.terminator.successorArguments[edge] ?? [];
  reopened(block).branch(target, ...values);
}

/** What is known of a function. */
interface Facts {
  /** Values that are used outside of their loops. */
  readonly used: ReadonlySet<Value>;
  readonly hasWideAddresses: boolean;
  readonly roundInstructions: number;
}

/** Puts rounds of copies in front of a loop. Returns its values that are used outside, with their copies. */
function unroll(
  fn: IrFunction,
  counted: CountedLoop,
  copies: number,
  { used, hasWideAddresses, roundInstructions }: Facts,
): CopiedValue[] {
  const { loop, preheader, position, staying, next, step } = counted;
  const source = fn.blocks.filter((block) => loop.blocks.has(block));
  const values = source
    .flatMap((block) => [...block.parameters, ...block.instructions])
    .filter((value) => used.has(value));
  const later = fn.blocks.splice(fn.blocks.indexOf(loop.header));
  const { list, wide } = copiesOf(fn, source, counted, copies, hasWideAddresses);
  const [first, last] = [list[0] as Copy, list[copies - 1] as Copy];
  list.slice(0, -1).forEach(({ latch }, i) => {
    continueIn(latch, staying, (list[i + 1] as Copy).header);
  });

  const entry = preheader.terminator.successorArguments[0] ?? [];
  const start = entry[position] as Value;
  const before = reopened(preheader);
  const { enters, goesOn } = roundsOf(counted, start, copies, before);
  const widened = wide === null ? [] : [before.convert(wide.extension, start, I64)];
  before.conditionalBranch(enters, first.header, loop.header, [...entry, ...widened], entry);

  // The test of the last copy is the loop's own: it decides where no further round follows.
  const rest = new Block(fn, "rest");
  fn.blocks.push(rest, ...later);
  const { terminator } = last.latch;
  const [again = []] = [terminator.successorArguments[staying]];
  const behind = reopened(last.latch);
  const round = constantBits(I64, step * copies, step < 0 ? -1 : 0);
  const moved = wide === null ? [] : [behind.same(Op.ADD, wide.counter, round)];
  behind.conditionalBranch(goesOn(behind, last.valueOf(next)), first.header, rest, [...again, ...moved]);
  terminator.successors = terminator.successors.map((block, edge) => (edge === staying ? loop.header : block));
  rest.append(terminator);
  // What is left over is not unrolled again, and rounds only where they are small.
  first.header.unroll = copies ** 2 * sizeOfBlocks(loop.blocks) <= roundInstructions ? 0 : 1;
  loop.header.unroll = 1;
  return values.map((original) => ({
    original,
    copies: list.flatMap(({ valueOf }) => {
      const copy = valueOf(original);
      return copy.kind === "constant" ? [] : [copy];
    }),
    home: loop.blocks,
  }));
}

function isRowWalk({ loop, preheader, position, step, bound }: CountedLoop): boolean {
  const start = preheader.terminator.successorArguments[0]?.[position] as Value;
  return step === 1 && walksRows(loop, loop.header.parameters[position] as Value, start, bound);
}

/** Goes by several iterations at a time through innermost counted loops. */
export function runTimeUnroll(fn: IrFunction, { analyses, context, module }: FunctionFrame): boolean {
  const { copies, rowCopies, copiedInstructions, roundInstructions = 0 } = context.machine.unrolling;
  const forest = analyses.get("loops");
  if (Math.max(copies, rowCopies) < 2 || forest.loops.length === 0) return false;
  const before = analyses.get("predecessors");
  const outer = new Set(forest.loops.map(({ parent }) => parent));
  let size = countInstructions(fn);
  const plans: { readonly counted: CountedLoop; readonly copies: number }[] = [];
  for (const loop of forest.loops) {
    const own = sizeOfBlocks(loop.blocks);
    const most = 2 ** Math.floor(Math.log2(copiedInstructions / own));
    let fitting = Math.min(Math.max(copies, rowCopies), most);
    if (outer.has(loop) || loop.header.unroll !== 0 || fitting < 2) continue;
    if (size + fitting * own > BUDGET || [...loop.blocks].some(isConvergent)) continue;
    const counted = countedLoop(loop, before);
    if (counted === null) continue;
    if (copies < rowCopies && !isRowWalk(counted)) fitting = Math.min(copies, most);
    if (fitting < 2) continue;
    size += fitting * own;
    plans.push({ counted, copies: fitting });
  }
  if (plans.length === 0) return false;
  const facts: Facts = {
    used: usedOutside(fn, forest),
    hasWideAddresses: module.layout.sizeBits === 64,
    roundInstructions,
  };
  repairUses(
    fn,
    plans.flatMap((plan) => unroll(fn, plan.counted, plan.copies, facts)),
  );
  return true;
}
