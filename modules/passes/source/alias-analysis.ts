// SPDX-License-Identifier: Apache-2.0
// Alias facts: which object a pointer leads to, and which accesses cannot meet.
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

/** What is known of the objects that pointers of a function lead to. @public */
export interface AliasFacts {
  /** Private variables that only loads, stores, fills and copies of this function reach: no call, no other work-item and no other pointer does. */
  readonly unescaped: ReadonlySet<Value>;
  /** Parameters of a kernel that are `restrict`: what is reached through one is not written through another pointer. */
  readonly restricted: ReadonlySet<Value>;
}

/** The variable, global, parameter or other value that an address is made from. @internal */
export function baseOf(pointer: Value): Value {
  let value = resolved(pointer);
  while (value.kind === "instruction" && value.op === Op.ADDRESS) {
    const [base] = value.operands;
    if (base === undefined) return value;
    value = resolved(base);
  }
  return value;
}

/** Where the pointer operands of an access stand, by op. */
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

/** Finds the facts. @public */
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

/** Variables whose address an instruction gives to anything but a plain access are no longer its function's own. */
function findEscapes({ op, operands, successorArguments }: Instruction, unescaped: Set<Value>): void {
  // The base of an address stays followed.
  if (op === Op.ADDRESS || op === Op.DEBUG_VALUE) return;
  const places = POINTER_OPERANDS[op];
  for (let i = 0; i < operands.length; i++) {
    const operand = operands[i] as Value;
    if (isPointer(operand.type) && places?.includes(i) !== true) unescaped.delete(baseOf(operand));
  }
  for (let edge = 0; edge < successorArguments.length; edge++)
    for (const value of successorArguments[edge] as Value[]) if (isPointer(value.type)) unescaped.delete(baseOf(value));
}

/** An access to memory. @public */
export interface Access {
  /** Where. */
  readonly pointer: Value;
  /** How many bytes at most; -1: not known. */
  readonly bytes: number;
  /** Its alias group; 0: none. */
  readonly aliasGroup: number;
}

/** Constant bytes from the base to the address; null: not a constant. */
function constantOffset(pointer: Value): number | null {
  let offset = 0;
  let value = pointer;
  while (value.kind === "instruction" && value.op === Op.ADDRESS) {
    if (value.operands.length > 1) return null;
    offset += value.offset;
    const [base] = value.operands;
    if (base === undefined) return null;
    value = base;
  }
  return offset;
}

/** True for objects that begin where their pointer says and that no other such object overlaps. */
function isObject(value: Value): boolean {
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

/** Accesses through one base and one index that differ by constants. */
function apart(left: Access, right: Access): boolean {
  if (left.bytes < 0 || right.bytes < 0) return false;
  const a = constantOffset(left.pointer);
  const b = constantOffset(right.pointer);
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
  if (sameObject(a, b)) return !apart(left, right);
  if (isObject(a) && isObject(b)) return false;
  // Nobody else has the address of a variable that does not escape.
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

/** True when no other work-item and no callee can reach what a pointer leads to. @internal */
export function isOwn(pointer: Value, facts: AliasFacts): boolean {
  return facts.unescaped.has(baseOf(pointer));
}

/** True for memory that nobody writes while a kernel runs. @internal */
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

/** What a plain access, or the written side of a copy, touches. The instruction's effect is `reads` or `writes`. @public */
export function accessOf(instruction: Instruction, layout: DataLayout): Access | null {
  const { op, operands, aliasGroup } = instruction;
  const pointer = operands[POINTER_FIRST.has(op) ? 0 : 1];
  if (pointer === undefined) return null;
  if (op === Op.MEMORY_FILL || op === Op.MEMORY_COPY) return { pointer, bytes: lengthOf(operands[2]), aliasGroup };
  // Anywhere within what its pointers are made from.
  if (op === Op.GATHER || op === Op.SCATTER) return { pointer, bytes: -1, aliasGroup };
  const type = instruction.type === VOID ? operands[0]?.type : instruction.type;
  return { pointer, bytes: type === undefined ? -1 : sizeOf(layout, type), aliasGroup };
}

/** True for the ops whose access {@link accessOf} gives: what reads or writes at a pointer, atomically or not. @internal */
export function isAccess(op: number): boolean {
  return LOADS.has(op) || STORES.has(op) || (op >= Op.ATOMIC_LOAD && op <= Op.ATOMIC_COMPARE_EXCHANGE);
}

const LOADS: ReadonlySet<number> = new Set([Op.LOAD, Op.MASKED_LOAD, Op.GATHER]);
const STORES: ReadonlySet<number> = new Set([Op.STORE, Op.MEMORY_FILL, Op.MEMORY_COPY, Op.MASKED_STORE, Op.SCATTER]);

/** What an instruction does to memory. @public */
export type MemoryEffect = "none" | "reads" | "writes" | "anything";

/** How an instruction touches memory: `writes` for a plain store, fill or copy, `anything` for calls, barriers, fences and atomics. @public */
export function memoryEffect(instruction: Instruction): MemoryEffect {
  const { op } = instruction;
  if (LOADS.has(op)) return (instruction.flags & VOLATILE) === 0 ? "reads" : "none";
  if (STORES.has(op)) return "writes";
  // A relaxed atomic operation orders nothing but itself.
  if (op >= Op.ATOMIC_LOAD && op <= Op.ATOMIC_COMPARE_EXCHANGE && instruction.order === "relaxed") return "writes";
  if (op === Op.CALL_BUILTIN && isPureCall(instruction)) return "none";
  if (op === Op.CALL && instruction.symbol?.kind === "function" && instruction.symbol.isOutside) return "none";
  return hasEffect(op, "w") || hasEffect(op, "c") || hasEffect(op, "r") ? "anything" : "none";
}
