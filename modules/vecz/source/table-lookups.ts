// SPDX-License-Identifier: Apache-2.0
// Small tables in constant memory: lanes that load from one by indices of their own pick lanes of a constant vector.
// Where the module knows the bytes of a table that fills few registers, the loads of a vector are one permutation (on
// WebAssembly `i8x16.swizzle` of each of its registers) instead of an address and a load a lane.
//
//   %p = address @table, %i {scale 1}     =>    permute <the table>, %i {16}
//   %v = gather %p
//
// An index beyond the table is undefined in C: it is taken modulo a power of two, and missing entries are zero. Cost:
// the bytes of the table for each load.
import {
  CONSTANT,
  type Constant,
  type Global,
  type Instruction,
  Op,
  type Type,
  type Value,
  constantBits,
  constantVector,
  intType,
  laneCount,
  scalarOf,
  sizeOf,
  vectorType,
} from "@muxkit/ir";
import { costOfOp } from "@muxkit/machine-target";

import type { Packets } from "./packets.ts";

/** The most bytes of a table whose address is kept until vectors are made. @internal */
export const MOST_TABLE_BYTES = 64;

/** True for a small table whose bytes the module knows. @internal */
export function isSmallTable({ addressSpace, linkage, initializer, relocations }: Global): boolean {
  return (
    addressSpace === CONSTANT &&
    linkage !== "declaration" &&
    relocations.length === 0 &&
    initializer !== null &&
    initializer.length <= MOST_TABLE_BYTES
  );
}

/** A table and the index that one of its elements is loaded by. */
interface Lookup {
  readonly bytes: Uint8Array;
  readonly index: Value;
}

/** What a load looks up; null: it is no load of an element of a small table. */
function lookupOf({ type, operands: [pointer] }: Instruction, size: number): Lookup | null {
  if (laneCount(type) > 1 || pointer?.kind !== "instruction" || pointer.op !== Op.ADDRESS) return null;
  const [base, index] = pointer.operands;
  if (base?.kind !== "instruction" || base.op !== Op.GLOBAL_ADDRESS || index === undefined) return null;
  const { symbol } = base;
  if (symbol?.kind !== "global" || !isSmallTable(symbol) || pointer.scale !== size || pointer.offset !== 0) return null;
  return symbol.initializer === null ? null : { bytes: symbol.initializer, index };
}

/** The element of a table at an index; zero beyond its end. */
function entry(bytes: Uint8Array, type: Type, size: number, at: number): Constant {
  let bits = 0;
  for (let i = 0; i < size; i++) bits |= (bytes[at * size + i] ?? 0) << (8 * i);
  return constantBits(type, bits >>> 0);
}

/** The index of each lane in as many bits as an element has. An extension is of no use here. */
function indices(packets: Packets, index: Value, element: Type): Value {
  const isExtended = index.kind === "instruction" && (index.op === Op.ZEXT || index.op === Op.SEXT);
  const source = isExtended ? (index.operands[0] ?? index) : index;
  const { bits } = scalarOf(source.type);
  // A narrow signed index is never negative where it is in the table.
  const [given, op] = bits <= element.bits ? [source, Op.ZEXT] : [index, Op.TRUNC];
  const vector = packets.vector(given);
  return given.type === element ? vector : packets.builder.convert(op, vector, vectorType(element, packets.width));
}

/** Looks a load's elements up for all lanes; null: it is no such load, or loads are cheaper. */
export function lookUp(instruction: Instruction, packets: Packets): Value | null {
  const { builder, layout, machine, width } = packets;
  const { type } = instruction;
  const size = sizeOf(layout, scalarOf(type));
  const lookup = layout.littleEndian && size <= 4 ? lookupOf(instruction, size) : null;
  if (lookup === null) return null;
  const element = intType(8 * size);
  const register = machine.registers.vectorBytes / size;
  const entries = Math.max(register, 2 ** Math.ceil(Math.log2(lookup.bytes.length / size)));
  const lanes = vectorType(element, width);
  const cost = costOfOp(machine, Op.PERMUTE, { type: lanes }) * (entries / register);
  if (entries * size > machine.limits.tableBytes || cost >= width * machine.costs.gatherLane) return null;
  const table = constantVector(
    vectorType(element, entries),
    Array.from({ length: entries }, (_, at) => entry(lookup.bytes, element, size, at)),
  );
  const picked = builder.permute(table, indices(packets, lookup.index, element), entries);
  return scalarOf(type) === element ? picked : builder.convert(Op.BITCAST, picked, vectorType(scalarOf(type), width));
}
