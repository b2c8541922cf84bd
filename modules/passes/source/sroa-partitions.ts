// SPDX-License-Identifier: Apache-2.0
// Slices: the parts of a variable that its accesses fall into.
import { type DataLayout, type Instruction, type Type, laneCount, scalarOf, sizeOf } from "@muxkit/ir";

/** One access to a variable, at a constant offset. */
export interface SlicedAccess {
  readonly kind: "load" | "store" | "fill" | "copy-to" | "copy-from";
  readonly instruction: Instruction;
  readonly offset: number;
  readonly bytes: number;
}

/** A part of a variable. */
export interface Slice {
  readonly offset: number;
  readonly bytes: number;
  /** The type that every access to it reads or writes, whole or, of a vector, a lane; null: it stays bytes. */
  readonly type: Type | null;
}

interface Span {
  offset: number;
  end: number;
  readonly accesses: SlicedAccess[];
}

/** The type that a load or store moves; null: it is neither. */
function typeOf({ kind, instruction }: SlicedAccess): Type | null {
  if (kind === "load") return instruction.type;
  return kind === "store" ? (instruction.operands[0]?.type ?? null) : null;
}

/** Bits of an int, a float or a vector of these, of more than one bit each; 0: it is none. */
function castableBits(type: Type): number {
  const { kind, bits } = scalarOf(type);
  return (kind === "int" || kind === "float") && bits > 1 ? bits * laneCount(type) : 0;
}

/** True when a value of one type can be had from the other by its bits. */
function isBitcast(from: Type, to: Type): boolean {
  return from === to || (castableBits(from) > 0 && castableBits(from) === castableBits(to));
}

/** True for types whose bytes hold more than their values do: copies must keep that too. */
function hasUnseenBits(type: Type): boolean {
  return scalarOf(type).bits === 1 || (type.kind === "vector" && type.count === 3);
}

/** The type that all accesses of a span agree on; null: they do not. */
function commonType(span: Span, layout: DataLayout): Type | null {
  let type: Type | null = null;
  for (const access of span.accesses) {
    const own = typeOf(access);
    if (
      own !== null &&
      access.bytes === span.end - span.offset &&
      (type === null || (own.kind === "vector" && type.kind !== "vector"))
    )
      type = own;
  }
  if (
    type === null ||
    (hasUnseenBits(type) && span.accesses.some(({ kind }) => kind === "copy-from" || kind === "copy-to"))
  )
    return null;
  for (const access of span.accesses) {
    const own = typeOf(access);
    const isWhole = access.offset <= span.offset && access.offset + access.bytes >= span.end;
    if (own === null) {
      // Fills and copies take a part whole, or leave it bytes; only zeros are known as values of any type.
      const isZero =
        access.kind !== "fill" ||
        (access.instruction.operands[1]?.kind === "constant" && access.instruction.operands[1].low === 0);
      if (!isWhole || !isZero) return null;
    } else if (isWhole ? !isBitcast(own, type) : !isLane(own, access.offset - span.offset, type, layout)) return null;
  }
  return type;
}

/** True for one lane of a vector. */
function isLane(type: Type, offset: number, vector: Type, layout: DataLayout): boolean {
  if (vector.kind !== "vector" || scalarOf(vector) !== type) return false;
  const lane = offset / sizeOf(layout, type);
  return Number.isInteger(lane) && lane < vector.count;
}

/** Joins what overlaps. Fills and copies join nothing: they are cut. */
function spansOf(accesses: readonly SlicedAccess[]): Span[] {
  const typed = accesses
    .filter((access) => typeOf(access) !== null)
    .toSorted((a, b) => a.offset - b.offset || b.bytes - a.bytes);
  const spans: Span[] = [];
  for (const { offset, bytes } of typed) {
    const last = spans.at(-1);
    if (last !== undefined && offset < last.end) last.end = Math.max(last.end, offset + bytes);
    else spans.push({ offset, end: offset + bytes, accesses: [] });
  }
  return spans;
}

/** Bytes that are copied out of a variable and lie in no span. */
function gapsOf(spans: readonly Span[], accesses: readonly SlicedAccess[]): Span[] {
  const gaps: Span[] = [];
  for (const { kind, offset, bytes } of accesses) {
    if (kind !== "copy-from") continue;
    let at = offset;
    for (const span of [...spans, { offset: offset + bytes, end: offset + bytes }]) {
      if (span.end <= at) continue;
      if (span.offset > at && at < offset + bytes)
        gaps.push({ offset: at, end: Math.min(span.offset, offset + bytes), accesses: [] });
      at = Math.max(at, span.end);
    }
  }
  gaps.sort((a, b) => a.offset - b.offset);
  const joined: Span[] = [];
  for (const gap of gaps) {
    const last = joined.at(-1);
    if (last !== undefined && gap.offset < last.end) last.end = Math.max(last.end, gap.end);
    else joined.push(gap);
  }
  return joined;
}

/** The parts that a variable's accesses fall into. Bytes that nobody reads are in none. */
export function slicesOf(accesses: readonly SlicedAccess[], layout: DataLayout): readonly Slice[] {
  const spans = spansOf(accesses);
  const all = [...spans, ...gapsOf(spans, accesses)].toSorted((a, b) => a.offset - b.offset);
  for (const access of accesses) {
    for (const span of all)
      if (access.offset < span.end && access.offset + access.bytes > span.offset) span.accesses.push(access);
  }
  return all.map((span) => ({ offset: span.offset, bytes: span.end - span.offset, type: commonType(span, layout) }));
}
