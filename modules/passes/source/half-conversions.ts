// SPDX-License-Identifier: Apache-2.0
// Conversions between binary16 and binary32 in integer and binary32 operations, for scalars and vectors, for machines
// without instructions for them. "Wide" means the binary32 that has the half's value.
//
// Unpacking shifts the bits into place and multiplies by 2^112, the difference of the exponent biases, which normalises
// subnormals too. Rounding adds and subtracts a power of two whose last place is that of the half, so that the addition
// rounds once, to nearest even. Rounding from binary64, and fused multiply-add, round to odd in binary32 first (Boldo,
// Melquiond 2008): the second rounding then sees that the first was inexact.
import { assert } from "@muxkit/cargo";
import {
  type Builder,
  Builder as InstructionBuilder,
  F16,
  F32,
  I16,
  I32,
  IrFunction,
  type Module,
  Op,
  type Type,
  type Value,
  constantFloat,
  constantInt,
  laneCount,
  withLanesOf,
} from "@muxkit/ir";

/** Exponent bits of binary32. */
const EXPONENT = 0x7f80_0000;
/**
 * Bits of a binary32 that a half's bits are shifted to: the sign at the top, exponent and significand above 13 bits.
 */
const PLACED = 0x8fff_e000;
/** The exponent of the least normal half, 2^-14, and of the greatest, 2^15, in binary32. */
const LEAST = 0x3880_0000;
const GREATEST = 0x4700_0000;
/** 13 more in a binary32's exponent: it has 13 bits more than a half. */
const THIRTEEN = 0x0680_0000;
/** The difference of the exponents' biases as a factor. */
const BIAS = 2 ** 112;
/** Above the greatest finite half, and its bits in binary32. */
const BEYOND = 65536;
const BEYOND_BITS = 0x4780_0000;
/** The first bit of a binary32's significand after the leading one. */
const MIDDLE = 0x0040_0000;
const SIGN = 0x8000_0000;
const INFINITY_16 = 0x7c00;
const NAN_16 = 0x7e00;

/** Emits instructions on one type of value: binary32 or a vector of it. */
class Emitter {
  readonly builder: Builder;
  readonly floats: Type;
  readonly ints: Type;

  constructor(builder: Builder, like: Type) {
    this.builder = builder;
    this.floats = withLanesOf(F32, like);
    this.ints = withLanesOf(I32, like);
  }

  int(value: number): Value {
    return constantInt(this.ints, value);
  }

  float(value: number): Value {
    return constantFloat(this.floats, value);
  }

  op(op: number, left: Value, right: Value): Value {
    return this.builder.same(op, left, right);
  }

  asInts(value: Value): Value {
    return this.builder.convert(Op.BITCAST, value, this.ints);
  }

  asFloats(value: Value): Value {
    return this.builder.convert(Op.BITCAST, value, this.floats);
  }
}

/** Lanes from which on halves fill a register of 16 bytes, so that steps on their 16 bits serve twice as many. */
const FULL_LANES = 8;

/** Converts a half to binary32, NaNs with their payload; a signalling one may become quiet. */
function unpackHalf(builder: Builder, half: Value): Value {
  const lanes = laneCount(half.type);
  if (lanes % FULL_LANES === 0) return unpackByHalves(builder, half);
  const w = new Emitter(builder, half.type);
  // Sign extension moves the sign to the top, and the multiplication keeps it.
  const bits = builder.convert(Op.SEXT, builder.convert(Op.BITCAST, half, withLanesOf(I16, half.type)), w.ints);
  const placed = w.op(Op.AND, w.op(Op.SHL, bits, w.int(13)), w.int(PLACED));
  // The multiplication by the difference of the biases normalises subnormal halves.
  const moved = w.op(Op.FMUL, w.asFloats(placed), w.float(BIAS));
  const isSpecial = builder.convert(
    Op.SEXT,
    builder.compare(Op.FGE, builder.same(Op.FABS, moved), w.float(BEYOND)),
    w.ints,
  );
  return w.asFloats(w.op(Op.OR, w.asInts(moved), w.op(Op.AND, isSpecial, w.int(EXPONENT))));
}

/**
 * {@link unpackHalf} for many lanes: the upper and the lower 16 bits of the binary32 are computed in lanes of 16 bits,
 * then put together. Special halves get the exponent of special floats there, which the multiplication leaves alone.
 */
function unpackByHalves(builder: Builder, half: Value): Value {
  const w = new Emitter(builder, half.type);
  const shorts = withLanesOf(I16, half.type);
  const int = (value: number): Value => constantInt(shorts, value);
  const bits = builder.convert(Op.BITCAST, half, shorts);
  const magnitude = builder.same(Op.AND, bits, int(0x7fff));
  const isSpecial = builder.convert(Op.SEXT, builder.compare(Op.SGE, magnitude, int(INFINITY_16)), shorts);
  const placed = builder.same(Op.AND, builder.same(Op.ASHR, bits, int(3)), int(PLACED >>> 16));
  const upper = builder.same(Op.OR, placed, builder.same(Op.AND, isSpecial, int(EXPONENT >>> 16)));
  const lower = builder.same(Op.SHL, bits, int(13));
  const words = w.op(
    Op.OR,
    w.op(Op.SHL, builder.convert(Op.ZEXT, upper, w.ints), w.int(16)),
    builder.convert(Op.ZEXT, lower, w.ints),
  );
  return w.op(Op.FMUL, w.asFloats(words), w.float(BIAS));
}

/** Packs a wide value into a half. Every NaN becomes the quiet NaN. */
function packHalf(builder: Builder, wide: Value): Value {
  const w = new Emitter(builder, wide.type);
  const moved = w.asInts(w.op(Op.FMUL, builder.same(Op.FABS, wide), w.float(1 / BIAS)));
  // Infinity keeps its exponent through the multiplication, which is too much for a half.
  return narrowed(w, wide, w.op(Op.UMIN, w.op(Op.LSHR, moved, w.int(13)), w.int(INFINITY_16)));
}

/**
 * Rounds a binary32 to the nearest half, ties to even, and packs it: {@link roundToHalf} and {@link packHalf} in fewer
 * steps. Every NaN becomes the quiet NaN.
 */
function floatToHalf(builder: Builder, value: Value): Value {
  const w = new Emitter(builder, value.type);
  // Everything beyond the halves, NaNs too, becomes the infinity here.
  const magnitude = w.op(Op.UMIN, w.asInts(builder.same(Op.FABS, value)), w.int(BEYOND_BITS));
  const exponent = w.op(Op.UMAX, w.op(Op.AND, magnitude, w.int(EXPONENT)), w.int(LEAST));
  // The sum has the exponent of a number whose last place is that of the half, so that its last bits are the half's
  // significand, rounded once. The number ends in minus the least exponent, where the half's exponent is added.
  const magic = w.op(Op.ADD, exponent, w.int(THIRTEEN + MIDDLE - (LEAST >>> 13)));
  const sum = w.asInts(w.op(Op.FADD, w.asFloats(magnitude), w.asFloats(magic)));
  // The significand's leading bit adds to the exponent. Only the low 16 bits are the half.
  return narrowed(w, value, w.op(Op.ADD, sum, w.op(Op.LSHR, exponent, w.int(13))));
}

/** The halves whose magnitudes are the low 16 bits of ints; those of NaNs are replaced by the quiet NaN. */
function narrowed(w: Emitter, wide: Value, bits: Value): Value {
  const { builder } = w;
  const shorts = withLanesOf(I16, wide.type);
  const short = (value: number): Value => constantInt(shorts, value);
  const upper = builder.convert(Op.TRUNC, w.op(Op.LSHR, w.asInts(wide), w.int(16)), shorts);
  const sign = builder.same(Op.AND, upper, short(0x8000));
  const number = builder.same(Op.OR, builder.convert(Op.TRUNC, bits, shorts), sign);
  const half = builder.select(builder.compare(Op.FNE, wide, wide), short(NAN_16), number);
  return builder.convert(Op.BITCAST, half, withLanesOf(F16, wide.type));
}

/** Rounds a binary32 to the nearest half, ties to even; the result is wide. */
function roundToHalf(builder: Builder, value: Value): Value {
  const w = new Emitter(builder, value.type);
  return roundWithExponent(w, value, (exponent) => w.op(Op.UMIN, exponent, w.int(GREATEST)));
}

/** {@link roundToHalf} for results of arithmetic on halves: infinities, NaNs and values below 2^100. */
function roundResult(builder: Builder, value: Value): Value {
  return roundWithExponent(new Emitter(builder, value.type), value, (exponent) => exponent);
}

function roundWithExponent(w: Emitter, value: Value, hold: (exponent: Value) => Value): Value {
  const bits = w.asInts(value);
  const exponent = hold(w.op(Op.UMAX, w.op(Op.AND, bits, w.int(EXPONENT)), w.int(LEAST)));
  // One and a half of a power of two whose last place is that of the half: the sum with a number of either sign is
  // rounded there, once. To an infinity it adds nothing.
  const magic = w.asFloats(w.op(Op.ADD, exponent, w.int(THIRTEEN + MIDDLE)));
  const rounded = w.op(Op.FSUB, w.op(Op.FADD, value, magic), magic);
  // What is beyond the halves is beyond all binary32 when it is multiplied by the difference of the biases.
  const held = w.op(Op.FMUL, w.op(Op.FMUL, rounded, w.float(BIAS)), w.float(1 / BIAS));
  // The difference of equal numbers has lost the sign of a zero.
  return w.asFloats(w.op(Op.OR, w.asInts(held), w.op(Op.AND, bits, w.int(SIGN))));
}

/**
 * Rounding to odd: moves an inexact binary32 away from an even last bit, to the side of `isMore` or `isLess` in
 * magnitude, so that a later rounding sees that it was inexact.
 */
function toOdd(w: Emitter, value: Value, isMore: Value, isLess: Value): Value {
  const bits = w.asInts(value);
  const step = w.op(Op.SUB, w.builder.convert(Op.SEXT, isLess, w.ints), w.builder.convert(Op.SEXT, isMore, w.ints));
  const ifEven = w.op(Op.SUB, w.op(Op.AND, bits, w.int(1)), w.int(1));
  return w.asFloats(w.op(Op.ADD, bits, w.op(Op.AND, step, ifEven)));
}

/** Rounds a binary64 to odd in binary32, so that rounding that to a half is rounding once. */
function doubleToOdd(builder: Builder, value: Value): Value {
  const w = new Emitter(builder, value.type);
  const float = builder.convert(Op.FPTRUNC, value, w.floats);
  const back = builder.same(Op.FABS, builder.convert(Op.FPEXT, float, value.type));
  const magnitude = builder.same(Op.FABS, value);
  // A finite number that became an infinity becomes one as a half too; one bit less would make no difference.
  return toOdd(w, float, builder.compare(Op.FLT, back, magnitude), builder.compare(Op.FGT, back, magnitude));
}

/**
 * a * b + c of wide values, rounded to odd in binary32, so that rounding that to a half is rounding once. The product
 * is exact in binary32 (S. Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums using rounding to odd",
 * IEEE Transactions on Computers 57, 2008).
 */
function multiplyAddToOdd(builder: Builder, a: Value, b: Value, c: Value): Value {
  const w = new Emitter(builder, a.type);
  const product = w.op(Op.FMUL, a, b);
  const sum = w.op(Op.FADD, product, c);
  const rest = w.op(Op.FSUB, sum, product);
  const error = w.op(Op.FADD, w.op(Op.FSUB, product, w.op(Op.FSUB, sum, rest)), w.op(Op.FSUB, c, rest));
  // With infinities the error is NaN, which is neither above nor below.
  const side = w.op(Op.FMUL, error, sum);
  return toOdd(w, sum, builder.compare(Op.FGT, side, w.float(0)), builder.compare(Op.FLT, side, w.float(0)));
}

/** How values get from binary16 to binary32 and back. */
export interface HalfConversions {
  /** A half as its wide form. */
  readonly unpack: (builder: Builder, half: Value) => Value;
  /** A wide value, which is a half's, as the half. */
  readonly pack: (builder: Builder, wide: Value) => Value;
  /** A binary32 as the nearest half, ties to even. */
  readonly fromFloat: (builder: Builder, value: Value) => Value;
  /** A binary32 rounded to the nearest half, ties to even, as a wide value. */
  readonly round: (builder: Builder, value: Value) => Value;
  /** The same of what arithmetic on halves gave: an infinity, a NaN or less than 2^100. */
  readonly roundResult: (builder: Builder, value: Value) => Value;
  /** A binary64 as a binary32 that rounds to the same half. */
  readonly doubleToOdd: (builder: Builder, value: Value) => Value;
  /** a * b + c of wide values as a binary32 that rounds to the right half. */
  readonly multiplyAddToOdd: (builder: Builder, a: Value, b: Value, c: Value) => Value;
}

/** By integers and binary32: for machines that have no instruction for binary16. */
export const INTEGER_CONVERSIONS: HalfConversions = {
  unpack: unpackHalf,
  pack: packHalf,
  fromFloat: floatToHalf,
  round: roundToHalf,
  roundResult,
  doubleToOdd,
  multiplyAddToOdd,
};

function nativeUnpack(builder: Builder, half: Value): Value {
  return builder.convert(Op.FPEXT, half, withLanesOf(F32, half.type));
}

function nativePack(builder: Builder, value: Value): Value {
  return builder.convert(Op.FPTRUNC, value, withLanesOf(F16, value.type));
}

function nativeRound(builder: Builder, value: Value): Value {
  return nativeUnpack(builder, nativePack(builder, value));
}

/** By `fpext` and `fptrunc`: for machines that convert and do not compute (F16C, the half-precision proposal). */
export const NATIVE_CONVERSIONS: HalfConversions = {
  unpack: nativeUnpack,
  pack: nativePack,
  fromFloat: nativePack,
  round: nativeRound,
  roundResult: nativeRound,
  doubleToOdd,
  multiplyAddToOdd,
};

/** Conversions whose results are halves. */
const PACKED_RESULTS: ReadonlySet<string> = new Set(["pack", "from_float"]);

/**
 * Conversions as calls of functions of their own, which are added to the module: a call takes a tenth of the code. The
 * functions do what `inner` writes.
 */
export function calledConversions(module: Module, inner: HalfConversions): HalfConversions {
  const called = <Operands extends readonly Value[]>(
    name: string,
    write: (builder: Builder, ...operands: Operands) => Value,
  ): ((builder: Builder, ...operands: Operands) => Value) => {
    return (builder, ...operands) => {
      const [first] = operands;
      assert(first !== undefined, "a conversion has an operand");
      const { type } = first;
      const full = `muxkit.half.${name}.${type.kind === "vector" ? type.count : 1}`;
      let callee = module.functions.get(full);
      if (callee === undefined) {
        callee = new IrFunction(
          full,
          withLanesOf(PACKED_RESULTS.has(name) ? F16 : F32, type),
          operands.map((operand, i) => ({ type: operand.type, name: `x${i}` })),
        );
        callee.inline = "never";
        callee.isOutside = true;
        const own = new InstructionBuilder(callee.addBlock("entry"));
        own.return(write(own, ...(callee.parameters as readonly Value[] as Operands)));
        module.addFunction(callee);
      }
      return builder.call(callee, operands);
    };
  };
  return {
    unpack: called("unpack", inner.unpack),
    pack: called("pack", inner.pack),
    fromFloat: called("from_float", inner.fromFloat),
    round: called("round", inner.round),
    roundResult: called("round_result", inner.roundResult),
    doubleToOdd: called("double_to_odd", inner.doubleToOdd),
    multiplyAddToOdd: called("multiply_add", inner.multiplyAddToOdd),
  };
}
