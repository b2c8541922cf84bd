// What the ops compute, on constants: the one written result of every corner case. The interpreter and the folding passes stand on it.
import { float32FromBits, floatToHalf, halfToFloat, join64, split64 } from "@muxkit/cargo";

import { bigintToFloat32, fusedMultiplyAdd } from "./exact.ts";
import * as Op from "./generated/op.ts";
import { type Type, laneCount, scalarOf } from "./type.ts";
import { type Constant, constantBits, constantLane, constantVector } from "./value.ts";

/** A scalar in evaluation: ints as unsigned bigint, floats as bits (unsigned bigint too). */
type Bits = bigint;

function bitsOf(constant: Constant): Bits {
  return join64(constant.low, constant.high);
}

function toConstant(type: Type, bits: Bits): Constant {
  const { low, high } = split64(bits);
  return constantBits(type, low, high);
}

const scratch = new DataView(new ArrayBuffer(8));

/** The number that float bits stand for. @public */
export function numberOfFloatBits(bits: bigint, width: number): number {
  if (width === 16) return halfToFloat(Number(bits));
  if (width === 32) return float32FromBits(Number(bits));
  scratch.setBigUint64(0, bits);
  return scratch.getFloat64(0);
}

/** The bits of a number rounded to a float width; NaN gives the quiet NaN. @public */
export function floatBitsOfNumber(value: number, width: number): bigint {
  if (width === 16) return BigInt(floatToHalf(value));
  if (width === 32) {
    scratch.setFloat32(0, value);
    return BigInt(scratch.getUint32(0));
  }
  scratch.setFloat64(0, value);
  return scratch.getBigUint64(0);
}

type IntOp = (a: bigint, b: bigint, width: number) => bigint;

const signed = (value: bigint, width: number): bigint => BigInt.asIntN(width, value);

const INT_BINARY: Readonly<Record<number, IntOp>> = {
  [Op.ADD]: (a, b) => a + b,
  [Op.SUB]: (a, b) => a - b,
  [Op.MUL]: (a, b) => a * b,
  [Op.SDIV]: (a, b, w) => (b === 0n ? 0n : signed(a, w) / signed(b, w)),
  [Op.UDIV]: (a, b) => (b === 0n ? 0n : a / b),
  [Op.SREM]: (a, b, w) => (b === 0n ? a : signed(a, w) % signed(b, w)),
  [Op.UREM]: (a, b) => (b === 0n ? a : a % b),
  [Op.AND]: (a, b) => a & b,
  [Op.OR]: (a, b) => a | b,
  [Op.XOR]: (a, b) => a ^ b,
  [Op.SHL]: (a, b, w) => a << (b % BigInt(w)),
  [Op.LSHR]: (a, b, w) => a >> (b % BigInt(w)),
  [Op.ASHR]: (a, b, w) => signed(a, w) >> (b % BigInt(w)),
  [Op.ROTL]: (a, b, w) => {
    const by = b % BigInt(w);
    return (a << by) | (a >> (BigInt(w) - by));
  },
  [Op.SMIN]: (a, b, w) => (signed(a, w) < signed(b, w) ? a : b),
  [Op.SMAX]: (a, b, w) => (signed(a, w) > signed(b, w) ? a : b),
  [Op.UMIN]: (a, b) => (a < b ? a : b),
  [Op.UMAX]: (a, b) => (a > b ? a : b),
  [Op.SMULH]: (a, b, w) => (signed(a, w) * signed(b, w)) >> BigInt(w),
  [Op.UMULH]: (a, b, w) => (a * b) >> BigInt(w),
};

const INT_COMPARE: Readonly<Record<number, (a: bigint, b: bigint, width: number) => boolean>> = {
  [Op.EQ]: (a, b) => a === b,
  [Op.NE]: (a, b) => a !== b,
  [Op.SLT]: (a, b, w) => signed(a, w) < signed(b, w),
  [Op.SLE]: (a, b, w) => signed(a, w) <= signed(b, w),
  [Op.SGT]: (a, b, w) => signed(a, w) > signed(b, w),
  [Op.SGE]: (a, b, w) => signed(a, w) >= signed(b, w),
  [Op.ULT]: (a, b) => a < b,
  [Op.ULE]: (a, b) => a <= b,
  [Op.UGT]: (a, b) => a > b,
  [Op.UGE]: (a, b) => a >= b,
};

const FLOAT_COMPARE: Readonly<Record<number, (a: number, b: number) => boolean>> = {
  [Op.FEQ]: (a, b) => a === b,
  [Op.FNE]: (a, b) => a !== b,
  [Op.FLT]: (a, b) => a < b,
  [Op.FLE]: (a, b) => a <= b,
  [Op.FGT]: (a, b) => a > b,
  [Op.FGE]: (a, b) => a >= b,
};

function minimum(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : Math.min(a, b);
}

function maximum(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : Math.max(a, b);
}

// The sum, product, quotient and root of two binary32 numbers, computed in binary64 and rounded, are rounded as if once.
const FLOAT_BINARY: Readonly<Record<number, (a: number, b: number) => number>> = {
  [Op.FADD]: (a, b) => a + b,
  [Op.FSUB]: (a, b) => a - b,
  [Op.FMUL]: (a, b) => a * b,
  [Op.FDIV]: (a, b) => a / b,
  [Op.FREM]: (a, b) => a % b,
  [Op.FMIN]: minimum,
  [Op.FMAX]: maximum,
};

function roundHalfEven(value: number): number {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 52) return value;
  const floor = Math.floor(value);
  const rest = value - floor;
  const rounded = rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1;
  return rounded === 0 && (value < 0 || Object.is(value, -0)) ? -0 : rounded;
}

const FLOAT_UNARY: Readonly<Record<number, (a: number) => number>> = {
  [Op.FSQRT]: Math.sqrt,
  [Op.FFLOOR]: Math.floor,
  [Op.FCEIL]: Math.ceil,
  [Op.FTRUNC]: Math.trunc,
  [Op.FRINT]: roundHalfEven,
};

function countLeading(value: bigint, width: number): bigint {
  return BigInt(width - (value === 0n ? 0 : value.toString(2).length));
}

function countTrailing(value: bigint, width: number): bigint {
  if (value === 0n) return BigInt(width);
  let count = 0n;
  for (let rest = value; (rest & 1n) === 0n; rest >>= 1n) count++;
  return count;
}

function population(value: bigint): bigint {
  let count = 0n;
  for (let rest = value; rest !== 0n; rest &= rest - 1n) count++;
  return count;
}

const INT_UNARY: Readonly<Record<number, (a: bigint, width: number) => bigint>> = {
  [Op.CLZ]: countLeading,
  [Op.CTZ]: countTrailing,
  [Op.POPCOUNT]: population,
};

/** The integer nearest towards zero, held in the range of `width` bits; NaN gives 0. */
function saturate(value: number, width: number, isSigned: boolean): bigint {
  if (Number.isNaN(value)) return 0n;
  const low = isSigned ? -(1n << BigInt(width - 1)) : 0n;
  const high = isSigned ? (1n << BigInt(width - 1)) - 1n : (1n << BigInt(width)) - 1n;
  if (value === Infinity) return high;
  if (value === -Infinity) return low;
  const whole = BigInt(Math.trunc(value));
  if (whole < low) return low;
  return whole > high ? high : whole;
}

function intToFloat(value: bigint, width: number): bigint {
  if (width === 32) return floatBitsOfNumber(bigintToFloat32(value), 32);
  // Number() of a bigint rounds to nearest even; binary16 holds no integer above 65504, and those below 2^53 are exact in binary64.
  return floatBitsOfNumber(Number(value), width);
}

const CONVERT: Readonly<Record<number, (bits: bigint, from: number, to: number) => bigint>> = {
  [Op.TRUNC]: (bits) => bits,
  [Op.ZEXT]: (bits) => bits,
  [Op.SEXT]: (bits, from) => signed(bits, from),
  [Op.FPTRUNC]: (bits, from, to) => floatBitsOfNumber(numberOfFloatBits(bits, from), to),
  [Op.FPEXT]: (bits, from, to) => floatBitsOfNumber(numberOfFloatBits(bits, from), to),
  [Op.FPTOSI]: (bits, from, to) => saturate(numberOfFloatBits(bits, from), to, true),
  [Op.FPTOUI]: (bits, from, to) => saturate(numberOfFloatBits(bits, from), to, false),
  [Op.SITOFP]: (bits, from, to) => intToFloat(signed(bits, from), to),
  [Op.UITOFP]: (bits, _from, to) => intToFloat(bits, to),
  [Op.PTRTOINT]: (bits) => bits,
  [Op.INTTOPTR]: (bits) => bits,
  [Op.ADDRSPACECAST]: (bits) => bits,
};

function scalarOp(op: number, type: Type, operandType: Type, operands: readonly Bits[]): Bits | null {
  const a = operands[0] ?? 0n;
  const b = operands[1] ?? 0n;
  const from = operandType.kind === "pointer" ? 64 : operandType.bits;
  const width = type.kind === "pointer" ? 64 : type.bits;
  const intBinary = INT_BINARY[op];
  if (intBinary !== undefined) return intBinary(a, b, width);
  const intCompare = INT_COMPARE[op];
  if (intCompare !== undefined) return intCompare(a, b, from) ? 1n : 0n;
  const intUnary = INT_UNARY[op];
  if (intUnary !== undefined) return intUnary(a, width);
  const convert = CONVERT[op];
  if (convert !== undefined) return convert(a, from, width);
  const sign = 1n << BigInt(Math.max(0, width - 1));
  if (op === Op.FNEG) return a ^ sign;
  if (op === Op.FABS) return a & (sign - 1n);
  if (op === Op.FCOPYSIGN) return (a & (sign - 1n)) | (b & sign);
  const x = numberOfFloatBits(a, from);
  const floatUnary = FLOAT_UNARY[op];
  if (floatUnary !== undefined) return floatBitsOfNumber(floatUnary(x), width);
  const y = numberOfFloatBits(b, from);
  const floatCompare = FLOAT_COMPARE[op];
  if (floatCompare !== undefined) return floatCompare(x, y) ? 1n : 0n;
  const floatBinary = FLOAT_BINARY[op];
  if (floatBinary !== undefined) return floatBitsOfNumber(floatBinary(x, y), width);
  if (op === Op.FMA) return floatBitsOfNumber(fusedMultiplyAdd(x, y, numberOfFloatBits(operands[2] ?? 0n, from), width === 64 ? 64 : 32), width);
  return null;
}

function lanesOf(constant: Constant): readonly Constant[] {
  return constant.type.kind === "vector" ? constant.lanes : [constant];
}

/** The bytes of a constant as memory holds them, lanes one after the other. */
function toBytes(constant: Constant): Uint8Array {
  const lanes = lanesOf(constant);
  const size = Math.max(1, scalarOf(constant.type).bits >> 3);
  const bytes = new Uint8Array(size * lanes.length);
  lanes.forEach((lane, i) => {
    let bits = bitsOf(lane);
    for (let j = 0; j < size; j++, bits >>= 8n) bytes[i * size + j] = Number(bits & 255n);
  });
  return bytes;
}

function fromBytes(type: Type, bytes: Uint8Array): Constant {
  const scalar = scalarOf(type);
  const size = Math.max(1, scalar.bits >> 3);
  const lanes = Array.from({ length: laneCount(type) }, (_, i) => {
    let bits = 0n;
    for (let j = size - 1; j >= 0; j--) bits = (bits << 8n) | BigInt(bytes[i * size + j] ?? 0);
    return toConstant(scalar, bits);
  });
  return type.kind === "vector" ? constantVector(type, lanes) : (lanes[0] ?? toConstant(type, 0n));
}

/** What is known of an instruction besides its operands: the lanes of a shuffle. @public */
export interface EvaluationExtra {
  /** The `lanes` of a shuffle. */
  readonly lanes?: readonly number[];
}

/** Lane movement: ops on whole vectors. Null for other ops. */
function moveLanes(op: number, type: Type, operands: readonly Constant[], extra: EvaluationExtra): Constant | null {
  const [a, b, c] = operands;
  if (a === undefined) return null;
  const zero = (): Constant => toConstant(scalarOf(type), 0n);
  switch (op) {
    case Op.SPLAT:
      return constantVector(type, Array.from({ length: type.count }, () => a));
    case Op.BUILD:
      return constantVector(type, operands);
    case Op.EXTRACT:
      return b === undefined ? null : constantLane(a, b.low % laneCount(a.type));
    case Op.INSERT:
      return b === undefined || c === undefined ? null : constantVector(type, a.lanes.map((lane, i) => (i === c.low % a.lanes.length ? b : lane)));
    case Op.SHUFFLE:
      return b === undefined ? null : constantVector(type, (extra.lanes ?? []).map((lane) => [...a.lanes, ...b.lanes][lane] ?? zero()));
    case Op.BITCAST:
      return scalarOf(type).kind === "pointer" || scalarOf(a.type).bits < 8 ? null : fromBytes(type, toBytes(a));
    default:
      return null;
  }
}

/**
 * What an op gives for constants; null for ops that have no value of their operands alone (memory, calls, ids).
 *
 * @public
 */
export function evaluate(op: number, type: Type, operands: readonly Constant[], extra: EvaluationExtra = {}): Constant | null {
  const moved = moveLanes(op, type, operands, extra);
  if (moved !== null) return moved;
  const [first, second, third] = operands;
  if (first === undefined) return null;
  if (op === Op.SELECT) {
    if (second === undefined || third === undefined) return null;
    if (first.type.kind !== "vector") return first.low !== 0 ? second : third;
    return constantVector(type, first.lanes.map((lane, i) => constantLane(lane.low !== 0 ? second : third, i)));
  }
  const scalar = scalarOf(type);
  const from = scalarOf(first.type);
  const lanes: Constant[] = [];
  for (let i = 0; i < laneCount(type); i++) {
    const bits = scalarOp(op, scalar, from, operands.map((operand) => bitsOf(constantLane(operand, i))));
    if (bits === null) return null;
    lanes.push(toConstant(scalar, bits));
  }
  return type.kind === "vector" ? constantVector(type, lanes) : (lanes[0] ?? null);
}
