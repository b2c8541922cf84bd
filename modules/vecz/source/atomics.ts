// SPDX-License-Identifier: Apache-2.0
// Atomic operations of all lanes on one address (aggregated atomics; A. Adinetz, "Optimized filtering with warp-
// aggregated atomics", 2014). Lanes may take effect in any order, so that of the lanes is as good: the operands of the
// lanes that are on are combined first, one atomic operation does the rest, and each lane finds what it would have read
// from what the operation read and a scan of the lanes before it.
//
//   %old = atomic_rmw %p, %x {add}            %sum = reduce %x.v {add}
//                                      =>     %first = atomic_rmw %p, %sum {add}
//                                             %old.v = add splat %first, (exclusive scan of %x.v)
//
// Ints only: the intermediate sums of floats would round otherwise than in any order of the lanes. Cost: log2 of the
// lanes steps, twice that where results are used.
import { assert } from "@muxkit/cargo";
import {
  type AtomicKind,
  type Instruction,
  Op,
  type Type,
  VOLATILE,
  type Value,
  cloneInstruction,
  constantInt,
  constantSplat,
  laneCount,
  scalarOf,
} from "@muxkit/ir";

import { combiningBy, fold, scanInclusive, shiftedUp } from "./groups.ts";
import type { Packets } from "./packets.ts";

/** The kinds of operation whose operands can be combined first, with the kind that combines them. */
const COMBINED_BY: Readonly<Partial<Record<AtomicKind, AtomicKind>>> = {
  add: "add",
  sub: "add",
  and: "and",
  or: "or",
  xor: "xor",
  smin: "smin",
  smax: "smax",
  umin: "umin",
  umax: "umax",
};

/** Kinds for which equal operands are as good as one of them. */
const IDEMPOTENT: ReadonlySet<AtomicKind> = new Set(["and", "or", "smin", "smax", "umin", "umax"]);

/** The context of an atomic operation. */
export interface AtomicFrame {
  readonly packets: Packets;
  /** Lanes that are on; null: all. */
  readonly mask: Value | null;
  /** False: nothing uses the result. */
  readonly isUsed: boolean;
}

/** True for operations on one address for all lanes, of a kind that combines. */
export function isCombined({ atomicKind, flags, type, operands: [pointer] }: Instruction, packets: Packets): boolean {
  return (
    pointer !== undefined &&
    packets.shape(pointer) === 0 &&
    (flags & VOLATILE) === 0 &&
    type.kind === "int" &&
    laneCount(type) === 1 &&
    COMBINED_BY[atomicKind] !== undefined
  );
}

/** The operand for all lanes together; null: it is the same for all of them, and one is enough. */
function membersOf(instruction: Instruction, { packets, mask, isUsed }: AtomicFrame, neutral: Value): Value | null {
  const [, operand] = instruction.operands;
  assert(operand !== undefined, "an atomic operation has an operand");
  if (!isUsed && packets.shape(operand) === 0 && IDEMPOTENT.has(instruction.atomicKind)) return null;
  const vector = packets.vector(operand);
  return mask === null ? vector : packets.builder.select(mask, vector, neutral);
}

/** Writes such an operation where some lane is on. The result: what each lane read; null: it is not used. */
function combine(instruction: Instruction, frame: AtomicFrame): Value | null {
  const { packets, isUsed } = frame;
  const { builder } = packets;
  const { type, atomicKind: kind } = instruction;
  const [pointer, operand] = instruction.operands;
  const by = COMBINED_BY[kind];
  assert(pointer !== undefined && operand !== undefined && by !== undefined, "an operation that combines");
  const how = combiningBy(by, type, packets);
  const members = membersOf(instruction, frame, constantSplat(packets.vectorOf(type), how.neutral));
  const copy = cloneInstruction(instruction);
  copy.operands = [packets.first(pointer), members === null ? packets.first(operand) : fold(members, by, how, packets)];
  const first = builder.insert(copy);
  if (!isUsed || members === null) return null;
  const before = shiftedUp(packets, scanInclusive(members, how, packets), how.neutral, 1);
  return combinedWith(kind, packets.splat(first), before, packets);
}

/** What each lane reads: what was there, changed by the lanes before it. */
function combinedWith(kind: AtomicKind, first: Value, before: Value, packets: Packets): Value {
  const { builder } = packets;
  if (kind === "sub") return builder.same(Op.SUB, first, before);
  return combiningBy(kind, scalarOf(first.type), packets).combine(first, before);
}

/** Writes an operation for which {@link isCombined} holds. */
export function packCombined(instruction: Instruction, frame: AtomicFrame): void {
  const { packets, mask, isUsed } = frame;
  const { builder } = packets;
  const type: Type = packets.vectorOf(instruction.type);
  const setResult = (value: Value): void => packets.setParts(instruction, [value]);
  const nothing = constantSplat(type, constantInt(instruction.type, 0));
  if (mask === null) {
    setResult(combine(instruction, frame) ?? nothing);
    return;
  }
  const { owner } = builder.block;
  const on = owner.addBlock("lanes");
  const end = owner.addBlock("lanes.end");
  builder.conditionalBranch(builder.any(mask), on, end, [], isUsed ? [nothing] : []);
  const result = isUsed ? end.addParameter(type) : nothing;
  builder.block = on;
  const read = combine(instruction, frame);
  if (read === null) builder.branch(end);
  else builder.branch(end, read);
  builder.block = end;
  setResult(result);
}
