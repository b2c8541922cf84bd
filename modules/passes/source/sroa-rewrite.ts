// SPDX-License-Identifier: Apache-2.0
// SROA, rewriting: loads and stores of a split variable become loads and stores of one partition.
import { I32, Instruction, Op, type Type, VOID, type Value, constantInt, scalarOf, vectorType } from "@muxkit/ir";

import { isFirstLanes } from "./sroa-partitions.ts";

type Emit = (made: Instruction) => Instruction;

function make(op: number, type: Type, operands: Value[], like: Instruction, emit: Emit): Instruction {
  return emit(new Instruction(op, type, operands, like.location));
}

/** An address within a partition that stayed bytes. */
function within(part: Instruction, offset: number, like: Instruction, emit: Emit): Value {
  if (offset === 0) return part;
  const made = make(Op.ADDRESS, part.type, [part], like, emit);
  made.offset = offset;
  return made;
}

function isBytes(part: Instruction): boolean {
  return part.elementType?.kind === "array";
}

function load(
  part: Instruction,
  pointer: Value,
  type: Type,
  alignment: number,
  like: Instruction,
  emit: Emit,
): Instruction {
  const made = make(Op.LOAD, type, [pointer], like, emit);
  made.alignment = pointer === part ? part.alignment : alignment;
  return made;
}

/** The lane of a vector at a byte offset. */
function laneOf(type: Type, offset: number): number {
  return offset / (scalarOf(type).bits >> 3);
}

/** The lanes of a vector of 3 in one of 4. */
const FIRST_LANES = [0, 1, 2];
/** The same with zero as the fourth. */
const WIDENED = [0, 1, 2, -1];
/** The lanes of a first vector of 4, but for the fourth, which is that of a second one. */
const FOURTH_KEPT = [0, 1, 2, 7];

function shuffle(left: Value, right: Value, lanes: readonly number[], like: Instruction, emit: Emit): Instruction {
  const made = new Instruction(Op.SHUFFLE, vectorType(scalarOf(left.type), lanes.length), [left, right], like.location);
  made.lanes = [...lanes];
  return emit(made);
}

/** Emits the load of a partition instead of the load of the whole variable; a bitcast or `extract` converts it. */
export function readPartition(part: Instruction, offset: number, instruction: Instruction, emit: Emit): Value {
  const type = part.elementType ?? instruction.type;
  if (isBytes(part))
    return load(
      part,
      within(part, offset, instruction, emit),
      instruction.type,
      instruction.alignment,
      instruction,
      emit,
    );
  const whole = load(part, part, type, part.alignment, instruction, emit);
  if (type === instruction.type) return whole;
  if (type.kind === "vector" && instruction.type === scalarOf(type))
    return make(Op.EXTRACT, instruction.type, [whole, constantInt(I32, laneOf(type, offset))], instruction, emit);
  if (isFirstLanes(instruction.type, type)) {
    const first = shuffle(whole, whole, FIRST_LANES, instruction, emit);
    return first.type === instruction.type ? first : make(Op.BITCAST, instruction.type, [first], instruction, emit);
  }
  return make(Op.BITCAST, instruction.type, [whole], instruction, emit);
}

function store(
  part: Instruction,
  pointer: Value,
  value: Value,
  alignment: number,
  like: Instruction,
  emit: Emit,
): void {
  const made = make(Op.STORE, VOID, [value, pointer], like, emit);
  made.alignment = pointer === part ? part.alignment : alignment;
}

/** Emits the store to a partition instead of the store to the whole variable; a lane is inserted into its vector. */
export function writePartition(part: Instruction, offset: number, instruction: Instruction, emit: Emit): void {
  const [value] = instruction.operands;
  if (value === undefined) return;
  const type = part.elementType ?? value.type;
  if (isBytes(part))
    store(part, within(part, offset, instruction, emit), value, instruction.alignment, instruction, emit);
  else if (type === value.type) store(part, part, value, part.alignment, instruction, emit);
  else if (type.kind === "vector" && value.type === scalarOf(type)) {
    const whole = load(part, part, type, part.alignment, instruction, emit);
    store(
      part,
      part,
      make(Op.INSERT, type, [whole, value, constantInt(I32, laneOf(type, offset))], instruction, emit),
      part.alignment,
      instruction,
      emit,
    );
  } else if (isFirstLanes(value.type, type)) {
    const own = vectorType(scalarOf(type), value.type.count);
    const lanes = value.type === own ? value : make(Op.BITCAST, own, [value], instruction, emit);
    const whole = load(part, part, type, part.alignment, instruction, emit);
    const wide = shuffle(lanes, lanes, WIDENED, instruction, emit);
    store(part, part, shuffle(wide, whole, FOURTH_KEPT, instruction, emit), part.alignment, instruction, emit);
  } else store(part, part, make(Op.BITCAST, type, [value], instruction, emit), part.alignment, instruction, emit);
}
