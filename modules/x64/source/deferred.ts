// SPDX-License-Identifier: Apache-2.0
// What is not computed where it stands but inside its user: addresses in accesses, loads in arithmetic, comparisons in
// branches and selections. Cost: linear in operands.
import { type Block, type Instruction, type IrFunction, OPS, Op, VOLATILE, type Value, hasEffect } from "@muxkit/ir";

import { isIndexed, isWideGather } from "./gathers.ts";
import { isWideScatter } from "./scatters.ts";
import { isFloatRegister, isMask, vectorBytes } from "./shape.ts";

/** Where the pointer of an access is among its operands. */
const POINTER: Readonly<Record<number, number>> = {
  [Op.LOAD]: 0,
  [Op.STORE]: 1,
  [Op.MASKED_LOAD]: 0,
  [Op.MASKED_STORE]: 1,
  [Op.ATOMIC_LOAD]: 0,
  [Op.ATOMIC_STORE]: 1,
  [Op.ATOMIC_RMW]: 0,
  [Op.ATOMIC_COMPARE_EXCHANGE]: 0,
};

/** Ops whose second operand may be in memory. */
const TAKES_MEMORY: ReadonlySet<number> = new Set<number>([
  Op.ADD,
  Op.SUB,
  Op.MUL,
  Op.AND,
  Op.OR,
  Op.XOR,
  Op.FADD,
  Op.FSUB,
  Op.FMUL,
  Op.FDIV,
]);

/** Whether a load's value can be an operand in memory. */
function fitsMemory({ type, flags }: Instruction): boolean {
  if ((flags & VOLATILE) !== 0 || isMask(type)) return false;
  if (type.kind !== "vector")
    return type.kind === "pointer" || (type.kind === "int" ? type.bits >= 32 : isFloatRegister(type));
  const bytes = vectorBytes(type, 1);
  return bytes === 16 || bytes % 32 === 0;
}

function isCompare(op: number): boolean {
  const rule = OPS[op]?.rule;
  return rule === "compare-int" || rule === "compare-float";
}

/** The instructions of a function that their users compute. */
export function chooseDeferred(fn: IrFunction, isWide: boolean): ReadonlySet<Instruction> {
  const deferred = new Set<Instruction>();
  const users = new Map<Instruction, Instruction | null>();
  /** Comparisons of scalars of which some user wants the value, or is in another block. */
  const wanted = new Set<Instruction>();
  const see = (value: Value, user: Instruction): void => {
    if (value.kind !== "instruction") return;
    users.set(value, users.has(value) ? null : user);
    if (isCompare(value.op) && (user.block !== value.block || !isComparedWithin(value, user))) wanted.add(value);
  };
  for (const { instructions } of fn.blocks) {
    for (const user of instructions) {
      for (const operand of user.operands) see(operand, user);
      for (const list of user.successorArguments) for (const value of list) see(value, user);
    }
  }
  chooseAddresses(fn, deferred);
  chooseIndexed(fn, isWide, deferred);
  for (const block of fn.blocks) chooseInBlock(block, users, wanted, deferred);
  return deferred;
}

/** Vectors of addresses that gathers compute, and scatters of wide tiers. */
function chooseIndexed(fn: IrFunction, isWide: boolean, deferred: Set<Instruction>): void {
  const candidates: Instruction[] = [];
  const needed = new Set<Value>();
  for (const { instructions } of fn.blocks) {
    for (const instruction of instructions) {
      if (isIndexed(instruction)) candidates.push(instruction);
      const pointers = isWideGather(instruction) ? 0 : isWide && isWideScatter(instruction) ? 1 : -1;
      instruction.operands.forEach((operand, i) => {
        if (i !== pointers) needed.add(operand);
      });
      for (const list of instruction.successorArguments) for (const value of list) needed.add(value);
    }
  }
  for (const instruction of candidates) if (!needed.has(instruction)) deferred.add(instruction);
}

function isSimpleAddress({ op, type, operands, scale }: Instruction): boolean {
  if (op === Op.ALLOCA) return true;
  if (op !== Op.ADDRESS || type.kind === "vector") return false;
  const [, index] = operands;
  return index === undefined || index.kind === "constant" || (index.type.bits >= 32 && [1, 2, 4, 8].includes(scale));
}

function hasIndex({ op, operands }: Instruction): boolean {
  return op === Op.ADDRESS && operands[1] !== undefined && operands[1].kind !== "constant";
}

/** Whether an address that is not computed where it stands, or one that it is made of, has an index. */
function hasIndexBefore(address: Instruction, deferred: ReadonlySet<Instruction>): boolean {
  let at: Value | undefined = address;
  while (at?.kind === "instruction" && deferred.has(at)) {
    if (hasIndex(at)) return true;
    at = at.op === Op.ADDRESS ? at.operands[0] : undefined;
  }
  return false;
}

/** Addresses that only accesses use, directly or by other such addresses. */
function chooseAddresses(fn: IrFunction, deferred: Set<Instruction>): void {
  const needed = new Set<Value>();
  const candidates: Instruction[] = [];
  for (const { instructions } of fn.blocks) {
    for (const instruction of instructions) {
      const isAddress = isSimpleAddress(instruction);
      if (isAddress) candidates.push(instruction);
      const pointer = POINTER[instruction.op] ?? (isAddress && instruction.op === Op.ADDRESS ? 0 : -1);
      instruction.operands.forEach((operand, i) => {
        if (i !== pointer) needed.add(operand);
      });
      for (const list of instruction.successorArguments) for (const value of list) needed.add(value);
    }
  }
  for (const instruction of candidates)
    if (instruction.op === Op.ALLOCA || !needed.has(instruction)) deferred.add(instruction);
  // An access has place for one index: what is before another one is added where it stands, often before a loop.
  for (const instruction of candidates) {
    const [base] = instruction.operands;
    if (base?.kind === "instruction" && hasIndex(instruction) && deferred.has(base) && hasIndexBefore(base, deferred))
      deferred.delete(base);
  }
}

function chooseInBlock(
  block: Block,
  users: ReadonlyMap<Instruction, Instruction | null>,
  wanted: ReadonlySet<Instruction>,
  deferred: Set<Instruction>,
): void {
  const { instructions } = block;
  /** Number of writes before each instruction. */
  const writes = new Map<Instruction, number>();
  let count = 0;
  for (const instruction of instructions) {
    writes.set(instruction, count);
    if (hasEffect(instruction.op, "w") || hasEffect(instruction.op, "c")) count++;
  }
  for (const instruction of instructions) {
    const user = users.get(instruction);
    // To compare again for each user is cheaper than a value of it: that is made of flags, and tested by each.
    if (isCompare(instruction.op) && instruction.type.kind !== "vector") {
      if (user !== undefined && !wanted.has(instruction)) deferred.add(instruction);
      continue;
    }
    if (user === undefined || user === null || user.block !== block) continue;
    if (instruction.op === Op.ANY || instruction.op === Op.ALL) {
      if (isComparedWithin(instruction, user)) deferred.add(instruction);
    } else if (instruction.op === Op.LOAD && writes.get(user) === writes.get(instruction)) {
      if (isSpread(instruction, user) || (fitsMemory(instruction) && takesLoad(user, instruction, deferred)))
        deferred.add(instruction);
    }
  }
}

/** Whether a branch or a selection makes the comparison itself. */
function isComparedWithin(compare: Instruction, user: Instruction): boolean {
  const { type, operands } = compare;
  if (type.kind === "vector" || user.operands[0] !== compare) return false;
  const [first] = operands;
  if (first === undefined || (first.type.kind === "float" && first.type.bits === 16)) return false;
  const isScalarSelect = user.op === Op.SELECT && user.type.kind !== "vector" && !isFloatRegister(user.type);
  return user.op === Op.COND_BR || isScalarSelect;
}

/** Whether lanes are filled from memory. */
function isSpread({ op, type, flags }: Instruction, user: Instruction): boolean {
  return (
    op === Op.LOAD && user.op === Op.SPLAT && (flags & VOLATILE) === 0 && !(type.kind === "int" && type.bits === 1)
  );
}

/** Whether arithmetic reads the operand from memory itself. */
function takesLoad(user: Instruction, load: Instruction, deferred: ReadonlySet<Instruction>): boolean {
  const place = user.operands.indexOf(load);
  const isSwapped = place === 0 && hasEffect(user.op, "m") && !isCompare(user.op);
  const other = user.operands[1 - place];
  // Of two loads one is in memory.
  if (other?.kind === "instruction" && deferred.has(other) && other.op === Op.LOAD) return false;
  return TAKES_MEMORY.has(user.op) && (place === 1 || isSwapped) && other?.kind !== "constant";
}
