// SPDX-License-Identifier: Apache-2.0
// Values of all lanes while a vector function is written, in three representations: lane 0 alone (uniform values and
// those in steps), a vector for each component (structure of arrays), or one wide vector (array of structures;
// vector-layout.ts chooses). Each is computed from another one when it is first needed, and kept.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  type Builder,
  type DataLayout,
  I1,
  I32,
  Op,
  type Type,
  type Value,
  constantInt,
  constantSplat,
  constantVector,
  constantZero,
  isPointer,
  laneCount,
  scalarOf,
  vectorType,
} from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";

import type { Divergence } from "./divergence.ts";

/** Numbers 0, `step`, 2 · `step` … as a vector of i32 or of another integer type. */
export function ramp(type: Type, width: number, step: number): Value {
  return constantVector(
    vectorType(type, width),
    Array.from({ length: width }, (_, i) => constantInt(type, i * step)),
  );
}

/** Values by lane, for one vector function that is being written. */
export class Packets {
  readonly builder: Builder;
  readonly width: number;
  readonly machine: MachineTarget;
  readonly divergence: Divergence;
  /** Values that are kept as one wide vector. */
  readonly wide: ReadonlySet<Value>;
  /** The block of the source function that is being written. */
  here: Block;
  private readonly firsts = new Map<Value, Value>();
  private readonly parts = new Map<Value, readonly Value[]>();
  private readonly flats = new Map<Value, Value>();

  constructor(
    builder: Builder,
    divergence: Divergence,
    width: number,
    wide: ReadonlySet<Value>,
    machine: MachineTarget,
  ) {
    this.machine = machine;
    this.builder = builder;
    this.divergence = divergence;
    this.width = width;
    this.wide = wide;
    this.here = divergence.fn.entry;
  }

  /** Sizes of types. */
  get layout(): DataLayout {
    return this.machine.layout;
  }

  /** The shape of an operand in the current block. */
  shape(value: Value): number | null {
    return this.divergence.shapeAt(value, this.here);
  }

  /** Type of the vector that holds a scalar type for all lanes. */
  vectorOf(type: Type): Type {
    return vectorType(type, this.width);
  }

  /** Sets a value by its lane 0. */
  setFirst(value: Value, first: Value): void {
    this.firsts.set(value, first);
  }

  /** Sets a value by a vector for each of its components. */
  setParts(value: Value, parts: readonly Value[]): void {
    this.parts.set(value, parts);
    this.flats.delete(value);
  }

  /** Sets a value by one wide vector. */
  setFlat(value: Value, flat: Value): void {
    if (laneCount(value.type) === 1) this.parts.set(value, [flat]);
    else {
      this.flats.set(value, flat);
      this.parts.delete(value);
    }
  }

  /** Drops the representations of a value: it is about to be written again. */
  forget(value: Value): void {
    this.firsts.delete(value);
    this.parts.delete(value);
    this.flats.delete(value);
  }

  /** True when a value has been written. */
  isSet(value: Value): boolean {
    return value.kind === "constant" || this.firsts.has(value) || this.parts.has(value) || this.flats.has(value);
  }

  /** Lane 0 of a value with a stride. */
  first(value: Value): Value {
    if (value.kind === "constant") return value;
    const first = this.firsts.get(value);
    assert(
      first !== undefined,
      () => `lane 0 of ${value.kind} ${value.name} (${value.kind === "instruction" ? value.op : "parameter"}) is known`,
    );
    return first;
  }

  /** One vector for each component. */
  components(value: Value): readonly Value[] {
    const known = this.parts.get(value);
    if (known !== undefined) return known;
    const flat = this.flats.get(value);
    if (flat !== undefined) return this.split(flat, laneCount(value.type));
    return this.spread(value);
  }

  /** A vector that holds a value of a scalar type for all lanes. */
  vector(value: Value): Value {
    const [only] = this.components(value);
    assert(only !== undefined && laneCount(value.type) === 1, "a scalar has one vector");
    return only;
  }

  /** One wide vector: all components of lane 0, then those of lane 1, … */
  flat(value: Value): Value {
    const lanes = laneCount(value.type);
    if (lanes === 1) return this.vector(value);
    const known = this.flats.get(value);
    if (known !== undefined) return known;
    const parts = this.parts.get(value);
    if (parts !== undefined) return this.join(parts);
    const first = this.first(value);
    const type = vectorType(scalarOf(value.type), lanes * this.width);
    if (first.kind === "constant")
      return constantVector(
        type,
        Array.from({ length: lanes * this.width }, (_, i) => first.lanes[i % lanes] ?? first),
      );
    const [same] = first.kind === "instruction" && first.op === Op.SPLAT ? first.operands : [];
    if (same !== undefined) return this.builder.splat(same, lanes * this.width);
    return this.builder.shuffle(
      first,
      first,
      Array.from({ length: lanes * this.width }, (_, i) => i % lanes),
    );
  }

  /** Vectors of a value that is kept by lane 0. */
  private spread(value: Value): readonly Value[] {
    const { builder, width } = this;
    const first = this.first(value);
    const shape = value.kind === "constant" ? 0 : this.divergence.shapeOf(value);
    const lanes = laneCount(value.type);
    if (lanes > 1) {
      return Array.from({ length: lanes }, (_, i) =>
        first.kind === "constant"
          ? this.splat(first.lanes[i] ?? constantZero(scalarOf(first.type)))
          : builder.splat(builder.extract(first, i), width),
      );
    }
    if (shape === 0) return [this.splat(first)];
    assert(shape !== null, "what differs has vectors");
    return [this.lanesFrom(first, shape)];
  }

  /** A vector of lane 0 and its steps. */
  lanesFrom(first: Value, step: number): Value {
    const { builder, width } = this;
    if (isPointer(first.type)) return pointerVector(builder, first, ramp(I32, width, step), width);
    return builder.same(Op.ADD, this.splat(first), ramp(first.type, width, step));
  }

  /** A splat. */
  splat(value: Value): Value {
    return value.kind === "constant"
      ? constantSplat(this.vectorOf(value.type), value)
      : this.builder.splat(value, this.width);
  }

  /** The components of a wide vector. */
  split(flat: Value, lanes: number): Value[] {
    return Array.from({ length: lanes }, (_, part) => this.pick(flat, lanes, part));
  }

  /** Every `step`-th lane from `from` on. */
  pick(flat: Value, step: number, from: number): Value {
    return step === 1 && from === 0 && laneCount(flat.type) === this.width
      ? flat
      : this.builder.shuffle(
          flat,
          flat,
          Array.from({ length: this.width }, (_, i) => i * step + from),
        );
  }

  /** One wide vector of vectors for components. */
  join(parts: readonly Value[]): Value {
    const { builder, width } = this;
    const wide = concatenate(builder, parts);
    const lanes = parts.length;
    return lanes === 1
      ? wide
      : builder.shuffle(
          wide,
          wide,
          Array.from({ length: lanes * width }, (_, i) => (i % lanes) * width + Math.floor(i / lanes)),
        );
  }

  /** A mask with each lane's bit repeated for its components. */
  widenMask(mask: Value, lanes: number): Value {
    return lanes === 1
      ? mask
      : this.builder.shuffle(
          mask,
          mask,
          Array.from({ length: lanes * this.width }, (_, i) => Math.floor(i / lanes)),
        );
  }

  /** All lanes on. */
  get allOn(): Value {
    return constantSplat(this.vectorOf(I1), constantInt(I1, 1));
  }

  /** A value as a block parameter takes it: one vector, or one for each component. */
  list(value: Value, like: Value): readonly Value[] {
    return this.wide.has(like) ? [this.flat(value)] : this.components(value);
  }

  /** Types of {@link list} for such a value. */
  listTypes(like: Value): readonly Type[] {
    const element = scalarOf(like.type);
    const lanes = laneCount(like.type);
    return this.wide.has(like)
      ? [vectorType(element, lanes * this.width)]
      : Array.from({ length: lanes }, () => this.vectorOf(element));
  }

  /** Sets a value by such a list. */
  setList(value: Value, list: readonly Value[]): void {
    this.firsts.delete(value);
    const [only] = list;
    if (this.wide.has(value) && only !== undefined) this.setFlat(value, only);
    else this.setParts(value, list);
  }
}

/** The concatenation of vectors. Where their number is no power of two, copies fill it up and are cut off again. */
export function concatenate(builder: Builder, vectors: readonly Value[]): Value {
  let list = [...vectors];
  const [first] = list;
  assert(first !== undefined, "something to put together");
  const total = list.length * laneCount(first.type);
  while (list.length > 1) {
    const next: Value[] = [];
    for (let i = 0; i < list.length; i += 2) {
      const left = list[i];
      const right = list[i + 1] ?? left;
      assert(left !== undefined && right !== undefined, "pairs");
      const lanes = laneCount(left.type);
      next.push(
        builder.shuffle(
          left,
          right,
          Array.from({ length: lanes * 2 }, (_, lane) => lane),
        ),
      );
    }
    list = next;
  }
  const [all] = list;
  assert(all !== undefined, "one is left");
  return laneCount(all.type) === total
    ? all
    : builder.shuffle(
        all,
        all,
        Array.from({ length: total }, (_, lane) => lane),
      );
}

/** Pointers of all lanes: a base, or a base for each lane, plus an index, or an index for each lane. */
export function pointerVector(
  builder: Builder,
  base: Value,
  index: Value,
  width: number,
  scale: number = 1,
  offset: number = 0,
): Value {
  const isVector = base.type.kind === "vector" || index.type.kind === "vector";
  return builder.address(isVector ? base : builder.splat(base, width), index, scale, offset);
}
