// SPDX-License-Identifier: Apache-2.0
// Accesses of shaders outside of their buffers, where the program asks for a rule: each number that is moved is
// compared with the size of the buffer that its pointer came from. Without a rule addresses are computed modulo the
// size of an address, and what is there is accessed, as in kernels.
//
//   zero   a load gives zero, a store and an atomic operation do nothing: one branch for each access
//   clamp  the offset is at most that of the last place in the buffer: no branch. A buffer has room for one access
import { Op, type Type, type Value, constantInt, constantZero, laneCount, scalarOf, sizeOf } from "@muxkit/ir";

import type { FunctionReader } from "../function-reader.ts";
import type { BufferPointer, Operand } from "../operand.ts";
import type { RobustBufferAccess } from "../module-reader.ts";

/** How an access is written: `write` makes it of an address; without a type it has no result. */
type Guard = (
  f: FunctionReader,
  buffer: BufferPointer,
  size: number,
  pointer: Value,
  type: Type | null,
  write: (at: Value) => Operand | undefined,
) => Operand | undefined;

/** The offset of a pointer in its buffer, and the buffer's size. */
function placeOf(f: FunctionReader, buffer: BufferPointer, pointer: Value): readonly [offset: Value, bytes: Value] {
  const type = f.sizeType;
  const [address, begin] = [pointer, f.valueOf(buffer.begin)].map((value) => f.op(Op.PTRTOINT, type, value));
  if (address === undefined || begin === undefined) return f.refuse("a pointer has an address");
  const bytes = f.valueOf(buffer.bytes);
  return [f.op(Op.SUB, type, address, begin), bytes.type === type ? bytes : f.op(Op.ZEXT, type, bytes)];
}

const orZero: Guard = (f, buffer, size, pointer, type, write) => {
  const [offset, bytes] = placeOf(f, buffer, pointer);
  const wanted = constantInt(offset.type, size);
  const hasRoom = f.b.compare(Op.UGE, bytes, wanted);
  const isBefore = f.b.compare(Op.ULE, offset, f.op(Op.SUB, offset.type, bytes, wanted));
  const { ir } = f.facts;
  const [inside, after] = [ir.addBlock("inside"), ir.addBlock("after")];
  const result = type === null ? null : after.addParameter(type);
  f.b.conditionalBranch(
    f.op(Op.AND, hasRoom.type, hasRoom, isBefore),
    inside,
    after,
    [],
    type === null ? [] : [constantZero(type)],
  );
  f.startOwnBlock(inside);
  const made = write(pointer);
  if (made === undefined || type === null) f.b.branch(after);
  else f.b.branch(after, f.valueOf(made));
  f.startOwnBlock(after);
  return result ?? undefined;
};

const orNearest: Guard = (f, buffer, size, pointer, _type, write) => {
  const [offset, bytes] = placeOf(f, buffer, pointer);
  const { type } = offset;
  const last = f.op(Op.SUB, type, bytes, constantInt(type, size));
  // Numbers lie at multiples of their size, so the last place is rounded down to one.
  const most = f.op(Op.AND, type, last, constantInt(type, -(size & -size)));
  const near = f.b.select(f.b.compare(Op.ULE, offset, most), offset, most);
  return write(f.b.address(f.valueOf(buffer.begin), near, 1, 0));
};

const GUARDS: Readonly<Record<RobustBufferAccess, Guard>> = { zero: orZero, clamp: orNearest };

const bytesOf = (f: FunctionReader, type: Type): number => sizeOf(f.m.options.layout, scalarOf(type)) * laneCount(type);

function guardOf(f: FunctionReader): Guard {
  return GUARDS[f.m.options.robustBufferAccess ?? "zero"];
}

/** A load by the rule of the program. */
export function guardedLoad(
  f: FunctionReader,
  buffer: BufferPointer,
  type: Type,
  pointer: Value,
  write: (at: Value) => Value,
): Value {
  const made = guardOf(f)(f, buffer, bytesOf(f, type), pointer, type, write);
  return made === undefined ? f.refuse("a load has a result") : f.valueOf(made);
}

/** A store by the rule of the program. */
export function guardedStore(
  f: FunctionReader,
  buffer: BufferPointer,
  type: Type,
  pointer: Value,
  write: (at: Value) => void,
): void {
  guardOf(f)(f, buffer, bytesOf(f, type), pointer, null, (at) => {
    write(at);
    return undefined;
  });
}

/** An atomic operation of numbers of a type; `result` null: it has none. */
export function guardedAtomic(
  f: FunctionReader,
  buffer: BufferPointer,
  type: Type,
  result: Type | null,
  write: (at: Value) => Operand | undefined,
): Operand | undefined {
  return guardOf(f)(f, buffer, bytesOf(f, type), f.valueOf(buffer.address), result, write);
}
