// SPDX-License-Identifier: Apache-2.0
// Barrier regions: a kernel is cut at its barriers; each piece becomes a function that runs one work-item up to the next barrier and says which one that is.
// Values that live across a barrier travel through a record for each work-item, or once for the group where all its work-items agree on them.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  Builder,
  I32,
  I8,
  Instruction,
  IrFunction,
  type Module,
  Op,
  PRIVATE,
  Parameter,
  type Type,
  VOID,
  type Value,
  cloneBlocks,
  constantInt,
  constantZero,
  createCloneMap,
  liveness,
  pointerType,
  sizeOf,
  workItemParameter,
} from "@muxkit/ir";
import { type Uniformity, findUniformity } from "@muxkit/vecz";

import { coalesce } from "./coalesce.ts";
import { demote, dropDistantRecords, isRecomputable, recompute } from "./live-across-barriers.ts";
import type { PlacedCollective } from "./group-collectives.ts";
import {
  type Collective,
  type ConvergencePoint,
  type ConvergenceScope,
  isUniformResult,
  isConvergencePoint,
  prepareConvergencePoints,
} from "./convergence.ts";
import { type FrameSlot, addressInFrame } from "./spill-frame.ts";
import { type SharedSlot, type Slot, type Slots, layOutSlots, takes } from "./spill-slots.ts";

/** One piece of a kernel. */
export interface Region {
  readonly fn: IrFunction;
  /** What it can return: numbers of the regions that follow, 0 for "the work-item is done". */
  readonly exits: ReadonlySet<number>;
  /** The group operation that is done before it is run; null: there is none. */
  readonly operation: PlacedCollective | null;
  /** Shared values that it is given. */
  readonly takes: readonly SharedSlot[];
  /** Shared values that it leaves behind. */
  readonly leaves: readonly SharedSlot[];
}

/** What a call of a region gives behind the operands of the kernel's body. */
export interface RegionOperands {
  /** The records, and for how many work-items there is room. */
  readonly live: Value;
  readonly room: Value;
  /** Where the shared values go that the region leaves. */
  readonly left: Value;
  /** The shared values that it takes. */
  readonly given: readonly Value[];
}

/** The operands of a call in their order. */
export function regionOperands({ live, room, left, given }: RegionOperands): Value[] {
  return [live, room, left, ...given];
}

/** A kernel cut into pieces; region 0 comes first. */
export interface RegionPlan {
  readonly regions: readonly Region[];
  /** Bytes that the record of each work-item takes. */
  readonly liveBytes: number;
  /** Bytes that shared values take. */
  readonly sharedBytes: number;
  /** True when work-items may wait at different barriers: each keeps the number of its next region at {@link STATE_SLOT}. */
  readonly hasState: boolean;
  /** Regions from 1 to this are waited for within a sub-group, the lowest first; later ones by the work-group. */
  readonly subGroupRegions: number;
}

/** Ends the block of each barrier behind it; gives, by the block that ends with the barrier, the block behind it, in the order of the points. */
function splitAtBarriers(fn: IrFunction, points: readonly ConvergencePoint[]): Map<Block, Block> {
  const after = new Map<Instruction, Block>(points.map(({ barrier }) => [barrier, splitBehind(fn, barrier)]));
  // A block that was split again ends with the first of its barriers.
  return new Map(
    points.map(({ barrier }) => {
      const { block } = barrier;
      const behind = after.get(barrier);
      assert(block !== null && behind !== undefined, "a barrier stands in a block");
      return [block, behind];
    }),
  );
}

function splitBehind(fn: IrFunction, barrier: Instruction): Block {
  const { block } = barrier;
  assert(block !== null, "a barrier stands in a block");
  const rest = block.instructions.splice(block.instructions.indexOf(barrier) + 1);
  const after = fn.addBlock(`${block.name}.after`);
  for (const instruction of rest) after.append(instruction);
  const branch = new Instruction(Op.BR, VOID, [], barrier.location);
  branch.successors = [after];
  branch.successorArguments = [[]];
  block.append(branch);
  return after;
}

/** Blocks that a region can reach without passing a barrier. */
function reach(entry: Block, behind: ReadonlyMap<Block, Block>): Block[] {
  const blocks: Block[] = [];
  const seen = new Set<Block>([entry]);
  const work = [entry];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    blocks.push(block);
    if (behind.has(block)) continue;
    for (const successor of block.successors) {
      if (seen.has(successor)) continue;
      seen.add(successor);
      work.push(successor);
    }
  }
  return blocks;
}

/** Where operands and result lie in the records. */
function placeOperation(operation: Collective | null, { list }: Slots): PlacedCollective | null {
  if (operation === null) return null;
  const slotOf = (variable: Instruction): Slot => {
    const slot = list.find((other) => other.variable === variable);
    assert(slot !== undefined, "operands and results of group operations have places");
    return slot;
  };
  const placeOf = (variable: Instruction): FrameSlot => {
    const slot = slotOf(variable);
    assert(slot.kind !== "shared", "operands of group operations have places in the records");
    return slot.place;
  };
  const result = slotOf(operation.result);
  return {
    instruction: operation.instruction,
    operands: operation.operands.map(placeOf),
    result: result.kind === "shared" ? result : result.place,
  };
}

/** What tells the work-items of a group apart: their ids. */
export function idParameters(body: IrFunction): Parameter[] {
  return [workItemParameter(body, "linear"), ...[0, 1, 2].map((axis) => workItemParameter(body, "local", axis))];
}

/** What is live at the beginning of any of some blocks; what the function is given is at hand everywhere. */
function crossingValues(live: ReadonlyMap<Block, ReadonlySet<Value>>, starts: readonly Block[]): Set<Value> {
  return new Set(
    starts.flatMap((block) =>
      [...(live.get(block) ?? [])].filter(
        (value) => value.kind === "instruction" || (value.kind === "parameter" && value.block !== null),
      ),
    ),
  );
}

/** Values that are the same for all work-items of the group where they are made and behind every barrier. */
function sharedValues(body: IrFunction, agreement: Uniformity, continuations: readonly Block[]): Set<Value> {
  const found = new Set<Value>();
  for (const block of body.blocks) {
    for (const value of [...block.parameters, ...block.instructions]) {
      if ([block, ...continuations].every((where) => agreement.isShared(value, where))) found.add(value);
    }
  }
  return found;
}

/**
 * Cuts a kernel's body where its work-items wait for one another. The body is used up. Values must be in SSA form; calls with barriers must be inlined.
 * `least`: `work_group` keeps what sub-groups do together as it is.
 */
export function cutAtBarriers(body: IrFunction, module: Module, least: ConvergenceScope): RegionPlan {
  const points = prepareConvergencePoints(body, module, least);
  const behind = splitAtBarriers(body, points);
  const continuations = [...behind.values()];
  dropDistantRecords(body);
  const subGroupRegions = points.filter(({ barrier }) => barrier.scope === "sub_group").length;
  const results = new Set(
    points.flatMap(({ operation }) =>
      operation !== null && isUniformResult(operation.instruction) ? [operation.result] : [],
    ),
  );
  const agreement = subGroupRegions > 0 ? null : findUniformity(body, module.layout, idParameters(body), results);
  const isAgreed = agreement !== null && agreement.isCommon((block) => behind.has(block));
  const shared = isAgreed ? sharedValues(body, agreement, continuations) : new Set<Value>();
  const isShared = (value: Value): boolean => shared.has(value);
  const cheap = new Set(
    [...crossingValues(liveness(body).liveIn, continuations)].filter((value) => isRecomputable(value, isShared)),
  );
  recompute(body, cheap, isShared);
  const live = liveness(body).liveIn;
  const kept = new Set([...crossingValues(live, continuations)].filter((value) => !cheap.has(value)));
  const demoted = demote(
    body,
    coalesce(body, kept, live, (left, right) => isAgreed && isShared(left) === isShared(right)),
    module,
  );
  const variables = body.entry.instructions.filter(({ op }) => op === Op.ALLOCA);
  const slots = layOutSlots(
    body,
    variables,
    (variable) => shared.has(demoted.get(variable) ?? variable),
    !isAgreed,
    module,
  );
  const numbers = new Map<Block, number>(continuations.map((block, i) => [block, i + 1]));
  const regions = [body.entry, ...continuations].map((entry, i) => ({
    ...outline(body, entry, i, { behind, numbers, slots, module, least }),
    operation: placeOperation(points[i - 1]?.operation ?? null, slots),
  }));
  return { regions, liveBytes: slots.bytes, sharedBytes: slots.sharedBytes, hasState: !isAgreed, subGroupRegions };
}

/** Alias groups from here on are those of slots: no kernel has so many parameters. */
const SLOT_GROUPS = 65_536;

/** Notes which slot an access goes to: no two of them overlap, whatever the work-items. */
function noteSlot(access: Value, slot: Slot, { list }: Slots): Value {
  if (access.kind === "instruction" && slot.kind === "value") access.aliasGroup = SLOT_GROUPS + list.indexOf(slot);
  return access;
}

function readSlot(builder: Builder, slot: Slot, address: Value, slots: Slots): Value {
  return noteSlot(builder.load(slot.type, address, slot.variable.alignment), slot, slots);
}

interface OutlineFrame {
  readonly behind: ReadonlyMap<Block, Block>;
  readonly numbers: ReadonlyMap<Block, number>;
  readonly slots: Slots;
  readonly module: Module;
  readonly least: ConvergenceScope;
}

function outline(body: IrFunction, entry: Block, index: number, frame: OutlineFrame): Omit<Region, "operation"> {
  const { behind, numbers, slots, module, least } = frame;
  const fn = new IrFunction(`${body.name}.region.${index}`, I32, body.parameters);
  fn.inline = "always";
  fn.convention = body.convention;
  const blocks = reach(entry, behind);
  const used = new Set<Value>(blocks.flatMap((block) => block.instructions.flatMap(takes)));
  // In the first region everything starts at zero, as variables do.
  const taken =
    index === 0
      ? []
      : slots.list.filter((slot): slot is SharedSlot => slot.kind === "shared" && used.has(slot.variable));
  const more = (type: Type, name: string): Parameter => {
    const made = new Parameter(type, name, null, fn);
    fn.parameters.push(made);
    return made;
  };
  const records = { live: more(pointerType(PRIVATE), "live"), room: more(I32, "room") };
  const left = more(pointerType(PRIVATE), "left");
  const given = new Map<Slot, Value>(taken.map((slot) => [slot, more(slot.type, slot.variable.name)]));
  const linear = workItemParameter(fn, "linear");
  module.addFunction(fn);
  const map = createCloneMap();
  body.parameters.forEach((parameter, i) => {
    const own = fn.parameters[i];
    assert(own !== undefined, "the same parameters");
    map.values.set(parameter, own);
  });
  const head = fn.addBlock("head");
  const builder = new Builder(head);
  const stored = new Set<Value>(
    blocks.flatMap((block) =>
      block.instructions.flatMap((instruction) =>
        instruction.op === Op.STORE && instruction.operands[1] !== undefined ? [instruction.operands[1]] : [],
      ),
    ),
  );
  const addressOf = (slot: Slot): Value =>
    slot.kind !== "shared"
      ? addressInFrame(builder, records, linear, slot.place)
      : slot.offset === 0
        ? left
        : builder.address(left, null, 0, slot.offset);
  const kept: { readonly slot: Slot; readonly local: Instruction; readonly address: Value }[] = [];
  for (const slot of slots.list) {
    const { variable, type } = slot;
    if (slot.kind === "memory") {
      const address = addressOf(slot);
      map.values.set(variable, address);
      if (index === 0)
        builder.memoryFill(
          address,
          constantZero(I8),
          constantInt(I32, sizeOf(module.layout, type)),
          variable.alignment,
        );
      continue;
    }
    if (!used.has(variable)) continue;
    const local = builder.alloca(type, variable.alignment, variable.name);
    map.values.set(variable, local);
    const address = addressOf(slot);
    if (stored.has(variable)) kept.push({ slot, local, address });
    if (index > 0) builder.store(given.get(slot) ?? readSlot(builder, slot, address, slots), local, variable.alignment);
  }
  // Variables are not copied: their uses go to the record or to the region's own variable.
  const original = blocks.map((block) => block.instructions);
  for (const block of blocks) block.instructions = block.instructions.filter(({ op }) => op !== Op.ALLOCA);
  const copies = cloneBlocks(blocks, fn, map);
  blocks.forEach((block, i) => {
    block.instructions = original[i] ?? block.instructions;
  });
  const exits = new Set<number>();
  blocks.forEach((block, i) => {
    const copy = copies[i];
    assert(copy !== undefined, "a copy of each block");
    const after = behind.get(block);
    const isReturn = copy.terminator.op === Op.RET;
    if (after === undefined && !isReturn) return;
    const next = after === undefined ? 0 : (numbers.get(after) ?? 0);
    exits.add(next);
    copy.instructions.pop();
    copy.instructions = copy.instructions.filter(
      (instruction) => instruction.op !== Op.BARRIER || !isConvergencePoint(instruction, least),
    );
    const out = new Builder(copy);
    if (next !== 0)
      for (const { slot, local, address } of kept)
        noteSlot(
          out.store(out.load(slot.type, local, slot.variable.alignment), address, slot.variable.alignment),
          slot,
          slots,
        );
    out.return(constantInt(I32, next));
  });
  const [first] = copies;
  assert(first !== undefined, "a region has a first block");
  builder.branch(first);
  if (exits.size === 0) exits.add(0);
  return { fn, exits, takes: taken, leaves: kept.flatMap(({ slot }) => (slot.kind === "shared" ? [slot] : [])) };
}
