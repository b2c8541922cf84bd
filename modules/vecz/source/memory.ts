// SPDX-License-Identifier: Apache-2.0
// Loads and stores for all lanes, by the shape of the address: uniform (one access and a splat), contiguous (one wide
// access), reversed or strided within a few elements (wide accesses and shuffles), else a gather or scatter. Under a
// mask they become masked accesses; values of vector types are accessed wide or deinterleaved by component.
// access.table.ts names the kinds for remarks.
import { assert } from "@muxkit/cargo";
import {
  type Builder,
  I32,
  Instruction,
  Op,
  type Type,
  VOID,
  type Value,
  VOLATILE,
  constantInt,
  laneCount,
  scalarOf,
  sizeOf,
  vectorType,
  MAX_VECTOR_LANES,
} from "@muxkit/ir";

import type { AccessKind } from "./access.table.ts";
import { type Packets, pointerVector } from "./packets.ts";
import { lookUp } from "./table-lookups.ts";

/** The context of an access. */
export interface MemoryFrame {
  readonly packets: Packets;
  /** Lanes that are on; null: all. */
  readonly mask: Value | null;
  /** Writes code for each lane that is on. */
  readonly perLane: (instruction: Instruction) => void;
  /** Receives the kind of each access, for remarks. */
  readonly note: (instruction: Instruction, kind: AccessKind) => void;
}

/** Element type, components and bytes of an access. */
interface Access {
  readonly element: Type;
  readonly lanes: number;
  readonly bytes: number;
}

function accessOf(packets: Packets, type: Type): Access {
  const element = scalarOf(type);
  return { element, lanes: laneCount(type), bytes: sizeOf(packets.layout, element) };
}

function make(
  builder: Builder,
  op: number,
  type: Type,
  operands: Value[],
  source: Instruction,
  alignment: number,
): Value {
  const made = new Instruction(op, type, operands, builder.location);
  made.alignment = alignment;
  made.flags = source.flags;
  made.aliasGroup = source.aliasGroup;
  return builder.insert(made);
}

function at(builder: Builder, pointer: Value, offset: number): Value {
  return offset === 0 ? pointer : builder.address(pointer, null, 0, offset);
}

/** Loads a value for all lanes. */
export function packLoad(instruction: Instruction, frame: MemoryFrame): void {
  const { packets, note } = frame;
  const { builder, width } = packets;
  const [pointer] = instruction.operands;
  assert(pointer !== undefined, "a load has a pointer");
  const stride = packets.shape(pointer);
  const { element, lanes, bytes } = accessOf(packets, instruction.type);
  const isVolatile = (instruction.flags & VOLATILE) !== 0;
  if (isVolatile || (element.kind === "int" && element.bits === 1)) {
    note(instruction, "one by one");
    frame.perLane(instruction);
    return;
  }
  if (stride !== null && stride === lanes * bytes && lanes * width <= MAX_VECTOR_LANES) {
    note(instruction, "contiguous");
    packets.setFlat(
      instruction,
      make(
        builder,
        Op.LOAD,
        vectorType(element, lanes * width),
        [packets.first(pointer)],
        instruction,
        Math.min(instruction.alignment, bytes),
      ),
    );
    return;
  }
  if (
    stride !== null &&
    stride > 0 &&
    stride % bytes === 0 &&
    stride / bytes <= packets.machine.limits.stridedElements &&
    (stride / bytes) * width <= MAX_VECTOR_LANES
  ) {
    note(instruction, "strided");
    const step = stride / bytes;
    const wide = make(
      builder,
      Op.LOAD,
      vectorType(element, step * width),
      [packets.first(pointer)],
      instruction,
      Math.min(instruction.alignment, bytes),
    );
    packets.setParts(
      instruction,
      Array.from({ length: lanes }, (_, part) => packets.pick(wide, step, part)),
    );
    return;
  }
  if (stride !== null && stride === -bytes && lanes === 1) {
    note(instruction, "strided");
    const wide = make(
      builder,
      Op.LOAD,
      vectorType(element, width),
      [at(builder, packets.first(pointer), stride * (width - 1))],
      instruction,
      bytes,
    );
    packets.setFlat(
      instruction,
      builder.shuffle(
        wide,
        wide,
        Array.from({ length: width }, (_, i) => width - 1 - i),
      ),
    );
    return;
  }
  const found = lookUp(instruction, packets);
  if (found !== null) {
    note(instruction, "looked up");
    packets.setFlat(instruction, found);
    return;
  }
  note(instruction, "gathered");
  const pointers = packets.vector(pointer);
  const mask = frame.mask ?? packets.allOn;
  if (lanes * width <= MAX_VECTOR_LANES && (lanes & (lanes - 1)) === 0) {
    packets.setFlat(
      instruction,
      make(
        builder,
        Op.GATHER,
        vectorType(element, lanes * width),
        [pointers, mask],
        instruction,
        instruction.alignment,
      ),
    );
    return;
  }
  const partAt = (part: number): Value =>
    part === 0 ? pointers : pointerVector(builder, pointers, constantInt(I32, 0), width, 1, part * bytes);
  packets.setParts(
    instruction,
    Array.from({ length: lanes }, (_, part) =>
      make(
        builder,
        Op.GATHER,
        vectorType(element, width),
        [partAt(part), mask],
        instruction,
        Math.min(instruction.alignment, bytes),
      ),
    ),
  );
}

/** Stores a value of all lanes that are on. */
export function packStore(instruction: Instruction, frame: MemoryFrame): void {
  const { packets, mask, note } = frame;
  const { builder, width } = packets;
  const [value, pointer] = instruction.operands;
  assert(value !== undefined && pointer !== undefined, "a store has a value and a pointer");
  const stride = packets.shape(pointer);
  const { element, lanes, bytes } = accessOf(packets, value.type);
  const isVolatile = (instruction.flags & VOLATILE) !== 0;
  if (isVolatile || (element.kind === "int" && element.bits === 1)) {
    note(instruction, "one by one");
    frame.perLane(instruction);
    return;
  }
  if (stride === 0 && packets.shape(value) === 0) {
    note(instruction, "uniform");
    make(builder, Op.STORE, VOID, [packets.first(value), packets.first(pointer)], instruction, instruction.alignment);
    return;
  }
  if (stride === 0 && mask === null) {
    // All lanes store to one address: the last one stays.
    note(instruction, "uniform");
    const last = packets.components(value).map((part) => builder.extract(part, width - 1));
    const [only] = last;
    assert(only !== undefined, "a value has components");
    make(
      builder,
      Op.STORE,
      VOID,
      [last.length === 1 ? only : builder.build(last), packets.first(pointer)],
      instruction,
      instruction.alignment,
    );
    return;
  }
  if (stride !== null && stride === lanes * bytes && lanes * width <= MAX_VECTOR_LANES) {
    note(instruction, "contiguous");
    const alignment = Math.min(instruction.alignment, bytes);
    const operands = [packets.flat(value), packets.first(pointer)];
    if (mask === null) make(builder, Op.STORE, VOID, operands, instruction, alignment);
    else make(builder, Op.MASKED_STORE, VOID, [...operands, packets.widenMask(mask, lanes)], instruction, alignment);
    return;
  }
  if (stride !== null && stride === -bytes && lanes === 1 && mask === null) {
    note(instruction, "strided");
    const vector = packets.vector(value);
    make(
      builder,
      Op.STORE,
      VOID,
      [
        builder.shuffle(
          vector,
          vector,
          Array.from({ length: width }, (_, i) => width - 1 - i),
        ),
        at(builder, packets.first(pointer), stride * (width - 1)),
      ],
      instruction,
      bytes,
    );
    return;
  }
  note(instruction, "gathered");
  if (lanes * width <= MAX_VECTOR_LANES && (lanes & (lanes - 1)) === 0) {
    make(
      builder,
      Op.SCATTER,
      VOID,
      [packets.flat(value), packets.vector(pointer), mask ?? packets.allOn],
      instruction,
      instruction.alignment,
    );
    return;
  }
  frame.perLane(instruction);
}

/** True when some lane of a mask is on. */
export function someOn(builder: Builder, mask: Value): Value {
  return builder.any(mask);
}
