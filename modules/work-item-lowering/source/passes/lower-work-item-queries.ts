// SPDX-License-Identifier: Apache-2.0
// `lower-work-item-queries`: makes arithmetic on work-item parameters of queries of ids and sizes, and addresses of
// variables. A query of a dimension that is no constant becomes a chain of selects. All is computed in the index type
// of the data layout; a query with a narrower result truncates. Addresses of small tables in constant memory stay until
// vectors are made (`lower-table-addresses`): the vectoriser looks into them. One walk over the instructions each.
import { alignUp, assert } from "@muxkit/cargo";
import {
  Builder,
  CONSTANT,
  type DataLayout,
  GLOBAL,
  type Global,
  type Instruction,
  type IrFunction,
  LOCAL,
  type Module,
  Op,
  PRIVATE,
  type ProgramLayout,
  type Value,
  type WorkItemParameterName,
  constantInt,
  replaceUses,
  sizeOf,
} from "@muxkit/ir";

import { isSmallTable } from "@muxkit/vecz";

import { abiOffset, readAbiField, toWidth } from "../abi-fields.ts";
import type { GlobalPlacement, LoweringState } from "../lowering-state.ts";
import { type WorkItemValues, groupItems, subGroupCount, workItemValues } from "../work-item-values.ts";
import { isPrintfAddress, isWorkItemQuery } from "./add-work-item-parameters.ts";
import { layOutProgram } from "./program-data.ts";

/** Alignment of a local variable that needs less. */
const LOCAL_ALIGNMENT = 16;

/**
 * IndexRange globals. Local variables of different kernels may share their bytes: only the kernel's own are reached.
 */
function placeGlobals(module: Module, reached: ReadonlySet<Global>, program: ProgramLayout): GlobalPlacement {
  const offsets = new Map<Global, number>();
  let localBytes = 0;
  for (const global of module.globals.values()) {
    if (global.addressSpace === LOCAL) {
      if (!reached.has(global)) continue;
      localBytes = alignUp(localBytes, Math.max(LOCAL_ALIGNMENT, global.alignment));
      offsets.set(global, localBytes);
      localBytes += sizeOf(module.layout, global.type);
    } else {
      const offset = program.offsets.get(global.name);
      if (offset !== undefined) offsets.set(global, offset);
    }
  }
  return { offsets, localBytes, program };
}

/** Local variables that a function and what it calls reach. */
function usedLocals(fn: IrFunction, seen: Set<IrFunction> = new Set()): Set<Global> {
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

/** Which work-item parameters a query of one dimension reads, and its value from dimension 3 on. */
const BY_DIMENSION: Readonly<Record<number, readonly [name: WorkItemParameterName, beyond: number]>> = {
  [Op.LOCAL_ID]: ["local", 0],
  [Op.LOCAL_SIZE]: ["size", 1],
  [Op.ENQUEUED_LOCAL_SIZE]: ["enqueued", 1],
  [Op.GROUP_ID]: ["group", 0],
  [Op.NUM_GROUPS]: ["groups", 1],
  [Op.GLOBAL_SIZE]: ["global", 1],
  [Op.GLOBAL_OFFSET]: ["offset", 0],
};

function ofAxis(builder: Builder, op: number, values: WorkItemValues, axis: number): Value {
  if (op === Op.GLOBAL_ID) return builder.same(Op.ADD, values.get("base", axis), values.get("local", axis));
  const row = BY_DIMENSION[op];
  assert(row !== undefined, "a query by dimension");
  return values.get(row[0], axis);
}

/** Queries of sub-groups, which divide the linear local ids (docs/decisions/022-sub-groups.md). */
const OF_SUB_GROUPS: Readonly<Record<number, (builder: Builder, values: WorkItemValues) => Value>> = {
  [Op.SUB_GROUP_ID]: (builder, values) => builder.same(Op.UDIV, values.get("linear"), values.get("subGroup")),
  [Op.SUB_GROUP_LOCAL_ID]: (builder, values) => builder.same(Op.UREM, values.get("linear"), values.get("subGroup")),
  [Op.NUM_SUB_GROUPS]: (builder, values) => subGroupCount(builder, values, groupItems(builder, values, "size")),
  [Op.ENQUEUED_NUM_SUB_GROUPS]: (builder, values) =>
    subGroupCount(builder, values, groupItems(builder, values, "enqueued")),
  [Op.MAX_SUB_GROUP_SIZE]: (builder, values) =>
    builder.same(Op.UMIN, values.get("subGroup"), groupItems(builder, values, "enqueued")),
  [Op.SUB_GROUP_SIZE]: (builder, values) => {
    const id = values.get("linear");
    const first = builder.same(Op.SUB, id, builder.same(Op.UREM, id, values.get("subGroup")));
    return builder.same(
      Op.UMIN,
      values.get("subGroup"),
      builder.same(Op.SUB, groupItems(builder, values, "size"), first),
    );
  },
};

/** Where variables are, and how wide numbers are. */
interface QueryFrame {
  readonly layout: DataLayout;
  readonly placement: GlobalPlacement;
  readonly values: WorkItemValues;
}

/** The value of a query in the index type. */
function query(builder: Builder, instruction: Instruction, { layout, values }: QueryFrame): Value {
  const { op } = instruction;
  const add = (a: Value, b: Value): Value => builder.same(Op.ADD, a, b);
  const multiply = (a: Value, b: Value): Value => builder.same(Op.MUL, a, b);
  if (op === Op.WORK_DIM)
    return readAbiField(builder, layout, values.get("dispatch"), { block: "dispatch", field: "dimensions" });
  if (op === Op.ADDRESS_SPACE) return addressSpace(builder, instruction, layout, values);
  if (op === Op.LOCAL_LINEAR_ID) return values.get("linear");
  const ofSubGroups = OF_SUB_GROUPS[op];
  if (ofSubGroups !== undefined) return ofSubGroups(builder, values);
  if (op === Op.GLOBAL_LINEAR_ID) {
    const id = (axis: number): Value =>
      builder.same(Op.SUB, ofAxis(builder, Op.GLOBAL_ID, values, axis), values.get("offset", axis));
    return add(multiply(add(multiply(id(2), values.get("global", 1)), id(1)), values.get("global", 0)), id(0));
  }
  const beyond = op === Op.GLOBAL_ID ? 0 : (BY_DIMENSION[op]?.[1] ?? 0);
  const [dimension] = instruction.operands;
  assert(dimension !== undefined, "a query has a dimension");
  if (dimension.kind === "constant")
    return dimension.low < 3 ? ofAxis(builder, op, values, dimension.low) : values.constant(beyond);
  let result: Value = values.constant(beyond);
  for (let axis = 2; axis >= 0; axis--)
    result = builder.select(
      builder.compare(Op.EQ, dimension, constantInt(dimension.type, axis)),
      ofAxis(builder, op, values, axis),
      result,
    );
  return result;
}

/**
 * Where a pointer points, by range tests on the arena: local memory is at its start, then live values and private stack
 * (docs/decisions/003-kernel-abi-per-worker.md); all else is global.
 */
function addressSpace(builder: Builder, instruction: Instruction, layout: DataLayout, values: WorkItemValues): Value {
  const [pointer] = instruction.operands;
  assert(pointer !== undefined, "a pointer is queried");
  const distance = builder.same(Op.SUB, builder.convert(Op.PTRTOINT, pointer, values.type), values.get("arena"));
  const liveOffset = readAbiField(builder, layout, values.get("dispatch"), { block: "dispatch", field: "liveOffset" });
  const isLocal = builder.compare(Op.ULT, distance, liveOffset);
  const arenaSize = readAbiField(builder, layout, values.get("worker"), { block: "worker", field: "arenaSize" });
  const isOwn = builder.compare(Op.ULT, distance, arenaSize);
  return builder.select(
    isLocal,
    values.constant(LOCAL),
    builder.select(isOwn, values.constant(PRIVATE), values.constant(GLOBAL)),
  );
}

function printfAddress(builder: Builder, { symbol, type }: Instruction, { layout, values }: QueryFrame): Value {
  const isArea = symbol?.kind === "builtin" && symbol.name.endsWith("_area");
  const block = builder.convert(Op.INTTOPTR, values.get(isArea ? "worker" : "dispatch"), type);
  if (!isArea) return block;
  const offset = abiOffset(layout, { block: "worker", field: "printfArea" });
  return builder.load(type, builder.address(block, null, 0, offset), sizeOf(layout, type));
}

function globalAddress(builder: Builder, instruction: Instruction, { placement, values }: QueryFrame): Value {
  const { symbol, type } = instruction;
  assert(symbol?.kind === "global", "an address names its global");
  const offset = placement.offsets.get(symbol);
  assert(offset !== undefined, () => `global ${symbol.name} has no place`);
  assert(
    symbol.addressSpace === LOCAL || symbol.addressSpace === CONSTANT || symbol.addressSpace === GLOBAL,
    "globals live in local, constant or global memory",
  );
  const base = builder.convert(Op.INTTOPTR, values.get(symbol.addressSpace === LOCAL ? "arena" : "data"), type);
  return offset === 0 ? base : builder.address(base, null, 0, offset);
}

/** What takes the place of an instruction that is lowered. */
function lowered(builder: Builder, instruction: Instruction, frame: QueryFrame): Value {
  if (isWorkItemQuery(instruction.op)) return toWidth(builder, query(builder, instruction, frame), instruction.type);
  if (instruction.op === Op.GLOBAL_ADDRESS) return globalAddress(builder, instruction, frame);
  return printfAddress(builder, instruction, frame);
}

function isTableAddress({ op, symbol }: Instruction): boolean {
  return op === Op.GLOBAL_ADDRESS && symbol?.kind === "global" && isSmallTable(symbol);
}

function isEarly(instruction: Instruction): boolean {
  return (
    isWorkItemQuery(instruction.op) ||
    (instruction.op === Op.GLOBAL_ADDRESS && !isTableAddress(instruction)) ||
    isPrintfAddress(instruction)
  );
}

function lowerFunction(fn: IrFunction, frame: QueryFrame, isLowered: (instruction: Instruction) => boolean): boolean {
  const replaced = new Map<Value, Value>();
  for (const block of fn.blocks) {
    if (!block.instructions.some(isLowered)) continue;
    const old = block.instructions;
    block.instructions = [];
    const builder = new Builder(block);
    for (const instruction of old) {
      builder.location = instruction.location;
      if (isLowered(instruction)) replaced.set(instruction, lowered(builder, instruction, frame));
      else block.append(instruction);
    }
  }
  replaceUses(fn, replaced);
  return replaced.size > 0;
}

/** Lowers the queries of all functions that take the work-item parameters. */
export function lowerWorkItemQueries(module: Module, state: LoweringState): boolean {
  state.programLayout ??= layOutProgram(module, state.request.layoutBase);
  const locals = new Set(module.kernels.flatMap((kernel) => [...usedLocals(kernel)]));
  const placement = placeGlobals(module, locals, state.programLayout);
  state.placement = placement;
  let changed = false;
  for (const fn of module.functions.values())
    if (fn.convention.kind === "work_item")
      changed = lowerFunction(fn, { layout: module.layout, placement, values: workItemValues(fn) }, isEarly) || changed;
  return changed;
}

/** Lowers the addresses that `lower-work-item-queries` left. */
export function lowerTableAddresses(module: Module, { placement }: LoweringState): boolean {
  let changed = false;
  for (const fn of module.functions.values()) {
    if (fn.convention.kind !== "work_item" || fn.blocks.length === 0 || placement === null) continue;
    const frame = { layout: module.layout, placement, values: workItemValues(fn) };
    changed = lowerFunction(fn, frame, isTableAddress) || changed;
  }
  return changed;
}
