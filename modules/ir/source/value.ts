// SPDX-License-Identifier: Apache-2.0
// Values: constants, parameters of functions and blocks, results of instructions. Constants are interned, so equal ones
// are the same object.
import { floatToHalf } from "@muxkit/cargo";

import type { Block, IrFunction } from "./function.ts";
import type { Instruction } from "./instruction.ts";
import { type Type, scalarOf } from "./type.ts";

/** Anything that can be an operand of an instruction. @public */
export type Value = Constant | Parameter | Instruction;

/**
 * A constant: a scalar's bits as two unsigned halves (floats too, docs/decisions/016-nan-bits.md), or a vector's lanes.
 * Interned: equal constants are the same object.
 *
 * @public
 */
export class Constant {
  /** Discriminant of {@link Value}. */
  readonly kind = "constant";
  /** Its type: int, float, pointer (only null) or a vector of these. */
  readonly type: Type;
  /** Low 32 bits of a scalar, unsigned. */
  readonly low: number;
  /** High 32 bits of a scalar, unsigned; 0 when it has at most 32. */
  readonly high: number;
  /** Lanes of a vector; empty for a scalar. */
  readonly lanes: readonly Constant[];

  /** @internal */
  constructor(type: Type, low: number, high: number, lanes: readonly Constant[]) {
    this.type = type;
    this.low = low;
    this.high = high;
    this.lanes = lanes;
  }
}

/** A parameter of a function, or of a block (which plays the role of a phi). @public */
export class Parameter {
  /** Discriminant of {@link Value}. */
  readonly kind = "parameter";
  /** Its type. */
  readonly type: Type;
  /** Name for readers; may be empty. */
  name: string;
  /** The block it belongs to; null for a function's. */
  readonly block: Block | null;
  /** The function it belongs to; null for a block's. */
  readonly owner: IrFunction | null;
  /** Its pending replacement, see `replaceLater`; null: none. */
  forward: Value | null;
  /** Scratch of the running pass: set before it is read, meaningless afterwards. */
  mark: number;

  /** @internal */
  constructor(type: Type, name: string, block: Block | null, owner: IrFunction | null) {
    this.type = type;
    this.name = name;
    this.block = block;
    this.owner = owner;
    this.forward = null;
    this.mark = 0;
  }
}

/** Constants of at most 32 bits by type and bits, the others by a string. */
const narrow = new Map<Type, Map<number, Constant>>();
const wide = new Map<string, Constant>();
/** Vectors with one scalar in every lane, by type and scalar. */
const splats = new Map<Type, Map<Constant, Constant>>();

function constantsOf(type: Type): Map<number, Constant> {
  let known = narrow.get(type);
  if (known === undefined) {
    known = new Map();
    narrow.set(type, known);
  }
  return known;
}

function masked(type: Type, low: number, high: number): Constant {
  const bits = type.kind === "pointer" ? 64 : type.bits;
  const lowBits = bits >= 32 ? low >>> 0 : (low & ((1 << bits) - 1)) >>> 0;
  const highBits = bits > 32 ? high >>> 0 : 0;
  if (highBits === 0) {
    const known = constantsOf(type);
    let small = known.get(lowBits);
    if (small === undefined) {
      small = new Constant(type, lowBits, 0, []);
      known.set(lowBits, small);
    }
    return small;
  }
  const key = `${type.text}:${lowBits}:${highBits}`;
  let constant = wide.get(key);
  if (constant === undefined) {
    constant = new Constant(type, lowBits, highBits, []);
    wide.set(key, constant);
  }
  return constant;
}

/** The scalar constant with these bits, cut to the type's width. @public */
export function constantBits(type: Type, low: number, high: number = 0): Constant {
  return masked(type, low, high);
}

/**
 * An int constant from a number (any safe integer; negative ones as two's complement) or bigint. A vector type gives
 * the number in every lane.
 *
 * @public
 */
export function constantInt(type: Type, value: number | bigint): Constant {
  if (type.kind === "vector") return constantSplat(type, constantInt(scalarOf(type), value));
  if (typeof value === "bigint")
    return masked(type, Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n)));
  return masked(type, value >>> 0, Math.floor(value / 0x1_0000_0000) >>> 0);
}

const scratch = new DataView(new ArrayBuffer(8));

/** A float constant from a number, rounded to the type. For exact bits use {@link constantBits}. @public */
export function constantFloat(type: Type, value: number): Constant {
  if (type.kind === "vector") return constantSplat(type, constantFloat(scalarOf(type), value));
  if (type.bits === 64) {
    scratch.setFloat64(0, value, true);
    return masked(type, scratch.getUint32(0, true), scratch.getUint32(4, true));
  }
  if (type.bits === 16) return masked(type, floatToHalf(value), 0);
  scratch.setFloat32(0, value, true);
  return masked(type, scratch.getUint32(0, true), 0);
}

/** A vector constant of its lanes; `type` is the vector's. @public */
export function constantVector(type: Type, lanes: readonly Constant[]): Constant {
  const key = `${type.text}:${lanes.map((lane) => `${lane.low}/${lane.high}`).join(",")}`;
  let constant = wide.get(key);
  if (constant === undefined) {
    constant = new Constant(type, 0, 0, [...lanes]);
    wide.set(key, constant);
  }
  return constant;
}

/** A vector constant with the same scalar in every lane. @public */
export function constantSplat(type: Type, lane: Constant): Constant {
  let known = splats.get(type);
  if (known === undefined) splats.set(type, (known = new Map()));
  let splat = known.get(lane);
  if (splat === undefined)
    known.set(
      lane,
      (splat = constantVector(
        type,
        Array.from({ length: type.count }, () => lane),
      )),
    );
  return splat;
}

/** Zero of an int, float, pointer (null) or a vector of them. @public */
export function constantZero(type: Type): Constant {
  return type.kind === "vector" ? constantSplat(type, masked(scalarOf(type), 0, 0)) : masked(type, 0, 0);
}

/** The lane of a constant; the constant itself when it is a scalar. @public */
export function constantLane(constant: Constant, lane: number): Constant {
  return constant.lanes[lane] ?? constant;
}

/** A scalar float constant of 32 or 64 bits as a number. @public */
export function floatValue(constant: Constant): number {
  scratch.setUint32(0, constant.low, true);
  scratch.setUint32(4, constant.high, true);
  return constant.type.bits === 64 ? scratch.getFloat64(0, true) : scratch.getFloat32(0, true);
}

/** A scalar int constant of at most 32 bits as a signed number. @public */
export function signedValue(constant: Constant): number {
  const shift = 32 - Math.min(32, constant.type.bits === 0 ? 32 : constant.type.bits);
  return (constant.low << shift) >> shift;
}

/** A scalar int constant as a signed number where 32 bits hold it; null: they do not. @public */
export function smallValue(constant: Constant): number | null {
  const value = signedValue(constant);
  return constant.type.bits <= 32 || constant.high === (value < 0 ? 0xffff_ffff : 0) ? value : null;
}

/** A scalar int constant as an unsigned bigint of its width. @public */
export function bigintValue(constant: Constant): bigint {
  return (BigInt(constant.high) << 32n) | BigInt(constant.low);
}
