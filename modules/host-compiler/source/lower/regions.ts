// Barrier regions: a kernel is cut at its barriers; each piece becomes a function that runs one work-item up to the next barrier and says which one that is.
// Values that live across a barrier travel through a record for each work-item.
import { assert, alignUp } from "@muxkit/cargo";
import {
  type Block, Builder, I32, Instruction, IrFunction, type Module, Op, PRIVATE, Parameter, type Type, VOID, type Value, alignmentOf, cloneBlocks, constantInt, constantZero, createCloneMap, hasEffect, I8,
  pointerType, reversePostorder, sizeOf,
} from "@muxkit/ir";

import type { PlacedOperation } from "./group-operations.ts";
import { type RecordPlace, STATE_PLACE, placeInRecord } from "./record.ts";
import { type GroupOperation, type Meeting, prepareMeetings } from "./meetings.ts";

/** One piece of a kernel. */
export interface Region {
  readonly fn: IrFunction;
  /** What it can return: numbers of the regions that follow, 0 for "the work-item is done". */
  readonly exits: ReadonlySet<number>;
  /** The group operation that is done before it is run; null: there is none. */
  readonly operation: PlacedOperation | null;
}

/** Parameters that a region has behind those of the kernel's body: the records, and the work-item's linear id. */
export const REGION_PARAMETERS = ["live", "room", "linear"] as const;

/** A kernel cut into pieces; region 0 comes first. */
export interface RegionPlan {
  readonly regions: readonly Region[];
  /** Bytes that the record of each work-item takes. */
  readonly liveBytes: number;
  /** True when work-items may wait at different barriers: each keeps the number of its next region at {@link STATE_PLACE}. */
  readonly hasState: boolean;
  /** Regions from 1 to this are waited for within a sub-group, the lowest first; later ones by the work-group. */
  readonly subGroupRegions: number;
}

/** A value or variable that lives across a barrier. */
interface Slot {
  readonly variable: Instruction;
  readonly type: Type;
  readonly place: RecordPlace;
  /** True for arrays and what has its address taken: it lives in the record all the time. */
  readonly isMemory: boolean;
}

/** Ends the block of each barrier behind it; gives, by the block that ends with the barrier, the block behind it, in the order of the meetings. */
function splitAtBarriers(fn: IrFunction, meetings: readonly Meeting[]): Map<Block, Block> {
  const after = new Map<Instruction, Block>(meetings.map(({ barrier }) => [barrier, splitBehind(fn, barrier)]));
  // A block that was split again ends with the first of its barriers.
  return new Map(meetings.map(({ barrier }) => {
    const { block } = barrier;
    const behind = after.get(barrier);
    assert(block !== null && behind !== undefined, "a barrier stands in a block");
    return [block, behind];
  }));
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

/** Values that are needed at the start of each block. */
function liveIn(fn: IrFunction): Map<Block, Set<Value>> {
  const result = new Map<Block, Set<Value>>(fn.blocks.map((block) => [block, new Set()]));
  const order = reversePostorder(fn).toReversed();
  for (let changed = true; changed; ) {
    changed = false;
    for (const block of order) {
      const live = new Set<Value>();
      for (const successor of block.successors) for (const value of result.get(successor) ?? []) live.add(value);
      for (let i = block.instructions.length - 1; i >= 0; i--) {
        const instruction = block.instructions[i];
        if (instruction === undefined) continue;
        live.delete(instruction);
        for (const value of instruction.operands) if (isTracked(value)) live.add(value);
        for (const list of instruction.successorArguments) for (const value of list) if (isTracked(value)) live.add(value);
      }
      for (const parameter of block.parameters) live.delete(parameter);
      const known = result.get(block);
      if (known !== undefined && live.size !== known.size) {
        result.set(block, live);
        changed = true;
      }
    }
  }
  return result;
}

function isTracked(value: Value): boolean {
  return value.kind === "instruction" || (value.kind === "parameter" && value.block !== null);
}

/** Most instructions that are computed again rather than kept. */
const CHEAP_DEPTH = 4;

/** True for values that every region can compute again from the function's parameters. */
function isRecomputable(value: Value, depth: number = 0): boolean {
  if (value.kind === "constant") return true;
  if (value.kind === "parameter") return value.owner !== null;
  if (value.op === Op.ALLOCA || depth > CHEAP_DEPTH || !hasEffect(value.op, "s")) return false;
  return value.operands.every((operand) => isRecomputable(operand, depth + 1));
}

/** Moves values that live across barriers into variables, so that no value crosses one. Variables are promoted again within each region. */
function demote(fn: IrFunction, crossing: ReadonlySet<Value>, module: Module): Instruction[] {
  const made: Instruction[] = [];
  for (const value of crossing) {
    if (value.kind === "constant" || (value.kind === "instruction" && value.op === Op.ALLOCA)) continue;
    const home = value.block;
    assert(home !== null, "a value that lives across a barrier has a block");
    const variable = new Instruction(Op.ALLOCA, pointerType(PRIVATE), [], value.kind === "instruction" ? value.location : null);
    variable.elementType = value.type;
    variable.alignment = alignmentOf(module.layout, value.type);
    variable.block = fn.entry;
    fn.entry.instructions.unshift(variable);
    made.push(variable);
    const access = (type: Type, operands: Value[]): Instruction => {
      const instruction = new Instruction(operands.length === 1 ? Op.LOAD : Op.STORE, type, operands, null);
      instruction.alignment = variable.alignment;
      return instruction;
    };
    for (const block of fn.blocks) {
      const rewritten: Instruction[] = [];
      for (const instruction of block.instructions) {
        const uses = instruction.operands.includes(value) || instruction.successorArguments.some((list) => list.includes(value));
        if (uses && block !== home) {
          const load = access(value.type, [variable]);
          load.block = block;
          rewritten.push(load);
          instruction.operands = instruction.operands.map((operand) => (operand === value ? load : operand));
          instruction.successorArguments = instruction.successorArguments.map((list) => list.map((operand) => (operand === value ? load : operand)));
        }
        rewritten.push(instruction);
        if (instruction === value) {
          const store = access(VOID, [value, variable]);
          store.block = block;
          rewritten.push(store);
        }
      }
      if (block === home && value.kind === "parameter") {
        const store = access(VOID, [value, variable]);
        store.block = block;
        rewritten.unshift(store);
      }
      block.instructions = rewritten;
    }
  }
  return made;
}

/** Computes recomputable values anew in every block that uses them but does not define them. */
function recompute(fn: IrFunction, values: ReadonlySet<Value>): void {
  for (const block of fn.blocks) {
    const copies = new Map<Value, Value>();
    const made: Instruction[] = [];
    const copyOf = (value: Value): Value => {
      if (value.kind !== "instruction") return value;
      const known = copies.get(value);
      if (known !== undefined) return known;
      const copy = new Instruction(value.op, value.type, value.operands.map(copyOf), value.location);
      copy.flags = value.flags;
      copy.offset = value.offset;
      copy.scale = value.scale;
      copy.lanes = value.lanes;
      copy.block = block;
      copies.set(value, copy);
      made.push(copy);
      return copy;
    };
    const replace = (value: Value): Value => (values.has(value) && value.kind === "instruction" && value.block !== block ? copyOf(value) : value);
    for (const instruction of block.instructions) {
      instruction.operands = instruction.operands.map(replace);
      instruction.successorArguments = instruction.successorArguments.map((list) => list.map(replace));
    }
    block.instructions.unshift(...made);
  }
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

/** What an instruction takes, for itself or for the parameters of blocks that it branches to. */
function takes({ operands, successorArguments }: Instruction): Value[] {
  return [...operands, ...successorArguments.flat()];
}

/** Variables that do more than hold a value: they stay in the record. */
function isMemoryVariable(fn: IrFunction, variable: Instruction): boolean {
  const type = variable.elementType;
  return fn.blocks.some((block) =>
    block.instructions.some((user) => {
      const plain = (user.op === Op.LOAD && user.type === type) || (user.op === Op.STORE && user.operands[1] === variable && user.operands[0] !== variable && user.operands[0]?.type === type);
      return !plain && takes(user).includes(variable);
    }),
  );
}

function layOut(fn: IrFunction, variables: readonly Instruction[], module: Module): { readonly slots: readonly Slot[]; readonly bytes: number } {
  const slots: Slot[] = [];
  let bytes = STATE_PLACE.size;
  for (const variable of variables) {
    const type = variable.elementType;
    assert(type !== null, "a variable has a type");
    const size = alignUp(sizeOf(module.layout, type), Math.min(16, Math.max(variable.alignment, alignmentOf(module.layout, type))));
    slots.push({ variable, type, place: { before: bytes, size }, isMemory: isMemoryVariable(fn, variable) });
    bytes += size;
  }
  return { slots, bytes };
}

/** Where operands and result lie in the records. */
function placeOperation(operation: GroupOperation | null, slots: readonly Slot[]): PlacedOperation | null {
  if (operation === null) return null;
  const placeOf = (variable: Instruction): RecordPlace => {
    const slot = slots.find((other) => other.variable === variable);
    assert(slot !== undefined, "operands and results of group operations have slots");
    return slot.place;
  };
  return { instruction: operation.instruction, operands: operation.operands.map(placeOf), result: placeOf(operation.result) };
}

/** Cuts a kernel's body where its work-items wait for one another. The body is used up. Values must be in SSA form; calls with barriers must be inlined. */
export function cutAtBarriers(body: IrFunction, module: Module): RegionPlan {
  const meetings = prepareMeetings(body, module);
  const behind = splitAtBarriers(body, meetings);
  const continuations = [...behind.values()];
  const live = liveIn(body);
  const crossing = new Set<Value>();
  for (const block of continuations) for (const value of live.get(block) ?? []) crossing.add(value);
  const cheap = new Set([...crossing].filter((value) => isRecomputable(value)));
  recompute(body, cheap);
  demote(body, new Set([...crossing].filter((value) => !cheap.has(value))), module);
  const variables = body.entry.instructions.filter(({ op }) => op === Op.ALLOCA);
  const { slots, bytes } = layOut(body, variables, module);
  const numbers = new Map<Block, number>(continuations.map((block, i) => [block, i + 1]));
  const regions = [body.entry, ...continuations].map((entry, i) => ({ ...outline(body, entry, i, { behind, numbers, slots, module }), operation: placeOperation(meetings[i - 1]?.operation ?? null, slots) }));
  const subGroupRegions = meetings.filter(({ barrier }) => barrier.scope === "sub_group").length;
  const isUniform = subGroupRegions === 0 && regions.every(({ exits }) => exits.size === 1);
  return { regions, liveBytes: bytes, hasState: !isUniform, subGroupRegions };
}

interface OutlineFrame {
  readonly behind: ReadonlyMap<Block, Block>;
  readonly numbers: ReadonlyMap<Block, number>;
  readonly slots: readonly Slot[];
  readonly module: Module;
}

function outline(body: IrFunction, entry: Block, index: number, frame: OutlineFrame): Omit<Region, "operation"> {
  const { behind, numbers, slots, module } = frame;
  const fn = new IrFunction(`${body.name}.region.${index}`, I32, body.parameters);
  fn.inline = "always";
  const [live, room, linear] = REGION_PARAMETERS.map((name, i) => new Parameter(i === 0 ? pointerType(PRIVATE) : I32, name, null, fn));
  assert(live !== undefined && room !== undefined && linear !== undefined, "three parameters more");
  fn.parameters.push(live, room, linear);
  module.addFunction(fn);
  const map = createCloneMap();
  body.parameters.forEach((parameter, i) => {
    const own = fn.parameters[i];
    assert(own !== undefined, "the same parameters");
    map.values.set(parameter, own);
  });
  const head = fn.addBlock("head");
  const builder = new Builder(head);
  const places = slots.map((slot) => ({ slot, address: placeInRecord(builder, { live, room }, linear, slot.place), local: null as Instruction | null }));
  const blocks = reach(entry, behind);
  const used = new Set<Value>(blocks.flatMap((block) => block.instructions.flatMap(takes)));
  const stored = new Set<Value>(blocks.flatMap((block) => block.instructions.flatMap((instruction) => (instruction.op === Op.STORE && instruction.operands[1] !== undefined ? [instruction.operands[1]] : []))));
  for (const place of places) {
    const { slot, address } = place;
    if (slot.isMemory) {
      map.values.set(slot.variable, address);
      if (index === 0) builder.memoryFill(address, constantZero(I8), constantInt(I32, sizeOf(module.layout, slot.type)), slot.variable.alignment);
      continue;
    }
    if (!used.has(slot.variable)) continue;
    const local = builder.alloca(slot.type, slot.variable.alignment, slot.variable.name);
    place.local = local;
    map.values.set(slot.variable, local);
    // In the first region everything starts at zero, as variables do.
    if (index > 0) builder.store(builder.load(slot.type, address, slot.variable.alignment), local, slot.variable.alignment);
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
    copy.instructions = copy.instructions.filter(({ op }) => op !== Op.BARRIER);
    const out = new Builder(copy);
    if (next !== 0) {
      for (const { slot, address, local } of places) {
        if (local !== null && stored.has(slot.variable)) out.store(out.load(slot.type, local, slot.variable.alignment), address, slot.variable.alignment);
      }
    }
    out.return(constantInt(I32, next));
  });
  const [first] = copies;
  assert(first !== undefined, "a region has a first block");
  builder.branch(first);
  if (exits.size === 0) exits.add(0);
  return { fn, exits };
}
