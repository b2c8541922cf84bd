// SPDX-License-Identifier: Apache-2.0
// Alias analysis of one function: which memory object an access reaches, and whether two accesses may overlap.
//
// A pointer is followed through `address` instructions to its base: an alloca, a global, a parameter, or a value that
// is not traced further (loaded, selected, cast). `mayAlias` is false only where one of these rules holds:
//
//   1. the accesses carry different alias groups (the pass alias-groups derives them from `restrict`);
//   2. both have one base, and either constant offsets or the same index and scale, and their byte ranges are disjoint;
//   3. the bases are two different objects (allocas, globals);
//   4. one base is an alloca whose address never escapes (escape analysis, `aliasFacts`);
//   5. one base is a `restrict` parameter, the other another parameter or an object;
//   6. the address spaces do not overlap. Generic pointers reach every space but constant memory.
//
// It is flow-insensitive, as LLVM's BasicAA is, whose rules these are. The facts cost one walk over the function; a
// query follows the two address chains.
import {
  CONSTANT,
  type DataLayout,
  GENERIC,
  type Instruction,
  type IrFunction,
  Op,
  VOID,
  type Value,
  VOLATILE,
  hasEffect,
  isPointer,
  resolved,
  scalarOf,
  sizeOf,
  walk,
} from "@muxkit/ir";

import { isPureCall } from "./builtin-facts.ts";

/** Facts about the memory objects that the pointers of a function refer to. @public */
export interface AliasFacts {
  /**
   * Private variables whose address does not escape: only loads, stores, fills and copies of this function reach them,
   * no call, no other work-item and no other pointer.
   */
  readonly unescaped: ReadonlySet<Value>;
  /** `restrict` parameters of a kernel: memory reached through one is not written through another pointer. */
  readonly restricted: ReadonlySet<Value>;
}

/** The base of an address: an alloca, a global, a parameter or another value that is no `address`. @internal */
export function baseOf(pointer: Value): Value {
  let value = resolved(pointer);
  while (value.kind === "instruction" && value.op === Op.ADDRESS) {
    const [base] = value.operands;
    if (base === undefined) return value;
    value = resolved(base);
  }
  return value;
}

/** The private variable that a pointer refers to; null: it refers to none. @internal */
export function variableOf(pointer: Value | undefined): Instruction | null {
  if (pointer === undefined || !isPointer(pointer.type)) return null;
  const base = baseOf(pointer);
  return base.kind === "instruction" && base.op === Op.ALLOCA ? base : null;
}

/** Constant bytes from the base of an address ({@link baseOf}) to the address; null: not a constant. @internal */
export function offsetFromBase(pointer: Value): number | null {
  let offset = 0;
  let value = resolved(pointer);
  while (value.kind === "instruction" && value.op === Op.ADDRESS) {
    if (value.operands.length > 1) return null;
    offset += value.offset;
    const [base] = value.operands;
    if (base === undefined) return null;
    // Through values that a pass has replaced, as in baseOf: the offset would be from another base otherwise.
    value = resolved(base);
  }
  return offset;
}

/** Positions of the pointer operands of an access, by op. */
const POINTER_OPERANDS: Readonly<Record<number, readonly number[]>> = {
  [Op.LOAD]: [0],
  [Op.STORE]: [1],
  [Op.MEMORY_FILL]: [0],
  [Op.MEMORY_COPY]: [0, 1],
  [Op.MASKED_LOAD]: [0],
  [Op.MASKED_STORE]: [1],
  [Op.GATHER]: [0],
  [Op.SCATTER]: [1],
};

/** Computes the alias facts of a function. @public */
export function aliasFacts(fn: IrFunction): AliasFacts {
  const unescaped = new Set<Value>();
  for (const instruction of fn.entry.instructions) if (instruction.op === Op.ALLOCA) unescaped.add(instruction);
  if (unescaped.size > 0)
    walk(fn, (instruction) => {
      findEscapes(instruction, unescaped);
    });
  const restricted = new Set<Value>();
  fn.kernel?.arguments.forEach(({ isRestrict }, i) => {
    const parameter = fn.parameters[i];
    if (isRestrict && parameter !== undefined) restricted.add(parameter);
  });
  return { unescaped, restricted };
}

/** Removes the variables whose address an instruction uses other than for a plain access. */
function findEscapes({ op, operands, successorArguments }: Instruction, unescaped: Set<Value>): void {
  // An address of an address is traced to the same base.
  if (op === Op.ADDRESS || op === Op.DEBUG_VALUE) return;
  const positions = POINTER_OPERANDS[op];
  for (let i = 0; i < operands.length; i++) {
    const operand = operands[i] as Value;
    if (isPointer(operand.type) && positions?.includes(i) !== true) unescaped.delete(baseOf(operand));
  }
  for (let edge = 0; edge < successorArguments.length; edge++)
    for (const value of successorArguments[edge] as Value[]) if (isPointer(value.type)) unescaped.delete(baseOf(value));
}

/** An access to memory. @public */
export interface Access {
  /** The address. */
  readonly pointer: Value;
  /** Most bytes that it reads or writes; -1: not known. */
  readonly bytes: number;
  /** Its alias group; 0: none. */
  readonly aliasGroup: number;
}

/** True for the address of an identified object: an alloca or a global. Two different ones never overlap. @internal */
export function isObject(value: Value): boolean {
  return value.kind === "instruction" && (value.op === Op.ALLOCA || value.op === Op.GLOBAL_ADDRESS);
}

function sameObject(a: Value, b: Value): boolean {
  if (a === b) return true;
  return (
    a.kind === "instruction" &&
    b.kind === "instruction" &&
    a.op === Op.GLOBAL_ADDRESS &&
    b.op === Op.GLOBAL_ADDRESS &&
    a.symbol === b.symbol
  );
}

/** True when two accesses with one base have disjoint byte ranges: constant offsets, or one index with two offsets. */
function areDisjoint(left: Access, right: Access): boolean {
  if (left.bytes < 0 || right.bytes < 0) return false;
  const a = offsetFromBase(left.pointer);
  const b = offsetFromBase(right.pointer);
  if (a !== null && b !== null) return a + left.bytes <= b || b + right.bytes <= a;
  const x = resolved(left.pointer);
  const y = resolved(right.pointer);
  if (x.kind !== "instruction" || y.kind !== "instruction" || x.op !== Op.ADDRESS || y.op !== Op.ADDRESS) return false;
  if (
    x.operands.length !== 2 ||
    y.operands.length !== 2 ||
    x.scale !== y.scale ||
    !x.operands.every((operand, i) => resolved(operand) === resolved(y.operands[i] ?? operand))
  )
    return false;
  return x.offset + left.bytes <= y.offset || y.offset + right.bytes <= x.offset;
}

/** False only when two accesses cannot touch a common byte. @public */
export function mayAlias(left: Access, right: Access, facts: AliasFacts): boolean {
  if (left.aliasGroup !== 0 && right.aliasGroup !== 0 && left.aliasGroup !== right.aliasGroup) return false;
  const a = baseOf(left.pointer);
  const b = baseOf(right.pointer);
  if (sameObject(a, b)) return !areDisjoint(left, right);
  if (isObject(a) && isObject(b)) return false;
  // No other pointer refers to a variable whose address does not escape.
  if (facts.unescaped.has(a) || facts.unescaped.has(b)) return false;
  const isNamed = (value: Value): boolean => isObject(value) || (value.kind === "parameter" && value.owner !== null);
  if ((facts.restricted.has(a) && isNamed(b)) || (facts.restricted.has(b) && isNamed(a))) return false;
  const spaceA = scalarOf(left.pointer.type).addressSpace;
  const spaceB = scalarOf(right.pointer.type).addressSpace;
  if (spaceA === spaceB) return true;
  // Generic pointers reach all but constant memory.
  if (spaceA === GENERIC) return spaceB !== CONSTANT;
  if (spaceB === GENERIC) return spaceA !== CONSTANT;
  return false;
}

/** True when a pointer refers to a variable that no other work-item and no callee can reach. @internal */
export function isUnescaped(pointer: Value, facts: AliasFacts): boolean {
  return facts.unescaped.has(baseOf(pointer));
}

/** True for memory that is not written while a kernel runs. @internal */
export function isConstantMemory(pointer: Value): boolean {
  return scalarOf(pointer.type).addressSpace === CONSTANT;
}

const POINTER_FIRST = new Set<number>([
  Op.LOAD,
  Op.MEMORY_FILL,
  Op.MEMORY_COPY,
  Op.ATOMIC_LOAD,
  Op.ATOMIC_RMW,
  Op.ATOMIC_COMPARE_EXCHANGE,
  Op.MASKED_LOAD,
  Op.GATHER,
]);

/** Bytes of a copy or fill; -1: not known. */
function lengthOf(value: Value | undefined): number {
  return value?.kind === "constant" ? value.low : -1;
}

/**
 * The range that a plain access reads or writes; of a copy, the range that it writes.
 * The instruction's {@link memoryEffect} is `reads` or `writes`. Null: it accesses no memory.
 *
 * @public
 */
export function accessOf(instruction: Instruction, layout: DataLayout): Access | null {
  const { op, operands, aliasGroup } = instruction;
  const pointer = operands[POINTER_FIRST.has(op) ? 0 : 1];
  if (pointer === undefined) return null;
  if (op === Op.MEMORY_FILL || op === Op.MEMORY_COPY) return { pointer, bytes: lengthOf(operands[2]), aliasGroup };
  // The lanes' addresses may be anywhere in the object.
  if (op === Op.GATHER || op === Op.SCATTER) return { pointer, bytes: -1, aliasGroup };
  const type = instruction.type === VOID ? operands[0]?.type : instruction.type;
  return { pointer, bytes: type === undefined ? -1 : sizeOf(layout, type), aliasGroup };
}

/** True for the ops that {@link accessOf} describes: they read or write at a pointer, atomically or not. @internal */
export function isAccess(op: number): boolean {
  return LOADS.has(op) || STORES.has(op) || (op >= Op.ATOMIC_LOAD && op <= Op.ATOMIC_COMPARE_EXCHANGE);
}

const LOADS: ReadonlySet<number> = new Set([Op.LOAD, Op.MASKED_LOAD, Op.GATHER]);
const STORES: ReadonlySet<number> = new Set([Op.STORE, Op.MEMORY_FILL, Op.MEMORY_COPY, Op.MASKED_STORE, Op.SCATTER]);

/** Effect of an instruction on memory. @public */
export type MemoryEffect = "none" | "reads" | "writes" | "anything";

/**
 * The effect of an instruction on memory: `writes` for a plain store, fill, copy or relaxed atomic, `anything` for
 * calls, barriers, fences and ordered atomics.
 *
 * @public
 */
export function memoryEffect(instruction: Instruction): MemoryEffect {
  const { op } = instruction;
  if (LOADS.has(op)) return (instruction.flags & VOLATILE) === 0 ? "reads" : "none";
  if (STORES.has(op)) return "writes";
  // A relaxed atomic operation orders no other access.
  if (op >= Op.ATOMIC_LOAD && op <= Op.ATOMIC_COMPARE_EXCHANGE && instruction.order === "relaxed") return "writes";
  if (op === Op.CALL_BUILTIN && isPureCall(instruction)) return "none";
  if (op === Op.CALL && instruction.symbol?.kind === "function" && instruction.symbol.isOutside) return "none";
  return hasEffect(op, "w") || hasEffect(op, "c") || hasEffect(op, "r") ? "anything" : "none";
}
