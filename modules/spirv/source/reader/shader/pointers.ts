// SPDX-License-Identifier: Apache-2.0
// Memory of shaders. A pointer into a storage or uniform buffer has its buffer with it (operand.ts), so that lengths of
// arrays can be asked and accesses be guarded; a pointer to an image or a sampler is the image or the sampler; arrays
// of resources are lists of them, of which an index picks one. Explicit layouts are in the types (types.ts); what a
// chain points to where that lies otherwise than the pointer's type says, a column of a matrix, is noted by the chain's
// id.
import { I32, I64, Op, type Type, type Value, constantInt, constantZero, intType } from "@muxkit/ir";

import { type Handler, type HandlerTable } from "../arithmetic.ts";
import { loadBuiltIn } from "../built-ins.ts";
import { fittedInt } from "../calls.ts";
import type { FunctionReader } from "../function-reader.ts";
import {
  type Access,
  Chain,
  accessAt,
  builtInComponent,
  loadFrom,
  loadWhole,
  storeTo,
  storeWhole,
  targetOf,
} from "../memory.ts";
import { narrowed } from "../narrow.ts";
import { BufferPointer, DescriptorChoice, type Operand } from "../operand.ts";
import { type SpirvType, isHandlePointer, layoutOf } from "../types.ts";

/** What operand word `index`, a pointer, points to, as it lies there. */
function pointee(f: FunctionReader, index: number): SpirvType {
  return f.targets.get(f.i.word(index)) ?? targetOf(f, f.argType(index));
}

/** How operand word `index`, a pointer, is accessed. */
function accessBy(f: FunctionReader, index: number, access: Access): Access {
  const pointer = f.operand(f.i.word(index));
  const isGuarded = f.m.options.robustBufferAccess !== undefined && pointer instanceof BufferPointer;
  return isGuarded ? { ...access, guard: pointer } : access;
}

/** One resource of several: picked by comparisons with the index; behind the last index it is the last one. */
function pick(f: FunctionReader, index: Value, parts: readonly Operand[]): Operand {
  const [first] = parts;
  if (first === undefined) return f.refuse("the array has no resources");
  if (!(first instanceof BufferPointer)) return new DescriptorChoice(index, parts);
  const all = parts.map((part) => (part instanceof BufferPointer ? part : f.refuse("the array has other resources")));
  const choose = (of: (part: BufferPointer) => Operand): Value => {
    const values = all.map((part) => f.valueOf(of(part)));
    let chosen = values.at(-1) ?? constantZero(I32);
    for (let n = values.length - 2; n >= 0; n--) {
      const own = values[n];
      if (own !== undefined) chosen = f.b.select(f.b.compare(Op.EQ, index, constantInt(index.type, n)), own, chosen);
    }
    return chosen;
  };
  const address = choose((part) => part.address);
  return new BufferPointer(
    address,
    address,
    choose((part) => part.bytes),
  );
}

/** The element of an array of resources that an id says. */
function resourceAt(f: FunctionReader, parts: readonly Operand[], id: number): Operand {
  const index = f.operand(id);
  if (index.kind !== "constant") return pick(f, f.value(id), parts);
  return parts[index.low] ?? f.refuse(`the array has ${parts.length} resources`);
}

/** A pointer into what a pointer points to; `isElement`: the first index goes over whole elements. */
function accessChain(isElement: boolean): Handler {
  return (f) => {
    const { i, m } = f;
    let base = f.operand(i.word(0));
    let type = pointee(f, 0);
    if (base.kind === "built-in") return builtInComponent(f, base, isElement ? 2 : 1);
    let next = 1;
    while (base.kind === "aggregate" && !(base instanceof BufferPointer) && type.element !== null && next < i.count) {
      base = resourceAt(f, base.parts, i.word(next++));
      type = type.element;
    }
    if (base.kind === "choice" || isHandlePointer(m, f.type)) return next === i.count ? base : f.refuse(HANDLE_ONLY);
    const chain = new Chain(f, f.valueOf(base));
    if (isElement) {
      const stride = m.decoration(f.argType(0).id, "ArrayStride")?.[0];
      chain.step(i.word(next++), stride ?? layoutOf(m, type).size);
    }
    type = chain.into(type, next);
    if (type !== targetOf(f, f.type)) f.targets.set(i.result, type);
    const { value } = chain;
    if (base instanceof BufferPointer) return new BufferPointer(value, base.begin, base.bytes);
    return value.type === f.type.ir ? value : f.refuse("the result points into another storage class than the base");
  };
}

const HANDLE_ONLY = "there is nothing in an image or a sampler to point to";

const load: Handler = (f) => {
  const pointer = f.operand(f.i.word(0));
  const { type } = f;
  if (pointer.kind === "built-in") return loadBuiltIn(f, pointer, type);
  const declared = targetOf(f, f.argType(0));
  if (declared !== type) return f.refuse("the pointer points to another type than the result's");
  if (pointer.kind === "choice" || isHandlePointer(f.m, f.argType(0))) return pointer;
  return loadWhole(f, pointee(f, 0), f.valueOf(pointer), accessBy(f, 0, accessAt(f, 1)));
};

const store: Handler = (f) => {
  if (f.typeOf(f.i.word(1)) !== targetOf(f, f.argType(0)))
    f.refuse("the value is of another type than the pointer points to");
  storeWhole(f, pointee(f, 0), f.arg(0), accessBy(f, 0, accessAt(f, 2)));
  return undefined;
};

/** Member by member, since both may lie otherwise. */
const copyMemory: Handler = (f) => {
  if (targetOf(f, f.argType(1)) !== targetOf(f, f.argType(0))) return f.refuse("the pointers point to two types");
  const access = accessAt(f, 2);
  const value = loadFrom(f, pointee(f, 1), f.arg(1), accessBy(f, 1, access));
  storeTo(f, pointee(f, 0), value, f.arg(0), accessBy(f, 0, access));
  return undefined;
};

/** How many elements the array at a struct's end has: what the buffer has room for. */
const arrayLength: Handler = (f) => {
  const { m } = f;
  const pointer = f.operand(f.i.word(0));
  const struct = pointee(f, 0);
  const member = f.i.word(1);
  const array = struct.members[member];
  if (!(pointer instanceof BufferPointer) || array?.kind !== "runtime-array")
    return f.refuse("the operand must be a pointer to a struct in a buffer that ends with an array without a length");
  const { offsets } = layoutOf(m, struct);
  const { stride } = layoutOf(m, array);
  const bytes = f.valueOf(pointer.bytes);
  const before = constantInt(I32, offsets[member] ?? 0);
  const rest = f.op(Op.SUB, I32, bytes, before);
  const room = f.b.select(f.b.compare(Op.ULT, bytes, before), constantZero(I32), rest);
  return f.op(Op.UDIV, I32, room, constantInt(I32, Math.max(1, stride)));
};

/** The distance of two pointers in elements. */
const pointerDifference: Handler = (f) => {
  const { ir, m } = f;
  const stride = m.decoration(f.argType(0).id, "ArrayStride")?.[0] ?? layoutOf(m, pointee(f, 0)).size;
  const addresses = [f.arg(0), f.arg(1)].map((pointer) => f.op(Op.PTRTOINT, f.sizeType, pointer));
  const [left = constantZero(f.sizeType), right = constantZero(f.sizeType)] = addresses;
  const elements = f.op(
    Op.SDIV,
    f.sizeType,
    f.op(Op.SUB, f.sizeType, left, right),
    constantInt(f.sizeType, Math.max(1, stride)),
  );
  return ir.bits > elements.type.bits ? f.op(Op.SEXT, ir, elements) : fittedInt(f, elements, ir);
};

/** An address in 64 bits, as one number or two of 32 bits. */
const WIDE = "an address has 64 bits";

function pointerOf(f: FunctionReader, value: Value, type: Type): Value {
  const number = value.type.kind === "vector" ? f.op(Op.BITCAST, I64, value) : value;
  if (number.type !== I64) return f.refuse(WIDE);
  return f.op(Op.INTTOPTR, type, f.m.isWide ? narrowed(f, number) : number);
}

/** Bits as another type, where one of them is an address; null: none is. */
export function castAddress(f: FunctionReader): Operand | null {
  const value = f.operand(f.i.word(0));
  const { ir } = f.type;
  if (value.kind === "aggregate" || value.kind === "choice" || ir === null) return null;
  const own = f.valueOf(value);
  if (ir.kind === "pointer" && own.type.kind !== "pointer") return pointerOf(f, own, ir);
  if (own.type.kind !== "pointer" || ir.kind === "pointer") return null;
  const number = f.op(Op.PTRTOINT, intType(64), own);
  return ir === I64 ? number : f.op(Op.BITCAST, ir, number);
}

/** Rows of memory in shaders. */
export const SHADER_MEMORY: HandlerTable = {
  OpLoad: load,
  OpStore: store,
  OpCopyMemory: copyMemory,
  OpAccessChain: accessChain(false),
  OpInBoundsAccessChain: accessChain(false),
  OpPtrAccessChain: accessChain(true),
  OpInBoundsPtrAccessChain: accessChain(true),
  OpArrayLength: arrayLength,
  OpPtrDiff: pointerDifference,
};
