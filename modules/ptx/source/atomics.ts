// SPDX-License-Identifier: Apache-2.0
/**
 * Atomic operations and fences. Order and scope are parts of an instruction from sm_70 on; a sequentially consistent
 * one is an acquiring and releasing one behind a fence of that order (PTX memory consistency model). Kinds that PTX has
 * not are loops of compare and exchange. Private memory has one reader: its atomics are a load and a store.
 */
import {
  type AtomicKind,
  type Instruction,
  type MemoryOrder,
  Op,
  PRIVATE,
  type Scope,
  type Type,
  combinationOf,
} from "@muxkit/ir";

import type { Code } from "./code.ts";
import { bitsOfFloat, floatOfBits, floatOp } from "./floats.ts";
import { binaryInteger, integerBits, isBinaryInteger } from "./integers.ts";
import { spaceOf } from "./memory.ts";

const SCOPES: Readonly<Record<Scope, string>> = {
  none: ".gpu",
  work_item: ".cta",
  sub_group: ".cta",
  work_group: ".cta",
  device: ".gpu",
  system: ".sys",
};

/** Orders of operations that read and write. */
const ORDERS: Readonly<Record<MemoryOrder, string>> = {
  none: ".relaxed",
  relaxed: ".relaxed",
  acquire: ".acquire",
  release: ".release",
  acq_rel: ".acq_rel",
  seq_cst: ".acq_rel",
};

/** What each kind is called, with the letter of its types. */
const KINDS: Readonly<Partial<Record<AtomicKind, readonly [name: string, letter: "b" | "u" | "s" | "f"]>>> = {
  exchange: ["exch", "b"],
  add: ["add", "u"],
  sub: ["add", "u"],
  and: ["and", "b"],
  or: ["or", "b"],
  xor: ["xor", "b"],
  smin: ["min", "s"],
  smax: ["max", "s"],
  umin: ["min", "u"],
  umax: ["max", "u"],
  fadd: ["add", "f"],
};

function classOfBits(bits: number): "b32" | "b64" {
  return bits === 64 ? "b64" : "b32";
}

/** The fence in front of a sequentially consistent operation. */
function fenceBefore(code: Code, { order, scope }: Instruction): void {
  if (order === "seq_cst") code.emit(`fence.sc${SCOPES[scope]}`);
}

/** `fence`. */
export function writeFence(code: Code, { order, scope }: Instruction): void {
  if (order === "relaxed" || order === "none" || scope === "work_item") return;
  code.emit(`fence.${order === "seq_cst" ? "sc" : "acq_rel"}${SCOPES[scope]}`);
}

interface Access {
  readonly instruction: Instruction;
  readonly pointer: string;
  readonly space: number;
  readonly type: Type;
}

/** A loop that replaces a value by what `combine` makes of it; returns the old one's bits. */
function exchangeLoop(
  code: Code,
  { instruction, pointer, space, type }: Access,
  combine: (old: string) => string,
): string {
  const bits = integerBits(type);
  const registerClass = classOfBits(bits);
  const label = code.newLabel("exchange");
  const old = code.registers.take(registerClass);
  code.emit(`ld.relaxed${SCOPES[instruction.scope]}${spaceOf(space)}.b${bits}`, old, `[${pointer}]`);
  code.label(label);
  const made = combine(old);
  const name = `atom${ORDERS[instruction.order]}${SCOPES[instruction.scope]}${spaceOf(space)}.cas.b${bits}`;
  const seen = code.into(registerClass, name, `[${pointer}]`, old, made);
  const isOther = code.into("pred", `setp.ne.b${bits}`, seen, old);
  code.emit(`mov.b${bits}`, old, seen);
  code.emit(`@${isOther} bra`, label);
  return seen;
}

/** The bits that a value becomes, from the bits of the old one. */
function combined(code: Code, kind: AtomicKind, type: Type, old: string, operand: string): string {
  const bits = integerBits(type);
  if (kind === "exchange") return type.kind === "float" ? bitsOfFloat(code, bits, operand) : operand;
  const op = kind === "sub" ? Op.SUB : combinationOf(kind, bits).op;
  if (isBinaryInteger(op)) return binaryInteger(code, { op, bits, left: old, right: operand, constant: null });
  return bitsOfFloat(code, bits, floatOp(code, { op, flags: 0 }, type, [floatOfBits(code, bits, old), operand]));
}

function privateUpdate(code: Code, { pointer, type }: Access, write: (old: string) => string): string {
  const bits = integerBits(type);
  const old = code.into(classOfBits(bits), `ld.local.b${bits}`, `[${pointer}]`);
  code.emit(`st.local.b${bits}`, `[${pointer}]`, write(old));
  return type.kind === "float" ? floatOfBits(code, bits, old) : old;
}

/** `atomic_rmw` of a scalar of 32 or 64 bits; returns the old value. */
export function atomicUpdate(code: Code, access: Access, operand: string): string {
  const { instruction, pointer, space, type } = access;
  const { atomicKind: kind, order, scope } = instruction;
  const bits = integerBits(type);
  const isFloat = type.kind === "float";
  if (space === PRIVATE) return privateUpdate(code, access, (old) => combined(code, kind, type, old, operand));
  fenceBefore(code, instruction);
  const row = KINDS[kind];
  if (row === undefined) {
    const old = exchangeLoop(code, access, (before) => combined(code, kind, type, before, operand));
    return isFloat ? floatOfBits(code, bits, old) : old;
  }
  const [name, letter] = row;
  const head = `atom${ORDERS[order]}${SCOPES[scope]}${spaceOf(space)}.${name}`;
  if (letter === "f") return code.into(bits === 64 ? "f64" : "f32", `${head}.f${bits}`, `[${pointer}]`, operand);
  const value =
    kind === "sub"
      ? code.into(classOfBits(bits), `neg.s${bits}`, operand)
      : isFloat
        ? bitsOfFloat(code, bits, operand)
        : operand;
  const old = code.into(classOfBits(bits), `${head}.${letter}${bits}`, `[${pointer}]`, value);
  return isFloat ? floatOfBits(code, bits, old) : old;
}

/** `atomic_compare_exchange`; returns the old value. */
export function atomicCompareExchange(code: Code, access: Access, expected: string, value: string): string {
  const { instruction, pointer, space, type } = access;
  const bits = integerBits(type);
  const isFloat = type.kind === "float";
  const asBits = (operand: string): string => (isFloat ? bitsOfFloat(code, bits, operand) : operand);
  const [compare, swap] = [asBits(expected), asBits(value)];
  if (space === PRIVATE)
    return privateUpdate(code, access, (old) => {
      const isEqual = code.into("pred", `setp.eq.b${bits}`, old, compare);
      return code.into(classOfBits(bits), `selp.b${bits}`, swap, old, isEqual);
    });
  fenceBefore(code, instruction);
  const name = `atom${ORDERS[instruction.order]}${SCOPES[instruction.scope]}${spaceOf(space)}.cas.b${bits}`;
  const old = code.into(classOfBits(bits), name, `[${pointer}]`, compare, swap);
  return isFloat ? floatOfBits(code, bits, old) : old;
}

const LOAD_ORDERS: Readonly<Partial<Record<MemoryOrder, string>>> = {
  acquire: ".acquire",
  acq_rel: ".acquire",
  seq_cst: ".acquire",
};
const STORE_ORDERS: Readonly<Partial<Record<MemoryOrder, string>>> = {
  release: ".release",
  acq_rel: ".release",
  seq_cst: ".release",
};

/** The name of an atomic load, without its type; writes the fence that it needs. */
export function atomicLoadName(code: Code, instruction: Instruction, space: number): string {
  if (space === PRIVATE) return "ld.local";
  fenceBefore(code, instruction);
  return `ld${LOAD_ORDERS[instruction.order] ?? ".relaxed"}${SCOPES[instruction.scope]}${spaceOf(space)}`;
}

/** The same of an atomic store. */
export function atomicStoreName(code: Code, instruction: Instruction, space: number): string {
  if (space === PRIVATE) return "st.local";
  fenceBefore(code, instruction);
  return `st${STORE_ORDERS[instruction.order] ?? ".relaxed"}${SCOPES[instruction.scope]}${spaceOf(space)}`;
}
