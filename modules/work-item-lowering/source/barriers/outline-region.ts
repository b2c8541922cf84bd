// SPDX-License-Identifier: Apache-2.0
// Outlines a region: copies the blocks that it reaches into a function that runs one work-item from a convergence
// point, or from the beginning, up to the next one, and returns the number of the region that comes after it; 0: the
// work-item is done.
//
// Variables of the body that are live across barriers have slots by now. A value that was kept in one is loaded into a
// variable of the region at its head, and stored back before it returns, where the region writes it; mem2reg makes
// values of those variables later. Memory variables are used where they are, in the spill frame.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  Builder,
  I32,
  I8,
  type Instruction,
  IrFunction,
  type Module,
  Op,
  PRIVATE,
  Parameter,
  type Type,
  type Value,
  cloneBlocks,
  constantInt,
  constantZero,
  createCloneMap,
  indexType,
  pointerType,
  sizeOf,
  workItemParameter,
} from "@muxkit/ir";

import { type ConvergenceScope, isConvergencePoint } from "./convergence.ts";
import type { Region } from "./regions.ts";
import { addressInFrame } from "./spill-frame.ts";
import { type UniformSlot, type Slot, type Slots, usedValues } from "./spill-slots.ts";

/** Alias groups from here on are those of slots: no kernel has so many parameters. */
const SLOT_GROUPS = 65_536;

/** Notes on an access which slot it goes to: no two of them overlap, whatever the work-items. */
function noteSlot(access: Value, slot: Slot, { numbers }: Slots): Value {
  if (access.kind === "instruction" && slot.kind === "value")
    access.aliasGroup = SLOT_GROUPS + (numbers.get(slot.variable) ?? 0);
  return access;
}

function readSlot(builder: Builder, slot: Slot, address: Value, slots: Slots): Value {
  return noteSlot(builder.load(slot.type, address, slot.variable.alignment), slot, slots);
}

/** What the regions of a body have in common. */
export interface OutlineFrame {
  /** Blocks that the region reaches without passing a barrier. */
  readonly blocks: readonly Block[];
  /** By the block that ends with a barrier, the block after it. */
  readonly continuationOf: ReadonlyMap<Block, Block>;
  /** Numbers of the regions by their first blocks. */
  readonly numbers: ReadonlyMap<Block, number>;
  readonly slots: Slots;
  readonly module: Module;
  readonly least: ConvergenceScope;
}

/** The slots of variables that some blocks use, and those of memory, in their order. */
function usedSlots(blocks: readonly Block[], { list, numbers, memory }: Slots): readonly Slot[] {
  const found = new Set<number>(memory);
  for (const { instructions } of blocks)
    for (const instruction of instructions)
      for (const value of usedValues(instruction)) {
        const number = value.kind === "constant" ? undefined : numbers.get(value);
        if (number !== undefined) found.add(number);
      }
  return [...found].toSorted((a, b) => a - b).flatMap((number) => list[number] ?? []);
}

/** Makes the function of the region that begins at `entry` and adds it to the module. */
export function outlineRegion(body: IrFunction, index: number, frame: OutlineFrame): Omit<Region, "operation"> {
  const { blocks, continuationOf, numbers, slots, module, least } = frame;
  const fn = new IrFunction(`${body.name}.region.${index}`, I32, body.parameters);
  fn.inline = "always";
  fn.convention = body.convention;
  const used = usedSlots(blocks, slots);
  // In the first region everything starts at zero, as variables do.
  const reads = index === 0 ? [] : used.filter((slot): slot is UniformSlot => slot.kind === "uniform");
  const more = (type: Type, name: string): Parameter => {
    const made = new Parameter(type, name, null, fn);
    fn.parameters.push(made);
    return made;
  };
  const frames = { live: more(pointerType(PRIVATE), "live"), room: more(indexType(module.layout), "room") };
  const outgoing = more(pointerType(PRIVATE), "left");
  const incoming = new Map<Slot, Value>(reads.map((slot) => [slot, more(slot.type, slot.variable.name)]));
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
    slot.kind !== "uniform"
      ? addressInFrame(builder, frames, linear, slot.position)
      : slot.offset === 0
        ? outgoing
        : builder.address(outgoing, null, 0, slot.offset);
  const kept: { readonly slot: Slot; readonly local: Instruction; readonly address: Value }[] = [];
  for (const slot of used) {
    const { variable, type } = slot;
    if (slot.kind === "memory") {
      const address = addressOf(slot);
      map.values.set(variable, address);
      if (index === 0)
        builder.memoryFill(
          address,
          constantZero(I8),
          constantInt(indexType(module.layout), sizeOf(module.layout, type)),
          variable.alignment,
        );
      continue;
    }
    const local = builder.alloca(type, variable.alignment, variable.name);
    map.values.set(variable, local);
    const address = addressOf(slot);
    if (stored.has(variable)) kept.push({ slot, local, address });
    if (index > 0)
      builder.store(incoming.get(slot) ?? readSlot(builder, slot, address, slots), local, variable.alignment);
  }
  // Variables are not copied: their uses go to the spill frame or to the region's own variable.
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
    const after = continuationOf.get(block);
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
  return { fn, exits, reads, writes: kept.flatMap(({ slot }) => (slot.kind === "uniform" ? [slot] : [])) };
}
