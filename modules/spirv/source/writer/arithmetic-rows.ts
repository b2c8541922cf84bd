// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons, conversions, lanes: rows from ops of the IR to instructions, for kernels and for shaders.
//
// Ops of the IR are total, instructions of SPIR-V are not. Amounts of shifts and indices of lanes are masked, floats
// become ints with saturation. Divisions are as OpenCL C has them: nothing is promised for a divisor of zero.
import {
  APPROXIMATE,
  CONTRACT,
  type Constant,
  F16,
  F32,
  F64,
  I1,
  I32,
  I64,
  type Instruction,
  NO_INFINITY,
  NO_NAN,
  NO_SIGNED_WRAP,
  NO_SIGNED_ZERO,
  NO_UNSIGNED_WRAP,
  Op,
  REASSOCIATE,
  RECIPROCAL,
  type Type,
  type Value,
  constantZero,
  intType,
  laneCount,
  scalarOf,
  withLanesOf,
} from "@muxkit/ir";

import type { ExtendedNames, OpName } from "../generated/names.ts";
import { constantId, numberId } from "./constants.ts";
import type { FunctionWriter, RowTable, RowWriter } from "./function-writer.ts";
import { withTruths } from "./truth-rows.ts";
import { written, writtenExtended } from "./written.ts";

const SELECT = written("OpSelect");
const CONSTRUCT = written("OpCompositeConstruct");
const EXTRACT = written("OpCompositeExtract");
const INSERT = written("OpCompositeInsert");
const UNDEF = written("OpUndef");
const EXTRACT_DYNAMIC = written("OpVectorExtractDynamic");
const INSERT_DYNAMIC = written("OpVectorInsertDynamic");
const SHUFFLE = written("OpVectorShuffle");
const AND = written("OpBitwiseAnd");
const UMOD = written("OpUMod");
const NOT_EQUAL = written("OpINotEqual");
const BITCAST = written("OpBitcast");
const UCONVERT = written("OpUConvert");

const LOGICAL_NOT = written("OpLogicalNot");
const LOGICAL_AND = written("OpLogicalAnd");
const LOGICAL_OR = written("OpLogicalOr");
const CONSTANT = written("OpConstant");
const COMPOSITE = written("OpConstantComposite");

const isTruth = (type: Type): boolean => scalarOf(type) === I1;

/** Bits of FPFastMathMode by flags. The upper two are of an extension of Intel's. */
const FAST_MATH: readonly (readonly [flag: number, bit: number])[] = [
  [NO_NAN, 1],
  [NO_INFINITY, 2],
  [NO_SIGNED_ZERO, 4],
  [RECIPROCAL, 8],
];
const ALL_FAST = NO_NAN | NO_INFINITY | NO_SIGNED_ZERO | RECIPROCAL | REASSOCIATE | APPROXIMATE | CONTRACT;
const FAST = 16;
const CONTRACT_FAST = 0x10000;
const REASSOCIATE_FAST = 0x20000;

/** What SPIR-V decorates with the promise that it does not wrap. */
const MAY_WRAP: ReadonlySet<number> = new Set([Op.ADD, Op.SUB, Op.MUL, Op.SHL]);

/** Decorates a result with the flags of an operation. */
export function decorateFlags(f: FunctionWriter, id: number, { op, flags, type }: Instruction): number {
  const { w, parts } = f;
  if (w.target === "kernel" && MAY_WRAP.has(op) && !isTruth(type)) {
    if ((flags & NO_SIGNED_WRAP) !== 0) w.decorate(id, "NoSignedWrap");
    if ((flags & NO_UNSIGNED_WRAP) !== 0) w.decorate(id, "NoUnsignedWrap");
  }
  const isFloat = scalarOf(type).kind === "float";
  if (w.target === "shader") {
    // What may be fused may be rearranged too, by drivers: (x + m) - m, which rounds, becomes x.
    if (isFloat && (flags & REASSOCIATE) === 0) w.decorate(id, "NoContraction");
    return id;
  }
  let mode = 0;
  if ((flags & ALL_FAST) === ALL_FAST) mode = FAST;
  else {
    for (const [flag, bit] of FAST_MATH) if ((flags & flag) !== 0) mode |= bit;
    if ((flags & REASSOCIATE) !== 0) mode |= REASSOCIATE_FAST;
    if (isFloat && (flags & CONTRACT) !== 0 && !parts.contracts) mode |= CONTRACT_FAST;
    if ((mode & (REASSOCIATE_FAST | CONTRACT_FAST)) !== 0) w.require("FPFastMathModeINTEL");
  }
  if (mode !== 0) w.decorate(id, "FPFastMathMode", mode);
  return id;
}

/** The op is an instruction. */
function plain(name: OpName): RowWriter {
  const opcode = written(name);
  return (f, i) => decorateFlags(f, f.make(opcode, f.type(i.type), ...i.operands.map((value) => f.value(value))), i);
}

/** An extended instruction: of OpenCL.std in kernels, of GLSL.std.450 in shaders. */
function extended(opencl: ExtendedNames["OpenCL.std"], glsl: ExtendedNames["GLSL.std.450"]): RowWriter {
  writtenExtended("OpenCL.std", opencl);
  writtenExtended("GLSL.std.450", glsl);
  return (f, i) => {
    const operands = i.operands.map((value) => f.value(value));
    const type = f.type(i.type);
    const id =
      f.w.target === "kernel"
        ? f.extended("OpenCL.std", opencl, type, ...operands)
        : f.extended("GLSL.std.450", glsl, type, ...operands);
    return decorateFlags(f, id, i);
  };
}

/** A division; shaders guard the divisor, which optimisers may have moved out of the condition that it is in. */
function division(name: OpName): RowWriter {
  const opcode = written(name);
  return (f, i) => {
    const [left, right] = i.operands as [Value, Value];
    const type = f.type(i.type);
    const divisor = f.w.target === "kernel" ? f.value(right) : nonZero(f, right);
    return f.make(opcode, type, f.value(left), divisor);
  };
}

function nonZero(f: FunctionWriter, value: Value): number {
  const id = f.value(value);
  if (
    value.kind === "constant" &&
    (value.lanes.length > 0 ? value.lanes : [value]).every(({ low, high }) => low !== 0 || high !== 0)
  )
    return id;
  const truth = f.type(withLanesOf(I1, value.type));
  const isZero = f.make(EQUAL, truth, id, constantId(f.w, constantZero(value.type)));
  return f.make(SELECT, f.type(value.type), isZero, numberId(f.w, value.type, 1), id);
}

const EQUAL = written("OpIEqual");

/** True for a constant whose lanes are all below a number. */
function isBelow(value: Value, limit: number): value is Constant {
  if (value.kind !== "constant") return false;
  return (value.lanes.length > 0 ? value.lanes : [value]).every(({ low, high }) => high === 0 && low < limit);
}

function shift(name: OpName): RowWriter {
  const opcode = written(name);
  return (f, i) => {
    const [value, amount] = i.operands as [Value, Value];
    const { bits } = scalarOf(i.type);
    const type = f.type(i.type);
    const by = isBelow(amount, bits)
      ? f.value(amount)
      : f.make(AND, type, f.value(amount), numberId(f.w, i.type, bits - 1));
    return decorateFlags(f, f.make(opcode, type, f.value(value), by), i);
  };
}

/** Pointers are compared as numbers. */
function compared(name: OpName): RowWriter {
  const [opcode, row] = [written(name), plain(name)];
  return (f, i) => {
    if (scalarOf(i.operands[0]?.type ?? i.type).kind !== "pointer") return row(f, i);
    if (f.w.target === "shader") return f.refuse("pointers cannot be compared in shaders", i);
    const bits = f.type(sizeType(f));
    const numbers = i.operands.map((value) => f.make(PTR_TO_U, bits, f.value(value)));
    return f.make(opcode, f.type(i.type), ...numbers);
  };
}

const PTR_TO_U = written("OpConvertPtrToU");

/** The int as wide as an address. */
function sizeType(f: FunctionWriter): Type {
  return f.w.addressBits === 64 ? I64 : I32;
}

/** A truth value as a number: one of two. */
function truthAsNumber(f: FunctionWriter, value: Value, type: Type, yes: number): number {
  return f.make(SELECT, f.type(type), f.value(value), numberId(f.w, type, yes), numberId(f.w, type, 0));
}

function widen(name: OpName, yes: number): RowWriter {
  const row = plain(name);
  return (f, i) => {
    const value = i.operands[0] as Value;
    return isTruth(value.type) ? truthAsNumber(f, value, i.type, yes) : row(f, i);
  };
}

const truncate: RowWriter = (f, i) => {
  const value = i.operands[0] as Value;
  if (!isTruth(i.type)) return f.make(UCONVERT, f.type(i.type), f.value(value));
  const odd = f.make(AND, f.type(value.type), f.value(value), numberId(f.w, value.type, 1));
  return f.make(NOT_EQUAL, f.type(i.type), odd, constantId(f.w, constantZero(value.type)));
};

/** An int to a float; a truth value counts as its number. */
function fromInt(name: OpName, yes: number): RowWriter {
  const opcode = written(name);
  return (f, i) => {
    const value = i.operands[0] as Value;
    const number = isTruth(value.type) ? truthAsNumber(f, value, withLanesOf(I32, value.type), yes) : f.value(value);
    return f.make(opcode, f.type(i.type), number);
  };
}

/** A float to an int, saturated; NaN gives 0. */
function toInt(name: OpName, isSigned: boolean): RowWriter {
  const opcode = written(name);
  return (f, i) => {
    if (isTruth(i.type)) return f.refuse("a float does not become a truth value", i);
    const value = i.operands[0] as Value;
    if (f.w.target === "shader") return clampedToInt(f, i, opcode, value, isSigned);
    const id = f.make(opcode, f.type(i.type), f.value(value));
    f.w.decorate(id, "SaturatedConversion");
    return id;
  };
}

const FLOAT_LESS = written("OpFOrdLessThan");
const FLOAT_GREATER_EQUAL = written("OpFOrdGreaterThanEqual");
const ORDERED_EQUAL = written("OpFOrdEqual");

/** Shaders convert without saturation: what is out of range is chosen by comparisons. */
function clampedToInt(f: FunctionWriter, i: Instruction, opcode: number, value: Value, isSigned: boolean): number {
  const { bits } = scalarOf(i.type);
  const [type, from, truth] = [f.type(i.type), f.type(value.type), f.type(withLanesOf(I1, value.type))];
  const limit = (power: number, sign: number): number => floatId(f, value.type, sign * 2 ** power);
  const id = f.value(value);
  const zero = floatId(f, value.type, 0);
  const isHigh = f.make(FLOAT_GREATER_EQUAL, truth, id, limit(isSigned ? bits - 1 : bits, 1));
  const isLow = f.make(FLOAT_LESS, truth, id, isSigned ? limit(bits - 1, -1) : zero);
  const isNumber = f.make(ORDERED_EQUAL, truth, id, id);
  const outside = f.make(LOGICAL_OR, truth, isHigh, isLow);
  const inside = f.make(LOGICAL_AND, truth, f.make(LOGICAL_NOT, truth, outside), isNumber);
  const safe = f.make(SELECT, from, inside, id, zero);
  const converted = f.make(opcode, type, safe);
  const [most, least] = isSigned
    ? [2n ** BigInt(bits - 1) - 1n, -(2n ** BigInt(bits - 1))]
    : [2n ** BigInt(bits) - 1n, 0n];
  const high = f.make(SELECT, type, isHigh, numberId(f.w, i.type, most), converted);
  return f.make(SELECT, type, isLow, numberId(f.w, i.type, least), high);
}

const EXPONENTS: Readonly<Record<string, readonly [bits: number, mantissa: number, bias: number]>> = {
  [F16.text]: [16, 10, 15],
  [F32.text]: [32, 23, 127],
  [F64.text]: [64, 52, 1023],
};

/** A power of two, its negative or zero as a float of a type; what is too large is infinite. */
function floatId(f: FunctionWriter, type: Type, value: number): number {
  const [bits = 32, mantissa = 23, bias = 127] = EXPONENTS[scalarOf(type).text] ?? [];
  const exponent = value === 0 ? 0n : BigInt(Math.min(Math.log2(Math.abs(value)) + bias, 2 * bias + 1));
  const sign = value < 0 ? 1n << BigInt(bits - 1) : 0n;
  const raw = (exponent << BigInt(mantissa)) | sign;
  const lane = f.w.declare(
    CONSTANT,
    f.type(scalarOf(type)),
    Number(raw & 0xffff_ffffn),
    ...(bits === 64 ? [Number(raw >> 32n)] : []),
  );
  if (type.kind !== "vector") return lane;
  return f.w.declare(COMPOSITE, f.type(type), ...Array.from({ length: type.count }, () => lane));
}

const bitcast: RowWriter = (f, i) => {
  const value = i.operands[0] as Value;
  if (value.type === i.type) return f.value(value);
  if (isTruth(value.type) || isTruth(i.type)) return f.refuse("truth values have no bits in SPIR-V", i);
  const [from, to] = [laneCount(value.type), laneCount(i.type)];
  // Vectors of three: only to as many lanes.
  if (from !== to && from % to !== 0 && to % from !== 0)
    return f.refuse(`SPIR-V has no cast of ${value.type.text} to ${i.type.text}`, i);
  return f.make(BITCAST, f.type(i.type), f.value(value));
};

const select: RowWriter = (f, i) => {
  const [condition, yes, no] = i.operands as [Value, Value, Value];
  let truth = f.value(condition);
  if (condition.type.kind !== "vector" && i.type.kind === "vector")
    truth = vectorOf(
      f,
      f.type(withLanesOf(I1, i.type)),
      Array.from({ length: i.type.count }, () => truth),
    );
  if (f.w.target === "shader" && i.type.kind === "pointer")
    return f.refuse("a shader cannot choose between pointers", i);
  return f.make(SELECT, f.operandType(i), truth, f.passed(yes, i), f.passed(no, i));
};

/** An index of a lane, modulo their number. */
function laneIndex(f: FunctionWriter, index: Value, lanes: number): number {
  const isPower = (lanes & (lanes - 1)) === 0;
  const type = f.type(index.type);
  return isPower
    ? f.make(AND, type, f.value(index), numberId(f.w, index.type, lanes - 1))
    : f.make(UMOD, type, f.value(index), numberId(f.w, index.type, lanes));
}

const extract: RowWriter = (f, i) => {
  const [vector, index] = i.operands as [Value, Value];
  const lanes = laneCount(vector.type);
  const type = f.type(i.type);
  return index.kind === "constant"
    ? f.make(EXTRACT, type, f.value(vector), index.low % lanes)
    : f.make(EXTRACT_DYNAMIC, type, f.value(vector), laneIndex(f, index, lanes));
};

const insert: RowWriter = (f, i) => {
  const [vector, scalar, index] = i.operands as [Value, Value, Value];
  const lanes = laneCount(vector.type);
  const type = f.type(i.type);
  return index.kind === "constant"
    ? f.make(INSERT, type, f.value(scalar), f.value(vector), index.low % lanes)
    : f.make(INSERT_DYNAMIC, type, f.value(vector), f.value(scalar), laneIndex(f, index, lanes));
};

/** Most lanes of a vector. */
const MOST_LANES = 16;

/** Two vectors side by side that are longer than SPIR-V's, which only functions of two vectors take; null: others. */
function joined(value: Value): readonly [Value, Value] | null {
  if (value.kind !== "instruction" || value.op !== Op.SHUFFLE || value.type.count <= MOST_LANES) return null;
  const [left, right] = value.operands as [Value, Value];
  const isWhole = value.type.count === 2 * laneCount(left.type) && value.lanes.every((lane, n) => lane === n);
  return isWhole ? [left, right] : null;
}

/** Lanes that are selected; those of number -1 are zero. */
const shuffle: RowWriter = (f, i) => {
  const [left, right] = i.operands as [Value, Value];
  if (f.w.target === "kernel" && joined(i) !== null) return 0;
  const { lanes } = i;
  const type = f.type(i.type);
  const count = laneCount(left.type);
  if (i.type.kind !== "vector") return f.refuse("a shuffle makes a vector", i);
  const moved = f.make(SHUFFLE, type, f.value(left), f.value(right), ...lanes.map((lane) => Math.max(0, lane)));
  if (lanes.every((lane) => lane >= 0)) return moved;
  if (count === 0) return f.refuse("a shuffle takes vectors", i);
  const zero = constantId(f.w, constantZero(i.type));
  return f.make(SHUFFLE, type, moved, zero, ...lanes.map((lane, n) => (lane < 0 ? lanes.length : n)));
};

writtenExtended("OpenCL.std", "shuffle");
writtenExtended("OpenCL.std", "shuffle2");

/** Lanes at indices: a function of OpenCL where all lanes are one block, else one lane after the other. */
const permute: RowWriter = (f, i) => {
  const [vector, indices] = i.operands as [Value, Value];
  const type = f.type(i.type);
  const [count, block] = [laneCount(vector.type), i.scale];
  const pair = block === count ? joined(vector) : null;
  if (f.w.target === "kernel" && pair !== null)
    return f.extended("OpenCL.std", "shuffle2", type, f.value(pair[0]), f.value(pair[1]), f.value(indices));
  if (f.w.target === "kernel" && block === count && count !== 3)
    return f.extended("OpenCL.std", "shuffle", type, f.value(vector), f.value(indices));
  const index = scalarOf(indices.type);
  const lanes = Array.from({ length: i.type.count }, (_, n) => {
    const asked = f.make(EXTRACT, f.type(index), f.value(indices), n);
    const inside = f.make(AND, f.type(index), asked, numberId(f.w, index, block - 1));
    const first = (Math.floor(n / block) * block) % count;
    const own = first === 0 ? inside : f.make(OR, f.type(index), inside, numberId(f.w, index, first));
    return f.make(EXTRACT_DYNAMIC, f.type(scalarOf(i.type)), f.value(vector), own);
  });
  return vectorOf(f, type, lanes);
};

/** Vectors of values. Translators to LLVM up to 14 take constants alone in OpCompositeConstruct: kernels insert. */
export function vectorOf(f: FunctionWriter, type: number, lanes: readonly number[]): number {
  if (f.w.target === "shader") return f.make(CONSTRUCT, type, ...lanes);
  return lanes.reduce((vector, lane, n) => f.make(INSERT, type, lane, vector, n), f.make(UNDEF, type));
}

const constructed: RowWriter = (f, i) =>
  vectorOf(
    f,
    f.type(i.type),
    i.operands.map((value) => f.value(value)),
  );

const splat: RowWriter = (f, i) => {
  const id = f.value(i.operands[0] as Value);
  const type = f.type(i.type);
  if (f.w.target === "shader")
    return vectorOf(
      f,
      type,
      Array.from({ length: i.type.count }, () => id),
    );
  const first = f.make(INSERT, type, id, f.make(UNDEF, type), 0);
  return f.make(SHUFFLE, type, first, first, ...Array.from({ length: i.type.count }, () => 0));
};

/** An extended instruction of kernels; shaders have rows of their own (shader/integer-rows.ts). */
function ofKernels(name: ExtendedNames["OpenCL.std"]): RowWriter {
  writtenExtended("OpenCL.std", name);
  return (f, i) => f.extended("OpenCL.std", name, f.type(i.type), ...i.operands.map((value) => f.value(value)));
}

const ISUB = written("OpISub");
const SHIFT_LEFT = written("OpShiftLeftLogical");
const SHIFT_RIGHT = written("OpShiftRightLogical");
const OR = written("OpBitwiseOr");

const rotate: RowWriter = (f, i) => {
  const [value, amount] = i.operands as [Value, Value];
  const type = f.type(i.type);
  if (f.w.target === "kernel") return f.extended("OpenCL.std", "rotate", type, f.value(value), f.value(amount));
  const mask = numberId(f.w, i.type, scalarOf(i.type).bits - 1);
  const left = f.make(AND, type, f.value(amount), mask);
  const right = f.make(AND, type, f.make(ISUB, type, numberId(f.w, i.type, 0), left), mask);
  return f.make(
    OR,
    type,
    f.make(SHIFT_LEFT, type, f.value(value), left),
    f.make(SHIFT_RIGHT, type, f.value(value), right),
  );
};

/** The sign of another float: by bits in shaders. */
const copySign: RowWriter = (f, i) => {
  const [value, sign] = i.operands as [Value, Value];
  const type = f.type(i.type);
  if (f.w.target === "kernel") return f.extended("OpenCL.std", "copysign", type, f.value(value), f.value(sign));
  const { bits } = scalarOf(i.type);
  const numbers = withLanesOf(intType(bits), i.type);
  const id = f.type(numbers);
  const top = 1n << BigInt(bits - 1);
  const magnitude = f.make(AND, id, f.make(BITCAST, id, f.value(value)), numberId(f.w, numbers, top - 1n));
  const own = f.make(AND, id, f.make(BITCAST, id, f.value(sign)), numberId(f.w, numbers, top));
  return f.make(BITCAST, type, f.make(OR, id, magnitude, own));
};

/** Conversions of pointers. */
function ofPointers(name: OpName): RowWriter {
  const row = plain(name);
  return (f, i) => (f.w.target === "shader" ? f.refuse("a shader's pointers are no numbers", i) : row(f, i));
}

/** Rows for every target. */
export const ARITHMETIC_ROWS: RowTable = withTruths({
  [Op.ADD]: plain("OpIAdd"),
  [Op.SUB]: plain("OpISub"),
  [Op.MUL]: plain("OpIMul"),
  [Op.SDIV]: division("OpSDiv"),
  [Op.UDIV]: division("OpUDiv"),
  [Op.SREM]: division("OpSRem"),
  [Op.UREM]: division("OpUMod"),
  [Op.AND]: plain("OpBitwiseAnd"),
  [Op.OR]: plain("OpBitwiseOr"),
  [Op.XOR]: plain("OpBitwiseXor"),
  [Op.SHL]: shift("OpShiftLeftLogical"),
  [Op.LSHR]: shift("OpShiftRightLogical"),
  [Op.ASHR]: shift("OpShiftRightArithmetic"),
  [Op.ROTL]: rotate,
  [Op.SMIN]: extended("s_min", "SMin"),
  [Op.SMAX]: extended("s_max", "SMax"),
  [Op.UMIN]: extended("u_min", "UMin"),
  [Op.UMAX]: extended("u_max", "UMax"),
  [Op.SMULH]: ofKernels("s_mul_hi"),
  [Op.UMULH]: ofKernels("u_mul_hi"),
  [Op.CLZ]: ofKernels("clz"),
  [Op.CTZ]: ofKernels("ctz"),
  [Op.POPCOUNT]: plain("OpBitCount"),

  [Op.FADD]: plain("OpFAdd"),
  [Op.FSUB]: plain("OpFSub"),
  [Op.FMUL]: plain("OpFMul"),
  [Op.FDIV]: plain("OpFDiv"),
  [Op.FREM]: plain("OpFRem"),
  [Op.FMIN]: extended("fmin", "NMin"),
  [Op.FMAX]: extended("fmax", "NMax"),
  [Op.FCOPYSIGN]: copySign,
  [Op.FMA]: extended("fma", "Fma"),
  [Op.FNEG]: plain("OpFNegate"),
  [Op.FABS]: extended("fabs", "FAbs"),
  [Op.FSQRT]: extended("sqrt", "Sqrt"),
  [Op.FFLOOR]: extended("floor", "Floor"),
  [Op.FCEIL]: extended("ceil", "Ceil"),
  [Op.FTRUNC]: extended("trunc", "Trunc"),
  [Op.FRINT]: extended("rint", "RoundEven"),

  [Op.EQ]: compared("OpIEqual"),
  [Op.NE]: compared("OpINotEqual"),
  [Op.SLT]: compared("OpSLessThan"),
  [Op.SLE]: compared("OpSLessThanEqual"),
  [Op.SGT]: compared("OpSGreaterThan"),
  [Op.SGE]: compared("OpSGreaterThanEqual"),
  [Op.ULT]: compared("OpULessThan"),
  [Op.ULE]: compared("OpULessThanEqual"),
  [Op.UGT]: compared("OpUGreaterThan"),
  [Op.UGE]: compared("OpUGreaterThanEqual"),
  [Op.FEQ]: plain("OpFOrdEqual"),
  [Op.FNE]: plain("OpFUnordNotEqual"),
  [Op.FLT]: plain("OpFOrdLessThan"),
  [Op.FLE]: plain("OpFOrdLessThanEqual"),
  [Op.FGT]: plain("OpFOrdGreaterThan"),
  [Op.FGE]: plain("OpFOrdGreaterThanEqual"),

  [Op.TRUNC]: truncate,
  [Op.ZEXT]: widen("OpUConvert", 1),
  [Op.SEXT]: widen("OpSConvert", -1),
  [Op.FPTRUNC]: plain("OpFConvert"),
  [Op.FPEXT]: plain("OpFConvert"),
  [Op.FPTOSI]: toInt("OpConvertFToS", true),
  [Op.FPTOUI]: toInt("OpConvertFToU", false),
  [Op.SITOFP]: fromInt("OpConvertSToF", -1),
  [Op.UITOFP]: fromInt("OpConvertUToF", 1),
  [Op.PTRTOINT]: ofPointers("OpConvertPtrToU"),
  [Op.INTTOPTR]: ofPointers("OpConvertUToPtr"),
  [Op.BITCAST]: bitcast,

  [Op.SELECT]: select,
  [Op.SPLAT]: splat,
  [Op.BUILD]: constructed,
  [Op.EXTRACT]: extract,
  [Op.INSERT]: insert,
  [Op.SHUFFLE]: shuffle,
  [Op.PERMUTE]: permute,
  [Op.ANY]: plain("OpAny"),
  [Op.ALL]: plain("OpAll"),
});
