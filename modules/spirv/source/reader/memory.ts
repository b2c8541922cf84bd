// SPDX-License-Identifier: Apache-2.0
// Memory: variables, loads and stores, access chains, copies, pointers. Structs and arrays are loaded and stored member
// by member. Pointers of a 64-bit module on a 32-bit device take eight bytes of memory: the upper four are written as
// zeros, so that the module may read them as a number.
import {
  CONSTANT,
  I32,
  I8,
  type Instruction,
  Op,
  PRIVATE,
  type Type,
  VOLATILE,
  type Value,
  constantInt,
  laneCount,
  scalarOf,
} from "@muxkit/ir";

import type { OpName } from "../generated/names.ts";
import { type HandlerTable } from "./arithmetic.ts";
import { loadBuiltIn } from "./built-ins.ts";
import { narrowed } from "./narrow.ts";
import { callBuiltin, fittedInt, sizeOperand } from "./calls.ts";
import type { FunctionReader } from "./function-reader.ts";
import { BuiltInAddress, type BufferPointer, ConstantAddress, type Operand, isValue, madeOf } from "./operand.ts";
import { guardedLoad, guardedStore } from "./shader/robust.ts";
import { type MemoryLayout, type SpirvType, layoutOf, leavesOf, partCount, partType } from "./types.ts";

/** Bits of memory operands. */
const VOLATILE_ACCESS = 1;
const ALIGNED = 2;
const FUNCTION_STORAGE = 7;

/** How memory is accessed. */
export interface Access {
  readonly alignment: number;
  readonly isVolatile: boolean;
  /** The buffer that what lies outside of it is guarded against; absent: nothing is guarded. */
  readonly guard?: BufferPointer;
}

/** Memory operands from operand word `index` on; an alignment of 0 is the type's own. */
export function accessAt(f: FunctionReader, index: number): Access {
  if (f.i.count <= index) return { alignment: 0, isVolatile: false };
  const mask = f.i.word(index);
  const alignment = (mask & ALIGNED) === 0 ? 0 : f.i.word(index + 1);
  if (alignment !== 0 && (alignment & (alignment - 1)) !== 0)
    return f.refuse(`an alignment must be a power of two, not ${alignment}`);
  return { alignment, isVolatile: (mask & VOLATILE_ACCESS) !== 0 };
}

function mark(made: Instruction, { isVolatile }: Access): Instruction {
  if (isVolatile) made.flags |= VOLATILE;
  return made;
}

/** The alignment of a part: what the whole has, as far as the offset keeps it. */
function alignmentAt(whole: number, offset: number): number {
  let alignment = whole;
  while (alignment > 1 && offset % alignment !== 0) alignment /= 2;
  return alignment;
}

/** What a pointer of a type points to. */
export function targetOf(f: FunctionReader, type: SpirvType): SpirvType {
  return type.kind === "pointer" && type.element !== null ? type.element : f.refuse("the operand must be a pointer");
}

/** The alignment of an access: as asked, else the type's; explicit layouts of shaders keep that of numbers only. */
function leafAlignment(f: FunctionReader, type: SpirvType, { alignment }: Access): number {
  if (alignment !== 0) return alignment;
  const { element, ir } = type;
  return f.m.isShader && element !== null && ir?.kind === "vector"
    ? layoutOf(f.m, element).alignment
    : layoutOf(f.m, type).alignment;
}

/** What member `n` is accessed with: an alignment that was asked for the whole holds as far as the offset keeps it. */
function partAccess(f: FunctionReader, layout: MemoryLayout, access: Access, offset: number): Access {
  if (access.alignment === 0 && f.m.isShader) return access;
  const whole = access.alignment === 0 ? layout.alignment : access.alignment;
  return { ...access, alignment: alignmentAt(whole, offset) };
}

/** True for a vector that is moved component by component: they lie apart, or are truth values. */
function isMovedByLanes({ kind, stride, element }: SpirvType): boolean {
  return kind === "vector" && (stride !== 0 || element?.kind === "bool");
}

const offsetOf = ({ offsets, stride }: MemoryLayout, n: number): number => offsets[n] ?? stride * n;

const moved = (f: FunctionReader, pointer: Value, offset: number): Value =>
  offset === 0 ? pointer : f.b.address(pointer, null, 0, offset);

/** Loads a value of a type, member by member. */
export function loadFrom(f: FunctionReader, type: SpirvType, pointer: Value, access: Access): Operand {
  const layout = layoutOf(f.m, type);
  const part = (n: number): Operand => {
    const offset = offsetOf(layout, n);
    return loadFrom(f, partType(f.m, type, n), moved(f, pointer, offset), partAccess(f, layout, access, offset));
  };
  if (isMovedByLanes(type)) return f.b.build(Array.from({ length: type.count }, (_, n) => f.valueOf(part(n))));
  if (type.ir === null)
    return madeOf(
      type,
      Array.from({ length: partCount(type) }, (_, n) => part(n)),
    );
  const { ir } = type;
  const alignment = leafAlignment(f, type, access);
  const write = (at: Value): Value => mark(f.b.load(ir, at, alignment), access);
  return access.guard === undefined ? write(pointer) : guardedLoad(f, access.guard, ir, pointer, write);
}

/** Stores a value of a type, member by member. */
export function storeTo(f: FunctionReader, type: SpirvType, operand: Operand, pointer: Value, access: Access): void {
  const layout = layoutOf(f.m, type);
  const storePart = (part: Operand, n: number): void => {
    const offset = offsetOf(layout, n);
    storeTo(f, partType(f.m, type, n), part, moved(f, pointer, offset), partAccess(f, layout, access, offset));
  };
  if (operand.kind === "aggregate") {
    operand.parts.forEach(storePart);
    return;
  }
  const value = f.valueOf(operand);
  if (value.type !== type.ir) f.refuse(`${value.type.text} is stored where ${type.ir?.text ?? type.kind} lies`);
  if (isMovedByLanes(type)) {
    for (let n = 0; n < type.count; n++) storePart(f.b.extract(value, n), n);
    return;
  }
  const alignment = leafAlignment(f, type, access);
  const write = (at: Value): void => void mark(f.b.store(value, at, alignment), access);
  if (access.guard === undefined) write(pointer);
  else guardedStore(f, access.guard, value.type, pointer, write);
  if (f.m.isWide && type.kind === "pointer")
    mark(f.b.store(constantInt(I32, 0), f.b.address(pointer, null, 0, 4), 4), access);
}

/** An index of any width, as it goes into an address. */
function indexValue(f: FunctionReader, id: number): Value {
  const value = f.value(id);
  if (value.type.kind !== "int") return f.refuse("an index must be an int");
  return f.m.pointerBytes === 4 ? narrowed(f, value) : value;
}

/** Follows indices into a type: byte offsets are summed up, an index that is no constant is an address of its own. */
export class Chain {
  private readonly f: FunctionReader;
  private pointer: Value;
  private offset = 0;

  constructor(f: FunctionReader, pointer: Value) {
    this.f = f;
    this.pointer = pointer;
  }

  step(id: number, bytes: number): void {
    const { f } = this;
    if (f.m.hasOddInts) f.refuseOddInt(id);
    const operand = f.operand(id);
    if (operand.kind === "constant" && operand.type.kind === "int") {
      const { bits } = operand.type;
      const value = Number(BigInt.asIntN(bits, (BigInt(operand.high) << 32n) | BigInt(operand.low)));
      const next = this.offset + value * bytes;
      if (Math.abs(next) < 0x7fff_ffff) {
        this.offset = next;
        return;
      }
    }
    this.pointer = f.b.address(this.pointer, indexValue(f, id), bytes, this.offset);
    this.offset = 0;
  }

  add(bytes: number): void {
    this.offset += bytes;
  }

  /** Goes into a type by the instruction's operands from one on; gives the type of the part. */
  into(whole: SpirvType, first: number): SpirvType {
    const {
      f,
      f: { i, m },
    } = this;
    let type = whole;
    for (let n = first; n < i.count; n++) {
      const layout = layoutOf(m, type);
      if (type.kind === "struct") {
        const member = memberNumber(f, i.word(n));
        const inner = partType(m, type, member);
        this.add(layout.offsets[member] ?? 0);
        type = inner;
      } else {
        if (type.element === null || type.kind === "pointer") return f.refuse(`a ${type.kind} has no elements`);
        this.step(i.word(n), layout.stride);
        type = type.element;
      }
    }
    return type;
  }

  get value(): Value {
    return this.offset === 0 ? this.pointer : this.f.b.address(this.pointer, null, 0, this.offset);
  }
}

/** The number of a struct's member, which is a constant. */
export function memberNumber(f: FunctionReader, id: number): number {
  const operand = f.operand(id);
  return operand.kind === "constant" ? operand.low : f.refuse("the number of a member must be a constant");
}

/** A pointer into what a pointer points to. `first`: the operand with the first index into the type. */
function accessChain(isElement: boolean) {
  return (f: FunctionReader): Operand => {
    const { i, m } = f;
    const base = f.operand(i.word(0));
    let type = targetOf(f, f.argType(0));
    if (base.kind === "built-in") return builtInComponent(f, base, isElement ? 2 : 1);
    const chain = new Chain(f, f.valueOf(base));
    let next = 1;
    if (isElement) {
      const stride = m.decoration(f.argType(0).id, "ArrayStride")?.[0];
      const bytes = stride ?? (type.kind === "opaque" || type.kind === "void" ? 1 : layoutOf(m, type).size);
      chain.step(i.word(next++), bytes);
    }
    type = chain.into(type, next);
    const { value } = chain;
    return value.type === f.ir ? value : f.refuse("the result points into another storage class than the base");
  };
}

export function builtInComponent(f: FunctionReader, base: BuiltInAddress, index: number): Operand {
  const { type } = base;
  if (f.i.count <= index) return base;
  if (type.kind !== "vector" || type.element === null) return f.refuse("the built-in variable has no components");
  return new BuiltInAddress(base.variable, type.element, fittedInt(f, f.arg(index), I32));
}

function variable(f: FunctionReader): Operand {
  const { i, m, type } = f;
  if (i.word(0) !== FUNCTION_STORAGE) return f.refuse("a variable in a function must be of the storage class Function");
  const target = targetOf(f, type);
  const [alignment = 0] = m.decoration(i.result, "Alignment") ?? [];
  const pointer = f.allocate(
    target,
    target.kind === "array" ? Math.max(alignment, 16) : alignment,
    m.names.get(i.result) ?? "",
  );
  if (i.count > 1) storeTo(f, target, f.operand(i.word(1)), pointer, { alignment: 0, isVolatile: false });
  return pointer;
}

/** A load of a struct or an array from private memory, which may be the first half of a copy. */
export interface WholeLoad {
  readonly id: number;
  readonly type: SpirvType;
  readonly from: Value;
  /** The word behind the instruction. */
  readonly end: number;
}

const hasArray = ({ kind, members }: SpirvType): boolean =>
  kind === "array" || (kind === "struct" && members.some(hasArray));

/** True where a copy of the bytes is the same as one number by number: there are no gaps, truth values, pointers. */
function isCopiedByBytes(f: FunctionReader, type: SpirvType): boolean {
  return leavesOf(f.m, type).every((leaf) => {
    const { kind, bits } = scalarOf(leaf);
    return kind !== "pointer" && bits > 1 && laneCount(leaf) !== 3;
  });
}

/** Loads a value of a type from a pointer; the load may turn out to be the first half of a copy. */
export function loadWhole(f: FunctionReader, type: SpirvType, from: Value, access: Access): Operand {
  if (hasArray(type) && from.type.addressSpace === PRIVATE && !access.isVolatile)
    f.wholeLoad = { id: f.i.result, type, from, end: f.i.end };
  return loadFrom(f, type, from, access);
}

/**
 * Stores operand word 1. What has been loaded just before, with arrays in it, is copied in memory: passes see then that
 * two variables hold the same, as arguments that are passed in and out do.
 */
export function storeWhole(f: FunctionReader, type: SpirvType, pointer: Value, access: Access): void {
  const { wholeLoad } = f;
  if (
    wholeLoad?.end !== f.m.at ||
    wholeLoad.id !== f.i.word(1) ||
    wholeLoad.type !== type ||
    access.isVolatile ||
    pointer.type.addressSpace !== PRIVATE ||
    !isCopiedByBytes(f, type)
  ) {
    storeTo(f, type, f.operand(f.i.word(1)), pointer, access);
    return;
  }
  const { size, alignment } = layoutOf(f.m, type);
  f.b.memoryCopy(pointer, wholeLoad.from, constantInt(I32, size), alignment);
}

function load(f: FunctionReader): Operand {
  const pointer = f.operand(f.i.word(0));
  const { type } = f;
  if (pointer.kind === "built-in") return loadBuiltIn(f, pointer, type);
  if (targetOf(f, f.argType(0)) !== type) return f.refuse("the pointer points to another type than the result's");
  return loadWhole(f, type, f.valueOf(pointer), accessAt(f, 1));
}

function store(f: FunctionReader): undefined {
  const type = targetOf(f, f.argType(0));
  if (f.typeOf(f.i.word(1)) !== type) f.refuse("the value is of another type than the pointer points to");
  storeWhole(f, type, f.arg(0), accessAt(f, 2));
}

/** Copies bytes; the source's operands may follow the target's. */
function copy(f: FunctionReader, bytes: Value, alignment: number, isVolatile: boolean): void {
  mark(f.b.memoryCopy(f.arg(0), f.arg(1), bytes, alignment), { alignment, isVolatile });
}

function copyMemory(f: FunctionReader): undefined {
  const target = targetOf(f, f.argType(0));
  if (targetOf(f, f.argType(1)) !== target) f.refuse("the pointers point to two types");
  const access = accessAt(f, 2);
  const { size, alignment } = layoutOf(f.m, target);
  if (target.ir !== null) storeTo(f, target, loadFrom(f, target, f.arg(1), access), f.arg(0), access);
  else copy(f, constantInt(I32, size), access.alignment === 0 ? alignment : access.alignment, access.isVolatile);
}

/** True for constant memory that is all zeros: writers have no other way to fill memory. */
function isZeroes({ global, addend }: ConstantAddress): boolean {
  return (
    addend === 0 && global.addressSpace === CONSTANT && global.linkage !== "declaration" && global.initializer === null
  );
}

function copyMemorySized(f: FunctionReader): undefined {
  const access = accessAt(f, 3);
  const { value } = sizeOperand(f, f.arg(2));
  if (value.kind === "constant" && value.low === 0 && value.high === 0) return undefined;
  const from = f.operand(f.i.word(1));
  if (from.kind === "constant-address" && isZeroes(from)) {
    mark(f.b.memoryFill(f.arg(0), constantInt(I8, 0), value, Math.max(1, access.alignment)), access);
    return undefined;
  }
  copy(f, value, Math.max(1, access.alignment), access.isVolatile);
  return undefined;
}

/** The distance of two pointers in elements. */
function pointerDifference(f: FunctionReader): Operand {
  const { ir } = f;
  const target = targetOf(f, f.argType(0));
  const [left, right] = [f.op(Op.PTRTOINT, f.sizeType, f.arg(0)), f.op(Op.PTRTOINT, f.sizeType, f.arg(1))];
  const bytes = f.op(Op.SUB, f.sizeType, left, right);
  const elements = f.op(Op.SDIV, f.sizeType, bytes, constantInt(f.sizeType, layoutOf(f.m, target).size));
  if (ir === f.sizeType) return elements;
  return f.op(ir.bits > f.sizeType.bits ? Op.SEXT : Op.TRUNC, ir, elements);
}

/** `to_global` and its like: null where the pointer is into other memory. */
const SPACE_FUNCTIONS: Readonly<Record<number, string>> = { 0: "to_private", 1: "to_global", 3: "to_local" };

function castExplicit(f: FunctionReader): Operand {
  const { ir } = f;
  const name = SPACE_FUNCTIONS[ir.addressSpace];
  if (name === undefined || ir.kind !== "pointer")
    return f.refuse("the result must point into global, local or private memory");
  return callBuiltin(f, name, ["void*"], ir, [f.arg(0)]);
}

/** Memory semantics by address space: what OpenCL calls get_fence. */
function memorySemantics(f: FunctionReader): Operand {
  const space = f.b.addressSpace(f.arg(0));
  const isLocal = f.b.compare(Op.EQ, space, constantInt(I32, 3));
  return f.b.select(isLocal, constantInt(I32, 0x100), constantInt(I32, 0x200));
}

function copyObject(f: FunctionReader): Operand {
  const operand = f.operand(f.i.word(0));
  return isValue(operand) && operand.type !== f.ir
    ? f.refuse("the operand is of another type than the result")
    : operand;
}

/** A struct or an array as one of another type with the same members. */
function copyLogical(f: FunctionReader): Operand {
  const values = f.flatten(f.operand(f.i.word(0)));
  const leaves = leavesOf(f.m, f.type);
  return values.length === leaves.length && values.every(({ type }, n) => type === leaves[n])
    ? f.unflatten(f.type, values)
    : f.refuse("the operand has other members than the result");
}

const comparePointers =
  (op: number) =>
  (f: FunctionReader): Operand =>
    f.b.compare(op, f.arg(0), f.arg(1));

const chain = accessChain(false);
const elementChain = accessChain(true);

/** Rows of memory instructions. */
export const MEMORY: HandlerTable = {
  OpVariable: variable,
  OpLoad: load,
  OpStore: store,
  OpCopyMemory: copyMemory,
  OpCopyMemorySized: copyMemorySized,
  OpAccessChain: chain,
  OpInBoundsAccessChain: chain,
  OpPtrAccessChain: elementChain,
  OpInBoundsPtrAccessChain: elementChain,
  OpPtrEqual: comparePointers(Op.EQ),
  OpPtrNotEqual: comparePointers(Op.NE),
  OpPtrDiff: pointerDifference,
  OpGenericCastToPtrExplicit: castExplicit,
  OpGenericPtrMemSemantics: memorySemantics,
  OpCopyObject: copyObject,
  OpCopyLogical: copyLogical,
  OpSizeOf: (f) => constantInt(f.ir, layoutOf(f.m, targetOf(f, f.argType(0))).size),
  OpLifetimeStart: () => undefined,
  OpLifetimeStop: () => undefined,
};

/** Evaluates an access chain of constants: the address of a global plus bytes. */
export function constantChain(f: FunctionReader, name: OpName, pointer: Type): Operand | null {
  const base = f.operand(f.i.word(0));
  if (base.kind !== "constant-address") return null;
  const made = (name.includes("Ptr") ? elementChain : chain)(f);
  if (made.kind !== "instruction") return null;
  let addend = 0;
  let value: Value = made;
  // A cast to the generic space, which the address may have gone through, moves nothing.
  while (
    value.kind === "instruction" &&
    (value.op === Op.ADDRSPACECAST || value.op === Op.ADDRESS) &&
    value.operands.length === 1
  ) {
    if (value.op === Op.ADDRESS) addend += value.offset;
    [value] = value.operands as [Value];
  }
  return value.kind === "instruction" && value.op === Op.GLOBAL_ADDRESS
    ? new ConstantAddress(base.global, addend, pointer)
    : null;
}
