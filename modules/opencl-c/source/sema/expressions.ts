// SPDX-License-Identifier: Apache-2.0
// Expressions to IR, in one pass over the tree (syntax-directed translation): each kind of node has a row with its
// function, which returns an operand (value, lvalue or swizzle). Constants fold while they are written, so that
// constant expressions need no second evaluator; && and || and ?: become branches with parameters of blocks.
//
//     a && b    =>    branch a, more, end(0);  more: branch end(b);  end(r): zext r
//
// The type of an expression is known only when its operands have been written. So the arms of ?: are both written
// first, and each is converted in the block where it ended once their common type is known. When the right side of &&
// turns out to be a vector, the branch before it is replaced, and the operation is done lane by lane. Where only the
// type counts (sizeof, the arm that a constant condition does not take), the code is written into a scratch block and
// dropped.
//
// Cost: linear in the tree. Each expression that is written for its type only adds the blocks, entry instructions and
// globals so far, which are saved around it.
import { type Span, insertAfter } from "@muxkit/report";
import {
  Global,
  I32,
  I8,
  CONSTANT,
  Op,
  PRIVATE,
  type Value,
  alignmentOf,
  arrayType,
  constantFloat,
  constantInt,
  pointerType,
  sizeOf,
} from "@muxkit/ir";

import type { Expression } from "../ast.ts";
import {
  characterLiteral,
  floatLiteral,
  integerLiteral,
  isFloatLiteral,
  type LiteralText,
  literalBytes,
} from "../lex/literal.ts";
import { call } from "./calls.ts";
import { findMember } from "./designators.ts";
import {
  atomicHint,
  castTo,
  commonType,
  condition,
  convertImplicitly,
  doubleConstant,
  errorOperand,
  fromTruth,
  isNull,
  pointerOf,
  promote,
  rvalue,
  samplerValue,
  sizeType,
  storeTo,
  temporary,
  zeroOf,
} from "./convert.ts";
import {
  CHAR,
  type CType,
  FLOAT,
  HALF,
  INT,
  LONG,
  type Qualified,
  SAMPLER,
  UINT,
  ULONG,
  VOID_TYPE,
  arrayOf,
  elementOf,
  isArithmetic,
  lanesOf,
  plain,
  pointerTo,
  vectorOf,
} from "./ctype.ts";
import { builtinOfTypes } from "./builtins-of-types.ts";
import { alignofNode, offsetofNode, selection, statementExpression } from "./extensions.ts";
import { commonPointer } from "./generic-pointers.ts";
import {
  assignNotes,
  callFix,
  componentsNote,
  constNotes,
  declaredHere,
  memberExtra,
  noPointerExtra,
} from "./explain.ts";
import { hasConstMember } from "./rules.ts";
import { binary, offsetPointer, unary, vectorLogic, vectorSelect } from "./operators.ts";
import { swizzleOf } from "./operands.ts";
import { type Written, inheritedSpelling, pointerSpelling, sizedSpelling, written, writtenEach } from "./spelling.ts";
import { swizzleLanes } from "./swizzle.ts";
import { requireComplete, typeOfName } from "./types.ts";
import { vectorLiteral } from "./vector-literals.ts";
import { refuseHalf } from "./half.ts";
import { type Operand, type Unit, lvalueOf, valueOf } from "./unit.ts";
import { checkArithmetic, checkBinary, checkCommaList, checkIndex, checkSelfAssignment } from "./warnings.ts";

type Node<K extends Expression["kind"]> = Extract<Expression, { kind: K }>;

/**
 * The value of a decimal integer of up to nine digits, which most numbers of a program are; -1: it is something else.
 */
function smallDecimal(text: string): number {
  const first = text.charCodeAt(0);
  if (text.length > 9 || (first === ZERO && text.length > 1)) return -1;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const ZERO = 48;

function number(unit: Unit, { text, span }: Node<"number">): Operand {
  const known = unit.numbers.get(text);
  if (known !== undefined) return known;
  const small = smallDecimal(text);
  if (small >= 0) return unit.rememberNumber(text, valueOf(INT, constantInt(I32, small)));
  if (isFloatLiteral(text)) {
    const literal = floatLiteral(text);
    if (typeof literal === "string") {
      unit.report("badNumber", span, [text, literal]);
      return errorOperand();
    }
    if (literal.suffix === "f")
      return unit.rememberNumber(text, valueOf(FLOAT, constantFloat(FLOAT.ir, literal.value)));
    if (literal.suffix === "h") {
      if (!unit.isHalfEnabled && refuseHalf(unit, "a constant of half", span)) return errorOperand();
      return valueOf(HALF, constantFloat(HALF.ir, literal.value));
    }
    if (!unit.options.layout.nativeF64 && !unit.options.singlePrecisionConstant && !unit.options.library)
      unit.warn("doubleLiteral", span, [text], { fix: insertAfter(span, "f") });
    return doubleConstant(unit, literal.value);
  }
  const literal = integerLiteral(text);
  if (typeof literal === "string") {
    unit.report("badNumber", span, [text, literal]);
    return errorOperand();
  }
  const { value, isUnsigned, isLong, isBased } = literal;
  let type: CType = ULONG;
  if (!isLong && !isUnsigned && value <= 0x7fff_ffffn) type = INT;
  else if (!isLong && (isUnsigned || isBased) && value <= 0xffff_ffffn) type = UINT;
  else if (!isUnsigned && value <= 0x7fff_ffff_ffff_ffffn) type = LONG;
  return valueOf(type, constantInt(type.ir, value));
}

/** Reports what is wrong with the escapes of a literal. */
function checkEscapes(
  unit: Unit,
  { unknownEscape, wrongEscape }: Pick<LiteralText, "unknownEscape" | "wrongEscape">,
  span: Span,
): void {
  if (wrongEscape !== null) unit.report("wrongEscape", span, [wrongEscape.escape, wrongEscape.reason]);
  if (unknownEscape !== null) unit.warn("badEscape", span, [unknownEscape]);
}

/** The bytes of one literal; errors in its escapes are reported. */
function textBytes(unit: Unit, text: string, span: Span): Uint8Array {
  const literal = literalBytes(text);
  checkEscapes(unit, literal, span);
  return literal.bytes;
}

function character(unit: Unit, { text, span }: Node<"character">): Operand {
  const literal = characterLiteral(text);
  checkEscapes(unit, literal, span);
  if (literal.isTooLong) unit.warn("longCharacter", span, [text]);
  if (literal.value !== null) return valueOf(INT, constantInt(I32, literal.value));
  unit.report("badNumber", span, [text, "a character literal has one to four characters"]);
  return errorOperand();
}

/** The bytes of string literals one after the other, with the NUL at their end. */
export function stringBytes(unit: Unit, node: Node<"string">): Uint8Array {
  return Uint8Array.from([...node.texts.flatMap((text) => [...textBytes(unit, text, node.span)]), 0]);
}

function string(unit: Unit, node: Node<"string">): Operand {
  const bytes = stringBytes(unit, node);
  const global = new Global(unit.unique(".str"), arrayType(I8, bytes.length), CONSTANT, 1);
  global.initializer = bytes;
  global.linkage = "internal";
  unit.module.addGlobal(global);
  return lvalueOf(
    { ...plain(arrayOf(CHAR, bytes.length)), isConst: true, space: CONSTANT },
    unit.builder.globalAddress(global),
    1,
  );
}

/** Identifiers that name the enclosing function (C99 6.4.2.2). */
const FUNCTION_NAMES: ReadonlySet<string> = new Set(["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"]);

function name(unit: Unit, node: Node<"name">): Operand {
  const meaning = unit.find(node.name);
  switch (meaning?.kind) {
    case "variable":
      meaning.used = true;
      if (unit.fn !== null && unit.fn.uninitialized.size > 0 && meaning.address.kind === "instruction")
        unit.fn.uninitialized.get(meaning.address)?.mentions.push(node.span);
      if (meaning.constant !== null) return valueOf(meaning.type.type, meaning.constant, meaning.type.spelling);
      return lvalueOf(
        meaning.type,
        meaning.address.kind === "global" ? unit.builder.globalAddress(meaning.address) : meaning.address,
        meaning.alignment,
      );
    case "enum":
    case "handle":
      return valueOf(meaning.type, meaning.value);
    case "sampler":
      return valueOf(SAMPLER, samplerValue(unit, meaning.bits));
    case "function":
      unit.report("functionValue", node.span, [node.name], {
        notes: declaredHere(meaning),
        fix: callFix(meaning.fn, node.span),
      });
      return errorOperand();
    default:
      if (FUNCTION_NAMES.has(node.name) && unit.fn !== null)
        return string(unit, { kind: "string", texts: [`"${unit.fn.symbol.name}"`], span: node.span });
      unit.reportUndeclared(node.name, node.span);
      return errorOperand();
  }
}

function index(unit: Unit, node: Node<"index">): Operand {
  const array = unit.parts.expression(unit, node.base);
  let base = rvalue(unit, array);
  let at = rvalue(unit, unit.parts.expression(unit, node.index));
  if (at.type.kind === "pointer" && base.type.kind === "int") [base, at] = [at, base];
  if (base.type.kind === "error" || at.type.kind === "error") return errorOperand();
  if (base.type.kind === "vector" && at.type.kind === "int") return vectorElement(unit, array, at, node);
  if (base.type.kind !== "pointer") {
    unit.report("notPointer", node.base.span, [written(base)], noPointerExtra(base.type, node));
    return errorOperand();
  }
  if (at.value.kind === "constant") checkIndex(unit, node, array.type, at);
  return dereference(unit, offsetPointer(unit, base, at, false, node.span), node);
}

/** `v[i]`, an extension of most compilers: a component by its number. */
function vectorElement(unit: Unit, vector: Operand, at: Operand, node: Node<"index">): Operand {
  const { type } = vector;
  const element = elementOf(type);
  if (at.value.kind === "constant") {
    const lane = at.value.low;
    if (lane >= type.count || at.value.high !== 0) {
      unit.report("vectorIndex", node.index.span, [written(vector), at.type.isSigned ? lane | 0 : lane]);
      return errorOperand();
    }
    return lanesPicked(unit, vector, [lane]);
  }
  const size = sizeOf(unit.options.layout, element.ir);
  const position = at.type.bits < 32 ? convertImplicitly(unit, at, INT, node.index.span) : at.value;
  if (vector.kind === "lvalue" && vector.qualified !== null)
    return lvalueOf(
      { ...vector.qualified, type: element, spelling: null },
      unit.builder.address(vector.value, position, size, 0),
      size,
    );
  const copy = temporary(unit, type);
  storeTo(unit, copy, rvalue(unit, vector).value);
  return rvalue(unit, lvalueOf(plain(element), unit.builder.address(copy.value, position, size, 0), size));
}

function dereference(unit: Unit, pointer: Operand, node: Expression, whole: Expression = node): Operand {
  const { target } = pointer.type;
  if (pointer.type.kind === "error") return errorOperand();
  if (pointer.type.kind !== "pointer" || target === null) {
    unit.report("notPointer", node.span, [written(pointer)], noPointerExtra(pointer.type, whole));
    return errorOperand();
  }
  // As compilers have it, `*p` of a pointer to void is nothing, and an error only where a value is wanted.
  if (target.type.kind === "void") return lvalueOf(target, pointer.value, 1);
  if (!requireComplete(unit, target.type, node.span)) return errorOperand();
  unit.span = node.span;
  const spelling = pointer.spelling?.target ?? null;
  const qualified = spelling === null ? target : { ...target, spelling };
  return lvalueOf(qualified, pointer.value, alignmentOf(unit.options.layout, target.type.ir));
}

function member(unit: Unit, node: Node<"member">): Operand {
  let base = unit.parts.expression(unit, node.base);
  if (node.isArrow) base = dereference(unit, rvalue(unit, base), node.base, node);
  const { type } = base;
  if (type.kind === "error") return base;
  if (type.kind === "vector") return component(unit, base, node);
  if (type.kind !== "record") {
    unit.report("noMember", node.nameSpan, [written(base), node.name], memberExtra(base, node));
    return errorOperand();
  }
  const found = findMember(type, node.name);
  if (found === null) {
    if (type.members === null) unit.report("incompleteType", node.base.span, [written(base)]);
    else unit.report("noMember", node.nameSpan, [written(base), node.name], memberExtra(base, node));
    return errorOperand();
  }
  const address = found.offset === 0 ? base.value : unit.builder.address(base.value, null, 0, found.offset);
  const space = base.qualified?.space ?? null;
  const qualified: Qualified = {
    ...found.type,
    isConst: found.type.isConst || base.qualified?.isConst === true,
    isVolatile: found.type.isVolatile || base.qualified?.isVolatile === true,
    space,
  };
  const natural = alignmentOf(unit.options.layout, found.type.type.ir);
  return lvalueOf(
    qualified,
    address,
    commonAlignment(
      base.alignment === 0 ? alignmentOf(unit.options.layout, type.ir) : base.alignment,
      found.offset,
      natural,
    ),
  );
}

/** The alignment that is sure at `offset` bytes from an address of alignment `base`, at most `natural`. */
function commonAlignment(base: number, offset: number, natural: number): number {
  let alignment = Math.min(base, natural);
  while (alignment > 1 && offset % alignment !== 0) alignment /= 2;
  return alignment;
}

/** `.xy`, `.s01`, `.lo` …: a swizzle of an lvalue, or the picked lanes of a value. */
function component(unit: Unit, base: Operand, node: Node<"member">): Operand {
  const vector = base.type;
  const lanes = swizzleLanes(node.name, lanesOf(vector));
  if (lanes === null) {
    unit.report("badSwizzle", node.nameSpan, [node.name, written(base)], {
      notes: vector.kind === "vector" ? [componentsNote(vector)] : [],
    });
    return errorOperand();
  }
  return lanesPicked(unit, base, lanes);
}

/** Lanes of a vector: an lvalue when the vector is one. */
function lanesPicked(unit: Unit, base: Operand, lanes: readonly number[]): Operand {
  const vector = base.type;
  const type = vectorOf(elementOf(vector), lanes.length);
  if (base.kind === "swizzle")
    return swizzleOf(
      base,
      type,
      lanes.map((lane) => base.lanes[lane] ?? 0),
      base.whole,
    );
  if (base.kind === "lvalue" && vector.kind === "vector") return swizzleOf(base, type, lanes, vector);
  const [first] = lanes;
  if (lanes.length === 1 && first !== undefined)
    return valueOf(type, unit.op(Op.EXTRACT, type.ir, base.value, constantInt(I32, first)));
  return valueOf(type, unit.builder.shuffle(base.value, base.value, lanes));
}

/** An lvalue that may be written; null (reported): it is none. */
function assignable(unit: Unit, operand: Operand, node: Expression): Operand | null {
  if (operand.type.kind === "error") return null;
  const isConstant = operand.kind === "value" && node.kind === "name" && unit.find(node.name)?.kind === "variable";
  if ((operand.kind === "value" && !isConstant) || operand.type.kind === "array") {
    unit.report("notAssignable", node.span, [], { notes: assignNotes(operand) });
    return null;
  }
  if (operand.type.kind === "atomic") {
    unit.report("atomicAccess", node.span, [written(operand), atomicHint(operand.type, "atomic_store")]);
    return null;
  }
  if (
    isConstant ||
    hasConstMember(operand.type) ||
    operand.qualified?.isConst === true ||
    operand.qualified?.space === CONSTANT
  ) {
    unit.report("assignConst", node.span, [], { notes: constNotes(unit, node) });
    return null;
  }
  if (operand.kind === "swizzle" && new Set(operand.lanes).size !== operand.lanes.length) {
    unit.report("notAssignable", node.span, [], { notes: assignNotes(operand) });
    return null;
  }
  return operand;
}

function assign(unit: Unit, node: Node<"assign">): Operand {
  const left = unit.parts.expression(unit, node.left);
  const target = assignable(unit, left, node.left);
  const right = unit.parts.expression(unit, node.right);
  if (target === null) return errorOperand();
  if (node.operator === "=") {
    checkSelfAssignment(unit, node);
    if (target.type === HALF && !unit.isHalfEnabled) refuseHalf(unit, "storing a half", node.left.span);
    checkCommaList(unit, node.right, target.type);
    // A null event is what one may begin with, and an argument, but it is never assigned (6.1.3).
    if (target.type.name === "event_t" && right.type.kind === "int") {
      unit.report("cannotConvert", node.right.span, writtenEach([right, target]));
      return errorOperand();
    }
    const value =
      target.type.kind === "record"
        ? recordValue(unit, right, target, node.right)
        : convertImplicitly(unit, right, target.type, node.right.span, target.spelling);
    storeTo(unit, target, value);
    return target.kind === "lvalue" ? assigned(target, value) : valueOf(target.type, value);
  }
  const operator = node.operator.slice(0, -1);
  const old = rvalue(unit, target);
  const by = rvalue(unit, right);
  if (by.value.kind === "constant") checkArithmetic(unit, node, operator, old, by);
  const result = binary(unit, operator, old, by, node.span);
  const value = narrowed(unit, result, target, node);
  storeTo(unit, target, value);
  return valueOf(target.type, value, target.spelling);
}

/** A record stays where it is; everything else is the value that was stored. */
function assigned(target: Operand, value: Value): Operand {
  return target.type.kind === "record" ? target : valueOf(target.type, value, target.spelling);
}

/** The result of a compound assignment in the type of its left side; a vector result cannot go into a scalar. */
function narrowed(unit: Unit, result: Operand, { type, spelling }: Operand, node: Expression): Value {
  return result.type === type ? result.value : convertImplicitly(unit, result, type, node.span, spelling);
}

/** The address of a record's value. */
export function recordValue(
  unit: Unit,
  operand: Operand,
  wanted: Written,
  node: { readonly span: Expression["span"] },
): Value {
  const from = rvalue(unit, operand);
  const { type } = wanted;
  if (from.type !== type && from.type.kind !== "error")
    unit.report("cannotConvert", node.span, writtenEach([from, wanted]));
  return from.type === type ? from.value : zeroOf(type);
}

function increment(
  unit: Unit,
  operand: Expression,
  operator: "++" | "--",
  span: Expression["span"],
  isPostfix: boolean,
): Operand {
  const target = assignable(unit, unit.parts.expression(unit, operand), operand);
  if (target === null) return errorOperand();
  const old = rvalue(unit, target);
  if (target.type.kind === "vector" && elementOf(target.type).kind === "float") {
    unit.report("badOperands", span, [`"${operator}"`, written(target)]);
    return errorOperand();
  }
  const one =
    target.type.kind === "vector"
      ? valueOf(elementOf(target.type), constantInt(elementOf(target.type).ir, 1))
      : valueOf(INT, constantInt(I32, 1));
  const result = binary(unit, operator === "++" ? "+" : "-", old, one, span);
  const value = result.type === target.type ? result.value : convertImplicitly(unit, result, target.type, span);
  storeTo(unit, target, value);
  return isPostfix ? old : valueOf(target.type, value, target.spelling);
}

function unaryNode(unit: Unit, node: Node<"unary">): Operand {
  const { operator, operand, span } = node;
  switch (operator) {
    case "++":
    case "--":
      return increment(unit, operand, operator, span, false);
    case "*":
      return dereference(unit, rvalue(unit, unit.parts.expression(unit, operand)), node);
    case "&":
      return addressOf(unit, operand);
    default:
      return unary(unit, operator, rvalue(unit, unit.parts.expression(unit, operand)), span);
  }
}

function addressOf(unit: Unit, operand: Expression): Operand {
  // A constant has an address too, although its uses are its value.
  const meaning = operand.kind === "name" ? unit.find(operand.name) : null;
  const isFolded = meaning?.kind === "variable" && meaning.constant !== null;
  const lvalue = isFolded
    ? lvalueOf(
        meaning.type,
        meaning.address.kind === "global" ? unit.builder.globalAddress(meaning.address) : meaning.address,
        meaning.alignment,
      )
    : unit.parts.expression(unit, operand);
  if (lvalue.type.kind === "error") return lvalue;
  if (lvalue.kind === "swizzle") {
    unit.report("componentAddress", operand.span);
    return errorOperand();
  }
  if (lvalue.kind !== "lvalue") {
    unit.report("notAssignable", operand.span);
    return errorOperand();
  }
  const { qualified } = lvalue;
  const target: Qualified = {
    ...plain(lvalue.type),
    isConst: qualified?.isConst === true,
    isVolatile: qualified?.isVolatile === true,
    space: qualified?.space ?? PRIVATE,
    spelling: lvalue.spelling,
  };
  return valueOf(pointerTo(target), lvalue.value, pointerSpelling(target));
}

/** A chain of operators leans to the left, as deep as it is long: it is walked from its innermost operator on. */
function binaryNode(unit: Unit, node: Node<"binary">): Operand {
  const chain = [node];
  let first = node.left;
  for (; first.kind === "binary"; first = first.left) chain.push(first);
  let operand = unit.parts.expression(unit, first);
  for (let i = chain.length - 1; i >= 0; i--) operand = binaryWith(unit, chain[i] as Node<"binary">, operand);
  return operand;
}

/** A binary operator whose left side is computed. */
function binaryWith(unit: Unit, node: Node<"binary">, left: Operand): Operand {
  const { operator, right, span } = node;
  if (operator === ",") return rvalue(unit, unit.parts.expression(unit, right));
  const a = rvalue(unit, left);
  if (operator === "&&" || operator === "||") return logic(unit, node, a);
  const b = rvalue(unit, unit.parts.expression(unit, right));
  unit.locate(span);
  unit.operator = node;
  checkBinary(unit, node, a, b);
  return binary(unit, operator, a, b, span);
}

/**
 * `&&` and `||` of scalars do not compute their right side when the left one decides; a vector on either side makes
 * them go lane by lane (6.3 g).
 */
function logic(unit: Unit, node: Node<"binary">, left: Operand): Operand {
  const operator = node.operator as "&&" | "||";
  if (left.type.kind === "vector")
    return vectorLogic(unit, operator, left, rvalue(unit, unit.parts.expression(unit, node.right)), node.span);
  const a = condition(unit, left, node.left.span);
  const isAnd = operator === "&&";
  if (a.kind === "constant" && (a.low !== 0) !== isAnd) {
    const unused = unit.typeOnly(() => unit.parts.expression(unit, node.right));
    if (unused.type.kind === "vector")
      return vectorLogic(unit, operator, left, rvalue(unit, unit.parts.expression(unit, node.right)), node.span);
    return valueOf(INT, constantInt(I32, isAnd ? 0 : 1));
  }
  const before = unit.builder.block;
  const more = unit.newBlock("logic.more");
  const end = unit.newBlock("logic.end");
  const result = end.addParameter(a.type, "");
  const short = constantInt(a.type, isAnd ? 0 : 1);
  if (isAnd) unit.builder.conditionalBranch(a, more, end, [], [short]);
  else unit.builder.conditionalBranch(a, end, more, [short], []);
  unit.startBlock(more);
  const right = rvalue(unit, unit.parts.expression(unit, node.right));
  if (right.type.kind === "vector") {
    const here = unit.builder.block;
    before.instructions.pop();
    unit.builder.block = before;
    unit.builder.branch(more);
    unit.builder.block = here;
    return vectorLogic(unit, operator, left, right, node.span);
  }
  const b = condition(unit, right, node.right.span);
  unit.builder.branch(end, b);
  unit.startBlock(end);
  if (a.kind === "constant" && b.kind === "constant")
    return valueOf(INT, constantInt(I32, isAnd ? a.low & b.low : a.low | b.low));
  return fromTruth(unit, result, INT);
}

/** A conditional whose last arm is still to be computed: it takes that arm. */
type OpenConditional = (whenFalse: Operand) => Operand;

/** `a ? b : c ? d : …` leans to the right, as deep as it is long: all are opened, then closed from the last one on. */
function conditional(unit: Unit, node: Node<"conditional">): Operand {
  const open: OpenConditional[] = [];
  let at: Expression = node;
  let last: Operand | null = null;
  while (last === null && at.kind === "conditional") {
    unit.locate(at.span);
    const opened = openConditional(unit, at);
    if (typeof opened === "function") open.push(opened);
    else last = opened;
    at = at.whenFalse;
  }
  last ??= unit.parts.expression(unit, at);
  return open.reduceRight((operand, close) => close(operand), last);
}

/** Computes a condition and its first arm, or all of it where the condition is constant. */
function openConditional(unit: Unit, node: Node<"conditional">): OpenConditional | Operand {
  const test = rvalue(unit, unit.parts.expression(unit, node.condition));
  if (test.type.kind === "vector") {
    const chosen = trueArm(unit, node, test);
    return (whenFalse) => vectorSelect(unit, test, chosen, rvalue(unit, whenFalse), node.span);
  }
  const bit = condition(unit, test, node.condition.span);
  if (bit.kind === "constant") return constantConditional(unit, node, test, bit.low !== 0);
  const yes = unit.newBlock("then");
  const no = unit.newBlock("else");
  const end = unit.newBlock("end");
  unit.builder.conditionalBranch(bit, yes, no);
  unit.startBlock(yes);
  const a = trueArm(unit, node, test);
  const afterYes = unit.builder.block;
  unit.startBlock(no);
  return (whenFalse) => {
    const b = rvalue(unit, whenFalse);
    // Each arm is converted where it was computed, once both types are known.
    const type = armType(a, b);
    if (type === null) unit.report("badOperands", node.span, ['"?:"', writtenEach([a, b]).join(" and ")]);
    const isEmpty = type === null || type.kind === "void" || type.kind === "error";
    const result = isEmpty ? null : end.addParameter(type.kind === "record" ? pointerType(PRIVATE) : type.ir);
    const leave = (operand: Operand, arm: Expression): void => {
      if (isEmpty) unit.builder.branch(end);
      else unit.builder.branch(end, armValue(unit, operand, type, arm));
    };
    leave(b, node.whenFalse);
    unit.builder.block = afterYes;
    leave(a, node.whenTrue ?? node.condition);
    unit.startBlock(end);
    if (type === null) return errorOperand();
    return valueOf(type, result ?? constantInt(I32, 0), inheritedSpelling(type, a, b));
  };
}

/** The arm after "?"; without one, the condition is the value. */
function trueArm(unit: Unit, { whenTrue }: Node<"conditional">, test: Operand): Operand {
  return whenTrue === null ? test : rvalue(unit, unit.parts.expression(unit, whenTrue));
}

/** A constant condition: only one arm is computed; the other still takes part in the type. */
function constantConditional(unit: Unit, node: Node<"conditional">, test: Operand, isTrue: boolean): Operand {
  const taken = isTrue ? (node.whenTrue ?? node.condition) : node.whenFalse;
  const whenFalse = (): Operand => rvalue(unit, unit.parts.expression(unit, node.whenFalse));
  const operand = isTrue ? trueArm(unit, node, test) : whenFalse();
  const other = unit.typeOnly(() => (isTrue ? whenFalse() : trueArm(unit, node, test)));
  const type = isTrue ? armType(operand, other) : armType(other, operand);
  if (type === null) {
    unit.report("badOperands", node.span, ['"?:"', writtenEach([operand, other]).join(" and ")]);
    return errorOperand();
  }
  return valueOf(
    type,
    type.kind === "void" || type.kind === "error" ? constantInt(I32, 0) : armValue(unit, operand, type, taken),
  );
}

function armValue(unit: Unit, operand: Operand, type: CType, arm: Expression): Value {
  if (type.kind === "pointer" && isArithmetic(operand.type)) return pointerOf(unit, operand, type, arm.span);
  return type.kind === "record"
    ? recordValue(unit, operand, { type, spelling: null }, arm)
    : convertImplicitly(unit, operand, type, arm.span);
}

/** The common type of the arms of `?:`. */
function armType(yes: Operand, no: Operand): CType | null {
  if (yes.type.kind === "error") return yes.type;
  if (no.type.kind === "error") return no.type;
  if (yes.type === no.type) return yes.type.kind === "bool" ? INT : promoteScalar(yes.type);
  if (yes.type.kind === "void" || no.type.kind === "void") return VOID_TYPE;
  if (yes.type.kind === "pointer" && no.type.kind === "pointer") {
    if (isNull(yes)) return no.type;
    return isNull(no) ? yes.type : commonPointer(yes.type, no.type);
  }
  if (yes.type.kind === "pointer" || no.type.kind === "pointer")
    return yes.type.kind === "pointer" ? yes.type : no.type;
  return commonType(yes.type, no.type);
}

function promoteScalar(type: CType): CType {
  return type.kind === "int" ? promote(type) : type;
}

function compoundLiteral(unit: Unit, node: Node<"compound-literal">): Operand {
  const qualified = unit.completedBy(typeOfName(unit, node.type), node.value);
  if (!requireComplete(unit, qualified.type, node.span)) return errorOperand();
  const lvalue = temporary(unit, qualified.type);
  unit.parts.initialize(unit, qualified, lvalue.value, lvalue.alignment, node.value);
  return lvalueOf(qualified, lvalue.value, lvalue.alignment);
}

/** GNU's cast to a union: the member of the operand's type is set; null: there is none. */
function castToUnion(unit: Unit, operand: Operand, type: CType): Operand | null {
  const from = rvalue(unit, operand);
  const found = type.members?.find((one) => one.type.type === from.type);
  if (found === undefined) return null;
  const made = temporary(unit, type);
  storeTo(unit, lvalueOf(found.type, made.value, made.alignment), from.value);
  return made;
}

function cast(unit: Unit, node: Node<"cast">): Operand {
  const operand = unit.parts.expression(unit, node.operand);
  const { type, spelling } = typeOfName(unit, node.type);
  if (type === HALF && !unit.isHalfEnabled && refuseHalf(unit, "a cast to half", node.span)) return errorOperand();
  if (type.kind === "record" && type.isUnion) {
    const made = castToUnion(unit, operand, type);
    if (made !== null) return made;
  }
  return castTo(unit, operand, type, node.span, spelling);
}

/** The type operand of sizeof or vec_step. */
function typeAsked(unit: Unit, { type, operand }: Node<"sizeof"> | Node<"vec-step"> | Node<"alignof">): CType | null {
  if (type !== null) return typeOfName(unit, type).type;
  return operand === null ? null : unit.typeOnly(() => unit.parts.expression(unit, operand)).type;
}

/** Components of a type (OpenCL C 6.11); a vector of three counts as four, as in memory. */
function vecStep(unit: Unit, node: Node<"vec-step">): Operand {
  const type = typeAsked(unit, node);
  if (type === null || type.kind === "error") return errorOperand();
  if (type.kind !== "vector" && type.kind !== "void" && !isArithmetic(type)) {
    unit.report("badOperands", node.span, ["vec_step", type.name]);
    return errorOperand();
  }
  return valueOf(INT, constantInt(I32, type.kind === "vector" ? (type.count === 3 ? 4 : type.count) : 1));
}

function sizeofNode(unit: Unit, node: Node<"sizeof">): Operand {
  const type = typeAsked(unit, node);
  if (type === null || !requireComplete(unit, type, node.span)) return errorOperand();
  const size = sizeType(unit);
  return valueOf(size, constantInt(size.ir, sizeOf(unit.options.layout, type.ir)), sizedSpelling("size_t"));
}

const ROWS: { readonly [K in Expression["kind"]]: (unit: Unit, node: Node<K>) => Operand } = {
  number,
  character,
  string,
  name,
  call,
  index,
  member,
  unary: unaryNode,
  postfix: (unit, node) => increment(unit, node.operand, node.operator, node.span, true),
  binary: binaryNode,
  assign,
  conditional,
  cast,
  vector: vectorLiteral,
  "compound-literal": compoundLiteral,
  sizeof: sizeofNode,
  "vec-step": vecStep,
  alignof: (unit, node) => alignofNode(unit, typeAsked(unit, node), node),
  offsetof: offsetofNode,
  "statement-expression": statementExpression,
  "builtin-of-types": builtinOfTypes,
  selection,
};

/** Writes an expression. */
export function expression(unit: Unit, node: Expression): Operand {
  unit.locate(node.span);
  const write = ROWS[node.kind] as (unit: Unit, node: Expression) => Operand;
  return write(unit, node);
}
