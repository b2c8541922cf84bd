// SPDX-License-Identifier: Apache-2.0
// Reading and writing a part of a split variable.
import { I32, Instruction, Op, type Type, VOID, type Value, constantInt, scalarOf } from "@muxkit/ir";

type Put = (made: Instruction) => Instruction;

function make(op: number, type: Type, operands: Value[], like: Instruction, put: Put): Instruction {
  return put(new Instruction(op, type, operands, like.location));
}

/** An address within a part that stayed bytes. */
function within(part: Instruction, offset: number, like: Instruction, put: Put): Value {
  if (offset === 0) return part;
  const made = make(Op.ADDRESS, part.type, [part], like, put);
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
  put: Put,
): Instruction {
  const made = make(Op.LOAD, type, [pointer], like, put);
  made.alignment = pointer === part ? part.alignment : alignment;
  return made;
}

/** The lane of a vector that lies at a byte offset. */
function laneOf(type: Type, offset: number): number {
  return offset / (scalarOf(type).bits >> 3);
}

/** What a load of a variable gives, from the part that it falls into. */
export function readSlice(part: Instruction, offset: number, instruction: Instruction, put: Put): Value {
  const type = part.elementType ?? instruction.type;
  if (isBytes(part))
    return load(
      part,
      within(part, offset, instruction, put),
      instruction.type,
      instruction.alignment,
      instruction,
      put,
    );
  const whole = load(part, part, type, part.alignment, instruction, put);
  if (type === instruction.type) return whole;
  if (type.kind === "vector" && instruction.type === scalarOf(type))
    return make(Op.EXTRACT, instruction.type, [whole, constantInt(I32, laneOf(type, offset))], instruction, put);
  return make(Op.BITCAST, instruction.type, [whole], instruction, put);
}

function store(part: Instruction, pointer: Value, value: Value, alignment: number, like: Instruction, put: Put): void {
  const made = make(Op.STORE, VOID, [value, pointer], like, put);
  made.alignment = pointer === part ? part.alignment : alignment;
}

/** Does what a store to a variable did, to the part that it falls into. */
export function writeSlice(part: Instruction, offset: number, instruction: Instruction, put: Put): void {
  const [value] = instruction.operands;
  if (value === undefined) return;
  const type = part.elementType ?? value.type;
  if (isBytes(part))
    store(part, within(part, offset, instruction, put), value, instruction.alignment, instruction, put);
  else if (type === value.type) store(part, part, value, part.alignment, instruction, put);
  else if (type.kind === "vector" && value.type === scalarOf(type)) {
    const whole = load(part, part, type, part.alignment, instruction, put);
    store(
      part,
      part,
      make(Op.INSERT, type, [whole, value, constantInt(I32, laneOf(type, offset))], instruction, put),
      part.alignment,
      instruction,
      put,
    );
  } else store(part, part, make(Op.BITCAST, type, [value], instruction, put), part.alignment, instruction, put);
}
