// SPDX-License-Identifier: Apache-2.0
// Operations on ints that Vulkan has for 32 bits only: counts of bits, high halves of products. Narrower ints are
// widened, those of 64 bits are computed with by halves.
import { I1, I32, type Instruction, Op, type Type, type Value, scalarOf, withLanesOf } from "@muxkit/ir";

import { numberId } from "../constants.ts";
import type { FunctionWriter, RowTable, RowWriter } from "../function-writer.ts";
import { written } from "../written.ts";

const ADD = written("OpIAdd");
const SUB = written("OpISub");
const MUL = written("OpIMul");
const AND = written("OpBitwiseAnd");
const NOT = written("OpNot");
const SHIFT_RIGHT = written("OpShiftRightLogical");
const BIT_COUNT = written("OpBitCount");
const UCONVERT = written("OpUConvert");
const SCONVERT = written("OpSConvert");
const SELECT = written("OpSelect");
const EQUAL = written("OpIEqual");
const LESS = written("OpSLessThan");
const EXTRACT = written("OpCompositeExtract");
const STRUCT = written("OpTypeStruct");
const EXTENDED = { signed: written("OpSMulExtended"), unsigned: written("OpUMulExtended") };

/** Writes instructions on ints of one type. */
class Ints {
  readonly f: FunctionWriter;
  readonly ir: Type;
  readonly type: number;

  constructor(f: FunctionWriter, ir: Type) {
    this.f = f;
    this.ir = ir;
    this.type = f.type(ir);
  }

  get bits(): number {
    return scalarOf(this.ir).bits;
  }

  make(opcode: number, ...operands: readonly number[]): number {
    return this.f.make(opcode, this.type, ...operands);
  }

  number(value: number | bigint): number {
    return numberId(this.f.w, this.ir, value);
  }

  /** An int of another width in this one. */
  from(id: number, other: Ints, isSigned: boolean = false): number {
    return other.bits === this.bits ? id : this.make(isSigned ? SCONVERT : UCONVERT, id);
  }

  /** One of two by a comparison. */
  choose(opcode: number, left: number, right: number, yes: number, no: number): number {
    const truth = this.f.type(withLanesOf(I1, this.ir));
    return this.make(SELECT, this.f.make(opcode, truth, left, right), yes, no);
  }
}

const words = (f: FunctionWriter, shape: Type): Ints => new Ints(f, withLanesOf(I32, shape));

/** The upper and the lower half of an int of 64 bits. */
function halves(own: Ints, half: Ints, id: number): readonly [high: number, low: number] {
  return [half.make(UCONVERT, own.make(SHIFT_RIGHT, id, own.number(32))), half.make(UCONVERT, id)];
}

function bitsSet(own: Ints, id: number): number {
  const half = words(own.f, own.ir);
  if (own.bits === 32) return own.make(BIT_COUNT, id);
  if (own.bits < 32) return own.from(half.make(BIT_COUNT, half.from(id, own)), half);
  const [high, low] = halves(own, half, id);
  return own.from(half.make(ADD, half.make(BIT_COUNT, high), half.make(BIT_COUNT, low)), half);
}

/** Zeros above the highest bit of 32, which FindUMsb numbers; it has -1 for 0. */
function zerosAbove(half: Ints, id: number): number {
  return half.make(SUB, half.number(31), half.f.extended("GLSL.std.450", "FindUMsb", half.type, id));
}

function leadingZeros(own: Ints, id: number): number {
  const half = words(own.f, own.ir);
  if (own.bits <= 32) {
    const zeros = zerosAbove(half, half.from(id, own));
    return own.bits === 32 ? zeros : own.from(half.make(SUB, zeros, half.number(32 - own.bits)), half);
  }
  const [high, low] = halves(own, half, id);
  const below = half.make(ADD, zerosAbove(half, low), half.number(32));
  return own.from(half.choose(EQUAL, high, half.number(0), below, zerosAbove(half, high)), half);
}

/** The bits below the lowest one are those that subtracting one sets. */
function trailingZeros(own: Ints, id: number): number {
  return bitsSet(own, own.make(AND, own.make(SUB, id, own.number(1)), own.make(NOT, id)));
}

const unary =
  (row: (own: Ints, id: number) => number): RowWriter =>
  (f, i) =>
    row(new Ints(f, i.type), f.value(i.operands[0] as Value));

/** Four products of halves, with the carries between them. */
function wideHigh(own: Ints, left: number, right: number): number {
  const mask = own.number(0xffff_ffffn);
  const by = own.number(32);
  const high = (id: number): number => own.make(SHIFT_RIGHT, id, by);
  const low = (id: number): number => own.make(AND, id, mask);
  const first = own.make(MUL, low(left), low(right));
  const second = own.make(ADD, own.make(MUL, high(left), low(right)), high(first));
  const third = own.make(ADD, own.make(MUL, low(left), high(right)), low(second));
  const top = own.make(ADD, own.make(MUL, high(left), high(right)), high(second));
  return own.make(ADD, top, high(third));
}

/** What negative factors add to a product that was computed without signs. */
function signed(own: Ints, product: number, left: number, right: number): number {
  const zero = own.number(0);
  const less = own.make(SUB, product, own.choose(LESS, left, zero, right, zero));
  return own.make(SUB, less, own.choose(LESS, right, zero, left, zero));
}

function highHalf(isSigned: boolean): RowWriter {
  return (f: FunctionWriter, i: Instruction) => {
    const own = new Ints(f, i.type);
    const [left, right] = i.operands.map((value) => f.value(value)) as [number, number];
    if (own.bits === 64) {
      const product = wideHigh(own, left, right);
      return isSigned ? signed(own, product, left, right) : product;
    }
    if (own.bits === 32) {
      const pair = f.w.declare(STRUCT, own.type, own.type);
      return own.make(EXTRACT, f.make(EXTENDED[isSigned ? "signed" : "unsigned"], pair, left, right), 1);
    }
    const half = words(f, i.type);
    const product = half.make(MUL, half.from(left, own, isSigned), half.from(right, own, isSigned));
    return own.from(half.make(SHIFT_RIGHT, product, half.number(own.bits)), half);
  };
}

/** Rows of ints that differ in shaders. */
export const SHADER_INTEGER_ROWS: RowTable = {
  [Op.POPCOUNT]: unary(bitsSet),
  [Op.CLZ]: unary(leadingZeros),
  [Op.CTZ]: unary(trailingZeros),
  [Op.SMULH]: highHalf(true),
  [Op.UMULH]: highHalf(false),
};
