// SPDX-License-Identifier: Apache-2.0
// SROA, analysis: partitions an alloca by the slices that its accesses touch (the terms of LLVM's SROA).
//
// A slice is one access at a constant offset. Loads and stores whose byte ranges overlap fall into one partition; fills
// and copies do not join partitions, they are split along them. Bytes that are copied out of the variable without a
// typed access form partitions of plain bytes, bytes that are never read none at all.
//
// A partition has a type when every slice reads or writes it whole as that type or a bitcast of it, or as one lane of
// the vector type that another slice has; copies and zero fills must cover it. Otherwise it stays an array of bytes.
// A vector of 3 lanes whose fourth is copied with it, or accessed by others, becomes one of 4.
//
// Cost: sorting the slices, then each slice against each partition.
import { type DataLayout, type Instruction, type Type, laneCount, scalarOf, sizeOf, vectorType } from "@muxkit/ir";

/** A slice: one access to a variable, at a constant offset. */
export interface Slice {
  readonly kind: "load" | "store" | "fill" | "copy-to" | "copy-from";
  readonly instruction: Instruction;
  readonly offset: number;
  readonly bytes: number;
}

/** A partition of a variable: it becomes a variable of its own. */
export interface Partition {
  readonly offset: number;
  readonly bytes: number;
  /** The type that every slice reads or writes, whole or, of a vector, one lane of it; null: it stays bytes. */
  readonly type: Type | null;
}

interface Span {
  offset: number;
  end: number;
  readonly accesses: Slice[];
}

/** The type that a load or store moves; null: it is neither. */
export function accessTypeOf({ kind, instruction }: Slice): Type | null {
  if (kind === "load") return instruction.type;
  return kind === "store" ? (instruction.operands[0]?.type ?? null) : null;
}

/** Bits of an int, a float or a vector of these, of more than one bit each; 0: it is none. */
function castableBits(type: Type): number {
  const { kind, bits } = scalarOf(type);
  return (kind === "int" || kind === "float") && bits > 1 ? bits * laneCount(type) : 0;
}

/** True when a bitcast converts one type to the other. */
function isBitcast(from: Type, to: Type): boolean {
  return from === to || (castableBits(from) > 0 && castableBits(from) === castableBits(to));
}

/** The lanes of a vector of 3 with the one that is padding in memory. */
const PADDED_LANES = 4;

/** True for a vector of 3 lanes, which are the first ones of a vector of 4 or of its bits. */
export function isFirstLanes(type: Type, whole: Type): boolean {
  return (
    type.kind === "vector" &&
    type.count === PADDED_LANES - 1 &&
    whole.kind === "vector" &&
    whole.count === PADDED_LANES &&
    castableBits(scalarOf(type)) > 0 &&
    castableBits(scalarOf(type)) === castableBits(scalarOf(whole))
  );
}

/** True for types with padding bits in memory, which a copy has to preserve, and which no type has. */
function hasPaddingBits(type: Type): boolean {
  return scalarOf(type).bits === 1;
}

/** The type with lanes where a vector has padding. */
function padded(type: Type): Type {
  return type.kind === "vector" && type.count === PADDED_LANES - 1 && castableBits(type) > 0
    ? vectorType(scalarOf(type), PADDED_LANES)
    : type;
}

function isCopy({ kind }: Slice): boolean {
  return kind === "copy-from" || kind === "copy-to";
}

/** The type that fits all accesses of a span; null: there is none. */
function commonType(span: Span, layout: DataLayout): Type | null {
  let type: Type | null = null;
  for (const access of span.accesses) {
    const own = accessTypeOf(access);
    if (
      own !== null &&
      access.bytes === span.end - span.offset &&
      (type === null || (own.kind === "vector" && type.kind !== "vector"))
    )
      type = own;
  }
  if (type === null) return null;
  const isCopied = span.accesses.some(isCopy);
  if (hasPaddingBits(type) && isCopied) return null;
  const common = type;
  if (
    isCopied ||
    span.accesses.some((access) => {
      const own = accessTypeOf(access);
      return own !== null && !isBitcast(own, common);
    })
  )
    type = padded(type);
  for (const access of span.accesses) {
    const own = accessTypeOf(access);
    const isWhole = access.offset <= span.offset && access.offset + access.bytes >= span.end;
    if (own === null) {
      // A fill or copy that covers the partition only in part keeps it bytes; only zero is a value of every type.
      const isZero =
        access.kind !== "fill" ||
        (access.instruction.operands[1]?.kind === "constant" && access.instruction.operands[1].low === 0);
      if (!isWhole || !isZero) return null;
    } else if (
      isWhole
        ? !isBitcast(own, type) && !isFirstLanes(own, type)
        : !isLane(own, access.offset - span.offset, type, layout)
    )
      return null;
  }
  return type;
}

/** True for an access to one lane of a vector. */
function isLane(type: Type, offset: number, vector: Type, layout: DataLayout): boolean {
  if (vector.kind !== "vector" || scalarOf(vector) !== type) return false;
  const lane = offset / sizeOf(layout, type);
  return Number.isInteger(lane) && lane < vector.count;
}

/** Joins typed accesses that overlap. Fills and copies join nothing: they are split. */
function spansOf(accesses: readonly Slice[]): Span[] {
  const typed = accesses
    .filter((access) => accessTypeOf(access) !== null)
    .toSorted((a, b) => a.offset - b.offset || b.bytes - a.bytes);
  const spans: Span[] = [];
  for (const { offset, bytes } of typed) {
    const last = spans.at(-1);
    if (last !== undefined && offset < last.end) last.end = Math.max(last.end, offset + bytes);
    else spans.push({ offset, end: offset + bytes, accesses: [] });
  }
  return spans;
}

/** Byte ranges that are copied out of a variable and are in no span. */
function gapsOf(spans: readonly Span[], accesses: readonly Slice[]): Span[] {
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

/** The partitions of a variable. Bytes that are never read are in none. */
export function partitionsOf(accesses: readonly Slice[], layout: DataLayout): readonly Partition[] {
  const spans = spansOf(accesses);
  const all = [...spans, ...gapsOf(spans, accesses)].toSorted((a, b) => a.offset - b.offset);
  for (const access of accesses) {
    for (const span of all)
      if (access.offset < span.end && access.offset + access.bytes > span.offset) span.accesses.push(access);
  }
  return all.map((span) => ({ offset: span.offset, bytes: span.end - span.offset, type: commonType(span, layout) }));
}
