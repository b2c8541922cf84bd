// SPDX-License-Identifier: Apache-2.0
// Memory of kernels: variables, loads and stores, addresses, copies. Truth values are bytes in memory.
import {
  I1,
  I8,
  type Instruction,
  Op,
  PRIVATE,
  type Type,
  VOLATILE,
  type Value,
  alignmentOf,
  constantInt,
  pointerBytes,
  scalarOf,
  sizeOf,
  vectorType,
  intType,
  withLanesOf,
  uses,
} from "@muxkit/ir";

import { constantId, numberId } from "./constants.ts";
import type { FunctionWriter, RowTable, RowWriter } from "./function-writer.ts";
import { handleType, intId, memoryType, pointerTo, storageOf } from "./types.ts";
import { written } from "./written.ts";
import { enumerant } from "../grammar/tables.ts";

const VARIABLE = written("OpVariable");
const LOAD = written("OpLoad");
const STORE = written("OpStore");
const COPY = written("OpCopyMemorySized");
const CHAIN = written("OpPtrAccessChain");
const ARRAY = written("OpTypeArray");
const NOT_EQUAL = written("OpINotEqual");
const PTR_EQUAL = written("OpIEqual");
const PTR_TO_U = written("OpConvertPtrToU");
const SELECT = written("OpSelect");
const TO_GENERIC = written("OpPtrCastToGeneric");
const FROM_GENERIC = written("OpGenericCastToPtr");
const FROM_GENERIC_EXPLICIT = written("OpGenericCastToPtrExplicit");

const ALIGNED = enumerant("MemoryAccess", "Aligned");
const VOLATILE_ACCESS = enumerant("MemoryAccess", "Volatile");

/** The type that a value has in memory, and whether it has another as a value. */
function stored(type: Type): { readonly type: Type; readonly isTruth: boolean } {
  const isTruth = scalarOf(type) === I1;
  return { type: isTruth ? withLanesOf(I8, type) : type, isTruth };
}

function accessOf({ alignment, flags }: Instruction): readonly number[] {
  return accessBits(alignment, flags);
}

/** Operands of an access: its alignment, and whether it is volatile. */
export function accessBits(alignment: number, flags: number): readonly number[] {
  return [ALIGNED | ((flags & VOLATILE) === 0 ? 0 : VOLATILE_ACCESS), Math.max(1, alignment)];
}

/** The type of a variable of pipes or reservations, or of an array of them; null: it is another one. */
function handleMemory(f: FunctionWriter, variable: Instruction, type: Type): number | null {
  if (type.kind === "array" && type.element !== null) {
    const element = handleMemory(f, variable, type.element);
    return element === null ? null : f.w.declare(ARRAY, element, numberId(f.w, intType(32), type.count));
  }
  const handle = f.parts.handles.inMemory(variable, type);
  return handle === null ? null : handleType(f.w, handle);
}

const alloca: RowWriter = (f, i) => {
  const { w } = f;
  const type = i.elementType ?? I8;
  const target = handleMemory(f, i, type) ?? memoryType(w, type);
  const { addressSpace } = i.type;
  const id = f.make(VARIABLE, pointerTo(w, storageOf(addressSpace), target), storageOf(addressSpace));
  w.name(id, i.name);
  if (i.alignment > alignmentOf(w.module.layout, type)) w.decorate(id, "Alignment", i.alignment);
  return f.define(i, id, target);
};

const load: RowWriter = (f, i) => {
  const handle = f.parts.handles.ofValue(i);
  if (handle !== null) {
    const own = handleType(f.w, handle);
    return f.make(LOAD, own, f.pointer(i.operands[0] as Value, own), ...accessOf(i));
  }
  const { type, isTruth } = stored(i.type);
  const id = f.type(type);
  const made = f.make(LOAD, id, f.pointer(i.operands[0] as Value, id), ...accessOf(i));
  return isTruth ? f.make(NOT_EQUAL, f.type(i.type), made, numberId(f.w, type, 0)) : made;
};

const store: RowWriter = (f, i) => {
  const [value, pointer] = i.operands as [Value, Value];
  const handle = f.parts.handles.inMemory(pointer, value.type);
  if (handle !== null) {
    f.emit(STORE, f.pointer(pointer, handleType(f.w, handle)), f.handleValue(value, handle), ...accessOf(i));
    return 0;
  }
  const { type, isTruth } = stored(value.type);
  const id = f.type(type);
  const number = isTruth
    ? f.make(SELECT, id, f.value(value), numberId(f.w, type, 1), numberId(f.w, type, 0))
    : f.value(value);
  f.emit(STORE, f.pointer(pointer, id), number, ...accessOf(i));
  return 0;
};

/** Types whose elements are steps of an address, by their bytes. */
const STEPS: Readonly<Record<number, Type>> = {
  1: I8,
  2: intType(16),
  4: intType(32),
  8: intType(64),
  16: vectorType(intType(32), 4),
};

const usesOf = new WeakMap<FunctionWriter, ReturnType<typeof uses>>();

/** What the first access through a pointer reads or writes; null: no access is of the step's size. */
function accessedType(f: FunctionWriter, pointer: Instruction, bytes: number): Type | null {
  let known = usesOf.get(f);
  if (known === undefined) usesOf.set(f, (known = uses(f.source)));
  for (const user of known.get(pointer) ?? []) {
    if (user.op === Op.LOAD || user.op === Op.STORE) {
      const type = stored(user.op === Op.LOAD ? user.type : (user.operands[0] as Value).type).type;
      if (type.kind !== "opaque" && sizeOf(f.w.module.layout, type) === bytes) return type;
    }
  }
  return null;
}

/** Base, index times scale, offset: steps of a type of that size, then bytes. */
const address: RowWriter = (f, i) => {
  const { w } = f;
  const [base, index] = i.operands as [Value, Value | undefined];
  const storage = storageOf(i.type.addressSpace);
  const bytes = intId(w, 8);
  let id = 0;
  let target = bytes;
  if (index !== undefined && i.scale > 0) {
    const type = accessedType(f, i, i.scale) ?? STEPS[i.scale];
    target = type === undefined ? w.declare(ARRAY, bytes, numberId(w, intType(32), i.scale)) : f.type(type);
    id = f.make(CHAIN, pointerTo(w, storage, target), f.pointer(base, target), f.value(index));
  }
  if (i.offset === 0 && id !== 0) return f.define(i, id, target);
  const from = id === 0 ? f.pointer(base, bytes) : id;
  const ofBytes = id === 0 || target === bytes ? from : f.make(BITCAST, pointerTo(w, storage, bytes), from);
  const offset = constantId(w, constantInt(intType(w.addressBits), i.offset));
  return f.make(CHAIN, pointerTo(w, storage, bytes), ofBytes, offset);
};

const BITCAST = written("OpBitcast");

const copy: RowWriter = (f, i) => {
  const [target, source, size] = i.operands as [Value, Value, Value];
  if (size.kind === "constant" && size.low === 0 && size.high === 0) return 0;
  f.emit(COPY, f.value(target), f.value(source), f.value(size), ...accessOf(i));
  return 0;
};

/** Most bytes that are filled by stores. */
const MOST_STORED = 64;
const FILL_ALIGNMENT = 16;

/** Bytes of a value or a number that is not known: one after the other. */
function fillByBytes(f: FunctionWriter, i: Instruction): number {
  const [pointer, byte, size] = i.operands as [Value, Value, Value];
  const type = pointerTo(f.w, storageOf(pointer.type.addressSpace), intId(f.w, 8));
  const [to, value] = [f.value(pointer), f.value(byte)];
  f.forEachBelow(size, (index) => {
    f.emit(STORE, f.make(CHAIN, type, to, index), value, ...accessBits(1, i.flags));
  });
  return 0;
}

/** Bytes of one value: stores of a few, else a copy of an array that has them. */
const fill: RowWriter = (f, i) => {
  const { w } = f;
  const [pointer, byte, size] = i.operands as [Value, Value, Value];
  if (byte.kind !== "constant" || size.kind !== "constant" || size.high !== 0) return fillByBytes(f, i);
  if (size.low === 0) return 0;
  const alignment = Math.max(1, i.alignment);
  const width = Math.min(alignment, 4);
  if (size.low <= MOST_STORED && size.low % width === 0) {
    const type = intType(width * 8);
    const id = f.type(type);
    const value = numberId(w, type, BigInt(`0x${byte.low.toString(16).padStart(2, "0").repeat(width)}`));
    for (let at = 0; at < size.low; at += width) {
      const storage = storageOf(pointer.type.addressSpace);
      const bytes = f.value(pointer);
      const offset = numberId(w, intType(w.addressBits), at);
      const to = at === 0 ? bytes : f.make(CHAIN, pointerTo(w, storage, intId(w, 8)), bytes, offset);
      const typed = width === 1 ? to : f.make(BITCAST, pointerTo(w, storage, id), to);
      f.emit(STORE, typed, value, ...accessBits(width, i.flags));
    }
    return 0;
  }
  const bytes = intId(w, 8);
  const array = w.declare(ARRAY, bytes, numberId(w, intType(32), size.low));
  const constant = enumerant("StorageClass", "UniformConstant");
  const lane = numberId(w, I8, byte.low);
  const initial =
    byte.low === 0
      ? w.declare(NULL, array)
      : w.declare(COMPOSITE, array, ...Array.from({ length: size.low }, () => lane));
  const variable = f.parts.constantVariable(pointerTo(w, constant, array), initial);
  w.decorateOnce(variable, "Alignment", FILL_ALIGNMENT);
  const source = f.make(BITCAST, pointerTo(w, constant, bytes), variable);
  f.emit(COPY, f.value(pointer), source, f.value(size), ...accessBits(Math.min(alignment, FILL_ALIGNMENT), i.flags));
  return 0;
};

const NULL = written("OpConstantNull");
const COMPOSITE = written("OpConstantComposite");

const globalAddress: RowWriter = (f, i) => {
  const { symbol } = i;
  if (symbol?.kind !== "global") return f.refuse("the address is not one of a variable", i);
  const { id, target } = f.parts.globalOf(symbol);
  return f.define(i, id, target);
};

const GENERIC_SPACE = 4;

const cast: RowWriter = (f, i) => {
  const value = i.operands[0] as Value;
  const [from, to] = [value.type.addressSpace, i.type.addressSpace];
  if (value.kind === "constant") return f.value(value.type === i.type ? value : constantZeroOf(i.type));
  if (from === to) return f.define(i, f.value(value));
  if (to === GENERIC_SPACE) return f.make(TO_GENERIC, f.type(i.type), f.value(value));
  if (from === GENERIC_SPACE) return f.make(FROM_GENERIC, f.type(i.type), f.value(value));
  const bits = f.type(intType(pointerBytes(f.w.module.layout, from) * 8));
  return f.make(FROM_U, f.type(i.type), f.make(PTR_TO_U, bits, f.value(value)));
};

const FROM_U = written("OpConvertUToPtr");

function constantZeroOf(type: Type): Value {
  return constantInt(type, 0);
}

/** The address space of a generic pointer: which casts of it are not null. */
const addressSpace: RowWriter = (f, i) => {
  const { w } = f;
  const value = i.operands[0] as Value;
  const truth = f.type(I1);
  const bits = intType(w.addressBits);
  const isOf = (storage: "Function" | "Workgroup"): number => {
    const own = enumerant("StorageClass", storage);
    const type = pointerTo(w, own, intId(w, 8));
    const pointer = f.make(FROM_GENERIC_EXPLICIT, type, f.value(value), own);
    const number = f.make(PTR_TO_U, f.type(bits), pointer);
    return f.make(PTR_EQUAL, truth, number, numberId(w, bits, 0));
  };
  const type = f.type(i.type);
  const notLocal = isOf("Workgroup");
  const local = f.make(SELECT, type, notLocal, numberId(w, i.type, 1), numberId(w, i.type, 3));
  return f.make(SELECT, type, isOf("Function"), local, numberId(w, i.type, PRIVATE));
};

/** Rows of kernels' memory. */
export const MEMORY_ROWS: RowTable = {
  [Op.ALLOCA]: alloca,
  [Op.LOAD]: load,
  [Op.STORE]: store,
  [Op.ADDRESS]: address,
  [Op.GLOBAL_ADDRESS]: globalAddress,
  [Op.MEMORY_COPY]: copy,
  [Op.MEMORY_FILL]: fill,
  [Op.ADDRSPACECAST]: cast,
  [Op.ADDRESS_SPACE]: addressSpace,
};
