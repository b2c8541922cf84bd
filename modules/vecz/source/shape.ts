// SPDX-License-Identifier: Apache-2.0
// Shapes: how the lanes of a value relate to each other, and the transfer function of each op for the divergence
// analysis (stride analysis; Karrenberg and Hack 2012, "consecutive" and "aligned" marks, here with any stride and a
// count of known zero bits). A table maps ops to transfer functions; all of them are exact modulo the width of the
// value, or give up.
import { alignUp } from "@muxkit/cargo";
import {
  type Instruction,
  Op,
  type Value,
  hasEffect,
  isGroupOperation,
  scalarOf,
  sizeOf,
  type DataLayout,
  type Type,
  VOLATILE,
} from "@muxkit/ir";

import { groupShape } from "./group-shapes.ts";
import { isPure } from "./pure.ts";

/**
 * Lane i of a value is lane 0 plus i times the shape, modulo 2^bits (of a pointer: in bytes). 0: all lanes are equal.
 * Null: varying.
 *
 * @public
 */
export type Shape = number | null;

/** All lanes are equal. @public */
export const UNIFORM: Shape = 0;
/** Lanes are unrelated. @public */
export const VARYING: Shape = null;

/** Most low bits that are known to be zero. */
export const MOST_ZEROS = 31;

/** The context of a transfer function. */
export interface ShapeFrame {
  /** Lanes. */
  readonly width: number;
  readonly layout: DataLayout;
  /** Shape of an operand at the instruction. */
  readonly shapeOf: (value: Value) => Shape;
  /** How many low bits of a value's lane 0 are zero. */
  readonly zerosOf: (value: Value) => number;
  /** True for variables whose elements are interleaved lane by lane, and for pointers into them. */
  readonly isInterleaved: (pointer: Value) => boolean;
  /** True when the addresses of different lanes' variables are unrelated. */
  readonly areVariablesApart: boolean;
  /** Which dimension is vectorised. */
  readonly axis: number;
  /** True when the lanes are a sub-group: results of group operations that all members share are uniform. */
  readonly isSubGroup: boolean;
}

type Transfer = (instruction: Instruction, frame: ShapeFrame) => Shape;

function operandShape({ operands }: Instruction, index: number, { shapeOf }: ShapeFrame): Shape {
  const value = operands[index];
  return value === undefined ? UNIFORM : shapeOf(value);
}

/** A constant as a signed number; null for other values and for numbers that do not fit 32 bits. */
function constantOf(value: Value | undefined): number | null {
  if (value === undefined || value.kind !== "constant" || value.lanes.length > 0) return null;
  if (value.type.bits <= 32) return value.low | 0;
  return value.high === ((value.low | 0) >> 31) >>> 0 ? value.low | 0 : null;
}

/** The amount of a shift, modulo the bits of a lane; null: unknown. */
function shiftOf({ type, operands }: Instruction): number | null {
  const amount = constantOf(operands[1]);
  return amount === null ? null : amount & (type.bits - 1);
}

/** Strides wrap with the value; those that are too large to compute exactly are given up. */
function exact(stride: number): Shape {
  return Number.isSafeInteger(stride) && Math.abs(stride) < 0x4000_0000 ? stride : VARYING;
}

function combine(sign: 1 | -1): Transfer {
  return (instruction, frame) => {
    const left = operandShape(instruction, 0, frame);
    const right = operandShape(instruction, 1, frame);
    return left === null || right === null ? VARYING : exact(left + sign * right);
  };
}

function scaled(value: Shape, factor: number | null): Shape {
  if (value === null) return VARYING;
  if (value === 0) return UNIFORM;
  return factor === null ? VARYING : exact(value * factor);
}

const multiply: Transfer = (instruction, frame) => {
  const [left, right] = instruction.operands;
  const shapes = [operandShape(instruction, 0, frame), operandShape(instruction, 1, frame)];
  if (shapes[0] === 0 && shapes[1] === 0) return UNIFORM;
  if (shapes[1] === 0) return scaled(shapes[0] ?? null, constantOf(right));
  if (shapes[0] === 0) return scaled(shapes[1] ?? null, constantOf(left));
  return VARYING;
};

const shiftLeft: Transfer = (instruction, frame) => {
  const amount = shiftOf(instruction);
  if (operandShape(instruction, 1, frame) !== 0) return VARYING;
  return scaled(operandShape(instruction, 0, frame), amount === null || amount > 29 ? null : 2 ** amount);
};

/**
 * Lanes that differ only in low bits that are zero in lane 0 do not carry into the bits above. The result: those bits.
 */
function fitsZeros({ operands: [value] }: Instruction, stride: number, frame: ShapeFrame): number | null {
  return zerosAbove(value, stride, frame);
}

function zerosAbove(value: Value | undefined, stride: number, frame: ShapeFrame): number | null {
  const zeros = value === undefined ? 0 : frame.zerosOf(value);
  return stride > 0 && stride * (frame.width - 1) < 2 ** zeros ? zeros : null;
}

/**
 * The bits in which lanes differ, where the bits below `zeros` are zero in lane 0; null: they depend on lane 0.
 */
export function differingBits(stride: number, width: number, zeros: number): number | null {
  const span = stride * (width - 1);
  if (stride <= 0 || span >= 2 ** zeros) return null;
  return (2 ** Math.ceil(Math.log2(span + 1)) - 1) & -(stride & -stride);
}

const shiftRight: Transfer = (instruction, frame) => {
  const stride = operandShape(instruction, 0, frame);
  if (operandShape(instruction, 1, frame) !== 0 || stride === null) return VARYING;
  if (stride === 0) return UNIFORM;
  const zeros = fitsZeros(instruction, stride, frame);
  const amount = shiftOf(instruction);
  if (zeros === null || amount === null) return VARYING;
  // All differing bits are shifted out, or the stride is divided exactly.
  if (amount >= zeros || stride * (frame.width - 1) < 2 ** amount) return UNIFORM;
  return stride % 2 ** amount === 0 ? stride / 2 ** amount : VARYING;
};

const bitAnd: Transfer = (instruction, frame) => {
  const stride = operandShape(instruction, 0, frame);
  if (operandShape(instruction, 1, frame) !== 0 || stride === null) return VARYING;
  if (stride === 0) return UNIFORM;
  const mask = constantOf(instruction.operands[1]);
  const [moving] = instruction.operands;
  const differing = moving === undefined ? null : differingBits(stride, frame.width, frame.zerosOf(moving));
  if (differing === null || mask === null) return VARYING;
  // The mask keeps all differing bits, or none.
  if ((mask & differing) === differing) return stride;
  return (mask & differing) === 0 ? UNIFORM : VARYING;
};

/** Bits that are the same in all lanes, and none of those that differ, are set or flipped: `a | b` is `a + b` then. */
const bitOr: Transfer = (instruction, frame) => {
  const [left, right] = instruction.operands;
  const shapes = [operandShape(instruction, 0, frame), operandShape(instruction, 1, frame)];
  if (shapes[0] === 0 && shapes[1] === 0) return UNIFORM;
  const [moving, fixed, stride] = shapes[1] === 0 ? [left, right, shapes[0]] : [right, left, shapes[1]];
  if (fixed === undefined || stride == null || (shapes[0] !== 0 && shapes[1] !== 0)) return VARYING;
  const bits = constantOf(fixed);
  // Flipping all bits is a difference, whatever they are.
  if (instruction.op === Op.XOR && bits === -1) return exact(-stride);
  const differing = moving === undefined ? null : differingBits(stride, frame.width, frame.zerosOf(moving));
  if (differing === null) return VARYING;
  if (instruction.op === Op.XOR && bits !== null && (bits & differing) === differing) return exact(-stride);
  return ((bits ?? -(2 ** frame.zerosOf(fixed))) & differing) === 0 ? stride : VARYING;
};

const same: Transfer = (instruction, frame) => operandShape(instruction, 0, frame);

/** Conversions that keep the low bits. */
const narrowing: Transfer = (instruction, frame) => {
  const shape = operandShape(instruction, 0, frame);
  const [value] = instruction.operands;
  if (shape === 0 || value === undefined) return shape;
  return scalarOf(value.type) === value.type &&
    value.type.kind !== "float" &&
    bitsOf(value.type, frame) >= bitsOf(instruction.type, frame)
    ? shape
    : VARYING;
};

/** Wider integers keep the steps of lanes that do not carry into the bits above. */
const widening: Transfer = (instruction, frame) => {
  const stride = operandShape(instruction, 0, frame);
  const [value] = instruction.operands;
  return stride === null || stride === 0 || zerosAbove(value, stride, frame) !== null ? stride : VARYING;
};

/** Bits of an int or of a pointer. */
function bitsOf(type: Type, { layout }: ShapeFrame): number {
  return type.kind === "pointer" ? 8 * sizeOf(layout, type) : type.bits;
}

const equality: Transfer = (instruction, frame) => {
  const left = operandShape(instruction, 0, frame);
  return left !== null && left === operandShape(instruction, 1, frame) ? UNIFORM : VARYING;
};

/**
 * Lanes that differ only in low bits are all on one side of a bound that has zeros there: each is below it when lane 0
 * is.
 */
const below: Transfer = (instruction, frame) => {
  const [left, right] = instruction.operands;
  const [moving, fixed] = [operandShape(instruction, 0, frame), operandShape(instruction, 1, frame)];
  if (moving === 0 && fixed === 0) return UNIFORM;
  const isLeft = fixed === 0;
  const [value, bound, stride] = isLeft ? [left, right, moving] : [right, left, fixed];
  if (value === undefined || bound === undefined || stride === null || (!isLeft && moving !== 0)) return VARYING;
  const zeros = frame.zerosOf(value);
  // `value < bound` and `bound <= value`, however they are written, depend on the bits above only; the other two
  // comparisons do not.
  const asksAbove = isLeft ? STRICTLY_BELOW.has(instruction.op) : !STRICTLY_BELOW.has(instruction.op);
  return asksAbove && stride > 0 && stride * (frame.width - 1) < 2 ** zeros && frame.zerosOf(bound) >= zeros
    ? UNIFORM
    : VARYING;
};

/** Comparisons that treat the bound itself like the values above it. */
const STRICTLY_BELOW: ReadonlySet<number> = new Set([Op.ULT, Op.SLT, Op.UGE, Op.SGE]);

const address: Transfer = (instruction, frame) => {
  const base = operandShape(instruction, 0, frame);
  const index = operandShape(instruction, 1, frame);
  if (base === null || index === null) return VARYING;
  const [pointer, offset] = instruction.operands;
  // An index that is narrower than a pointer is sign-extended: where lanes wrap around, they are no longer in steps.
  const mayWrap = offset !== undefined && index !== 0 && bitsOf(offset.type, frame) < bitsOf(instruction.type, frame);
  if (mayWrap && zerosAbove(offset, index, frame) === null) return VARYING;
  const spread = pointer !== undefined && frame.isInterleaved(pointer) ? frame.width : 1;
  return exact(base + index * instruction.scale * spread);
};

const select: Transfer = (instruction, frame) => {
  const [, whenTrue, whenFalse] = instruction.operands;
  const left = operandShape(instruction, 1, frame);
  if (operandShape(instruction, 0, frame) !== 0) return whenTrue === whenFalse ? left : VARYING;
  return left !== null && left === operandShape(instruction, 2, frame) ? left : VARYING;
};

const load: Transfer = (instruction, frame) =>
  operandShape(instruction, 0, frame) === 0 && (instruction.flags & VOLATILE) === 0 ? UNIFORM : VARYING;

/** Bytes of one lane's copy of a variable that is not interleaved: a multiple of its alignment. */
export function slotBytes({ elementType, alignment }: Instruction, layout: DataLayout): number {
  return elementType === null ? 0 : alignUp(sizeOf(layout, elementType), Math.max(1, alignment));
}

const variable: Transfer = (instruction, frame) => {
  const { elementType } = instruction;
  if (elementType === null || frame.areVariablesApart) return VARYING;
  if (!frame.isInterleaved(instruction)) return slotBytes(instruction, frame.layout);
  let element = elementType;
  while (element.kind === "array" && element.element !== null) element = element.element;
  return sizeOf(frame.layout, element);
};

const varying: Transfer = () => VARYING;

/** Work-item queries give the value of lane 0; in the vectorised dimension they go up by one from lane to lane. */
const query: Transfer = (instruction, frame) => {
  const [dimension] = instruction.operands;
  const axis = constantOf(dimension);
  if (axis === null) return VARYING;
  return axis === frame.axis ? 1 : UNIFORM;
};

const linearQuery: Transfer = (_, frame) => (frame.axis === 0 ? 1 : VARYING);

/** Pure calls with uniform arguments are uniform. */
const call: Transfer = (instruction, frame) => {
  const { symbol } = instruction;
  return symbol?.kind === "function" &&
    isPure(symbol) &&
    instruction.operands.every((value) => frame.shapeOf(value) === 0)
    ? UNIFORM
    : VARYING;
};

const TRANSFERS: Readonly<Record<number, Transfer>> = {
  [Op.ADD]: combine(1),
  [Op.SUB]: combine(-1),
  [Op.MUL]: multiply,
  [Op.SHL]: shiftLeft,
  [Op.LSHR]: shiftRight,
  [Op.ASHR]: shiftRight,
  [Op.AND]: bitAnd,
  [Op.OR]: bitOr,
  [Op.XOR]: bitOr,
  [Op.EQ]: equality,
  [Op.NE]: equality,
  [Op.ULT]: below,
  [Op.ULE]: below,
  [Op.UGT]: below,
  [Op.UGE]: below,
  [Op.SLT]: below,
  [Op.SLE]: below,
  [Op.SGT]: below,
  [Op.SGE]: below,
  [Op.ZEXT]: widening,
  [Op.SEXT]: widening,
  [Op.TRUNC]: narrowing,
  [Op.PTRTOINT]: narrowing,
  [Op.INTTOPTR]: narrowing,
  [Op.ADDRSPACECAST]: same,
  [Op.ADDRESS]: address,
  [Op.SELECT]: select,
  [Op.LOAD]: load,
  [Op.CALL]: call,
  [Op.ALLOCA]: variable,
  [Op.GLOBAL_ID]: query,
  [Op.LOCAL_ID]: query,
  [Op.GLOBAL_LINEAR_ID]: linearQuery,
  [Op.LOCAL_LINEAR_ID]: linearQuery,
  [Op.SUB_GROUP_LOCAL_ID]: varying,
  [Op.SUB_GROUP_ID]: varying,
  [Op.SUB_GROUP_SIZE]: varying,
};

/** True for steps that leave nothing in so many bits: a truncation cut all bits off in which lanes differ. */
function isWholeTurn(stride: number, type: Type): boolean {
  return type.kind === "int" && stride % 2 ** type.bits === 0;
}

/** The shape that an instruction gives its result. Only integers and pointers that are no vectors have strides. */
export function transfer(instruction: Instruction, frame: ShapeFrame): Shape {
  if (isGroupOperation(instruction.op)) return frame.isSubGroup ? groupShape(instruction, frame) : VARYING;
  const row = TRANSFERS[instruction.op];
  if (
    row !== undefined &&
    (scalarOf(instruction.type) === instruction.type || instruction.op === Op.LOAD || instruction.op === Op.CALL)
  ) {
    const shape = row(instruction, frame);
    if (shape === 0) return UNIFORM;
    if (instruction.type.kind === "float") return VARYING;
    return shape !== null && isWholeTurn(shape, instruction.type) ? UNIFORM : shape;
  }
  const isUniform = instruction.operands.every((value) => frame.shapeOf(value) === 0);
  return isUniform && (hasEffect(instruction.op, "s") || row !== undefined) ? UNIFORM : VARYING;
}

/**
 * Low bits of lane 0 that are certainly zero: at most all but the highest of an int. Lanes whose steps fit into them
 * then neither wrap around nor change the sign.
 */
export function lowZeros(instruction: Instruction, zerosOf: (value: Value) => number): number {
  const { type } = instruction;
  const zeros = zerosOfResult(instruction, zerosOf);
  return type.kind === "int" ? Math.min(zeros, type.bits - 1) : zeros;
}

function zerosOfResult(instruction: Instruction, zerosOf: (value: Value) => number): number {
  const [left, right] = instruction.operands;
  const of = (value: Value | undefined): number => (value === undefined ? 0 : zerosOf(value));
  switch (instruction.op) {
    case Op.ADD:
    case Op.SUB:
    case Op.OR:
    case Op.XOR:
    case Op.SMIN:
    case Op.SMAX:
    case Op.UMIN:
    case Op.UMAX:
      return Math.min(of(left), of(right));
    case Op.AND:
      return Math.max(of(left), of(right));
    case Op.MUL:
      return Math.min(MOST_ZEROS, of(left) + of(right));
    case Op.SHL:
      return Math.min(MOST_ZEROS, of(left) + (shiftOf(instruction) ?? 0));
    case Op.LSHR:
    case Op.ASHR:
      return Math.max(0, of(left) - (shiftOf(instruction) ?? MOST_ZEROS));
    case Op.ZEXT:
    case Op.SEXT:
    case Op.TRUNC:
      return of(left);
    case Op.SELECT:
      return Math.min(of(right), of(instruction.operands[2]));
    default:
      return 0;
  }
}

/** Low zero bits of a constant. */
export function constantZeros(value: Value): number {
  const number = constantOf(value);
  if (number === null) return 0;
  return number === 0 ? MOST_ZEROS : Math.min(MOST_ZEROS, 31 - Math.clz32(number & -number));
}
