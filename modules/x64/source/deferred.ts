// SPDX-License-Identifier: Apache-2.0
// What is not computed where it stands but inside its user: addresses in accesses, loads in arithmetic, comparisons in
// branches and selections. Cost: linear in operands.
import { filled } from "@muxkit/cargo";
import {
  type Block,
  type Instruction,
  type IrFunction,
  OPS,
  Op,
  type Parameter,
  VOLATILE,
  type Value,
  hasEffect,
} from "@muxkit/ir";

import { isIndexed, isWideGather } from "./gathers.ts";
import { chooseLogic, isDeferredLogic } from "./logic.ts";
import { isMaskCompare } from "./mask-compares.ts";
import { modifiedLoad } from "./modified.ts";
import { isNegation } from "./multiply-add.ts";
import { complemented } from "./complement.ts";
import { isWideScatter } from "./scatters.ts";
import { isFloatRegister, isMask, scalarBytes, vectorBytes } from "./shape.ts";

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

/** Of these, those whose instructions on vectors have lanes of 4 bytes, whatever the op's lanes are. */
const OF_FOUR_BYTES: ReadonlySet<number> = new Set<number>([Op.AND, Op.OR, Op.XOR]);

/** Whether an instruction is a load, or in wide tiers one lane for all of a vector, that its user may read itself. */
export function isRead({ op }: Instruction): boolean {
  return op === Op.LOAD || op === Op.SPLAT;
}

/** Whether a load's value can be an operand in memory. */
function fitsMemory({ type, flags }: Instruction): boolean {
  if ((flags & VOLATILE) !== 0 || isMask(type)) return false;
  if (type.kind !== "vector")
    return type.kind === "pointer" || (type.kind === "int" ? type.bits >= 32 : isFloatRegister(type));
  const bytes = vectorBytes(type, 1);
  return bytes === 16 || bytes % 32 === 0;
}

/** Which ops compare. */
const IS_COMPARE: readonly boolean[] = OPS.map(({ rule }) => rule === "compare-int" || rule === "compare-float");

function isCompare(op: number): boolean {
  return IS_COMPARE[op] === true;
}

/** What is known of a value, by its number; bits. */
const IS_USED = 1;
/** It has several uses. */
const IS_SHARED = 2;
/** An address that something but an access or another address uses. */
const IS_POINTER_NEEDED = 4;
/** A vector of addresses that something but a gather or a scatter uses. */
const IS_VECTOR_NEEDED = 8;
/** A comparison of which some user wants the value, or is in another block. */
const IS_WANTED = 16;
/** A negation that something but a multiply-add uses. */
const IS_NOT_ADDED = 32;
/** An address that something in another block, or another address, uses. */
const IS_FAR = 64;

/**
 * Numbers the values of a function in their scratch `mark`, which stays as it is until the function is selected.
 * Yields how many there are; constants have no number.
 */
export function numberValues(fn: IrFunction): number {
  let count = 0;
  for (const parameter of fn.parameters) parameter.mark = count++;
  for (const { parameters, instructions } of fn.blocks) {
    for (let i = 0; i < parameters.length; i++) (parameters[i] as Parameter).mark = count++;
    for (let i = 0; i < instructions.length; i++) (instructions[i] as Instruction).mark = count++;
  }
  return count;
}

/** An instruction that its user computes. */
export const IS_DEFERRED = 1;
/** An atomic one whose result nobody reads. */
export const IS_RESULT_UNREAD = 2;

/** By the numbers of a function's instructions what is special about them; 0: they are computed where they stand. */
export function chooseDeferred(fn: IrFunction, count: number, isWide: boolean): Uint8Array {
  const uses: Uses = { facts: new Uint8Array(count), users: filled<Instruction | null>(count, null) };
  const addresses: Instruction[] = [];
  const indexed: Instruction[] = [];
  const atomics: Instruction[] = [];
  for (const { instructions } of fn.blocks) {
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i] as Instruction;
      if (isSimpleAddress(instruction)) addresses.push(instruction);
      if (instruction.op === Op.ADDRESS && isIndexed(instruction)) indexed.push(instruction);
      if (instruction.op === Op.ATOMIC_RMW) atomics.push(instruction);
      noteUses(uses, instruction, isWide);
    }
  }
  const deferred = new Uint8Array(count);
  chooseAddresses(addresses, uses.facts, deferred);
  for (const { mark } of indexed) if (((uses.facts[mark] as number) & IS_VECTOR_NEEDED) === 0) deferred[mark] = 1;
  for (const { mark } of atomics) if (((uses.facts[mark] as number) & IS_USED) === 0) deferred[mark] = IS_RESULT_UNREAD;
  // Writes before each instruction, counted through the function: a number is compared within a block only.
  const writes = new Int32Array(count);
  for (const block of fn.blocks) {
    if (isWide) chooseLogic(block, (value) => hasOneUse(uses, value), deferred);
    chooseInBlock(block, uses, writes, deferred, isWide);
  }
  return deferred;
}

/** What is known of values by their numbers, and who uses each that has one use. */
interface Uses {
  readonly facts: Uint8Array;
  readonly users: (Instruction | null)[];
}

function noteUse({ facts, users }: Uses, value: Value, user: Instruction, needed: number): void {
  if (value.kind !== "instruction") return;
  const { mark } = value;
  const known = facts[mark] as number;
  let now = known | needed | ((known & IS_USED) === 0 ? IS_USED : IS_SHARED);
  if (value.op === Op.FNEG && user.op !== Op.FMA) now |= IS_NOT_ADDED;
  if (value.op === Op.ADDRESS && (user.op === Op.ADDRESS || user.block !== value.block)) now |= IS_FAR;
  if (isCompare(value.op) && (user.block !== value.block || !isComparedWithin(value, user))) now |= IS_WANTED;
  facts[mark] = now;
  users[mark] = user;
}

/** Notes the uses of an instruction's operands. */
function noteUses(uses: Uses, user: Instruction, isWide: boolean): void {
  const { op, operands, successorArguments } = user;
  const pointer = POINTER[op] ?? (isSimpleAddress(user) && op === Op.ADDRESS ? 0 : -1);
  // Vectors of addresses: of gathers, and of scatters of wide tiers.
  const pointers = isWideGather(user) ? 0 : isWide && isWideScatter(user) ? 1 : -1;
  for (let i = 0; i < operands.length; i++) {
    const needed = (i === pointer ? 0 : IS_POINTER_NEEDED) | (i === pointers ? 0 : IS_VECTOR_NEEDED);
    noteUse(uses, operands[i] as Value, user, needed);
  }
  for (let k = 0; k < successorArguments.length; k++) {
    const list = successorArguments[k] as readonly Value[];
    for (let i = 0; i < list.length; i++) noteUse(uses, list[i] as Value, user, IS_POINTER_NEEDED | IS_VECTOR_NEEDED);
  }
}

function isSimpleAddress({ op, type, operands }: Instruction): boolean {
  if (op === Op.ALLOCA) return true;
  if (op !== Op.ADDRESS || type.kind === "vector") return false;
  const index = operands[1];
  return index === undefined || index.kind === "constant" || index.type.bits >= 32;
}

/** Whether the index of an address is multiplied by an instruction of its own, which accesses of one block share. */
function isMultiplied(address: Instruction): boolean {
  return hasIndex(address) && ![1, 2, 4, 8].includes(address.scale);
}

function hasIndex({ op, operands }: Instruction): boolean {
  return op === Op.ADDRESS && operands[1] !== undefined && operands[1].kind !== "constant";
}

/** Whether an address that is not computed where it stands, or one that it is made of, has an index. */
function hasIndexBefore(address: Instruction, deferred: Uint8Array): boolean {
  let at: Value | undefined = address;
  while (at?.kind === "instruction" && deferred[at.mark] === 1) {
    if (hasIndex(at)) return true;
    at = at.op === Op.ADDRESS ? at.operands[0] : undefined;
  }
  return false;
}

/** Addresses that only accesses use, directly or by other such addresses. */
function chooseAddresses(candidates: readonly Instruction[], facts: Uint8Array, deferred: Uint8Array): void {
  for (const address of candidates) {
    const excluded = IS_POINTER_NEEDED | (isMultiplied(address) ? IS_FAR : 0);
    if (address.op === Op.ALLOCA || ((facts[address.mark] as number) & excluded) === 0) deferred[address.mark] = 1;
  }
  // An access has place for one index: what is before another one is added where it stands, often before a loop.
  for (const instruction of candidates) {
    const base = instruction.operands[0];
    if (base?.kind === "instruction" && hasIndex(instruction) && hasIndexBefore(base, deferred))
      deferred[base.mark] = 0;
  }
}

/** Whether one operand of one instruction in the block of a value is all that uses it. */
function hasOneUse({ facts, users }: Uses, value: Instruction): boolean {
  return (
    ((facts[value.mark] as number) & (IS_USED | IS_SHARED)) === IS_USED && users[value.mark]?.block === value.block
  );
}

function chooseInBlock(block: Block, uses: Uses, writes: Int32Array, deferred: Uint8Array, isWide: boolean): void {
  const { facts, users } = uses;
  const { instructions } = block;
  let count = 0;
  for (let i = 0; i < instructions.length; i++) {
    const { op, mark } = instructions[i] as Instruction;
    writes[mark] = count;
    if (hasEffect(op, "w") || hasEffect(op, "c")) count++;
  }
  chooseModified(block, uses, writes, deferred);
  for (let i = 0; i < instructions.length; i++) {
    const instruction = instructions[i] as Instruction;
    const { op, mark } = instruction;
    const known = facts[mark] as number;
    if (op === Op.FNEG) {
      if ((known & (IS_USED | IS_NOT_ADDED)) === IS_USED && isNegation(instruction)) deferred[mark] = 1;
      continue;
    }
    // To compare again for each user is cheaper than a value of it: that is made of flags, and tested by each.
    if (isCompare(op) && instruction.type.kind !== "vector") {
      if ((known & (IS_USED | IS_WANTED)) === IS_USED) deferred[mark] = 1;
      continue;
    }
    if (deferred[mark] === 1) continue;
    if ((known & (IS_USED | IS_SHARED)) !== IS_USED) continue;
    const user = users[mark] as Instruction;
    if (user.block !== block) continue;
    if (isPartOfMask(instruction, user, deferred, isWide)) {
      deferred[mark] = 1;
      continue;
    }
    if (op === Op.ANY || op === Op.ALL) {
      if (isComparedWithin(instruction, user)) deferred[mark] = 1;
    } else if (op === Op.LOAD && writes[user.mark] === writes[mark]) {
      if (isSpread(instruction, user) || (fitsMemory(instruction) && takesRead(user, instruction, uses, deferred)))
        deferred[mark] = 1;
    } else if (isWide && op === Op.SPLAT && isLaneForAll(instruction, user, writes, deferred)) {
      if (takesRead(user, instruction, uses, deferred)) deferred[mark] = 1;
    }
  }
}

/** Loads and what is computed of them, where a store puts it back. */
function chooseModified(block: Block, uses: Uses, writes: Int32Array, deferred: Uint8Array): void {
  const { instructions } = block;
  const hasOne = (value: Instruction): boolean => hasOneUse(uses, value);
  for (let i = 0; i < instructions.length; i++) {
    const store = instructions[i] as Instruction;
    const load = store.op === Op.STORE ? modifiedLoad(store, hasOne) : null;
    if (load === null || load.block !== block || writes[load.mark] !== writes[store.mark]) continue;
    deferred[load.mark] = 1;
    deferred[(store.operands[0] as Instruction).mark] = 1;
  }
}

/** Whether a branch or a selection makes the comparison itself. */
function isComparedWithin(compare: Instruction, user: Instruction): boolean {
  const { type, operands } = compare;
  if (type.kind === "vector" || user.operands[0] !== compare) return false;
  const first = operands[0];
  if (first === undefined || (first.type.kind === "float" && first.type.bits === 16)) return false;
  const isScalarSelect = user.op === Op.SELECT && user.type.kind !== "vector" && !isFloatRegister(user.type);
  return user.op === Op.COND_BR || isScalarSelect;
}

/**
 * Whether an `and` takes the complement of bits, or in wide tiers an operation on masks the comparison of vectors that
 * it is made of: one of two.
 */
function isPartOfMask(value: Instruction, user: Instruction, deferred: Uint8Array, isWide: boolean): boolean {
  const { type } = value;
  const isVector = type.kind === "vector";
  if (isVector ? !isWide || !isMask(type) : type.kind !== "int" || type.bits < 32) return false;
  const isCompared = isVector && isMaskCompare(value);
  if (!isCompared && complemented(value) === null) return false;
  if (isCompared && complemented(user) === value) return true;
  if (user.op !== Op.AND) return false;
  const [a, b] = user.operands as [Value, Value];
  const other = a === value ? b : a;
  return other.kind === "constant" ? isVector : deferred[other.mark] === 0;
}

/** Whether lanes are filled from memory. */
function isSpread({ op, type, flags }: Instruction, user: Instruction): boolean {
  return (
    op === Op.LOAD && user.op === Op.SPLAT && (flags & VOLATILE) === 0 && !(type.kind === "int" && type.bits === 1)
  );
}

/** Whether all lanes of a vector in one register are one in memory, of 4 or 8 bytes, which the user may read. */
function isLaneForAll(splat: Instruction, user: Instruction, writes: Int32Array, deferred: Uint8Array): boolean {
  const [load] = splat.operands as [Value];
  if (load.kind !== "instruction" || load.op !== Op.LOAD || deferred[load.mark] === 0) return false;
  const bytes = scalarBytes(splat.type);
  if (bytes < 4 || vectorBytes(splat.type, 1) > 64 || writes[user.mark] !== writes[load.mark]) return false;
  return bytes === 4 || !OF_FOUR_BYTES.has(user.op);
}

/** Whether arithmetic reads the operand from memory itself. */
function takesRead(user: Instruction, read: Instruction, uses: Uses, deferred: Uint8Array): boolean {
  const { op, operands } = user;
  // A part of a function of bits reads registers, and so does the whole.
  if (deferred[user.mark] === 1 || operands.some((other) => isDeferredLogic(other, deferred))) return false;
  if (op === Op.AND && operands.some((other) => other.kind === "instruction" && deferred[other.mark] === 1))
    return false;
  // Of two reads one is in memory.
  const isOtherRead = (other: Value): boolean =>
    other !== read && other.kind === "instruction" && deferred[other.mark] === 1 && isRead(other);
  const place = operands.indexOf(read);
  if (op === Op.FMA) {
    if (operands.some((other) => isOtherRead(other) || other.kind === "constant")) return false;
    // A product takes the place of a factor: one must be free.
    return place < 2 || operands.slice(0, 2).some((other) => other.kind === "instruction" && hasOneUse(uses, other));
  }
  const isSwapped = place === 0 && hasEffect(op, "m") && !isCompare(op);
  const other = operands[1 - place];
  if (other === undefined || isOtherRead(other)) return false;
  return TAKES_MEMORY.has(op) && (place === 1 || isSwapped) && other.kind !== "constant";
}
