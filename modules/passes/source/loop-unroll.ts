// SPDX-License-Identifier: Apache-2.0
// loop-unroll: repeats the body of a loop: as often as it runs when that is a small constant, or as the source asks (opencl_unroll_hint, #pragma unroll).
import {
  type Block,
  type BlockMap,
  Instruction,
  type IrFunction,
  type Loop,
  type LoopForest,
  Op,
  type Parameter,
  type TripCount,
  UNROLL_FULLY,
  VOID,
  type Value,
  cloneBlocks,
  createCloneMap,
  dominators,
  hasEffect,
  isGroupOperation,
  loops,
  predecessors,
  tripCount,
  walk,
  NO_OPERANDS,
  listOf,
} from "@muxkit/ir";

import { countInstructions } from "./instruction-count.ts";
import { isConvergent, sizeOfBlocks } from "./loop-shape.ts";
import type { FunctionFrame, PassContext } from "./pass.ts";
import { removeUnreachable } from "./simplify-cfg.ts";
import { type CopiedValue, repairUses } from "./ssa-construction.ts";

/** Most instructions that a loop may become unasked. */
const SMALL = 256;
/** The same for loops that index a private variable: unrolled, its elements become values. */
const SMALL_WITH_ARRAY = 1536;
/** Most rounds that are unrolled unasked. */
const MOST_ROUNDS = 64;
/** Most rounds that are unrolled when the source asks. */
const MOST_ASKED = 4096;
/** Instructions of a function above which nothing is unrolled any more (decision 37). */
const BUDGET = 20_000;

/** What becomes of a loop. */
interface Plan {
  /** How many copies of the loop there are afterwards, the first included. */
  readonly copies: number;
  /** The test that ends it, when the number of rounds is known. */
  readonly trips: TripCount | null;
  /** True: the last copy leaves the loop; false: it goes back to the first. */
  readonly isFull: boolean;
}

/** True for blocks with barriers, calls and what whole work-groups do together: not worth copies. Operations of sub-groups are, since their operands become constants. */
function holdsMeeting({ instructions }: Block): boolean {
  return instructions.some(({ op, scope }) => hasEffect(op, "c") && !(isGroupOperation(op) && scope === "sub_group"));
}

/** True when a loop computes addresses in private memory from something that changes. */
function indexesVariable(loop: Loop): boolean {
  for (const block of loop.blocks) {
    for (const { op, operands } of block.instructions) {
      const [base, index] = operands;
      if (
        op === Op.ADDRESS &&
        index !== undefined &&
        index.kind !== "constant" &&
        base?.kind === "instruction" &&
        base.op === Op.ALLOCA
      )
        return true;
    }
  }
  return false;
}

function describe(fn: IrFunction, loop: Loop): string {
  const { location } = loop.header.terminator;
  return location === null ? `a loop of ${fn.name}` : `${location.file}:${location.line}: the loop`;
}

/** Copies that the source asked for or that are worth it; null: none. */
function planOf(
  fn: IrFunction,
  loop: Loop,
  trips: TripCount | null,
  size: number,
  { remark }: PassContext,
): Plan | null {
  const { unroll } = loop.header;
  if (unroll === 1) return null;
  const rounds = trips === null ? 0 : trips.backEdges + 1;
  const isWhole = unroll === 0 || unroll === UNROLL_FULLY || unroll >= rounds;
  if (unroll === 0) {
    const most = indexesVariable(loop) ? SMALL_WITH_ARRAY : SMALL;
    if (
      trips === null ||
      rounds > MOST_ROUNDS ||
      rounds * sizeOfBlocks(loop.blocks) > most ||
      [...loop.blocks].some(holdsMeeting)
    )
      return null;
  } else if (unroll === UNROLL_FULLY && trips === null) {
    remark(`${describe(fn, loop)} is not unrolled: how often it runs is not a constant`);
    return null;
  }
  const isFull = trips !== null && isWhole;
  const copies = isFull ? rounds : unroll;
  if (size + (copies - 1) * sizeOfBlocks(loop.blocks) > BUDGET) {
    remark(`${describe(fn, loop)} is not unrolled: ${fn.name} would have more than ${BUDGET} instructions`);
    return null;
  }
  // What work-items reach together must not stand in copies that some of them leave.
  if (
    [...loop.blocks].some(isConvergent) &&
    (trips === null || loop.exits.length !== 1 || (!isFull && rounds % copies !== 0))
  ) {
    if (unroll !== 0)
      remark(`${describe(fn, loop)} is not unrolled: it holds a barrier or a call, and when it ends is not known`);
    return null;
  }
  return copies < 2 && !isFull ? null : { copies, trips, isFull };
}

/** The test of a copy is decided: it goes on along one edge. */
function decide(test: Block, edge: number): void {
  const { terminator } = test;
  const target = terminator.successors[edge];
  if (target === undefined) return;
  const branch = new Instruction(Op.BR, VOID, NO_OPERANDS, terminator.location);
  branch.successors = listOf(target);
  branch.successorArguments = listOf(terminator.successorArguments[edge] ?? []);
  test.instructions.pop();
  test.append(branch);
}

/** Copies a loop; gives the values of it that are used outside, with their copies. */
function repeat(fn: IrFunction, loop: Loop, { copies, trips, isFull }: Plan, used: ReadonlySet<Value>): CopiedValue[] {
  const { header } = loop;
  const [latch] = loop.latches;
  if (latch === undefined) return [];
  const source = fn.blocks.filter((block) => loop.blocks.has(block));
  const values = source
    .flatMap((block) => [...block.parameters, ...block.instructions])
    .filter((value) => used.has(value));
  const copied = values.map((original) => ({ original, copies: [] as (Instruction | Parameter)[], home: loop.blocks }));
  const staying = trips?.block.successors.findIndex((successor) => loop.blocks.has(successor)) ?? 0;
  const rounds = [{ header, latch, test: trips?.block ?? header }];
  const behind = fn.blocks.splice(fn.blocks.indexOf(source.at(-1) ?? header) + 1);
  header.unroll = isFull ? 0 : 1;
  for (let i = 1; i < copies; i++) {
    const map = createCloneMap();
    cloneBlocks(source, fn, map);
    const copyOf = (block: Block): Block => map.blocks.get(block) ?? block;
    for (const { original, copies: list } of copied) {
      const copy = map.values.get(original);
      if (copy !== undefined && copy.kind !== "constant") list.push(copy);
    }
    copyOf(header).unroll = 0;
    rounds.push({ header: copyOf(header), latch: copyOf(latch), test: copyOf(trips?.block ?? header) });
  }
  fn.blocks.push(...behind);
  // Each copy goes on in the next; the last goes back to the first.
  rounds.forEach((round, i) => {
    const { successors } = round.latch.terminator;
    round.latch.terminator.successors = successors.map((successor) =>
      successor === round.header ? (rounds[(i + 1) % copies] ?? round).header : successor,
    );
  });
  if (trips === null) return copied;
  const isWhole = (trips.backEdges + 1) % copies === 0;
  rounds.forEach(({ test }, i) => {
    const isLast = i === copies - 1;
    if (isFull) decide(test, isLast ? 1 - staying : staying);
    else if (isWhole && !isLast) decide(test, staying);
  });
  return copied;
}

/** Values of innermost loops that are used outside of them. */
function usedOutside(fn: IrFunction, { innermost }: LoopForest): ReadonlySet<Value> {
  const used = new Set<Value>();
  const see = (list: readonly Value[], block: Block): void => {
    for (let i = 0; i < list.length; i++) {
      const value = list[i] as Value;
      if (value.kind === "constant" || value.block === null || value.block === block) continue;
      if (innermost.get(value.block)?.blocks.has(block) === false) used.add(value);
    }
  };
  walk(fn, ({ operands, successorArguments }, block) => {
    see(operands, block);
    for (let edge = 0; edge < successorArguments.length; edge++) see(successorArguments[edge] as Value[], block);
  });
  return used;
}

/**
 * Unrolls loops of a function that hold no others and have not been looked at. They share no blocks, so one look at the graph serves them all.
 * True when any was unrolled.
 */
function unrollInnermost(
  fn: IrFunction,
  forest: LoopForest,
  before: BlockMap<readonly Block[]>,
  done: Set<Block>,
  context: PassContext,
): boolean {
  const outer = new Set(forest.loops.map(({ parent }) => parent));
  const plans: { readonly loop: Loop; readonly plan: Plan }[] = [];
  let size = countInstructions(fn);
  for (const loop of forest.loops) {
    if (outer.has(loop) || done.has(loop.header) || loop.latches.length !== 1) continue;
    done.add(loop.header);
    const plan = planOf(
      fn,
      loop,
      tripCount(loop, before, loop.header.unroll === 0 ? MOST_ROUNDS : MOST_ASKED),
      size,
      context,
    );
    if (plan === null) continue;
    plans.push({ loop, plan });
    size += (plan.copies - 1) * sizeOfBlocks(loop.blocks);
  }
  if (plans.length === 0) return false;
  const used = usedOutside(fn, forest);
  const copied = plans.flatMap(({ loop, plan }) => repeat(fn, loop, plan, used));
  removeUnreachable(fn);
  repairUses(fn, copied);
  return true;
}

/** Unrolls loops: those with a hint as it says, small ones with a constant number of rounds entirely; inner ones first. */
export function loopUnroll(fn: IrFunction, { analyses, context }: FunctionFrame): boolean {
  const done = new Set<Block>();
  let forest = analyses.get("loops");
  let before = analyses.get("predecessors");
  let changed = false;
  while (unrollInnermost(fn, forest, before, done, context)) {
    changed = true;
    // Without a loop around another there is nothing left to look at.
    if (forest.loops.every(({ parent }) => parent === null)) break;
    before = predecessors(fn);
    forest = loops(fn, dominators(fn, before), before);
  }
  return changed;
}
