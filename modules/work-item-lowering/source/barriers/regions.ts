// SPDX-License-Identifier: Apache-2.0
// Barrier regions: cuts a kernel's body at its convergence points into functions that run one work-item from one point
// to the next. The work-item loops run a region for all work-items of a group before the next one, so that nobody
// passes a barrier before all have come to it (work-item loops by Stratton, Stone, Hwu 2008, "MCUDA"; regions as in
// Jääskeläinen et al. 2015, "pocl"). On IR in SSA form; calls with barriers must have been inlined.
//
//     a; barrier; b        region 0: a; spill; ret 1
//                          region 1: reload; b; ret 0
//
// Phases: group collectives become barriers between variables (convergence.ts); blocks are split after each barrier;
// the uniformity of values and of control is found; what is live across a barrier is rematerialised where that is
// cheap, and the rest is coalesced and demoted to variables with slots (live-across-barriers.ts, coalesce.ts,
// spill-slots.ts): once a group for uniform values, in the spill frame of each work-item for the others; then each
// region is outlined (outline-region.ts). Cost: liveness, and a copy of the blocks that each region reaches.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  Instruction,
  type IrFunction,
  type Module,
  Op,
  type Parameter,
  VOID,
  type Value,
  listOf,
  liveness,
  workItemParameter,
} from "@muxkit/ir";
import { type Uniformity, findUniformity } from "@muxkit/vecz";

import { coalesce } from "./coalesce.ts";
import type { PlacedCollective } from "./collective-writer.ts";
import {
  type Collective,
  type ConvergencePoint,
  type ConvergenceScope,
  isUniformResult,
  prepareConvergencePoints,
} from "./convergence.ts";
import { demote, dropDistantDebugValues, isRematerialisable, rematerialise } from "./live-across-barriers.ts";
import { waitAfterLoops } from "./loop-exits.ts";
import { outlineRegion } from "./outline-region.ts";
import type { FrameSlot } from "./spill-frame.ts";
import { type Slot, type Slots, type UniformSlot, layOutSlots } from "./spill-slots.ts";

/** One piece of a kernel. */
export interface Region {
  readonly fn: IrFunction;
  /** What it can return: numbers of the regions that follow, 0 for "the work-item is done". */
  readonly exits: ReadonlySet<number>;
  /** The group collective that is computed before it is run; null: there is none. */
  readonly operation: PlacedCollective | null;
  /** Uniform values that it reads. */
  readonly reads: readonly UniformSlot[];
  /** Uniform values that it writes. */
  readonly writes: readonly UniformSlot[];
}

/** What a call of a region passes after the operands of the kernel's body. */
export interface RegionOperands {
  /** The spill frames. */
  readonly live: Value;
  /** For how many work-items there are frames. */
  readonly room: Value;
  /** Where the region stores the uniform values that it writes. */
  readonly outgoing: Value;
  /** The uniform values that it reads. */
  readonly incoming: readonly Value[];
}

/** The operands of a call in their order. */
export function regionOperands({ live, room, outgoing, incoming }: RegionOperands): Value[] {
  return [live, room, outgoing, ...incoming];
}

/** A kernel cut into pieces; region 0 comes first. */
export interface RegionPlan {
  readonly regions: readonly Region[];
  /** Bytes of the spill frame of each work-item. */
  readonly liveBytes: number;
  /** Bytes of uniform values. */
  readonly uniformBytes: number;
  /**
   * True when work-items may wait at different barriers: each keeps the number of its next region at {@link
   * STATE_SLOT}.
   */
  readonly hasState: boolean;
  /** Regions from 1 to this are waited for within a sub-group, the lowest first; later ones by the work-group. */
  readonly subGroupRegions: number;
}

/**
 * Splits blocks after their barriers; returns, by the block that ends with the barrier, its continuation, in the order
 * of the points.
 */
function splitAtBarriers(fn: IrFunction, points: readonly ConvergencePoint[]): Map<Block, Block> {
  const after = new Map<Instruction, Block>();
  const byBlock = new Map<Block, Instruction[]>();
  for (const { barrier } of points) {
    after.set(barrier, fn.addBlock(`${barrier.block?.name ?? ""}.after`));
    if (barrier.block === null) continue;
    const list = byBlock.get(barrier.block);
    if (list === undefined) byBlock.set(barrier.block, [barrier]);
    else list.push(barrier);
  }
  for (const block of byBlock.keys()) splitBlock(block, after);
  // A block that was split again ends with the first of its barriers.
  return new Map(
    points.map(({ barrier }) => {
      const { block } = barrier;
      const continuation = after.get(barrier);
      assert(block !== null && continuation !== undefined, "a barrier is in a block");
      return [block, continuation];
    }),
  );
}

/** Moves what follows the barriers of a block to the blocks after them. */
function splitBlock(block: Block, after: ReadonlyMap<Instruction, Block>): void {
  const { instructions } = block;
  block.instructions = listOf();
  let part = block;
  for (const instruction of instructions) {
    part.append(instruction);
    const next = after.get(instruction);
    if (next === undefined) continue;
    const branch = new Instruction(Op.BR, VOID, [], instruction.location);
    branch.successors = [next];
    branch.successorArguments = [[]];
    part.append(branch);
    part = next;
  }
}

/** Blocks that a region reaches without passing a barrier. */
function reach(entry: Block, continuationOf: ReadonlyMap<Block, Block>): Block[] {
  const blocks: Block[] = [];
  const seen = new Set<Block>([entry]);
  const worklist = [entry];
  for (let block = worklist.pop(); block !== undefined; block = worklist.pop()) {
    blocks.push(block);
    if (continuationOf.has(block)) continue;
    for (const successor of block.successors) {
      if (seen.has(successor)) continue;
      seen.add(successor);
      worklist.push(successor);
    }
  }
  return blocks;
}

/** The slots of a collective's operands and result. */
function placeOperation(operation: Collective | null, { list, numbers }: Slots): PlacedCollective | null {
  if (operation === null) return null;
  const slotOf = (variable: Instruction): Slot => {
    const slot = list[numbers.get(variable) ?? -1];
    assert(slot !== undefined, "operands and results of collectives have slots");
    return slot;
  };
  const placeOf = (variable: Instruction): FrameSlot => {
    const slot = slotOf(variable);
    assert(slot.kind !== "uniform", "operands of collectives are in spill frames");
    return slot.position;
  };
  const result = slotOf(operation.result);
  return {
    instruction: operation.instruction,
    operands: operation.operands.map(placeOf),
    result: result.kind === "uniform" ? result : result.position,
  };
}

/** The parameters by which the work-items of a group differ: their ids. */
export function idParameters(body: IrFunction): Parameter[] {
  return [workItemParameter(body, "linear"), ...[0, 1, 2].map((axis) => workItemParameter(body, "local", axis))];
}

/** What is live at the beginning of any of some blocks; parameters of the function are available everywhere. */
function liveAt(live: ReadonlyMap<Block, ReadonlySet<Value>>, starts: readonly Block[]): Set<Value> {
  return new Set(
    starts.flatMap((block) =>
      [...(live.get(block) ?? [])].filter(
        (value) => value.kind === "instruction" || (value.kind === "parameter" && value.block !== null),
      ),
    ),
  );
}

/** Values that are the same for all work-items of the group where they are defined and after every barrier. */
function uniformValues(body: IrFunction, uniformity: Uniformity, continuations: readonly Block[]): Set<Value> {
  const found = new Set<Value>();
  const isShared = uniformity.sharedIn(continuations);
  for (const block of body.blocks) {
    for (const value of block.parameters) if (isShared(value, block)) found.add(value);
    for (const value of block.instructions) if (isShared(value, block)) found.add(value);
  }
  return found;
}

/**
 * Cuts a kernel's body where its work-items wait for one another. The body is used up.
 * `least`: `work_group` keeps what sub-groups do together as it is.
 */
export function cutAtBarriers(body: IrFunction, module: Module, least: ConvergenceScope): RegionPlan {
  waitAfterLoops(body);
  const points = prepareConvergencePoints(body, module, least);
  const continuationOf = splitAtBarriers(body, points);
  const continuations = [...continuationOf.values()];
  dropDistantDebugValues(body);
  const subGroupRegions = points.filter(({ barrier }) => barrier.scope === "sub_group").length;
  const results = new Set(
    points.flatMap(({ operation }) =>
      operation !== null && isUniformResult(operation.instruction) ? [operation.result] : [],
    ),
  );
  const uniformity = subGroupRegions > 0 ? null : findUniformity(body, module.layout, idParameters(body), results);
  const isUniformControl = uniformity !== null && uniformity.isCommon((block) => continuationOf.has(block));
  const uniform = isUniformControl ? uniformValues(body, uniformity, continuations) : new Set<Value>();
  const isUniform = (value: Value): boolean => uniform.has(value);
  const cheap = new Set(
    [...liveAt(liveness(body).liveIn, continuations)].filter((value) => isRematerialisable(value, isUniform)),
  );
  rematerialise(body, cheap, isUniform);
  const live = liveness(body).liveIn;
  const kept = new Set([...liveAt(live, continuations)].filter((value) => !cheap.has(value)));
  const demoted = demote(
    body,
    coalesce(body, kept, live, (left, right) => isUniformControl && isUniform(left) === isUniform(right)),
    module,
  );
  const variables = body.entry.instructions.filter(({ op }) => op === Op.ALLOCA);
  const slots = layOutSlots(
    body,
    variables,
    (variable) => uniform.has(demoted.get(variable) ?? variable),
    !isUniformControl,
    module,
  );
  const numbers = new Map<Block, number>(continuations.map((block, i) => [block, i + 1]));
  const regions = [body.entry, ...continuations].map((entry, i) => ({
    ...outlineRegion(body, i, {
      blocks: reach(entry, continuationOf),
      continuationOf,
      numbers,
      slots,
      module,
      least,
    }),
    operation: placeOperation(points[i - 1]?.operation ?? null, slots),
  }));
  return {
    regions,
    liveBytes: slots.bytes,
    uniformBytes: slots.uniformBytes,
    hasState: !isUniformControl,
    subGroupRegions,
  };
}
