// SPDX-License-Identifier: Apache-2.0
// What each pointer of a kernel points into. Shaders compute no addresses: a pointer is an object that is known when
// the shader is written, and an offset in bytes. So every pointer must lead to one object, an argument, a variable of a
// work-group or of a work-item, a constant of the program; a choice between two objects is refused.
//
// Objects of parameters of blocks follow from what branches pass, by iteration until nothing changes. The types that
// are read and written decide what an object is an array of.
import {
  type Global,
  type Instruction,
  type IrFunction,
  Op,
  type Parameter,
  type Type,
  type Value,
  scalarOf,
} from "@muxkit/ir";

/** An object in memory: a parameter of the kernel, a variable of the program, of a function. */
export type Root = Parameter | Global | Instruction;

/** The objects of pointers. */
export class Roots {
  private readonly found = new Map<Value, Root>();
  private readonly passed = new Map<Parameter, Value[]>();

  constructor(fn: IrFunction) {
    for (const block of fn.blocks)
      for (const { successors, successorArguments } of block.instructions)
        successors.forEach((to, edge) =>
          to.parameters.forEach((parameter, n) => {
            const value = successorArguments[edge]?.[n];
            if (value === undefined || parameter.type.kind !== "pointer") return;
            const list = this.passed.get(parameter);
            if (list === undefined) this.passed.set(parameter, [value]);
            else list.push(value);
          }),
        );
  }

  /** The object of a pointer; null: it may be one of several, or is none. */
  of(pointer: Value): Root | null {
    const known = this.found.get(pointer);
    if (known !== undefined) return known;
    const roots = new Set<Root | null>();
    const seen = new Set<Value>();
    const open: Value[] = [pointer];
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (seen.has(value)) continue;
      seen.add(value);
      const { root: own, from } = this.sourcesOf(value);
      if (from.length === 0) roots.add(own);
      open.push(...from);
    }
    const [root] = roots;
    if (roots.size !== 1 || root === undefined || root === null) return null;
    this.found.set(pointer, root);
    return root;
  }

  /** The pointers that a value is made from; where there are none the object that it is the address of, or null. */
  private sourcesOf(value: Value): { readonly root: Root | null; readonly from: readonly Value[] } {
    const only = (found: Root | null): { readonly root: Root | null; readonly from: readonly Value[] } => ({
      root: found,
      from: [],
    });
    if (value.kind === "constant") return only(null);
    if (value.kind === "parameter")
      return value.block === null ? only(value) : { root: null, from: this.passed.get(value) ?? [] };
    const { op, operands, symbol } = value;
    if (op === Op.ALLOCA) return only(value);
    if (op === Op.GLOBAL_ADDRESS) return only(symbol?.kind === "global" ? symbol : null);
    if (op === Op.ADDRESS || op === Op.ADDRSPACECAST) return { root: null, from: operands.slice(0, 1) };
    return op === Op.SELECT ? { root: null, from: operands.slice(1) } : only(null);
  }
}

/** Pointers by which instructions access memory, with the type of it and the alignment. */
function* accesses(
  fn: IrFunction,
): Generator<{ readonly pointer: Value; readonly type: Type; readonly alignment: number }> {
  for (const block of fn.blocks)
    for (const i of block.instructions) {
      const [first, second, third] = i.operands;
      const { alignment } = i;
      if (first === undefined) continue;
      if (i.op === Op.LOAD) yield { pointer: first, type: i.type, alignment };
      else if (i.op === Op.STORE && second !== undefined) yield { pointer: second, type: first.type, alignment };
      else if (i.op === Op.ATOMIC_LOAD || i.op === Op.ATOMIC_RMW) yield { pointer: first, type: i.type, alignment: 8 };
      else if (i.op === Op.ATOMIC_COMPARE_EXCHANGE && third !== undefined)
        yield { pointer: first, type: third.type, alignment: 8 };
      else if (i.op === Op.ATOMIC_STORE && second !== undefined)
        yield { pointer: second, type: first.type, alignment: 8 };
    }
}

/** What an object is an array of: one kind of number, or ints of some bytes that others are put together from. */
export interface Unit {
  readonly bytes: number;
  /** The type of each access; null: there are several, the elements are ints. */
  readonly scalar: Type | null;
}

/** The bytes of a scalar in memory. */
export function bytesOf(type: Type): number {
  return Math.max(1, scalarOf(type).bits >> 3);
}

/** Pieces in which memory is copied: as large as the alignment and the size have it, four bytes at most. */
export function copyStep({ alignment, operands }: Instruction): number {
  const size = operands[2];
  const bytes = size?.kind === "constant" ? size.low : 1;
  return [4, 2].find((step) => alignment >= step && bytes % step === 0) ?? 1;
}

/** The units of objects. */
export function unitsOf(fn: IrFunction, roots: Roots): ReadonlyMap<Root, Unit> {
  const units = new Map<Root, Unit>();
  const note = (pointer: Value, bytes: number, scalar: Type | null): void => {
    const root = roots.of(pointer);
    if (root === null) return;
    const known = units.get(root);
    units.set(
      root,
      known === undefined
        ? { bytes, scalar }
        : { bytes: Math.min(bytes, known.bytes), scalar: known.scalar === scalar ? scalar : null },
    );
  };
  for (const { pointer, type, alignment } of accesses(fn)) {
    const scalar = scalarOf(type);
    const bytes = bytesOf(type);
    const isAligned = Math.max(1, alignment) >= bytes;
    note(pointer, isAligned ? bytes : Math.max(1, alignment), isAligned && scalar.bits > 1 ? scalar : null);
  }
  for (const block of fn.blocks)
    for (const i of block.instructions) {
      const [target, source] = i.operands;
      if (i.op !== Op.MEMORY_COPY && i.op !== Op.MEMORY_FILL) continue;
      if (target !== undefined) note(target, copyStep(i), null);
      if (i.op === Op.MEMORY_COPY && source !== undefined) note(source, copyStep(i), null);
    }
  return units;
}
