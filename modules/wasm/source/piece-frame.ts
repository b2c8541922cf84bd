// SPDX-License-Identifier: Apache-2.0
// What the pieces of a function share (cut-function.ts): which values cross from one piece to another, and where they
// are: parameters of the pieces, or slots of a frame in private memory. Cost: linear in the function.
import { alignUp } from "@muxkit/cargo";
import { type Block, type Builder, type IrFunction, VOID, type Value } from "@muxkit/ir";

import type { Piece } from "./pieces.ts";
import { partCount } from "./representation.ts";

/** Scalars of the beginning that pieces get as parameters; the others are in the frame. */
const MOST_PASSED = 24;
/** Bytes of a part of a vector in the frame, and of a scalar of at most 32 bits, which are also their alignment. */
export const PART_BYTES = 16;
const SCALAR_BYTES = 4;

/** What the pieces of a function share. */
export class Frame {
  /** Offsets of values in the frame. */
  private readonly offsets = new Map<Value, number>();
  /** Values that pieces get as parameters. */
  readonly passed: Value[] = [];
  /** Values that are stored where they are made. */
  readonly kept: Set<Value> = new Set();
  /** Bytes of the frame. */
  bytes: number = PART_BYTES;
  /** The slot of the function's result; null: it has none. */
  private readonly result: number | null;

  constructor({ returnType }: IrFunction) {
    this.result = returnType === VOID ? null : this.room(returnType);
  }

  private room(type: Value["type"]): number {
    const isVector = type.kind === "vector";
    const at = alignUp(this.bytes, isVector ? PART_BYTES : SCALAR_BYTES);
    this.bytes = at + (isVector ? partCount(type) * PART_BYTES : type.bits > 32 ? 2 * SCALAR_BYTES : SCALAR_BYTES);
    return at;
  }

  has(value: Value): boolean {
    return this.offsets.has(value);
  }

  add(value: Value): void {
    if (!this.offsets.has(value)) this.offsets.set(value, this.room(value.type));
  }

  load(builder: Builder, base: Value, value: Value): Value {
    return builder.load(value.type, builder.address(base, null, 0, this.offsets.get(value) ?? 0), SCALAR_BYTES);
  }

  /** Stores what is now the value of `value`. */
  store(builder: Builder, base: Value, value: Value, now: Value): void {
    builder.store(now, builder.address(base, null, 0, this.offsets.get(value) ?? 0), SCALAR_BYTES);
  }

  storeResult(builder: Builder, base: Value, value: Value): void {
    builder.store(value, builder.address(base, null, 0, this.result ?? 0), SCALAR_BYTES);
  }

  loadResult(builder: Builder, base: Value, { returnType }: IrFunction): Value | null {
    return this.result === null
      ? null
      : builder.load(returnType, builder.address(base, null, 0, this.result), SCALAR_BYTES);
  }
}

/** Finds what the pieces share. */
export function frameOf(fn: IrFunction, pieces: readonly Piece[], pieceOf: ReadonlyMap<Block, Piece>): Frame {
  const frame = new Frame(fn);
  const [root] = pieces;
  const homeOf = new Map<Value, Piece | undefined>(fn.parameters.map((parameter) => [parameter, root]));
  for (const piece of pieces) {
    for (const { parameters, instructions } of piece.blocks) {
      for (const parameter of parameters) homeOf.set(parameter, piece);
      for (const instruction of instructions) if (instruction.type !== VOID) homeOf.set(instruction, piece);
    }
  }
  const shared = new Set<Value>();
  for (const piece of pieces) {
    const see = (value: Value): void => {
      if (value.kind !== "constant" && homeOf.get(value) !== piece) shared.add(value);
    };
    for (const { instructions } of piece.blocks) {
      for (const { operands, successors, successorArguments } of instructions) {
        operands.forEach(see);
        for (const list of successorArguments) list.forEach(see);
        for (const successor of successors)
          if (pieceOf.get(successor) !== piece) for (const parameter of successor.parameters) frame.add(parameter);
      }
    }
  }
  for (const value of shared) {
    const isPassed = homeOf.get(value) === root && value.type.kind !== "vector" && frame.passed.length < MOST_PASSED;
    if (isPassed) frame.passed.push(value);
    else {
      frame.add(value);
      frame.kept.add(value);
    }
  }
  return frame;
}
