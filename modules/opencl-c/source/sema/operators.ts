// SPDX-License-Identifier: Apache-2.0
// Unary and binary operators on values (OpenCL C 6.3).
//
// Checks the operand types of an operator and emits IR. Operands are rvalues: a `CType` and an IR value, which is a
// constant where the builder could fold it. A table maps each operator to its op for signed ints, unsigned ints and
// floats; comparisons have rows of their own, because their result type differs from that of the operands.
//
// Phases of `binary`: errors already reported and storage-only halves are handled first, then shifts (whose operands
// are not brought to a common type) and pointers (offsets scaled by the pointee's size, differences, comparisons).
// All other operands get the usual arithmetic conversions (C99 6.3.1.8, with OpenCL's widening of scalars to vectors)
// and one op. Comparisons of vectors yield -1 or 0 in each lane, those of scalars 1 or 0.
//
// `&&`, `||` and `?:` on scalars need control flow and are in `expressions.ts`; here are their vector variants only,
// which compute both operands. Cost: constant for each operator.
import type { Span } from "@muxkit/report";
import { I1, Op, type Value, constantInt, scalarOf, sizeOf, withLanesOf } from "@muxkit/ir";

import {
  INT,
  type CType,
  UCHAR,
  areCompatible,
  comparisonType,
  elementOf,
  isArithmetic,
  isFloating,
  isIntegral,
  lanesOf,
  namedType,
  spaceName,
  vectorOf,
} from "./ctype.ts";
import {
  castTo,
  convertArithmetic,
  errorOperand,
  fromTruth,
  isNull,
  pointerOf,
  toCommonType,
  promote,
  splat,
  truth,
  widerScalar,
  zeroOf,
} from "./convert.ts";
import { commonPointer } from "./generic-pointers.ts";
import { isStorageOnly, refuseHalf } from "./half.ts";
import { operatorExtra } from "./explain.ts";
import { inheritedSpelling, sizedSpelling, writtenEach } from "./spelling.ts";
import { requireComplete } from "./types.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

/** An operator's ops for signed ints, unsigned ints and floats; -1: none. */
interface OperatorRow {
  readonly isComparison: boolean;
  readonly signed: number;
  readonly unsigned: number;
  readonly float: number;
}

const row = (signed: number, unsigned: number, float: number): OperatorRow => ({
  isComparison: false,
  signed,
  unsigned,
  float,
});
const comparison = (signed: number, unsigned: number, float: number): OperatorRow => ({
  isComparison: true,
  signed,
  unsigned,
  float,
});

const OPERATORS: ReadonlyMap<string, OperatorRow> = new Map([
  ["+", row(Op.ADD, Op.ADD, Op.FADD)],
  ["-", row(Op.SUB, Op.SUB, Op.FSUB)],
  ["*", row(Op.MUL, Op.MUL, Op.FMUL)],
  ["/", row(Op.SDIV, Op.UDIV, Op.FDIV)],
  ["%", row(Op.SREM, Op.UREM, -1)],
  ["&", row(Op.AND, Op.AND, -1)],
  ["|", row(Op.OR, Op.OR, -1)],
  ["^", row(Op.XOR, Op.XOR, -1)],
  ["<", comparison(Op.SLT, Op.ULT, Op.FLT)],
  [">", comparison(Op.SGT, Op.UGT, Op.FGT)],
  ["<=", comparison(Op.SLE, Op.ULE, Op.FLE)],
  [">=", comparison(Op.SGE, Op.UGE, Op.FGE)],
  ["==", comparison(Op.EQ, Op.EQ, Op.FEQ)],
  ["!=", comparison(Op.NE, Op.NE, Op.FNE)],
]);

function choose(table: OperatorRow, type: CType): number {
  const element = elementOf(type);
  if (element.kind === "float") return table.float;
  return element.isSigned ? table.signed : table.unsigned;
}

function bad(unit: Unit, operator: string, operands: readonly Operand[], span: Span): Operand {
  if (operands.every(({ type }) => type.kind !== "error")) {
    const { span: where, ...extra } = operatorExtra(
      unit,
      operator,
      operands.map(({ type }) => type),
      span,
    );
    unit.report("badOperands", where, [`"${operator}"`, writtenEach(operands).join(" and ")], extra);
  }
  return errorOperand();
}

/** Pointer plus or minus an int. */
export function offsetPointer(unit: Unit, pointer: Operand, index: Operand, isMinus: boolean, span: Span): Operand {
  const target = pointer.type.target?.type;
  if (target === undefined || index.type.kind === "float" || !isIntegral(index.type) || index.type.kind === "vector")
    return bad(unit, isMinus ? "-" : "+", [pointer, index], span);
  if (target.kind === "record" && target.members === null) {
    unit.report("incompleteType", span, [target.name]);
    return errorOperand();
  }
  const size = target.kind === "void" ? 1 : sizeOf(unit.options.layout, target.ir);
  let value = index.type.bits < 32 ? convertArithmetic(unit, index.value, index.type, INT) : index.value;
  // An unsigned index of 32 bits must not be taken for a negative one where pointers are wider.
  if (index.type.bits === 32 && !index.type.isSigned && unit.options.layout.sizeBits === 64)
    value = unit.op(Op.ZEXT, namedType("ulong", unit.options.layout)?.ir ?? value.type, value);
  if (isMinus) value = unit.op(Op.SUB, value.type, constantInt(value.type, 0), value);
  if (value.kind === "constant" && value.type.bits === 32) {
    const offset = (value.low | 0) * size;
    const moved = offset === 0 ? pointer.value : unit.builder.address(pointer.value, null, 0, offset);
    return valueOf(pointer.type, moved, pointer.spelling);
  }
  return valueOf(pointer.type, unit.builder.address(pointer.value, value, size, 0), pointer.spelling);
}

function pointerDifference(unit: Unit, left: Operand, right: Operand, span: Span): Operand {
  const target = left.type.target?.type;
  const type = namedType("ptrdiff_t", unit.options.layout);
  const other = right.type.target?.type;
  if (target === undefined || other === undefined || type === null || !areCompatible(target, other))
    return bad(unit, "-", [left, right], span);
  if (target.kind !== "void" && !requireComplete(unit, target, span)) return errorOperand();
  if (commonPointer(left.type, right.type) === null) return apart(unit, left, right, span);
  const bytes = unit.op(
    Op.SUB,
    type.ir,
    unit.op(Op.PTRTOINT, type.ir, left.value),
    unit.op(Op.PTRTOINT, type.ir, right.value),
  );
  return valueOf(
    type,
    unit.op(Op.SDIV, type.ir, bytes, constantInt(type.ir, Math.max(1, sizeOf(unit.options.layout, target.ir)))),
    sizedSpelling("ptrdiff_t"),
  );
}

/** Pointers into spaces that do not overlap have nothing to do with each other. */
function apart(unit: Unit, left: Operand, right: Operand, span: Span): Operand {
  unit.report("addressSpace", span, [
    spaceName(right.type.target?.space ?? 0),
    spaceName(left.type.target?.space ?? 0),
  ]);
  return errorOperand();
}

function comparePointers(unit: Unit, operator: string, left: Operand, right: Operand, span: Span): Operand {
  const table = OPERATORS.get(operator);
  if (table === undefined || !table.isComparison) return bad(unit, operator, [left, right], span);
  let type = left.type.kind === "pointer" ? left.type : right.type;
  if (left.type.kind === "pointer" && right.type.kind === "pointer" && !isNull(left) && !isNull(right)) {
    const common = commonPointer(left.type, right.type);
    if (common === null) return apart(unit, left, right, span);
    type = common;
  } else if (isNull(left) && right.type.kind === "pointer") ({ type } = right);
  // Pointers to different types may be compared; a number may not, but for a null pointer.
  const held = (operand: Operand): Value =>
    operand.type.kind === "pointer" ? castTo(unit, operand, type, span).value : pointerOf(unit, operand, type, span);
  const [a, b] = [held(left), held(right)];
  return fromTruth(unit, unit.op(table.unsigned, I1, a, b), INT);
}

function shift(unit: Unit, operator: string, left: Operand, right: Operand, span: Span): Operand {
  if (
    !isIntegral(left.type) ||
    !isIntegral(right.type) ||
    (left.type.kind !== "vector" && right.type.kind === "vector")
  )
    return bad(unit, operator, [left, right], span);
  if (left.type.kind === "vector" && right.type.kind === "vector" && lanesOf(left.type) !== lanesOf(right.type))
    return bad(unit, operator, [left, right], span);
  const type = left.type.kind === "vector" ? left.type : promote(left.type);
  const value = left.type.kind === "vector" ? left.value : convertArithmetic(unit, left.value, left.type, type);
  const amount =
    type.kind === "vector" && right.type.kind !== "vector"
      ? splat(unit, right.value, right.type, type)
      : convertArithmetic(unit, right.value, right.type, type);
  const op = operator === "<<" ? Op.SHL : elementOf(type).isSigned ? Op.ASHR : Op.LSHR;
  return valueOf(type, unit.op(op, type.ir, value, amount), left.type === type ? left.spelling : null);
}

/** Arithmetic on halves that are only stored: vload_half and vstore_half make floats of them (OpenCL C 6.1.1.1). */
function refuseArithmetic(unit: Unit, span: Span): Operand {
  refuseHalf(unit, "arithmetic on half", span);
  return errorOperand();
}

/** An unsigned scalar and components of the same bits: the ranks are one by C99, and compilers refuse it. */
function checkRank(unit: Unit, left: CType, right: CType, span: Span): void {
  if ((left.kind === "vector") === (right.kind === "vector")) return;
  const [vector, scalar] = left.kind === "vector" ? [left, right] : [right, left];
  const element = elementOf(vector);
  if (element.kind === "int" && element.isSigned && scalar.kind === "int" && !scalar.isSigned)
    if (scalar.bits === element.bits) unit.warn("scalarRank", span, [scalar.name, vector.name]);
}

/** A binary operator on two values; `&&`, `||`, comma and assignment are elsewhere. */
export function binary(unit: Unit, operator: string, left: Operand, right: Operand, span: Span): Operand {
  if (left.type.kind === "error" || right.type.kind === "error") return errorOperand();
  if (isStorageOnly(unit, left.type) || isStorageOnly(unit, right.type)) return refuseArithmetic(unit, span);
  if (operator === "<<" || operator === ">>") return shift(unit, operator, left, right, span);
  const table = OPERATORS.get(operator);
  const isComparison = table?.isComparison === true;
  if (left.type.kind === "pointer" || right.type.kind === "pointer") {
    if (isComparison) return comparePointers(unit, operator, left, right, span);
    if (operator === "-" && right.type.kind === "pointer") return pointerDifference(unit, left, right, span);
    if (operator === "+" && right.type.kind === "pointer") return offsetPointer(unit, right, left, false, span);
    if (operator === "+" || operator === "-") return offsetPointer(unit, left, right, operator === "-", span);
    return bad(unit, operator, [left, right], span);
  }
  const both = toCommonType(unit, left, right);
  if (both === null || table === undefined) return bad(unit, operator, [left, right], span);
  checkRank(unit, left.type, right.type, span);
  const op = choose(table, both.type);
  if (op < 0) return bad(unit, operator, [left, right], span);
  if (!isComparison) {
    const spelling = inheritedSpelling(both.type, left, right);
    return valueOf(both.type, unit.op(op, both.type.ir, both.left, both.right), spelling);
  }
  return fromTruth(unit, unit.op(op, withLanesOf(I1, both.type.ir), both.left, both.right), comparisonType(both.type));
}

/** `&&`, `||`, `!` on vectors: lane by lane, -1 or 0 (6.3 e, f). */
export function vectorLogic(unit: Unit, operator: "&&" | "||", left: Operand, right: Operand, span: Span): Operand {
  const both = toCommonType(unit, left, right);
  if (both === null) return bad(unit, operator, [left, right], span);
  checkRank(unit, left.type, right.type, span);
  const a = truth(unit, both.left, both.type);
  const b = truth(unit, both.right, both.type);
  return fromTruth(unit, unit.op(operator === "&&" ? Op.AND : Op.OR, a.type, a, b), comparisonType(both.type));
}

/** `+ - ~ !` on a value. */
export function unary(unit: Unit, operator: "+" | "-" | "~" | "!", operand: Operand, span: Span): Operand {
  const { type, value } = operand;
  if (type.kind === "error") return operand;
  if (isStorageOnly(unit, type)) return refuseArithmetic(unit, span);
  if (operator === "!") {
    if (type.kind === "pointer") return fromTruth(unit, unit.op(Op.EQ, I1, value, zeroOf(type)), INT);
    if (!isIntegral(type) && !isFloating(type)) return bad(unit, operator, [operand], span);
    const set = truth(unit, value, type);
    return fromTruth(unit, unit.op(Op.XOR, set.type, set, constantInt(set.type, 1)), comparisonType(type));
  }
  if (!isIntegral(type) && !isFloating(type)) return bad(unit, operator, [operand], span);
  const wide = type.kind === "vector" ? type : promote(type);
  const promoted = convertArithmetic(unit, value, type, wide);
  if (operator === "+") return valueOf(wide, promoted);
  if (isFloating(wide))
    return operator === "-" ? valueOf(wide, unit.op(Op.FNEG, wide.ir, promoted)) : bad(unit, operator, [operand], span);
  if (operator === "-") return valueOf(wide, unit.op(Op.SUB, wide.ir, constantInt(wide.ir, 0), promoted));
  return valueOf(wide, unit.op(Op.XOR, wide.ir, promoted, constantInt(wide.ir, -1)));
}

/** The vectors that two scalars become behind a vector condition: they are not promoted before (6.3 i). */
function scalarsOfSelect(
  unit: Unit,
  lanes: number,
  left: Operand,
  right: Operand,
): { readonly type: CType; readonly left: Value; readonly right: Value } {
  const common = widerScalar(left.type, right.type);
  const type = vectorOf(common.kind === "bool" ? UCHAR : common, lanes);
  return { type, left: splat(unit, left.value, left.type, type), right: splat(unit, right.value, right.type, type) };
}

/** `condition ? a : b` with a vector as condition: lane by lane by the top bits (6.3 i). */
export function vectorSelect(unit: Unit, condition: Operand, left: Operand, right: Operand, span: Span): Operand {
  const lanes = lanesOf(condition.type);
  const both =
    isArithmetic(left.type) && isArithmetic(right.type)
      ? scalarsOfSelect(unit, lanes, left, right)
      : toCommonType(unit, left, right);
  // The top bit of each component decides, so components are as wide as the selected values (6.3 i).
  if (
    both === null ||
    !isIntegral(condition.type) ||
    lanesOf(both.type) !== lanes ||
    elementOf(both.type).bits !== elementOf(condition.type).bits
  )
    return bad(unit, "?:", [condition, left, right], span);
  const { type } = both;
  const bits = topBits(unit, condition.value, condition.type);
  return valueOf(type, unit.op(Op.SELECT, type.ir, bits, both.left, both.right));
}

/** i1 by lane: whether the top bit is set. A comparison that was widened is used as it was. */
export function topBits(unit: Unit, value: Value, type: CType): Value {
  if (value.kind === "instruction" && value.op === Op.SEXT) {
    const [inner] = value.operands;
    if (inner !== undefined && scalarOf(inner.type) === I1) return inner;
  }
  return unit.op(Op.SLT, withLanesOf(I1, type.ir), value, constantInt(type.ir, 0));
}
