// SPDX-License-Identifier: Apache-2.0
// `lower-local-atomics`: makes atomic operations plain on memory that one thread has to itself. A work-group runs on
// one thread, so that local memory needs none (docs/decisions/027-local-atomics.md).
import {
  type AtomicKind,
  type Block,
  Builder,
  type DataLayout,
  F32,
  F64,
  I32,
  I64,
  type Instruction,
  type IrFunction,
  LOCAL,
  type Module,
  Op,
  PRIVATE,
  type Scope,
  type Value,
  replaceUses,
  sizeOf,
} from "@muxkit/ir";

/** What an atomic read-modify-write computes; `exchange` is the new value itself. */
const OPS: Readonly<Record<Exclude<AtomicKind, "exchange">, number>> = {
  add: Op.ADD,
  sub: Op.SUB,
  mul: Op.MUL,
  and: Op.AND,
  or: Op.OR,
  xor: Op.XOR,
  smin: Op.SMIN,
  smax: Op.SMAX,
  umin: Op.UMIN,
  umax: Op.UMAX,
  fadd: Op.FADD,
  fmul: Op.FMUL,
  fmin: Op.FMIN,
  fmax: Op.FMAX,
};

/** Scopes within which all work-items run on one thread. */
const WITHIN_THREAD: ReadonlySet<Scope> = new Set<Scope>(["work_item", "sub_group", "work_group"]);

const POINTER_OPERAND: Readonly<Record<number, number>> = {
  [Op.ATOMIC_LOAD]: 0,
  [Op.ATOMIC_STORE]: 1,
  [Op.ATOMIC_RMW]: 0,
  [Op.ATOMIC_COMPARE_EXCHANGE]: 0,
};

/** True for an atomic operation on local or private memory, as its pointer proves. */
function isOwn(instruction: Instruction): boolean {
  const at = POINTER_OPERAND[instruction.op];
  const space = at === undefined ? undefined : instruction.operands[at]?.type.addressSpace;
  return space === LOCAL || space === PRIVATE;
}

/** Bits of a float: a compare-exchange compares those. */
function bits(builder: Builder, value: Value): Value {
  if (value.type === F32) return builder.convert(Op.BITCAST, value, I32);
  return value.type === F64 ? builder.convert(Op.BITCAST, value, I64) : value;
}

/** Writes plain operations; returns the old value, null for a store. */
function plain(builder: Builder, layout: DataLayout, { op, operands, type, atomicKind }: Instruction): Value | null {
  const [first, second, third] = operands;
  if (first === undefined) return null;
  if (op === Op.ATOMIC_STORE) {
    if (second !== undefined) builder.store(first, second, sizeOf(layout, first.type));
    return null;
  }
  const size = sizeOf(layout, type);
  const old = builder.load(type, first, size);
  if (op === Op.ATOMIC_LOAD || second === undefined) return old;
  if (op === Op.ATOMIC_RMW)
    builder.store(atomicKind === "exchange" ? second : builder.same(OPS[atomicKind], old, second), first, size);
  else if (third !== undefined) {
    const isSame = builder.compare(Op.EQ, bits(builder, old), bits(builder, second));
    builder.store(builder.select(isSame, third, old), first, size);
  }
  return old;
}

function lowerBlock(block: Block, layout: DataLayout, replaced: Map<Value, Value>): void {
  const old = block.instructions;
  block.instructions = [];
  const builder = new Builder(block);
  for (const instruction of old) {
    if (instruction.op === Op.FENCE && WITHIN_THREAD.has(instruction.scope)) continue;
    if (!isOwn(instruction)) {
      block.append(instruction);
      continue;
    }
    builder.location = instruction.location;
    instruction.operands = instruction.operands.map((value) => replaced.get(value) ?? value);
    const value = plain(builder, layout, instruction);
    if (value !== null) replaced.set(instruction, value);
  }
}

/**
 * Makes atomic operations of a function on local and private memory plain ones, and drops fences that order one thread
 * with itself.
 */
function lowerFunction(fn: IrFunction, layout: DataLayout): boolean {
  const replaced = new Map<Value, Value>();
  let changed = false;
  for (const block of fn.blocks) {
    if (!block.instructions.some((instruction) => instruction.op === Op.FENCE || isOwn(instruction))) continue;
    lowerBlock(block, layout, replaced);
    changed = true;
  }
  if (replaced.size > 0) replaceUses(fn, replaced);
  return changed;
}

/**
 * Lowers the atomic operations of all functions. It comes after vectorisation: lanes that update one address would lose
 * each other's sums.
 */
export function lowerLocalAtomics({ functions, layout }: Module): boolean {
  let changed = false;
  for (const fn of functions.values()) changed = lowerFunction(fn, layout) || changed;
  return changed;
}
