// SPDX-License-Identifier: Apache-2.0
// Packetizer: writes each instruction for all lanes (Karrenberg and Hack 2011, "Whole-Function Vectorization",
// instruction vectorisation). Values whose shape is known stay scalars of lane 0; elementwise ops become vector ops;
// memory ops go by the shape of their address (memory.ts); calls become calls of vector variants; what has no vector
// variant is scalarised: once a lane, under a test where lanes may be off.
//
// Works on the source function's blocks in the order in which the lineariser visits them, and on Packets for values. A
// table by op (WRITERS and the sets below) chooses the case. Cost: linear in instructions, times lanes where
// scalarised.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  type DataLayout,
  I1,
  I32,
  I8,
  Instruction,
  type IrFunction,
  Op,
  PRIVATE,
  type Type,
  VOID,
  type Value,
  arrayType,
  cloneInstruction,
  constantInt,
  constantZero,
  hasEffect,
  laneCount,
  pointerType,
  scalarOf,
  sizeOf,
  vectorType,
  walk,
} from "@muxkit/ir";

import type { AccessKind } from "./access.table.ts";
import { isCombined, packCombined } from "./atomics.ts";
import { packGroupOperation } from "./groups.ts";
import { packLoad, packStore } from "./memory.ts";
import { type Packets, pointerVector } from "./packets.ts";
import { slotBytes } from "./shape.ts";

/** The vector variant of a called function. @public */
export interface VectorCall {
  /** The function. */
  readonly callee: IrFunction;
  /** True when the last argument is the mask. */
  readonly isMasked: boolean;
}

/** The context of packetising. */
export interface PacketizerFrame {
  readonly layout: DataLayout;
  /**
   * The vector variant of a function that takes some of its arguments as vectors, the others uniform; null: it is
   * called once a lane.
   */
  readonly vectorCall: (callee: IrFunction, vectors: readonly boolean[], isMasked: boolean) => VectorCall | null;
  readonly note: (instruction: Instruction, kind: AccessKind) => void;
  /** Conditions whose value is known where the function runs. */
  readonly known: ReadonlyMap<Instruction, boolean>;
}

type Pack = (instruction: Instruction, packetizer: Packetizer) => void;

/** Writes instructions for all lanes. */
export class Packetizer {
  readonly packets: Packets;
  /** Lanes that are on; null: all. */
  mask: Value | null = null;
  /** Blocks that run only when some lanes are off: cost estimates leave them out. */
  readonly rare: Set<Block> = new Set();
  private readonly frame: PacketizerFrame;
  /** Values of the source function that something uses; null: not known yet. */
  private used: ReadonlySet<Value> | null = null;

  constructor(packets: Packets, frame: PacketizerFrame) {
    this.packets = packets;
    this.frame = frame;
  }

  /** Writes an instruction for all lanes that are on. Terminators are written by the lineariser. */
  write(instruction: Instruction): void {
    const { packets } = this;
    const { builder, divergence } = packets;
    builder.location = instruction.location;
    const { op } = instruction;
    if (op === Op.DEBUG_VALUE) {
      const [value] = instruction.operands;
      if (value !== undefined && packets.shape(value) === 0) this.scalar(instruction);
      return;
    }
    if (op === Op.ALLOCA) {
      this.variable(instruction);
      return;
    }
    const known = this.frame.known.get(instruction);
    if (known !== undefined) {
      packets.setFirst(instruction, constantInt(I1, known ? 1 : 0));
      return;
    }
    const shape = divergence.shapeOf(instruction);
    if (
      op === Op.SELECT &&
      shape !== null &&
      instruction.operands[0] !== undefined &&
      packets.shape(instruction.operands[0]) !== 0
    ) {
      const [, either] = instruction.operands;
      assert(either !== undefined, "a selection has two values");
      packets.setFirst(instruction, packets.first(either));
      return;
    }
    // Only a pure call has a shape.
    if (shape !== null && instruction.type !== VOID && (hasEffect(op, "s") || op === Op.LOAD || op === Op.CALL)) {
      this.scalar(instruction);
      return;
    }
    (PACKS[op] ?? packDefault)(instruction, this);
  }

  /** Chooses the writer of an instruction. */
  note(instruction: Instruction, kind: AccessKind): void {
    this.frame.note(instruction, kind);
  }

  /** The instruction unchanged, on lane 0. */
  scalar(instruction: Instruction): void {
    if (instruction.op === Op.LOAD) this.note(instruction, "uniform");
    const { packets } = this;
    const copy = cloneInstruction(instruction);
    copy.operands = instruction.operands.map((value) => packets.first(value));
    if (instruction.op === Op.ADDRESS) this.spreadAddress(copy, instruction);
    packets.builder.insert(copy);
    if (instruction.type !== VOID) packets.setFirst(instruction, copy);
  }

  /** Steps within interleaved variables skip the elements of all lanes. */
  private spreadAddress(copy: Instruction, instruction: Instruction): void {
    const [base] = instruction.operands;
    if (base === undefined || !this.packets.divergence.isInterleaved(base)) return;
    copy.scale *= this.packets.width;
    copy.offset *= this.packets.width;
  }

  private variable(instruction: Instruction): void {
    const { packets } = this;
    const { elementType } = instruction;
    assert(elementType !== null, "a variable has a type");
    const entry = packets.builder.block.owner.entry;
    const made = new Instruction(Op.ALLOCA, pointerType(PRIVATE), [], instruction.location);
    const bytes = slotBytes(instruction, this.frame.layout);
    const isPadded = bytes !== sizeOf(this.frame.layout, elementType) && !packets.divergence.isInterleaved(instruction);
    made.elementType = isPadded ? arrayType(I8, bytes * packets.width) : arrayType(elementType, packets.width);
    made.alignment = Math.max(16, instruction.alignment);
    made.name = instruction.name;
    made.block = entry;
    entry.instructions.unshift(made);
    packets.setFirst(instruction, made);
  }

  /** The address of each lane. */
  address(instruction: Instruction): void {
    const { packets } = this;
    const { builder, width } = packets;
    const [base, index] = instruction.operands;
    assert(base !== undefined, "an address has a base");
    const spread = packets.divergence.isInterleaved(base) ? width : 1;
    const pointers = packets.shape(base) === 0 ? packets.first(base) : packets.vector(base);
    if (index === undefined) {
      packets.setFlat(
        instruction,
        pointerVector(builder, pointers, constantInt(I32, 0), width, 0, instruction.offset * spread),
      );
      return;
    }
    const steps = packets.shape(index) === 0 ? packets.first(index) : packets.vector(index);
    packets.setFlat(
      instruction,
      pointerVector(builder, pointers, steps, width, instruction.scale * spread, instruction.offset * spread),
    );
  }

  /** An op that treats all lanes alike, on wide vectors or component by component. */
  elementwise(instruction: Instruction): void {
    const { packets } = this;
    const [first] = instruction.operands;
    assert(first !== undefined, "an op has operands");
    const isWide =
      packets.wide.has(instruction) ||
      (laneCount(first.type) > 1 && instruction.operands.some((value) => packets.wide.has(value)));
    if (isWide)
      packets.setFlat(
        instruction,
        this.recast(
          instruction,
          instruction.operands.map((value, i) => this.flatOperand(instruction, value, i)),
        ),
      );
    else {
      const lanes = laneCount(instruction.type);
      const operands = instruction.operands.map((value, i) =>
        this.staysScalar(instruction, value, i) ? [packets.first(value)] : packets.components(value),
      );
      packets.setParts(
        instruction,
        Array.from({ length: lanes }, (_, part) =>
          this.recast(
            instruction,
            operands.map((list) => list[Math.min(part, list.length - 1)] ?? fail()),
          ),
        ),
      );
    }
  }

  /** A uniform condition stays a scalar. */
  private staysScalar(instruction: Instruction, value: Value, index: number): boolean {
    return (
      instruction.op === Op.SELECT && index === 0 && laneCount(value.type) === 1 && this.packets.shape(value) === 0
    );
  }

  private flatOperand(instruction: Instruction, value: Value, index: number): Value {
    const { packets } = this;
    if (this.staysScalar(instruction, value, index)) return packets.first(value);
    const lanes = laneCount(instruction.type);
    // One condition for all components of a work-item's vector.
    if (instruction.op === Op.SELECT && index === 0 && laneCount(value.type) === 1)
      return packets.widenMask(packets.vector(value), lanes);
    return packets.flat(value);
  }

  /** The op on other operands, with the type that follows from them. */
  private recast(instruction: Instruction, operands: Value[]): Value {
    const shaped = instruction.op === Op.SELECT ? operands[1] : operands[0];
    assert(shaped !== undefined, "an op has operands");
    const copy = cloneInstruction(instruction);
    copy.operands = operands;
    copy.type = vectorType(scalarOf(instruction.type), laneCount(shaped.type));
    return this.packets.builder.insert(copy);
  }

  /** Scalarised: the instruction once for each lane that is on. */
  perLane(instruction: Instruction): void {
    const { mask } = this;
    const { builder } = this.packets;
    const given = instruction.operands.map((value) => this.laneGetter(value));
    // Mostly all lanes are on, and one test for all of them is faster than one for each. A callee is large, so it is
    // there once.
    if (mask === null || instruction.op === Op.CALL) {
      const results = this.lanesOf(instruction, given, mask);
      if (instruction.type !== VOID) this.packets.setParts(instruction, this.vectorsOf(instruction, results));
      return;
    }
    const { owner } = builder.block;
    const full = owner.addBlock("lanes");
    const part = owner.addBlock("lanes.part");
    const end = owner.addBlock("lanes.end");
    builder.conditionalBranch(builder.all(mask), full, part, [], []);
    const vectors = Array.from({ length: instruction.type === VOID ? 0 : laneCount(instruction.type) }, () =>
      end.addParameter(this.packets.vectorOf(scalarOf(instruction.type))),
    );
    builder.block = full;
    builder.branch(end, ...this.vectorsOf(instruction, this.lanesOf(instruction, given, null)));
    builder.block = part;
    const { length } = owner.blocks;
    this.rare.add(part);
    const results = this.lanesOf(instruction, given, mask);
    for (const block of owner.blocks.slice(length)) this.rare.add(block);
    builder.branch(end, ...this.vectorsOf(instruction, results));
    builder.block = end;
    if (instruction.type !== VOID) this.packets.setParts(instruction, vectors);
  }

  /** Writes an instruction for each lane, or for each that is on. The result: the value of each lane. */
  private lanesOf(instruction: Instruction, given: readonly ((lane: number) => Value)[], mask: Value | null): Value[] {
    const { builder, width } = this.packets;
    const results: Value[] = [];
    for (let lane = 0; lane < width; lane++) {
      const before: Block = builder.block;
      let out: Block | null = null;
      if (mask !== null) {
        const { owner } = before;
        const on = owner.addBlock("lane");
        out = owner.addBlock("lane.end");
        const off = instruction.type === VOID ? [] : [constantZero(instruction.type)];
        builder.conditionalBranch(builder.extract(mask, lane), on, out, [], off);
        builder.block = on;
      }
      const copy = cloneInstruction(instruction);
      copy.operands = given.map((get) => get(lane));
      builder.insert(copy);
      let result: Value = copy;
      if (out !== null) {
        if (instruction.type === VOID) builder.branch(out);
        else {
          result = out.addParameter(instruction.type);
          builder.branch(out, copy);
        }
        builder.block = out;
      }
      results.push(result);
    }
    return results;
  }

  /** The value of one lane. */
  private laneGetter(value: Value): (lane: number) => Value {
    const { packets } = this;
    const { builder } = packets;
    const shape = packets.shape(value);
    if (shape === 0) {
      const first = packets.first(value);
      return () => first;
    }
    const parts = packets.components(value);
    const [only] = parts;
    assert(only !== undefined, "a value has components");
    return (lane) =>
      parts.length === 1
        ? builder.extract(only, lane)
        : builder.build(parts.map((part) => builder.extract(part, lane)));
  }

  /** The lanes' values, as a vector for each component. */
  private vectorsOf({ type }: Instruction, results: readonly Value[]): Value[] {
    const { builder } = this.packets;
    if (type === VOID) return [];
    const lanes = laneCount(type);
    return lanes === 1
      ? [builder.build(results)]
      : Array.from({ length: lanes }, (_, part) =>
          builder.build(results.map((result) => builder.extract(result, part))),
        );
  }

  load(instruction: Instruction): void {
    packLoad(instruction, this.memoryFrame);
  }

  store(instruction: Instruction): void {
    packStore(instruction, this.memoryFrame);
  }

  private get memoryFrame(): Parameters<typeof packLoad>[1] {
    return {
      packets: this.packets,
      mask: this.mask,
      perLane: (instruction) => this.perLane(instruction),
      note: this.frame.note,
    };
  }

  /** An atomic operation: once for all lanes where they have one address. */
  atomic(instruction: Instruction): void {
    const { packets, mask } = this;
    if (!isCombined(instruction, packets)) {
      packDefault(instruction, this);
      return;
    }
    this.note(instruction, "combined");
    packCombined(instruction, { packets, mask, isUsed: this.isUsed(instruction) });
  }

  private isUsed(instruction: Instruction): boolean {
    if (this.used === null) {
      const used = new Set<Value>();
      walk(this.packets.divergence.fn, ({ operands, successorArguments }) => {
        for (const value of operands) used.add(value);
        for (const list of successorArguments) for (const value of list) used.add(value);
      });
      this.used = used;
    }
    return this.used.has(instruction);
  }

  /** A group operation among the lanes that are on. */
  group(instruction: Instruction): void {
    packGroupOperation(instruction, this);
  }

  call(instruction: Instruction): void {
    const { packets, mask } = this;
    const { symbol } = instruction;
    const vectors = instruction.operands.map((value) => packets.shape(value) !== 0);
    const variant = symbol?.kind === "function" ? this.frame.vectorCall(symbol, vectors, mask !== null) : null;
    if (variant === null) {
      this.frame.note(instruction, "one by one");
      this.perLane(instruction);
      return;
    }
    const operands = instruction.operands.map((value, i) =>
      vectors[i] === true ? packets.flat(value) : packets.first(value),
    );
    if (variant.isMasked) operands.push(mask ?? packets.allOn);
    const made = packets.builder.call(variant.callee, operands);
    if (instruction.type !== VOID) packets.setFlat(instruction, made);
  }

  /** Bytes of a type. */
  sizeOf(type: Type): number {
    return sizeOf(this.frame.layout, type);
  }
}

function fail(): never {
  throw new Error("a component is missing");
}

const packDefault: Pack = (instruction, packetizer) => {
  packetizer.note(instruction, "one by one");
  packetizer.perLane(instruction);
};

const packElementwise: Pack = (instruction, packetizer) => {
  packetizer.elementwise(instruction);
};

const packGroup: Pack = (instruction, packetizer) => {
  packetizer.group(instruction);
};

/** Group operations. */
function groupOps(): Record<number, Pack> {
  const rows: Record<number, Pack> = {};
  for (let op: number = Op.GROUP_ALL; op <= Op.GROUP_SCAN_EXCLUSIVE; op++) rows[op] = packGroup;
  return rows;
}

/** Elementwise ops: the same op on vectors. */
function elementwiseOps(): Record<number, Pack> {
  const rows: Record<number, Pack> = {};
  for (let op: number = Op.ADD; op <= Op.FGE; op++) rows[op] = packElementwise;
  for (let op: number = Op.TRUNC; op <= Op.INTTOPTR; op++) rows[op] = packElementwise;
  return rows;
}

const packBitcast: Pack = (instruction, packetizer) => {
  const { packets } = packetizer;
  const [value] = instruction.operands;
  assert(value !== undefined, "a cast has an operand");
  if (laneCount(value.type) === laneCount(instruction.type)) {
    packetizer.elementwise(instruction);
    return;
  }
  packets.setFlat(
    instruction,
    packets.builder.convert(
      Op.BITCAST,
      packets.flat(value),
      vectorType(scalarOf(instruction.type), laneCount(instruction.type) * packets.width),
    ),
  );
};

const packSplat: Pack = (instruction, { packets }) => {
  const [value] = instruction.operands;
  assert(value !== undefined, "a splat has an operand");
  const vector = packets.vector(value);
  if (packets.wide.has(instruction))
    packets.setFlat(instruction, packets.widenMask(vector, laneCount(instruction.type)));
  else
    packets.setParts(
      instruction,
      Array.from({ length: laneCount(instruction.type) }, () => vector),
    );
};

const packBuild: Pack = (instruction, { packets }) => {
  packets.setParts(
    instruction,
    instruction.operands.map((value) => packets.vector(value)),
  );
};

/** The lane that a constant index names; null: it is not constant. */
function constantLaneOf(index: Value | undefined, lanes: number): number | null {
  return index?.kind === "constant" ? (index.low >>> 0) % lanes : null;
}

const packExtract: Pack = (instruction, { packets }) => {
  const { builder } = packets;
  const [value, index] = instruction.operands;
  assert(value !== undefined && index !== undefined, "a component of a vector");
  const parts = packets.components(value);
  const lane = constantLaneOf(index, parts.length);
  const [first] = parts;
  assert(first !== undefined, "a vector has components");
  if (lane !== null) {
    packets.setParts(instruction, [parts[lane] ?? first]);
    return;
  }
  // Modulo the components, whose number may be 3.
  const which = builder.same(Op.UREM, packets.vector(index), packets.splat(constantInt(index.type, parts.length)));
  let result = first;
  parts.forEach((part, i) => {
    if (i > 0)
      result = builder.select(builder.compare(Op.EQ, which, packets.splat(constantInt(index.type, i))), part, result);
  });
  packets.setParts(instruction, [result]);
};

const packInsert: Pack = (instruction, { packets }) => {
  const { builder } = packets;
  const [vector, scalar, index] = instruction.operands;
  assert(vector !== undefined && scalar !== undefined && index !== undefined, "a component is put into a vector");
  const parts = packets.components(vector);
  const given = packets.vector(scalar);
  const lane = constantLaneOf(index, parts.length);
  if (lane !== null) {
    packets.setParts(
      instruction,
      parts.map((part, i) => (i === lane ? given : part)),
    );
    return;
  }
  const which = builder.same(Op.UREM, packets.vector(index), packets.splat(constantInt(index.type, parts.length)));
  packets.setParts(
    instruction,
    parts.map((part, i) =>
      builder.select(builder.compare(Op.EQ, which, packets.splat(constantInt(index.type, i))), given, part),
    ),
  );
};

const packShuffle: Pack = (instruction, { packets }) => {
  const [left, right] = instruction.operands;
  assert(left !== undefined && right !== undefined, "a shuffle has two vectors");
  const parts = [...packets.components(left), ...packets.components(right)];
  const zero = constantZero(packets.vectorOf(scalarOf(instruction.type)));
  packets.setParts(
    instruction,
    instruction.lanes.map((lane) => parts[lane] ?? zero),
  );
};

/**
 * The part that a varying index names, below the number of parts, which is a power of two: a select for each bit of the
 * index halves the parts.
 */
function partAt(packets: Packets, parts: readonly Value[], index: Value): Value {
  const { builder } = packets;
  let left = parts;
  for (let bit = 1; left.length > 1; bit *= 2) {
    const isSet = builder.compare(
      Op.NE,
      builder.same(Op.AND, index, packets.splat(constantInt(scalarOf(index.type), bit))),
      constantZero(index.type),
    );
    left = Array.from({ length: left.length / 2 }, (_, i) =>
      builder.select(isSet, left[2 * i + 1] ?? fail(), left[2 * i] ?? fail()),
    );
  }
  return left[0] ?? fail();
}

const packPermute: Pack = (instruction, { packets }) => {
  const { builder } = packets;
  const { scale } = instruction;
  const [vector, indices] = instruction.operands;
  assert(vector !== undefined && indices !== undefined, "a permutation has a vector and indices");
  if (packets.wide.has(instruction)) {
    packets.setFlat(instruction, builder.permute(packets.flat(vector), packets.flat(indices), scale));
    return;
  }
  const parts = packets.components(vector);
  packets.setParts(
    instruction,
    packets.components(indices).map((index, i) => {
      const begin = (Math.floor(i / scale) * scale) % parts.length;
      return partAt(packets, parts.slice(begin, begin + scale), index);
    }),
  );
};

const PACKS: Readonly<Record<number, Pack>> = {
  ...elementwiseOps(),
  ...groupOps(),
  // Lanes run in lockstep: every instruction is a convergence point.
  [Op.BARRIER]: () => undefined,
  [Op.SELECT]: packElementwise,
  [Op.BITCAST]: packBitcast,
  [Op.ADDRSPACECAST]: packElementwise,
  [Op.ADDRESS]: (instruction, packetizer) => packetizer.address(instruction),
  [Op.SPLAT]: packSplat,
  [Op.BUILD]: packBuild,
  [Op.EXTRACT]: packExtract,
  [Op.INSERT]: packInsert,
  [Op.SHUFFLE]: packShuffle,
  [Op.PERMUTE]: packPermute,
  [Op.LOAD]: (instruction, packetizer) => packetizer.load(instruction),
  [Op.STORE]: (instruction, packetizer) => packetizer.store(instruction),
  [Op.CALL]: (instruction, packetizer) => packetizer.call(instruction),
  [Op.ATOMIC_RMW]: (instruction, packetizer) => packetizer.atomic(instruction),
};
