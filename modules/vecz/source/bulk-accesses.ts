// SPDX-License-Identifier: Apache-2.0
// Fills and copies of private arrays, element by element. An array that is filled or copied as bytes cannot be
// interleaved (interleave.ts), and then each of its accesses is a gather: what is done once decides for what is done in
// loops.
//
//   memory_fill %w, 0, 8          store 0, %w; store 0, %w + 4
//   memory_copy %w, %p, 8   -->   %a = load %p; store %a, %w; %b = load %p + 4; store %b, %w + 4
//
// Only variables that could be interleaved then, and only up to a number of elements. A fill with zeros that comes
// before all other accesses is dropped: variables begin as zeros. Cost: linear in the accesses of private arrays.
import {
  Builder,
  type DataLayout,
  I8,
  type Instruction,
  type IrFunction,
  Op,
  type Type,
  type Value,
  VOLATILE,
  constantBits,
  constantZero,
  intType,
  sizeOf,
  uses,
} from "@muxkit/ir";

import { elementAccesses, elementOf } from "./interleave.ts";

/** Most elements of a fill or a copy that is taken apart. */
const MOST_ELEMENTS = 64;

/** The elements that a fill or a copy touches; 0: it is left as it is. */
function elementsOf({ op, operands, flags }: Instruction, size: number): number {
  if ((flags & VOLATILE) !== 0) return 0;
  const [, byte, length] = operands;
  if (length?.kind !== "constant" || length.high !== 0 || length.low % size !== 0) return 0;
  if (op === Op.MEMORY_FILL && byte?.kind !== "constant") return 0;
  const count = length.low / size;
  return count <= MOST_ELEMENTS ? count : 0;
}

/** An int with all its bytes the same; pointers are null. */
function repeated(type: Type, byte: number): Value {
  if (type.kind === "pointer") return constantZero(type);
  const word = Math.imul(byte & 0xff, 0x0101_0101) >>> 0;
  return constantBits(type, word, word);
}

/** What an element is moved as. */
function movedType(element: Type, layout: DataLayout): Type {
  return element.kind === "pointer" ? element : intType(sizeOf(layout, element) * 8);
}

/** Writes the accesses of the elements instead of a fill or a copy. */
function takeApart(builder: Builder, access: Instruction, element: Type, layout: DataLayout): void {
  const size = sizeOf(layout, element);
  const type = movedType(element, layout);
  const [target, source] = access.operands as [Value, Value];
  const alignment = Math.min(size, Math.max(1, access.alignment));
  builder.location = access.location;
  for (let n = 0; n < elementsOf(access, size); n++) {
    const at = (pointer: Value): Value => (n === 0 ? pointer : builder.address(pointer, null, 0, n * size));
    const value =
      access.op === Op.MEMORY_FILL
        ? repeated(type, source.kind === "constant" ? source.low : 0)
        : builder.load(type, at(source), alignment);
    builder.store(value, at(target), alignment);
  }
}

/** True for a fill with zeros. */
function isZeroing({ op, operands }: Instruction): boolean {
  const [, byte] = operands;
  return op === Op.MEMORY_FILL && byte?.kind === "constant" && byte.low === 0;
}

/** Fills and copies of variables that hold scalars and are only touched element by element otherwise. */
function bulkAccesses(fn: IrFunction, layout: DataLayout): ReadonlyMap<Instruction, Type | null> {
  const users = uses(fn);
  const found = new Map<Instruction, Type | null>();
  for (const variable of fn.entry.instructions) {
    const element = variable.op === Op.ALLOCA ? elementOf(variable.elementType ?? I8) : null;
    if (element === null || variable.elementType?.kind !== "array") continue;
    const size = sizeOf(layout, element);
    const isBulk = (user: Instruction): boolean =>
      (user.op === Op.MEMORY_COPY || (user.op === Op.MEMORY_FILL && (element.kind !== "pointer" || isZeroing(user)))) &&
      elementsOf(user, size) > 0;
    const accesses = elementAccesses(variable, element, users, layout, isBulk);
    if (accesses === null) continue;
    const first = fn.entry.instructions.find((instruction) => accesses.has(instruction));
    for (const access of accesses) if (isBulk(access)) found.set(access, element);
    if (first !== undefined && isBulk(first) && isZeroing(first)) found.set(first, null);
  }
  return found;
}

/** Takes fills and copies of private arrays apart, see the file's head. */
export function takeBulkAccessesApart(fn: IrFunction, layout: DataLayout): void {
  const found = bulkAccesses(fn, layout);
  if (found.size === 0) return;
  for (const block of fn.blocks) {
    if (!block.instructions.some((instruction) => found.has(instruction))) continue;
    const old = block.instructions;
    block.instructions = [];
    const builder = new Builder(block);
    for (const instruction of old) {
      const element = found.get(instruction);
      if (element === undefined) block.append(instruction);
      else if (element !== null) takeApart(builder, instruction, element, layout);
    }
  }
}
