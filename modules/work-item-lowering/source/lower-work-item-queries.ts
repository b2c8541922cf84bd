// SPDX-License-Identifier: Apache-2.0
// Work-item queries, global variables and kernel-scope locals to hidden values and addresses.
import { assert, alignUp } from "@muxkit/cargo";
import {
  type Builder,
  CONSTANT,
  GLOBAL,
  type Global,
  I32,
  type Instruction,
  type IrFunction,
  LOCAL,
  type Module,
  Op,
  PRIVATE,
  type Value,
  constantInt,
  pointerType,
  replaceUses,
  sizeOf,
} from "@muxkit/ir";
import type { DataRelocation, ProgramData } from "@muxkit/metadata";

import { DISPATCH, WORKER } from "@muxkit/kernel-abi";
import { type HiddenName, type HiddenValues, Insertion, isPrintfPlace, isQuery } from "./work-item-parameters.ts";

/** Where globals lie: local variables from the arena's base, the others from the program data's base. */
export interface GlobalPlacement {
  readonly offsets: ReadonlyMap<Global, number>;
  /** Bytes of local memory that kernels declare. */
  readonly localBytes: number;
  /** The program's data; null when there is none. */
  readonly programData: ProgramData | null;
}

/** Where the data of a whole program lies: every executable that is made of it agrees, so that all of them can share one copy (decision 24). */
export interface ProgramLayout {
  /** Offsets by the names of variables. */
  readonly offsets: ReadonlyMap<string, number>;
  /** The data; null when there is none. */
  readonly programData: ProgramData | null;
}

/** Lays out what is not local, in the order of the module: the program's own variables, then the library's. What `known` has lies where that says; its data begins this one's. */
export function layOutProgram(module: Module, known: ProgramLayout | null): ProgramLayout {
  const offsets = new Map<string, number>(known?.offsets);
  let size = known?.programData?.size ?? 0;
  let alignment = Math.max(16, known?.programData?.alignment ?? 0);
  for (const global of module.globals.values()) {
    if (global.addressSpace === LOCAL || offsets.has(global.name)) continue;
    size = alignUp(size, global.alignment);
    alignment = Math.max(alignment, global.alignment);
    offsets.set(global.name, size);
    size += sizeOf(module.layout, global.type);
  }
  return { offsets, programData: size === 0 ? null : programData(module, offsets, size, alignment, known) };
}

function programData(
  module: Module,
  offsets: ReadonlyMap<string, number>,
  size: number,
  alignment: number,
  known: ProgramLayout | null,
): ProgramData {
  const bytes = new Uint8Array(size);
  bytes.set(known?.programData?.bytes ?? []);
  const relocations: DataRelocation[] = [...(known?.programData?.relocations ?? [])];
  for (const global of module.globals.values()) {
    const at = offsets.get(global.name);
    if (global.addressSpace === LOCAL || at === undefined || known?.offsets.has(global.name) === true) continue;
    if (global.initializer !== null) bytes.set(global.initializer, at);
    for (const { offset, target, addend } of global.relocations)
      relocations.push({ offset: at + offset, target: (offsets.get(target.name) ?? 0) + addend });
  }
  return { size, alignment: Math.min(alignment, 128), bytes, relocations };
}

/** Places globals. Local variables of different kernels may share their bytes: only the kernel's own are reached. */
export function placeGlobals(module: Module, reached: ReadonlySet<Global>, program: ProgramLayout): GlobalPlacement {
  const offsets = new Map<Global, number>();
  let local = 0;
  for (const global of module.globals.values()) {
    if (global.addressSpace === LOCAL) {
      if (!reached.has(global)) continue;
      local = alignUp(local, Math.max(16, global.alignment));
      offsets.set(global, local);
      local += sizeOf(module.layout, global.type);
    } else {
      const offset = program.offsets.get(global.name);
      if (offset !== undefined) offsets.set(global, offset);
    }
  }
  return { offsets, localBytes: local, programData: program.programData };
}

/** Local variables that a function and what it calls reach. */
export function usedLocals(fn: IrFunction, seen: Set<IrFunction> = new Set()): Set<Global> {
  const found = new Set<Global>();
  if (seen.has(fn)) return found;
  seen.add(fn);
  for (const block of fn.blocks) {
    for (const { symbol } of block.instructions) {
      if (symbol?.kind === "global" && symbol.addressSpace === LOCAL) found.add(symbol);
      if (symbol?.kind === "function") for (const global of usedLocals(symbol, seen)) found.add(global);
    }
  }
  return found;
}

/** Which hidden values a query of one dimension reads, and what it gives from dimension 3 on. */
const BY_DIMENSION: Readonly<Record<number, readonly [name: HiddenName, beyond: number]>> = {
  [Op.LOCAL_ID]: ["local", 0],
  [Op.LOCAL_SIZE]: ["size", 1],
  [Op.ENQUEUED_LOCAL_SIZE]: ["enqueued", 1],
  [Op.GROUP_ID]: ["group", 0],
  [Op.NUM_GROUPS]: ["groups", 1],
  [Op.GLOBAL_SIZE]: ["global", 1],
  [Op.GLOBAL_OFFSET]: ["offset", 0],
};

function ofAxis(builder: Builder, op: number, hidden: HiddenValues, axis: number): Value {
  if (op === Op.GLOBAL_ID) return builder.same(Op.ADD, hidden.get("base", axis), hidden.get("local", axis));
  const row = BY_DIMENSION[op];
  assert(row !== undefined, "a query by dimension");
  return hidden.get(row[0], axis);
}

/** Local id, all dimensions in one, x fastest. */
export function linearId(builder: Builder, hidden: HiddenValues): Value {
  const add = (a: Value, b: Value): Value => builder.same(Op.ADD, a, b);
  const multiply = (a: Value, b: Value): Value => builder.same(Op.MUL, a, b);
  return add(
    multiply(
      add(multiply(hidden.get("local", 2), hidden.get("size", 1)), hidden.get("local", 1)),
      hidden.get("size", 0),
    ),
    hidden.get("local", 0),
  );
}

/** Work-items of a group: `size` for this one, `enqueued` for a whole one. */
export function groupItems(builder: Builder, hidden: HiddenValues, name: "size" | "enqueued"): Value {
  return builder.same(Op.MUL, builder.same(Op.MUL, hidden.get(name, 0), hidden.get(name, 1)), hidden.get(name, 2));
}

/** Sub-groups that so many work-items make. */
export function subGroupCount(builder: Builder, hidden: HiddenValues, items: Value): Value {
  const size = hidden.get("subGroup");
  return builder.same(Op.UDIV, builder.same(Op.ADD, items, builder.same(Op.SUB, size, constantInt(I32, 1))), size);
}

/** Queries of sub-groups, which divide the linear local ids (decision 22). */
const OF_SUB_GROUPS: Readonly<Record<number, (builder: Builder, hidden: HiddenValues) => Value>> = {
  [Op.SUB_GROUP_ID]: (builder, hidden) => builder.same(Op.UDIV, hidden.get("linear"), hidden.get("subGroup")),
  [Op.SUB_GROUP_LOCAL_ID]: (builder, hidden) => builder.same(Op.UREM, hidden.get("linear"), hidden.get("subGroup")),
  [Op.NUM_SUB_GROUPS]: (builder, hidden) => subGroupCount(builder, hidden, groupItems(builder, hidden, "size")),
  [Op.ENQUEUED_NUM_SUB_GROUPS]: (builder, hidden) =>
    subGroupCount(builder, hidden, groupItems(builder, hidden, "enqueued")),
  [Op.MAX_SUB_GROUP_SIZE]: (builder, hidden) =>
    builder.same(Op.UMIN, hidden.get("subGroup"), groupItems(builder, hidden, "enqueued")),
  [Op.SUB_GROUP_SIZE]: (builder, hidden) => {
    const id = hidden.get("linear");
    const first = builder.same(Op.SUB, id, builder.same(Op.UREM, id, hidden.get("subGroup")));
    return builder.same(
      Op.UMIN,
      hidden.get("subGroup"),
      builder.same(Op.SUB, groupItems(builder, hidden, "size"), first),
    );
  },
};

function query(builder: Builder, instruction: Instruction, hidden: HiddenValues): Value {
  const { op } = instruction;
  const add = (a: Value, b: Value): Value => builder.same(Op.ADD, a, b);
  const multiply = (a: Value, b: Value): Value => builder.same(Op.MUL, a, b);
  const field = (block: "dispatch" | "worker", offset: number): Value =>
    builder.load(
      I32,
      builder.address(builder.convert(Op.INTTOPTR, hidden.get(block), pointerType(CONSTANT)), null, 0, offset),
      4,
    );
  if (op === Op.WORK_DIM) return field("dispatch", DISPATCH.dimensions);
  if (op === Op.ADDRESS_SPACE) return addressSpace(builder, instruction, hidden, field);
  if (op === Op.LOCAL_LINEAR_ID) return hidden.get("linear");
  const ofSubGroups = OF_SUB_GROUPS[op];
  if (ofSubGroups !== undefined) return ofSubGroups(builder, hidden);
  if (op === Op.GLOBAL_LINEAR_ID) {
    const id = (axis: number): Value =>
      builder.same(Op.SUB, ofAxis(builder, Op.GLOBAL_ID, hidden, axis), hidden.get("offset", axis));
    return add(multiply(add(multiply(id(2), hidden.get("global", 1)), id(1)), hidden.get("global", 0)), id(0));
  }
  const beyond = op === Op.GLOBAL_ID ? 0 : (BY_DIMENSION[op]?.[1] ?? 0);
  const [dimension] = instruction.operands;
  assert(dimension !== undefined, "a query has a dimension");
  if (dimension.kind === "constant")
    return dimension.low < 3 ? ofAxis(builder, op, hidden, dimension.low) : constantInt(I32, beyond);
  let result: Value = constantInt(I32, beyond);
  for (let axis = 2; axis >= 0; axis--)
    result = builder.select(
      builder.compare(Op.EQ, dimension, constantInt(I32, axis)),
      ofAxis(builder, op, hidden, axis),
      result,
    );
  return result;
}

/** Where a pointer points, by range tests on the arena: local memory lies at its start, then live values and private stack (decision 3); all else is global. */
function addressSpace(
  builder: Builder,
  instruction: Instruction,
  hidden: HiddenValues,
  field: (block: "dispatch" | "worker", offset: number) => Value,
): Value {
  const [pointer] = instruction.operands;
  assert(pointer !== undefined, "a pointer is asked about");
  const distance = builder.same(Op.SUB, builder.convert(Op.PTRTOINT, pointer, I32), hidden.get("arena"));
  const isLocal = builder.compare(Op.ULT, distance, field("dispatch", DISPATCH.liveOffset));
  const isOwn = builder.compare(Op.ULT, distance, field("worker", WORKER.arenaSize));
  return builder.select(
    isLocal,
    constantInt(I32, LOCAL),
    builder.select(isOwn, constantInt(I32, PRIVATE), constantInt(I32, GLOBAL)),
  );
}

/** Replaces queries and addresses of globals in a function that has hidden parameters. */
export function lowerQueries(fn: IrFunction, hidden: HiddenValues, placement: GlobalPlacement): void {
  const replaced = new Map<Value, Value>();
  for (const block of fn.blocks) {
    for (let i = 0; i < block.instructions.length; i++) {
      const instruction = block.instructions[i];
      if (
        instruction === undefined ||
        (!isQuery(instruction.op) && instruction.op !== Op.GLOBAL_ADDRESS && !isPrintfPlace(instruction))
      )
        continue;
      const insertion = new Insertion(block, i);
      const { builder } = insertion;
      const value = isQuery(instruction.op)
        ? query(builder, instruction, hidden)
        : isPrintfPlace(instruction)
          ? printfPlace(builder, instruction, hidden)
          : addressOf(builder, instruction, hidden, placement);
      i = insertion.done();
      block.instructions.splice(i, 1);
      i--;
      replaced.set(instruction, value);
    }
  }
  replaceUses(fn, replaced);
}

function printfPlace(builder: Builder, { symbol, type }: Instruction, hidden: HiddenValues): Value {
  const isArea = symbol?.kind === "builtin" && symbol.name.endsWith("_area");
  const block = builder.convert(Op.INTTOPTR, hidden.get(isArea ? "worker" : "dispatch"), type);
  return isArea ? builder.load(type, builder.address(block, null, 0, WORKER.printfArea), 4) : block;
}

function addressOf(
  builder: Builder,
  instruction: Instruction,
  hidden: HiddenValues,
  placement: GlobalPlacement,
): Value {
  const { symbol, type } = instruction;
  assert(symbol?.kind === "global", "an address names its global");
  const offset = placement.offsets.get(symbol);
  assert(offset !== undefined, () => `global ${symbol.name} has no place`);
  assert(
    symbol.addressSpace === LOCAL || symbol.addressSpace === CONSTANT || symbol.addressSpace === GLOBAL,
    "globals live in local, constant or global memory",
  );
  const base = builder.convert(Op.INTTOPTR, hidden.get(symbol.addressSpace === LOCAL ? "arena" : "data"), type);
  return offset === 0 ? base : builder.address(base, null, 0, offset);
}
