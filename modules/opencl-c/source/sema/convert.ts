// SPDX-License-Identifier: Apache-2.0
// Values of lvalues, and conversions between types (OpenCL C 6.2, 6.3; C99 6.3).
//
// An operand is a C type with an IR value: a value, an lvalue (the address) or a swizzle (the address of a vector and
// lanes of it). The parts follow the standard:
// - `rvalue`: lvalue conversion (C99 6.3.2.1). Lvalues are loaded, arrays become pointers, records and functions stay
//   their addresses.
// - `promote`, `commonScalar`, `commonType`: the integer promotions and the usual arithmetic conversions (C99 6.3.1.1,
//   6.3.1.8), with vectors, which take a scalar of no greater rank into every lane (OpenCL C 6.2.6).
// - `convertArithmetic`: one instruction for a pair of kinds and widths.
// - `convertImplicitly` checks and warns, `castTo` is explicit.
// - `storeTo` writes back; lanes of a swizzle are stored one by one.
//
//     float f; char c;    f + c    =>    fadd(load f, sitofp(load c))
//
// A comparison is an i1 that C widens to int; `truth` takes the i1 back instead of a comparison with zero. An error
// returns a value of the wanted type all the same, so that one mistake is reported once.
//
// Cost: constant for each conversion, but for pointers, which are compared level by level.
import { type Span, note, surround } from "@muxkit/report";
import {
  type Constant,
  I1,
  I32,
  GENERIC,
  Op,
  PRIVATE,
  type Type,
  VOLATILE,
  type Value,
  alignmentOf,
  bigintValue,
  constantFloat,
  constantInt,
  constantZero,
  numberOfFloatBits,
  pointerType,
  sizeOf,
  vectorType,
  withLanesOf,
} from "@muxkit/ir";

import {
  type CType,
  DOUBLE,
  ERROR,
  FLOAT,
  HALF,
  INT,
  SAMPLER,
  type Spelling,
  UINT,
  elementOf,
  imageName,
  isAggregate,
  isArithmetic,
  isFloating,
  isHandle,
  lanesOf,
  namedType,
  plain,
  pointerTo,
  spaceName,
  spacesAgree,
  vectorOf,
} from "./ctype.ts";
import { castFix, conversionExtra, genericNotes, truncationFix } from "./explain.ts";
import { refuseHalf } from "./half.ts";
import { type Written, pointerSpelling, spelledName, written, writtenEach } from "./spelling.ts";
import { type Operand, type Unit, lvalueOf, valueOf } from "./unit.ts";

/** The error operand: it has been reported already. */
export function errorOperand(): Operand {
  return valueOf(ERROR, constantInt(I32, 0));
}

/** A vector with lanes of another picked, folded where it can be. */
export function shuffled(unit: Unit, vector: Value, lanes: readonly number[]): Value {
  const [only] = lanes;
  if (lanes.length === 1 && only !== undefined)
    return unit.op(Op.EXTRACT, vector.type.element ?? vector.type, vector, constantInt(I32, only));
  return unit.builder.shuffle(vector, vector, lanes);
}

/** The value of an lvalue: structs and arrays decay to it. */
export function loadLvalue(unit: Unit, lvalue: Operand): Value {
  const load = unit.builder.load(lvalue.type.ir, lvalue.value, lvalue.alignment);
  if (lvalue.qualified?.isVolatile === true) load.flags |= VOLATILE;
  return load;
}

/** The value of an operand: lvalues are loaded, arrays become pointers; a record stays its address. */
export function rvalue(unit: Unit, operand: Operand): Operand {
  if (operand.kind === "swizzle") {
    const { whole } = operand;
    if (whole === null) return errorOperand();
    const vector = unit.builder.load(whole.ir, operand.value, operand.alignment);
    if (operand.qualified?.isVolatile === true) vector.flags |= VOLATILE;
    if (operand.type === HALF && !unit.isHalfEnabled && refuseLoad(unit)) return errorOperand();
    return valueOf(operand.type, shuffled(unit, vector, operand.lanes));
  }
  if (operand.kind === "value") return operand;
  const { type } = operand;
  if (type.kind === "array" && type.target !== null) {
    const target = {
      ...(operand.qualified ?? type.target),
      type: type.target.type,
      spelling: operand.spelling?.target ?? null,
    };
    return valueOf(pointerTo(target), operand.value, pointerSpelling(target));
  }
  if (type.kind === "record" || type.kind === "function" || type.kind === "error")
    return valueOf(type, operand.value, operand.spelling);
  if (type.kind === "void") return valueOf(type, constantInt(I32, 0));
  if (type.kind === "atomic") {
    unit.report("atomicAccess", unit.span, [written(operand), atomicHint(type, "atomic_load")]);
    return errorOperand();
  }
  if (type === HALF && !unit.isHalfEnabled && refuseLoad(unit)) return errorOperand();
  return valueOf(type, loadLvalue(unit, operand), operand.spelling);
}

function refuseLoad(unit: Unit): boolean {
  return unit.span !== null && refuseHalf(unit, "reading a half", unit.span);
}

/** The function that does what was meant. */
export function atomicHint(type: CType, wanted: string): string {
  return `call ${type.name === "atomic_flag" ? "atomic_flag_test_and_set or atomic_flag_clear" : wanted}`;
}

/** Changes ints and floats of one lane count into one another. `type` and `from` are both scalars or both vectors. */
export function convertArithmetic(unit: Unit, value: Value, from: CType, to: CType): Value {
  const a = elementOf(from);
  const b = elementOf(to);
  if (a === b) return value;
  const irType = withLanesOf(b.ir, to.ir);
  if (b.kind === "bool") return unit.op(Op.ZEXT, irType, truth(unit, value, from));
  if (a.kind === "float") {
    if (b.kind === "float")
      return a.bits === b.bits ? value : unit.op(a.bits < b.bits ? Op.FPEXT : Op.FPTRUNC, irType, value);
    return unit.op(b.isSigned ? Op.FPTOSI : Op.FPTOUI, irType, value);
  }
  if (b.kind === "float") return unit.op(a.isSigned ? Op.SITOFP : Op.UITOFP, irType, value);
  if (a.bits === b.bits) return value;
  if (a.bits > b.bits) return unit.op(Op.TRUNC, irType, value);
  return unit.op(a.isSigned ? Op.SEXT : Op.ZEXT, irType, value);
}

/** i1 (or a vector of them): whether a value is not zero. */
export function truth(unit: Unit, value: Value, type: CType): Value {
  // A comparison that was widened to int is used as it was.
  if (value.kind === "instruction" && value.op === Op.ZEXT) {
    const [inner] = value.operands;
    if (inner !== undefined && (inner.type === I1 || inner.type.element === I1)) return inner;
  }
  const bool = withLanesOf(I1, value.type);
  if (isFloating(type)) return unit.op(Op.FNE, bool, value, constantZero(value.type));
  return unit.op(Op.NE, bool, value, constantZero(value.type));
}

/** A condition: a scalar that is not zero. */
export function condition(unit: Unit, operand: Operand, span: Span): Value {
  const from = rvalue(unit, operand);
  const { type, value } = from;
  if (type.kind === "error") return constantInt(I1, 0);
  if (type.kind === "vector")
    unit.report("vectorCondition", span, [written(from)], { fix: surround(span, "any(", ")") });
  else if (isArithmetic(type) || type.kind === "pointer") return truth(unit, value, type);
  else unit.report("cannotConvert", span, [written(from), "a condition"]);
  return constantInt(I1, 0);
}

/** int as the least type of arithmetic (C99 6.3.1.1). */
export function promote(type: CType): CType {
  return type.kind === "bool" || (type.kind === "int" && type.bits < 32) ? INT : type;
}

/** The common type of two scalar operands (C99 6.3.1.8). */
export function commonScalar(left: CType, right: CType): CType {
  return widerScalar(promote(left), promote(right));
}

/**
 * The common type of two scalars that are not promoted to int, as the components of vectors are not: the wider one, the
 * unsigned one of two that are as wide.
 */
export function widerScalar(left: CType, right: CType): CType {
  if (left === right) return left;
  if (left.kind !== right.kind) {
    if (left.kind === "float" || right.kind === "bool") return left;
    return right;
  }
  if (left.bits !== right.bits) return left.bits > right.bits ? left : right;
  return left.isSigned ? right : left;
}

/** True when a scalar may be combined with a vector of such elements: its rank is no greater (6.2.6). */
function ranksBelow(scalar: CType, element: CType): boolean {
  if (!isArithmetic(scalar)) return false;
  if (element.kind === "float") return scalar.kind !== "float" || scalar.bits <= element.bits;
  return scalar.kind !== "float" && scalar.bits <= element.bits;
}

/** The common type of two operands: a vector wins over scalars (6.2.6); null: there is none. */
export function commonType(left: CType, right: CType): CType | null {
  if (left.kind === "vector" && right.kind === "vector") return left === right ? left : null;
  if (left.kind === "vector") return ranksBelow(right, elementOf(left)) ? left : null;
  if (right.kind === "vector") return ranksBelow(left, elementOf(right)) ? right : null;
  return isArithmetic(left) && isArithmetic(right) ? commonScalar(left, right) : null;
}

/** A scalar in every lane of a vector type. */
export function splat(unit: Unit, value: Value, from: CType, to: CType): Value {
  const scalar = convertArithmetic(unit, value, from, elementOf(to));
  return unit.op(Op.SPLAT, to.ir, scalar);
}

/** True for the constant 0, and for it as a pointer to void: both are null pointers of any type (C99 6.3.2.3). */
export function isNull({ type, value }: Operand): boolean {
  if (value.kind !== "constant" || !isNullConstant(value)) return false;
  return type.kind === "int" || (type.kind === "pointer" && isNullPointer(type));
}

/** `void*` without qualifiers. */
function isNullPointer({ target }: CType): boolean {
  if (target === null || target.type.kind !== "void" || target.isConst || target.isVolatile) return false;
  return target.space === null || target.space === PRIVATE || target.space === GENERIC;
}

function isNullConstant(constant: Constant): boolean {
  return constant.lanes.length === 0 && constant.low === 0 && constant.high === 0;
}

/** True when `from` may become `to` without a cast. */
export function isConvertible(from: Operand, to: CType): boolean {
  const { type } = from;
  if (type === to || type.kind === "error" || to.kind === "error") return true;
  if (isArithmetic(to)) return isArithmetic(type) || (to.kind === "bool" && type.kind === "pointer");
  if (to.kind === "vector") return isArithmetic(type);
  if (to === SAMPLER) return samplerBits(from) !== null;
  if (to.kind === "opaque") return to.name === "event_t" && isNull(from);
  if (to.kind === "pointer") {
    if (isNull(from)) return true;
    if (type.kind !== "pointer" || type.target === null || to.target === null) return false;
    return spacesAgree(type.target.space ?? 0, to.target.space ?? 0) && disagreement(type, to) === null;
  }
  return false;
}

/**
 * The spaces in which pointers within pointers differ, as names: those do not convert, not even to generic (6.7.6.3).
 */
function disagreement(from: CType, to: CType): readonly [string, string] | null {
  let [a, b] = [from.target?.type, to.target?.type];
  while (a?.kind === "pointer" && b?.kind === "pointer") {
    const [left, right] = [a.target?.space ?? 0, b.target?.space ?? 0];
    if (left !== right) return [spaceName(left), spaceName(right)];
    [a, b] = [a.target?.type, b.target?.type];
  }
  return null;
}

/**
 * True when a pointer to one type may become one to the other without a cast (C99 6.5.16.1): ints may differ in their
 * sign, void represents all.
 */
export function pointAlike(from: CType, to: CType): boolean {
  if (from === to || from.kind === "void" || to.kind === "void" || from.kind === "error" || to.kind === "error")
    return true;
  if (from.kind === "int" && to.kind === "int") return from.bits === to.bits;
  if (from.target === null || to.target === null || from.kind !== to.kind) return false;
  if (from.kind === "array" && from.count !== to.count && from.count >= 0 && to.count >= 0) return false;
  return pointAlike(from.target.type, to.target.type);
}

/** Converts without a cast; what cannot be is reported. `from` is a value. */
export function convertImplicitly(
  unit: Unit,
  operand: Operand,
  to: CType,
  span: Span,
  spelling: Spelling | null = null,
): Value {
  const from = rvalue(unit, operand);
  if (losesBits(from, to)) warnOfTruncation(unit, from, { type: to, spelling }, span);
  return convert(unit, from, { type: to, spelling }, span, true);
}

/** The same for an argument of a built-in function, whose pointers select the overload. */
export function convertForBuiltin(unit: Unit, operand: Operand, to: CType, span: Span): Value {
  const from = rvalue(unit, operand);
  if (losesBits(from, to)) warnOfTruncation(unit, from, { type: to, spelling: null }, span);
  return convert(unit, from, { type: to, spelling: null }, span, false);
}

function warnOfTruncation(unit: Unit, from: Operand, to: Written, span: Span): void {
  unit.warn("implicitTruncation", span, writtenEach([from, to]), { fix: truncationFix(from.type, to, span) });
}

/**
 * True when an implicit conversion can change the value: a float to an int, a double to a float, 64 bits to
 * fewer; a long in a double counts as meant. Ints of up to 32 bits are left alone: arithmetic makes ints of chars and
 * shorts, and kernels store them back all the time. A constant loses only what it has.
 */
function losesBits({ type, value }: Operand, to: CType): boolean {
  if (type === to || (type.kind !== "int" && type.kind !== "float") || (to.kind !== "int" && to.kind !== "float"))
    return false;
  if (value.kind === "constant")
    return type.kind === "int"
      ? to.kind === "int" && !holds(value, type, to)
      : to.kind === "int" && !Number.isInteger(floatOf(value, type));
  if (type.kind === "float") return to.kind === "int" || to.bits < type.bits;
  return to.kind === "int" ? type.bits === 64 && to.bits < 64 : type.bits === 64 && to.bits < 64;
}

/** True when an int constant is the same number in another int type, or the same bits in one of its width. */
function holds(constant: Constant, from: CType, to: CType): boolean {
  if (to.bits >= from.bits) return true;
  const number =
    from.bits === 64 ? (BigInt(constant.high) << 32n) | BigInt(constant.low >>> 0) : BigInt(constant.low >>> 0);
  const value = from.isSigned ? BigInt.asIntN(from.bits, number) : BigInt.asUintN(from.bits, number);
  return BigInt.asIntN(to.bits, value) === value || BigInt.asUintN(to.bits, value) === value;
}

/** The value of a float constant. */
function floatOf(constant: Constant, type: CType): number {
  return numberOfFloatBits(bigintValue(constant), type.bits);
}

/**
 * Converts; what cannot be is reported. `from` is a value. `hasOtherPointers`: a pointer may become one to something
 * else, which is reported.
 */
function convert(unit: Unit, from: Operand, wanted: Written, span: Span, hasOtherPointers: boolean): Value {
  const { type, value } = from;
  const { type: to } = wanted;
  if (type === to) return value;
  if (type.kind === "error" || to.kind === "error") return zeroOf(to);
  if (isArithmetic(to) && isArithmetic(type)) return convertArithmetic(unit, value, type, to);
  // A bool that becomes a vector is -1, as the results of comparisons of vectors are (6.2.2).
  if (to.kind === "vector" && type.kind === "bool")
    return splat(unit, unit.op(Op.SEXT, I32, truth(unit, value, type)), INT, to);
  if (to.kind === "vector" && isArithmetic(type)) return splat(unit, value, type, to);
  if (to.kind === "bool" && type.kind === "pointer") return unit.op(Op.ZEXT, to.ir, truth(unit, value, type));
  const bits = to === SAMPLER ? samplerBits(from) : null;
  if (bits !== null) return samplerValue(unit, bits);
  if ((to.kind === "pointer" || (to.kind === "opaque" && to.name === "event_t")) && isNull(from))
    return constantZero(to.ir);
  if (to.kind === "pointer" && type.kind === "pointer" && type.target !== null && to.target !== null) {
    const spaceFrom = type.target.space ?? 0;
    const spaceTo = to.target.space ?? 0;
    const inner = disagreement(type, to);
    if (inner !== null) unit.report("addressSpace", span, inner);
    else if (!spacesAgree(spaceFrom, spaceTo))
      unit.report("addressSpace", span, [spaceName(spaceFrom), spaceName(spaceTo)], {
        notes: genericNotes(unit, type, to),
      });
    else if (!pointAlike(type.target.type, to.target.type)) {
      const names = writtenEach([from, wanted]);
      if (hasOtherPointers) unit.warn("otherPointer", span, names, { fix: castFix(span, spelledName(wanted)) });
      else unit.report("cannotConvert", span, names);
    }
    return spaceFrom === spaceTo ? value : unit.op(Op.ADDRSPACECAST, to.ir, value);
  }
  unit.report("cannotConvert", span, writtenEach([from, wanted]), conversionExtra(type, to, span));
  return zeroOf(to);
}

/**
 * A number where a pointer is compared, or is the other arm of `?:`: null as it is, others with a warning, as compilers
 * take them.
 */
export function pointerOf(unit: Unit, operand: Operand, to: CType, span: Span): Value {
  const { kind } = operand.type;
  if ((kind !== "int" && kind !== "bool") || isNull(operand)) return convertImplicitly(unit, operand, to, span);
  unit.warn("pointerNumber", span, [to.name, operand.type.name]);
  return castTo(unit, operand, to, span).value;
}

/** Zero of a type; a null address for aggregates. */
export function zeroOf(type: CType): Value {
  if (isAggregate(type)) return constantZero(pointerType(0));
  return type.kind === "void" || type.kind === "function" || type.kind === "opaque"
    ? constantInt(I32, 0)
    : constantZero(type.ir);
}

/** Name of the built-in that makes a sampler of its bits; the pass image-arg-subst leaves only the bits. */
const MAKE_SAMPLER = "__muxkit_sampler";

/**
 * The bits of a sampler that the program defines: a constant int, or the value of a sampler constant; null: it is
 * neither.
 */
export function samplerBits({ type, value }: Operand): Constant | null {
  if (type.kind === "int" && value.kind === "constant") return constantInt(I32, value.low);
  if (
    type !== SAMPLER ||
    value.kind !== "instruction" ||
    value.symbol?.kind !== "builtin" ||
    value.symbol.name !== MAKE_SAMPLER
  )
    return null;
  const [bits] = value.operands;
  return bits?.kind === "constant" ? bits : null;
}

/** A sampler of bits that are known. */
export function samplerValue(unit: Unit, bits: Constant): Value {
  return unit.builder.callBuiltin({ kind: "builtin", name: MAKE_SAMPLER, parameters: ["uint"] }, SAMPLER.ir, [bits]);
}

/** What the library sees of a handle: the descriptor of an image, the bits of a sampler. */
function openHandle(unit: Unit, { type, value }: Operand, to: CType): Operand {
  const name = type === SAMPLER ? "__muxkit_sampler_bits" : "__muxkit_descriptor";
  return valueOf(
    to,
    unit.builder.callBuiltin({ kind: "builtin", name, parameters: [imageName(type)] }, to.ir, [value]),
  );
}

/** A number as an address; 0 is the null pointer. */
function addressOfNumber(unit: Unit, from: Operand, to: CType): Value {
  if (isNull(from)) return constantZero(to.ir);
  const number = from.type.kind === "bool" ? convertArithmetic(unit, from.value, from.type, INT) : from.value;
  return unit.op(Op.INTTOPTR, to.ir, number);
}

/** An explicit cast. */
export function castTo(unit: Unit, operand: Operand, to: CType, span: Span, spelling: Spelling | null = null): Operand {
  const from = rvalue(unit, operand);
  const { type, value } = from;
  if (unit.options.library && isHandle(type) && (type === SAMPLER) === (to.kind === "int"))
    return openHandle(unit, from, to);
  if (unit.options.library && to === SAMPLER && type.kind === "int")
    return valueOf(
      to,
      unit.builder.callBuiltin({ kind: "builtin", name: MAKE_SAMPLER, parameters: ["uint"] }, to.ir, [value]),
    );
  if (to.kind === "void") return valueOf(to, constantInt(I32, 0));
  if (type.kind === "pointer" && to.kind === "pointer") {
    const spaceFrom = type.target?.space ?? 0;
    const spaceTo = to.target?.space ?? 0;
    const isZero = value.kind === "constant" && isNullConstant(value);
    if (spaceFrom !== spaceTo && !spacesAgree(spaceFrom, spaceTo) && !spacesAgree(spaceTo, spaceFrom) && !isZero)
      unit.report("addressSpace", span, [spaceName(spaceFrom), spaceName(spaceTo)], {
        notes: genericNotes(unit, type, to),
      });
    if (spaceFrom === spaceTo) return valueOf(to, value, spelling);
    const moved = value.kind === "constant" ? constantZero(to.ir) : unit.op(Op.ADDRSPACECAST, to.ir, value);
    return valueOf(to, moved, spelling);
  }
  if (type.kind === "pointer" && to.kind === "int") return valueOf(to, unit.op(Op.PTRTOINT, to.ir, value), spelling);
  if (to.kind === "pointer" && (type.kind === "int" || type.kind === "bool"))
    return valueOf(to, addressOfNumber(unit, from, to), spelling);
  if (to.kind === "vector" && type.kind === "vector" && type !== to) {
    unit.report("cannotConvert", span, writtenEach([from, { type: to, spelling }]), {
      notes: [note(`convert_${to.name}() converts the values, as_${to.name}() keeps the bits`, null)],
    });
    return valueOf(to, zeroOf(to));
  }
  return valueOf(to, convert(unit, from, { type: to, spelling }, span, false), spelling);
}

/** Applies the usual conversions to two values. Null: they do not go together (nothing is reported). */
export function toCommonType(
  unit: Unit,
  left: Operand,
  right: Operand,
): { readonly type: CType; readonly left: Value; readonly right: Value } | null {
  const type = commonType(left.type, right.type);
  if (type === null) return null;
  return { type, left: toCommon(unit, left, type), right: toCommon(unit, right, type) };
}

function toCommon(unit: Unit, operand: Operand, type: CType): Value {
  if (operand.type.kind === type.kind && lanesOf(operand.type) === lanesOf(type))
    return convertArithmetic(unit, operand.value, operand.type, type);
  return type.kind === "vector"
    ? splat(unit, operand.value, operand.type, type)
    : convertArithmetic(unit, operand.value, operand.type, type);
}

/** `size_t` of the layout. */
export function sizeType(unit: Unit): CType {
  return namedType("size_t", unit.options.layout) ?? UINT;
}

/** A byte count as a value of size_t's IR type. */
export function byteCount(unit: Unit, bytes: number): Value {
  return constantInt(sizeType(unit).ir, bytes);
}

/** Copies a record. */
export function copyRecord(unit: Unit, to: Value, from: Value, type: CType): void {
  const { layout } = unit.options;
  unit.builder.memoryCopy(to, from, byteCount(unit, sizeOf(layout, type.ir)), alignmentOf(layout, type.ir));
}

/** Writes to an lvalue or swizzle. `value` has the operand's type. */
export function storeTo(unit: Unit, target: Operand, value: Value): void {
  if (target.type.kind === "record") {
    copyRecord(unit, target.value, value, target.type);
    return;
  }
  const flags = target.qualified?.isVolatile === true ? VOLATILE : 0;
  if (target.kind === "swizzle" && target.whole !== null) storeLanes(unit, target, target.whole, value, flags);
  else unit.builder.store(value, target.value, target.alignment).flags |= flags;
}

/** Lanes are written one by one: another work-item may own the others. */
function storeLanes(unit: Unit, target: Operand, whole: CType, value: Value, flags: number): void {
  const element = elementOf(whole);
  const size = sizeOf(unit.options.layout, element.ir);
  target.lanes.forEach((lane, i) => {
    const part = target.lanes.length === 1 ? value : unit.op(Op.EXTRACT, element.ir, value, constantInt(I32, i));
    unit.builder.store(part, unit.builder.address(target.value, null, 0, lane * size), size).flags |= flags;
  });
}

/** A temporary variable with a value in it. */
export function temporary(unit: Unit, type: CType): Operand {
  const alignment = alignmentOf(unit.options.layout, type.ir);
  return lvalueOf(plain(type), unit.variable(type.ir, alignment, ""), alignment);
}

/** A literal without suffix: a double if the device has doubles and no option overrides it. */
export function doubleConstant(unit: Unit, value: number): Operand {
  const type = unit.options.singlePrecisionConstant || !unit.options.layout.nativeF64 ? FLOAT : DOUBLE;
  return valueOf(type, constantFloat(type.ir, value));
}

/** The bool of an i1 as C's int or as the -1/0 of vectors. */
export function fromTruth(unit: Unit, bit: Value, type: CType): Operand {
  return valueOf(type, unit.op(type.kind === "vector" ? Op.SEXT : Op.ZEXT, type.ir, bit));
}

/** The vector type of i1 with the lanes of a type. */
export function boolVector(type: CType): Type {
  return type.kind === "vector" ? vectorType(I1, type.count) : I1;
}

/** The type `type` has with another element. */
export function withElement(type: CType, element: CType): CType {
  return vectorOf(element, lanesOf(type));
}
