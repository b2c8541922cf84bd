// SPDX-License-Identifier: Apache-2.0
// Atomic operations, fences, barriers: scopes and memory semantics are constants of 32 bits.
import {
  type AtomicKind,
  CONSTANT,
  GLOBAL,
  type Instruction,
  LOCAL,
  type MemoryOrder,
  ORDER_GLOBAL,
  ORDER_IMAGE,
  ORDER_LOCAL,
  Op,
  PRIVATE,
  type Scope,
  type Type,
  type Value,
  intType,
  pointerBytes,
} from "@muxkit/ir";

import type { EnumerantNames, OpName } from "../generated/names.ts";
import { enumerant } from "../grammar/tables.ts";
import type { FunctionWriter, RowTable, RowWriter } from "./function-writer.ts";
import { written } from "./written.ts";

const ATOMIC_LOAD = written("OpAtomicLoad");
const ATOMIC_STORE = written("OpAtomicStore");
const COMPARE_EXCHANGE = written("OpAtomicCompareExchange");
const CONTROL_BARRIER = written("OpControlBarrier");
const MEMORY_BARRIER = written("OpMemoryBarrier");
const BITCAST = written("OpBitcast");
const PTR_TO_U = written("OpConvertPtrToU");
const U_TO_PTR = written("OpConvertUToPtr");

const SCOPES: Readonly<Record<Exclude<Scope, "none">, EnumerantNames["Scope"]>> = {
  system: "CrossDevice",
  device: "Device",
  work_group: "Workgroup",
  sub_group: "Subgroup",
  work_item: "Invocation",
};

const ORDERS: Readonly<Record<MemoryOrder, EnumerantNames["MemorySemantics"]>> = {
  none: "None",
  relaxed: "None",
  acquire: "Acquire",
  release: "Release",
  acq_rel: "AcquireRelease",
  seq_cst: "SequentiallyConsistent",
};

const semantics = (name: EnumerantNames["MemorySemantics"]): number => enumerant("MemorySemantics", name);
const LOCAL_MEMORY = semantics("WorkgroupMemory");
const GLOBAL_MEMORY = { kernel: semantics("CrossWorkgroupMemory"), shader: semantics("UniformMemory") };
const IMAGE_MEMORY = semantics("ImageMemory");

/** A scope as a constant. */
export function scopeId(f: FunctionWriter, scope: Scope): number {
  const name = scope === "none" ? "Device" : f.w.target === "shader" && scope === "system" ? "Device" : SCOPES[scope];
  return f.number(enumerant("Scope", name));
}

/** An order as bits. Vulkan has no sequentially consistent one. */
function orderBits(f: FunctionWriter, order: MemoryOrder): number {
  return semantics(f.w.target === "shader" && order === "seq_cst" ? "AcquireRelease" : ORDERS[order]);
}

/** The memory that an access through a pointer orders. */
function memoryOf(f: FunctionWriter, { addressSpace }: Type): number {
  if (addressSpace === LOCAL) return LOCAL_MEMORY;
  if (addressSpace === PRIVATE) return 0;
  const all = GLOBAL_MEMORY[f.w.target];
  return addressSpace === GLOBAL || addressSpace === CONSTANT ? all : all | LOCAL_MEMORY;
}

function semanticsId(f: FunctionWriter, order: MemoryOrder, pointer: Type): number {
  const bits = orderBits(f, order);
  return f.number(bits === 0 ? 0 : bits | memoryOf(f, pointer));
}

/** A failed exchange only reads. */
function failureOrder(order: MemoryOrder): MemoryOrder {
  if (order === "release") return "relaxed";
  return order === "acq_rel" ? "acquire" : order;
}

/** How pointers and, where only ints have an instruction, floats are moved: as ints of their size. */
function carrier(f: FunctionWriter, type: Type, isIntOnly: boolean): Type {
  if (type.kind === "pointer") return intType(pointerBytes(f.w.module.layout, type.addressSpace) * 8);
  return isIntOnly && type.kind === "float" ? intType(type.bits) : type;
}

function toCarrier(f: FunctionWriter, value: Value, type: Type): number {
  if (value.type === type) return f.value(value);
  return f.make(value.type.kind === "pointer" ? PTR_TO_U : BITCAST, f.type(type), f.value(value));
}

function fromCarrier(f: FunctionWriter, id: number, from: Type, to: Type): number {
  if (from === to) return id;
  return f.make(to.kind === "pointer" ? U_TO_PTR : BITCAST, f.type(to), id);
}

/** Ints of 64 bits and floats that are added need capabilities of their own. */
function need(f: FunctionWriter, type: Type, instruction: Instruction): void {
  if (type.bits === 64 && type.kind === "int") f.w.require("Int64Atomics");
  if (type.kind !== "float") return;
  const of: Readonly<Partial<Record<AtomicKind, string>>> = { fadd: "Add", fmin: "MinMax", fmax: "MinMax" };
  const kind = instruction.op === Op.ATOMIC_RMW ? of[instruction.atomicKind] : undefined;
  if (kind !== undefined) f.w.require(`AtomicFloat${type.bits}${kind}EXT` as EnumerantNames["Capability"]);
}

/** The pointer of an atomic operation; shaders have a way of their own. */
export type AtomicPointer = (f: FunctionWriter, instruction: Instruction, pointer: Value, type: Type) => number;

const READ_MODIFY_WRITE: Readonly<Partial<Record<AtomicKind, OpName>>> = {
  exchange: "OpAtomicExchange",
  add: "OpAtomicIAdd",
  sub: "OpAtomicISub",
  and: "OpAtomicAnd",
  or: "OpAtomicOr",
  xor: "OpAtomicXor",
  smin: "OpAtomicSMin",
  smax: "OpAtomicSMax",
  umin: "OpAtomicUMin",
  umax: "OpAtomicUMax",
  fadd: "OpAtomicFAddEXT",
  fmin: "OpAtomicFMinEXT",
  fmax: "OpAtomicFMaxEXT",
};
const RMW = new Map(Object.entries(READ_MODIFY_WRITE).map(([kind, name]) => [kind, written(name)]));

/** Rows of atomic operations whose pointers are made so. */
function atomicRows(pointerOf: AtomicPointer): RowTable {
  const load: RowWriter = (f, i) => {
    const pointer = i.operands[0] as Value;
    const type = carrier(f, i.type, false);
    need(f, type, i);
    const order = semanticsId(f, i.order, pointer.type);
    const id = f.make(ATOMIC_LOAD, f.type(type), pointerOf(f, i, pointer, type), scopeId(f, i.scope), order);
    return fromCarrier(f, id, type, i.type);
  };
  const store: RowWriter = (f, i) => {
    const [value, pointer] = i.operands as [Value, Value];
    const type = carrier(f, value.type, false);
    need(f, type, i);
    const order = semanticsId(f, i.order, pointer.type);
    f.emit(ATOMIC_STORE, pointerOf(f, i, pointer, type), scopeId(f, i.scope), order, toCarrier(f, value, type));
    return 0;
  };
  const modify: RowWriter = (f, i) => {
    const [pointer, value] = i.operands as [Value, Value];
    const opcode = RMW.get(i.atomicKind) ?? f.refuse(`there is no atomic operation ${i.atomicKind}`, i);
    const type = carrier(f, value.type, false);
    need(f, type, i);
    const order = semanticsId(f, i.order, pointer.type);
    const to = pointerOf(f, i, pointer, type);
    const id = f.make(opcode, f.type(type), to, scopeId(f, i.scope), order, toCarrier(f, value, type));
    return fromCarrier(f, id, type, i.type);
  };
  const exchange: RowWriter = (f, i) => {
    const [pointer, comparator, value] = i.operands as [Value, Value, Value];
    const type = carrier(f, value.type, true);
    need(f, type, i);
    const to = pointerOf(f, i, pointer, type);
    const orders = [i.order, failureOrder(i.order)].map((order) => semanticsId(f, order, pointer.type));
    const values = [toCarrier(f, value, type), toCarrier(f, comparator, type)];
    const id = f.make(COMPARE_EXCHANGE, f.type(type), to, scopeId(f, i.scope), ...orders, ...values);
    return fromCarrier(f, id, type, i.type);
  };
  return {
    [Op.ATOMIC_LOAD]: load,
    [Op.ATOMIC_STORE]: store,
    [Op.ATOMIC_RMW]: modify,
    [Op.ATOMIC_COMPARE_EXCHANGE]: exchange,
  };
}

/** Bits of memory semantics by those of a barrier. */
const MEMORIES: readonly (readonly [own: number, bits: (f: FunctionWriter) => number])[] = [
  [ORDER_LOCAL, () => LOCAL_MEMORY],
  [ORDER_GLOBAL, (f) => GLOBAL_MEMORY[f.w.target]],
  [ORDER_IMAGE, () => IMAGE_MEMORY],
];

const barrier: RowWriter = (f, i) => {
  let memory = 0;
  for (const [own, bits] of MEMORIES) if ((i.semantics & own) !== 0) memory |= bits(f);
  const order = memory === 0 ? 0 : orderBits(f, "seq_cst") | memory;
  f.emit(CONTROL_BARRIER, scopeId(f, i.scope), scopeId(f, i.scope), f.number(order));
  return 0;
};

const fence: RowWriter = (f, i) => {
  const bits = orderBits(f, i.order);
  if (bits === 0) return 0;
  const memory = LOCAL_MEMORY | GLOBAL_MEMORY[f.w.target];
  f.emit(MEMORY_BARRIER, scopeId(f, i.scope), f.number(bits | memory));
  return 0;
};

/** Rows of kernels or shaders. */
export function synchronizationRows(pointerOf: AtomicPointer): RowTable {
  return { ...atomicRows(pointerOf), [Op.BARRIER]: barrier, [Op.FENCE]: fence };
}

/** Kernels cast the pointer. */
export const kernelAtomicPointer: AtomicPointer = (f, _i, pointer, type) => f.pointer(pointer, f.type(type));
