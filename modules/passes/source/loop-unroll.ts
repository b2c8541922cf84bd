// SPDX-License-Identifier: Apache-2.0
// loop-unroll: replicates loop bodies, fully where a small trip count is constant, by a factor where the source has a
// hint (`opencl_unroll_hint`, `#pragma unroll`).
//
//   Full, trip count 2:                       By a factor of 2 that divides the trip count:
//     header(i = 0):                            header(i):
//       body(0)                                   body(i); i' = i + 1   (its exit test is dropped)
//       body(1)                                   body(i'); test, back to the header
//
// Phases, innermost loops first, until no loop is left:
//   1. plan: constant trip count (ir's trip-count.ts), hint, size limits. Loops that index a private array may grow
//      more, since full unrolling turns its elements into values. A loop with convergent ops is unrolled only when the
//      copies keep work-items together: one exit, a constant trip count, a factor that divides it;
//   2. replicate: the loop's blocks are cloned, the latch of each copy branches to the header of the next, the last to
//      the first. Exit tests that the trip count decides become plain branches;
//   3. repair: unreachable blocks are removed, and values used outside of the loop get block parameters
//      (ssa-construction.ts). Loops planned at one level share no blocks, so one repair serves all of them.
//
// Cost: linear in the instructions that it makes; a function never grows beyond 20,000.
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
  NO_OPERANDS,
  listOf,
} from "@muxkit/ir";

import { countInstructions } from "./instruction-count.ts";
import { isConvergent, sizeOfBlocks, usedOutside } from "./loop-shape.ts";
import type { FunctionFrame, PassContext } from "./pass.ts";
import { removeUnreachable } from "./simplify-cfg.ts";
import { type CopiedValue, repairUses } from "./ssa-construction.ts";

/** Largest trip count that is unrolled with a hint. */
const MOST_HINTED = 4096;
/** Instructions of a function above which no loop is unrolled (docs/decisions/037-inlining-budget.md). */
const BUDGET = 20_000;

/** How a loop is unrolled. */
interface Plan {
  /** Copies of the loop afterwards, the original included. */
  readonly copies: number;
  /** The constant trip count and the exit test that it belongs to; null: not known. */
  readonly trips: TripCount | null;
  /** True: the last copy leaves the loop; false: it branches back to the first. */
  readonly isFull: boolean;
}

/**
 * True for blocks with barriers, calls and group operations of work-groups: copies of them do not pay. Sub-group
 * operations do, since their operands become constants.
 */
function blocksUnrolling({ instructions }: Block): boolean {
  return instructions.some(({ op, scope }) => hasEffect(op, "c") && !(isGroupOperation(op) && scope === "sub_group"));
}

/** True when a loop indexes a private variable with a value that is no constant. */
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

/** The plan for a loop, by its hint or, without one, by its size; null: it stays. */
function planOf(
  fn: IrFunction,
  loop: Loop,
  trips: TripCount | null,
  size: number,
  { remark, machine: { unrolling } }: PassContext,
): Plan | null {
  const { unroll } = loop.header;
  if (unroll === 1) return null;
  const iterations = trips === null ? 0 : trips.backEdges + 1;
  const isWhole = unroll === 0 || unroll === UNROLL_FULLY || unroll >= iterations;
  if (unroll === 0) {
    const most = indexesVariable(loop) ? unrolling.arrayInstructions : unrolling.instructions;
    if (
      trips === null ||
      iterations > unrolling.iterations ||
      iterations * sizeOfBlocks(loop.blocks) > most ||
      [...loop.blocks].some(blocksUnrolling)
    )
      return null;
  } else if (unroll === UNROLL_FULLY && trips === null) {
    remark(`${describe(fn, loop)} is not unrolled: its trip count is not constant`);
    return null;
  }
  const isFull = trips !== null && isWhole;
  const copies = isFull ? iterations : unroll;
  if (size + (copies - 1) * sizeOfBlocks(loop.blocks) > BUDGET) {
    remark(`${describe(fn, loop)} is not unrolled: ${fn.name} would grow beyond ${BUDGET} instructions`);
    return null;
  }
  // A convergent op must not be in copies that some work-items leave early.
  if (
    [...loop.blocks].some(isConvergent) &&
    (trips === null || loop.exits.length !== 1 || (!isFull && iterations % copies !== 0))
  ) {
    if (unroll !== 0)
      remark(`${describe(fn, loop)} is not unrolled: it contains a barrier or call and may end in any copy`);
    return null;
  }
  return copies < 2 && !isFull ? null : { copies, trips, isFull };
}

/** Replaces the exit test of a copy, whose outcome is known, by a branch along one edge. */
function foldTest(test: Block, edge: number): void {
  const { terminator } = test;
  const target = terminator.successors[edge];
  if (target === undefined) return;
  const branch = new Instruction(Op.BR, VOID, NO_OPERANDS, terminator.location);
  branch.successors = listOf(target);
  branch.successorArguments = listOf(terminator.successorArguments[edge] ?? []);
  test.instructions.pop();
  test.append(branch);
}

/** Replicates a loop. Returns its values that are used outside of it, with their copies. */
function replicate(
  fn: IrFunction,
  loop: Loop,
  { copies, trips, isFull }: Plan,
  used: ReadonlySet<Value>,
): CopiedValue[] {
  const { header } = loop;
  const [latch] = loop.latches;
  if (latch === undefined) return [];
  const source = fn.blocks.filter((block) => loop.blocks.has(block));
  const values = source
    .flatMap((block) => [...block.parameters, ...block.instructions])
    .filter((value) => used.has(value));
  const copied = values.map((original) => ({ original, copies: [] as (Instruction | Parameter)[], home: loop.blocks }));
  const staying = trips?.block.successors.findIndex((successor) => loop.blocks.has(successor)) ?? 0;
  const iterations = [{ header, latch, test: trips?.block ?? header }];
  const later = fn.blocks.splice(fn.blocks.indexOf(source.at(-1) ?? header) + 1);
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
    iterations.push({ header: copyOf(header), latch: copyOf(latch), test: copyOf(trips?.block ?? header) });
  }
  fn.blocks.push(...later);
  // Each copy continues in the next one, the last in the first.
  iterations.forEach((iteration, i) => {
    const { successors } = iteration.latch.terminator;
    iteration.latch.terminator.successors = successors.map((successor) =>
      successor === iteration.header ? (iterations[(i + 1) % copies] ?? iteration).header : successor,
    );
  });
  if (trips === null) return copied;
  const isWhole = (trips.backEdges + 1) % copies === 0;
  iterations.forEach(({ test }, i) => {
    const isLast = i === copies - 1;
    if (isFull) foldTest(test, isLast ? 1 - staying : staying);
    else if (isWhole && !isLast) foldTest(test, staying);
  });
  return copied;
}

/**
 * Unrolls the innermost loops that have not been visited. They share no blocks, so one analysis of the graph serves all
 * of them. True when any was unrolled.
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
      tripCount(loop, before, loop.header.unroll === 0 ? context.machine.unrolling.iterations : MOST_HINTED),
      size,
      context,
    );
    if (plan === null) continue;
    plans.push({ loop, plan });
    size += (plan.copies - 1) * sizeOfBlocks(loop.blocks);
  }
  if (plans.length === 0) return false;
  const used = usedOutside(fn, forest);
  const copied = plans.flatMap(({ loop, plan }) => replicate(fn, loop, plan, used));
  removeUnreachable(fn);
  repairUses(fn, copied);
  return true;
}

/** Unrolls loops, inner ones first: by their hint, or fully when the trip count is constant and small. */
export function loopUnroll(fn: IrFunction, { analyses, context }: FunctionFrame): boolean {
  const done = new Set<Block>();
  let forest = analyses.get("loops");
  let before = analyses.get("predecessors");
  let changed = false;
  while (unrollInnermost(fn, forest, before, done, context)) {
    changed = true;
    // Without nested loops there is no new innermost loop.
    if (forest.loops.every(({ parent }) => parent === null)) break;
    before = predecessors(fn);
    forest = loops(fn, dominators(fn, before), before);
  }
  return changed;
}
