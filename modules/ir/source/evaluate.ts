// SPDX-License-Identifier: Apache-2.0
// Evaluation of ops on constants: the reference semantics of every op, with a defined result in every corner case.
// Constant folding, the interpreter and the tests of code generators use it.
//
// Lane operations work on bits as unsigned bigints: one table each for int and float ops, comparisons and conversions.
// `laneOperation` looks an op up for given widths, `evaluate` applies it lane by lane; ops on whole vectors (shuffles,
// reductions) are separate. Binary32 arithmetic is done in binary64 and rounded once more, which is exact for +, -, *,
// / and square roots (Figueroa 1995); fma is exact by bigints (exact.ts). NaN results are the quiet NaN
// (docs/decisions/016-nan-bits.md).
import { float32FromBits, floatToHalf, halfToFloat, join64, split64 } from "@muxkit/cargo";

import { bigintToFloat32, fusedMultiplyAdd } from "./exact.ts";
import * as Op from "./generated/op.ts";
import { combinationOf, reduceLanes } from "./group-operations.ts";
import type { AtomicKind } from "./instruction.ts";
import { type Type, laneCount, scalarOf } from "./type.ts";
import { type Constant, constantBits, constantLane, constantSplat, constantVector } from "./value.ts";

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

/** The NaN that arithmetic returns: payloads do not survive JavaScript's numbers (docs/decisions/016-nan-bits.md). */
const QUIET_NAN: Readonly<Record<number, bigint>> = { 16: 0x7e00n, 32: 0x7fc0_0000n, 64: 0x7ff8_0000_0000_0000n };

/** The bits of a number rounded to a float width; NaN gives the quiet NaN. @public */
export function floatBitsOfNumber(value: number, width: number): bigint {
  if (Number.isNaN(value)) return QUIET_NAN[width] ?? 0n;
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

// // Sums, products, quotients and roots of binary32 numbers that are computed in binary64 and rounded again are
// correctly rounded (Figueroa 1995).
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

/** Rounds towards zero and saturates to the range of `width` bits; NaN gives 0. */
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
  // Number() of a bigint rounds to nearest even; binary16 holds no integer above 65504, and those below 2^53 are exact
  // in binary64.
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

/** A lane operation whose result may have more bits than its type: the caller truncates it. */
type Raw = (a: Bits, b: Bits, c: Bits) => Bits;

function floatOperation(op: number, width: number, from: number): Raw | null {
  const number = (bits: Bits): number => numberOfFloatBits(bits, from);
  const unary = FLOAT_UNARY[op];
  if (unary !== undefined) return (a) => floatBitsOfNumber(unary(number(a)), width);
  const compare = FLOAT_COMPARE[op];
  if (compare !== undefined) return (a, b) => (compare(number(a), number(b)) ? 1n : 0n);
  const binary = FLOAT_BINARY[op];
  if (binary !== undefined) return (a, b) => floatBitsOfNumber(binary(number(a), number(b)), width);
  const sign = 1n << BigInt(width - 1);
  switch (op) {
    case Op.FNEG:
      return (a) => a ^ sign;
    case Op.FABS:
      return (a) => a & (sign - 1n);
    case Op.FCOPYSIGN:
      return (a, b) => (a & (sign - 1n)) | (b & sign);
    case Op.FMA:
      return (a, b, c) =>
        floatBitsOfNumber(
          fusedMultiplyAdd(number(a), number(b), number(c), width === 16 || width === 32 ? width : 64),
          width,
        );
    default:
      return null;
  }
}

function rawOperation(op: number, width: number, from: number): Raw | null {
  const intBinary = INT_BINARY[op];
  if (intBinary !== undefined) return (a, b) => intBinary(a, b, width);
  const intCompare = INT_COMPARE[op];
  if (intCompare !== undefined) return (a, b) => (intCompare(a, b, from) ? 1n : 0n);
  const intUnary = INT_UNARY[op];
  if (intUnary !== undefined) return (a) => intUnary(a, width);
  const convert = CONVERT[op];
  if (convert !== undefined) return (a) => convert(a, from, width);
  return width === 0 ? null : floatOperation(op, width, from);
}

/**
 * Computes one lane: from the bits of up to three operands (unsigned; extra ones are ignored) to the result's bits.
 *
 * @public
 */
export type LaneOperation = (a: bigint, b: bigint, c: bigint) => bigint;

/**
 * The definition of an op for one lane; null for ops on whole vectors and ops whose result does not depend on operands
 * alone (memory, calls, ids). `resultBits` and `operandBits` are the lane widths of the result and the first operand;
 * pointers have widths too.
 *
 * @public
 */
export function laneOperation(op: number, resultBits: number, operandBits: number): LaneOperation | null {
  const raw = rawOperation(op, resultBits, operandBits);
  return raw === null ? null : (a, b, c) => BigInt.asUintN(resultBits, raw(a, b, c));
}

function laneBits(type: Type): number {
  const scalar = scalarOf(type);
  return scalar.kind === "pointer" ? 64 : scalar.bits;
}

/** The same bits as lanes of another width; lane 0 holds the lowest bits. @public */
export function recastLanes(lanes: readonly bigint[], fromBits: number, toBits: number): bigint[] {
  let all = 0n;
  for (const lane of lanes.toReversed()) all = (all << BigInt(fromBits)) | lane;
  return Array.from({ length: Math.ceil((lanes.length * fromBits) / toBits) }, (_, i) =>
    BigInt.asUintN(toBits, all >> BigInt(i * toBits)),
  );
}

function bitcast(type: Type, constant: Constant): Constant | null {
  const from = scalarOf(constant.type);
  const to = scalarOf(type);
  if (from.kind === "pointer" || to.kind === "pointer") return null;
  const lanes = recastLanes(
    (constant.type.kind === "vector" ? constant.lanes : [constant]).map(bitsOf),
    from.bits,
    to.bits,
  ).map((bits) => toConstant(to, bits));
  return type.kind === "vector" ? constantVector(type, lanes) : (lanes[0] ?? null);
}

function laneBitsOf(operand: Constant | undefined, lane: number): Bits {
  return operand === undefined ? 0n : bitsOf(constantLane(operand, lane));
}

/** Fields of an instruction that its value depends on in addition to its operands. @public */
export interface EvaluationExtra {
  /** The `kind` of a reduction. */
  readonly kind?: AtomicKind;
  /** The `lanes` of a shuffle. */
  readonly lanes?: readonly number[];
  /** Lanes per block of a permutation. */
  readonly scale?: number;
}

/**
 * The source lane, in a vector of `count` lanes, of lane `i` of a permutation whose index operand is `index`.
 *
 * @public
 */
export function permutedLane(i: number, index: bigint, block: number, count: number): number {
  return ((Math.floor(i / block) * block) % count) + Number(index % BigInt(block));
}

/** Reductions of all lanes to one value: votes and `reduce`. Null for other ops. */
function acrossLanes(op: number, type: Type, vector: Constant, { kind }: EvaluationExtra): Constant | null {
  if (op === Op.ANY) return toConstant(type, vector.lanes.some(({ low }) => low !== 0) ? 1n : 0n);
  if (op === Op.ALL) return toConstant(type, vector.lanes.every(({ low }) => low !== 0) ? 1n : 0n);
  if (op !== Op.REDUCE || kind === undefined) return null;
  const combine = laneOperation(combinationOf(kind, type.bits).op, type.bits, type.bits);
  return combine === null
    ? null
    : toConstant(
        type,
        reduceLanes(vector.lanes.map(bitsOf), (a, b) => combine(a, b, 0n)),
      );
}

function shuffle(type: Type, from: readonly Constant[], lanes: readonly number[]): Constant {
  return constantVector(
    type,
    lanes.map((lane) => from[lane] ?? toConstant(scalarOf(type), 0n)),
  );
}

/** Lane movement: ops on whole vectors. Null for other ops. */
function moveLanes(op: number, type: Type, operands: readonly Constant[], extra: EvaluationExtra): Constant | null {
  const [a, b, c] = operands;
  if (a === undefined) return null;
  switch (op) {
    case Op.SPLAT:
      return constantSplat(type, a);
    case Op.BUILD:
      return constantVector(type, operands);
    case Op.EXTRACT:
      return b === undefined ? null : constantLane(a, b.low % laneCount(a.type));
    case Op.INSERT:
      return b === undefined || c === undefined
        ? null
        : constantVector(
            type,
            a.lanes.map((lane, i) => (i === c.low % a.lanes.length ? b : lane)),
          );
    case Op.SHUFFLE:
      return b === undefined ? null : shuffle(type, [...a.lanes, ...b.lanes], extra.lanes ?? []);
    case Op.PERMUTE:
      return b === undefined
        ? null
        : constantVector(
            type,
            Array.from({ length: laneCount(type) }, (_, i) =>
              constantLane(a, permutedLane(i, bitsOf(constantLane(b, i)), extra.scale ?? 1, laneCount(a.type))),
            ),
          );
    case Op.BITCAST:
      return bitcast(type, a);
    default:
      return acrossLanes(op, type, a, extra);
  }
}

/**
 * The result of an op on constants; null for ops whose result does not depend on operands alone (memory, calls, ids).
 *
 * @public
 */
export function evaluate(
  op: number,
  type: Type,
  operands: readonly Constant[],
  extra: EvaluationExtra = {},
): Constant | null {
  const moved = moveLanes(op, type, operands, extra);
  if (moved !== null) return moved;
  const [first, second, third] = operands;
  if (first === undefined) return null;
  if (op === Op.SELECT) {
    if (second === undefined || third === undefined) return null;
    if (first.type.kind !== "vector") return first.low !== 0 ? second : third;
    return constantVector(
      type,
      first.lanes.map((lane, i) => constantLane(lane.low !== 0 ? second : third, i)),
    );
  }
  const compute = knownOperation(op, laneBits(type), laneBits(first.type));
  if (compute === null) return null;
  const scalar = scalarOf(type);
  const lane = (i: number): Constant =>
    toConstant(scalar, compute(laneBitsOf(first, i), laneBitsOf(second, i), laneBitsOf(third, i)));
  return type.kind === "vector"
    ? constantVector(
        type,
        Array.from({ length: type.count }, (_, i) => lane(i)),
      )
    : lane(0);
}

/** Cache of lane operations by op and widths: folding needs the same few again and again. */
const KNOWN_OPERATIONS = new Map<number, LaneOperation | null>();

function knownOperation(op: number, resultBits: number, operandBits: number): LaneOperation | null {
  const key = (op << 16) | (resultBits << 8) | operandBits;
  let known = KNOWN_OPERATIONS.get(key);
  if (known === undefined) {
    known = laneOperation(op, resultBits, operandBits);
    KNOWN_OPERATIONS.set(key, known);
  }
  return known;
}
