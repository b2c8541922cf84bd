// SPDX-License-Identifier: Apache-2.0
// Warnings about code that is allowed but rarely intended. Each looks at one construct of the tree while its code is
// written, so that there is no walk of its own; where nothing is found the cost is a comparison or two.
import { builtinRows } from "@muxkit/builtin-table";
import { type Span, insertBefore, note, replace, surround } from "@muxkit/report";
import { type Block, type Constant, Op, type Value, signedValue } from "@muxkit/ir";

import type { Attribute, Expression, Statement } from "../ast.ts";
import { type CType, elementOf } from "./ctype.ts";
import { operatorSpan } from "./explain.ts";
import { written } from "./spelling.ts";
import type { Operand, Unit } from "./unit.ts";

type Node<K extends Expression["kind"]> = Extract<Expression, { kind: K }>;
type Binary = Node<"binary">;

/** True for what the source itself contains: macros may expand to what would not be written by hand. */
function isWritten({ span }: { readonly span: Span }): boolean {
  return span.expansion === null || span.expansion === undefined;
}

function characterBefore({ file, start }: Span, skipped = 0): string {
  let at = start - 1;
  for (let left = skipped; ; at--) {
    const character = file.text.charAt(at);
    if (/\s/u.test(character)) continue;
    if (left === 0 || character === "") return character;
    left--;
  }
}

/** A condition that stores: `if (a = b)`. Two pairs of parentheses mark it as intended. */
export function checkCondition(unit: Unit, node: Expression): void {
  if (
    node.kind !== "assign" ||
    node.operator !== "=" ||
    !isWritten(node) ||
    (characterBefore(node.span) === "(" && characterBefore(node.span, 1) === "(")
  )
    return;
  const operator = operatorSpan(node);
  unit.warn("assignInCondition", operator ?? node.span, [], {
    ranges: [node.left.span, node.right.span],
    fix: operator === null ? null : replace(operator, "=="),
    notes: [
      note("write a second pair of parentheses if the assignment is intended", null, surround(node.span, "(", ")")),
    ],
  });
}

/** `if (x);`, and a loop whose `;` cuts it off from the block below. */
export function checkBody(
  unit: Unit,
  word: "if" | "while" | "for",
  body: Statement,
  hasElse: boolean,
  next: Statement | null,
): void {
  if (body.kind !== "empty" || hasElse || !isWritten(body)) return;
  // A block that follows a loop's ";" was meant as its body; a loop without one counts or waits.
  if (body.span.file.text.slice(body.span.start, body.span.end) !== ";" || (word !== "if" && next?.kind !== "compound"))
    return;
  unit.warn("emptyBody", body.span, [word], { fix: replace(body.span, "") });
}

/** What comes after a jump, up to a label, is never reached. */
export function checkReachable(
  unit: Unit,
  before: Statement,
  next: Statement | { readonly kind: "declaration" | "pragma" | "static-assert"; readonly span: Span },
): void {
  const isJump =
    before.kind === "return" || before.kind === "break" || before.kind === "continue" || before.kind === "goto";
  if (
    !isJump ||
    ["label", "case", "default", "pragma", "static-assert", "break", "empty"].includes(next.kind) ||
    !isWritten(next) ||
    hasLabel(next)
  )
    return;
  unit.warn("unreachableCode", next.span, [], {
    notes: [note(`this "${before.kind}" jumps away before it`, before.span)],
  });
}

/** True when control can come into the statement otherwise than from its beginning. */
function hasLabel(node: Statement | { readonly kind: "declaration" | "pragma" | "static-assert" }): boolean {
  switch (node.kind) {
    case "label":
    case "case":
    case "default":
      return true;
    case "compound":
      return node.items.some((item) => hasLabel(item));
    case "if":
      return hasLabel(node.whenTrue) || (node.whenFalse !== null && hasLabel(node.whenFalse));
    case "while":
    case "do":
    case "for":
    case "switch":
    case "attributed":
      return hasLabel(node.body);
    default:
      return false;
  }
}

/** Operators whose value is their only effect. */
function isIdle(node: Expression): boolean {
  switch (node.kind) {
    case "binary":
      return node.operator !== "," && node.operator !== "&&" && node.operator !== "||";
    case "unary":
      return node.operator !== "++" && node.operator !== "--" && node.operator !== "*";
    case "call": {
      const rows = node.callee.kind === "name" ? builtinRows(node.callee.name) : [];
      return rows.length > 0 && rows.every(({ isPure, isConvergent }) => isPure && !isConvergent);
    }
    default:
      return node.kind === "name" || node.kind === "number" || node.kind === "member" || node.kind === "vector";
  }
}

/** A statement whose value is unused and that does nothing else. */
export function checkUnused(unit: Unit, node: Expression, type: CType): void {
  if (!isIdle(node) || type.kind === "error" || type.kind === "void" || !isWritten(node)) return;
  if (node.kind === "call" && node.callee.kind === "name" && unit.find(node.callee.name) !== null) return;
  const operator = node.kind === "binary" && node.operator === "==" ? operatorSpan(node) : null;
  unit.warn("unusedResult", node.span, [], operator === null ? {} : { fix: replace(operator, "=") });
}

/** The text of an expression without blanks. */
function text({ span }: Expression): string {
  return span.file.text.slice(span.start, span.end).replaceAll(/\s/gu, "");
}

/** `x = x`. */
export function checkSelfAssignment(unit: Unit, node: Node<"assign">): void {
  const { left, right } = node;
  if (left.kind !== right.kind || !isWritten(node) || node.operator !== "=") return;
  // What does not even begin alike needs no closer look.
  if (left.span.file.text.charCodeAt(left.span.start) !== right.span.file.text.charCodeAt(right.span.start)) return;
  const isSame =
    (left.kind === "name" || left.kind === "member" || left.kind === "index") &&
    text(left) === text(right) &&
    !/[()+-]{2}|\(/u.test(text(left));
  if (isSame) unit.warn("selfAssignment", node.span, [text(left)]);
}

const COMPARISONS: ReadonlySet<string> = new Set(["<", ">", "<=", ">=", "==", "!="]);
const BITS: ReadonlySet<string> = new Set(["&", "|", "^"]);
const SHIFTS: ReadonlySet<string> = new Set(["<<", ">>"]);

/**
 * Whether an operand of an operator is in parentheses, found by what is next to it towards the operator and away
 * from it.
 */
function isBare(outer: Binary, inner: Expression): boolean {
  const operator = operatorSpan(outer);
  if (operator === null || !isWritten(inner)) return false;
  const { file } = operator;
  const gap =
    inner === outer.left
      ? file.text.slice(inner.span.end, operator.start)
      : file.text.slice(operator.end, inner.span.start);
  return !/[()]/u.test(gap);
}

/**
 * `a & b == c` is `a & (b == c)`; `a << b + c` is `a << (b + c)`; `a < b < c` and `!a == b` are not what they look like
 * either.
 */
function checkPrecedence(unit: Unit, node: Binary): void {
  const { operator, left, right } = node;
  for (const inner of [left, right]) {
    if (inner.kind !== "binary" && inner.kind !== "unary") continue;
    const isOdd =
      inner.kind === "unary"
        ? inner.operator === "!" &&
          inner === left &&
          (COMPARISONS.has(operator) || BITS.has(operator)) &&
          !(right.kind === "unary" && right.operator === "!")
        : (BITS.has(operator) && COMPARISONS.has(inner.operator) && !isComparison(inner === left ? right : left)) ||
          (SHIFTS.has(operator) && (inner.operator === "+" || inner.operator === "-")) ||
          (COMPARISONS.has(operator) &&
            operator !== "==" &&
            operator !== "!=" &&
            inner === left &&
            COMPARISONS.has(inner.operator));
    if (!isOdd || !isBare(node, inner)) continue;
    unit.warn("precedence", inner.span, [inner.operator, operator], {
      notes: [note("use parentheses to show what is intended", null, surround(inner.span, "(", ")"))],
    });
    return;
  }
}

function isComparison(node: Expression): boolean {
  return node.kind === "binary" && (COMPARISONS.has(node.operator) || node.operator === "&&" || node.operator === "||");
}

/**
 * The least and the most of an int type that a comparison with a constant can miss: what arithmetic makes an int of,
 * and unsigned ones.
 */
function rangeOf(type: CType): readonly [least: number, most: number] | null {
  if (type.kind === "bool") return [0, 1];
  if (type.kind !== "int" || (type.isSigned && type.bits >= 32)) return null;
  if (type.isSigned) return [-(2 ** (type.bits - 1)), 2 ** (type.bits - 1) - 1];
  return [0, type.bits >= 32 ? Number.POSITIVE_INFINITY : 2 ** type.bits - 1];
}

const MIRRORED: Readonly<Record<string, string>> = {
  "<": ">",
  ">": "<",
  "<=": ">=",
  ">=": "<=",
  "==": "==",
  "!=": "!=",
};

/** The constant result of comparing a value of a range with a number; null: it depends on the value. */
function alwaysGives(operator: string, [least, most]: readonly [number, number], number: number): boolean | null {
  switch (operator) {
    case "<":
      return most < number ? true : least >= number ? false : null;
    case ">":
      return least > number ? true : most <= number ? false : null;
    case "<=":
      return most <= number ? true : least > number ? false : null;
    case ">=":
      return least >= number ? true : most < number ? false : null;
    case "==":
      return number < least || number > most ? false : null;
    default:
      return number < least || number > most ? true : null;
  }
}

/** A comparison that the types decide: an unsigned value below zero, a uchar above 255. */
function checkComparison(unit: Unit, node: Binary, left: Operand, right: Operand): void {
  const isMirrored = left.value.kind === "constant";
  const [value, constant] = isMirrored ? [right, left] : [left, right];
  if (value.value.kind === "constant" || constant.value.kind !== "constant" || !isWritten(node)) return;
  const range = rangeOf(value.type);
  const number = range === null ? null : smallInteger(constant);
  if (range === null || number === null || (number < 0 && range[1] === Number.POSITIVE_INFINITY)) return;
  const gives = alwaysGives(isMirrored ? (MIRRORED[node.operator] ?? "") : node.operator, range, number);
  if (gives !== null)
    unit.warn(
      "alwaysSame",
      operatorSpan(node) ?? node.span,
      [
        String(gives),
        written(value),
        range[1] === Number.POSITIVE_INFINITY ? "is never below 0" : `goes from ${range[0]} to ${range[1]}`,
      ],
      { ranges: [node.left.span, node.right.span] },
    );
}

/** An int constant as a number; null: it is none, or a large one. */
function smallInteger({ type, value }: Operand): number | null {
  if (value.kind !== "constant" || type.kind !== "int") return null;
  if (type.bits <= 32) return type.isSigned ? signedValue(value) : value.low >>> 0;
  const isSmall = (value.high === 0 && value.low >= 0) || ((value.high | 0) === -1 && (value.low | 0) < 0);
  return isSmall ? value.low | 0 : null;
}

function isZero(value: Value): value is Constant {
  return value.kind === "constant" && value.low === 0 && value.high === 0 && value.lanes.length === 0;
}

function checkDivisor(unit: Unit, node: { readonly right: Expression }, left: Operand, right: Operand): void {
  if (right.type.kind === "int" && elementOf(left.type).kind === "int" && isZero(right.value))
    unit.warn("divisionByZero", node.right.span);
}

function checkShift(
  unit: Unit,
  node: { readonly right: Expression; readonly operator: string },
  left: Operand,
  right: Operand,
): void {
  const amount = smallInteger(right);
  const element = elementOf(left.type);
  if (amount === null || element.kind !== "int") return;
  const bits = left.type.kind === "vector" ? element.bits : Math.max(32, element.bits);
  if (amount < 0 || amount >= bits)
    unit.warn("shiftAmount", node.right.span, [amount, bits, ((amount % bits) + bits) % bits]);
}

/** Looks at a binary operator, its operands' values being known. */
export function checkBinary(unit: Unit, node: Binary, left: Operand, right: Operand): void {
  const { operator } = node;
  if (node.left.kind === "binary" || node.right.kind === "binary" || node.left.kind === "unary")
    checkPrecedence(unit, node);
  if (left.value.kind !== "constant" && right.value.kind !== "constant") return;
  if (COMPARISONS.has(operator)) checkComparison(unit, node, left, right);
  else checkArithmetic(unit, node, operator, left, right);
}

/** Looks at an arithmetic operator, also as part of an assignment. */
export function checkArithmetic(
  unit: Unit,
  node: { readonly right: Expression; readonly operator: string },
  operator: string,
  left: Operand,
  right: Operand,
): void {
  if (operator === "/" || operator === "%") checkDivisor(unit, node, left, right);
  else if (SHIFTS.has(operator)) checkShift(unit, node, left, right);
}

/** A constant index outside of the array. One after the end may be pointed to. */
export function checkIndex(unit: Unit, node: Node<"index">, array: CType, index: Operand): void {
  if (array.kind !== "array" || array.count < 1) return;
  const at = smallInteger(index);
  if (at === null || (at >= 0 && at < array.count)) return;
  // The last member of a record may be the first of more.
  if (node.base.kind === "member" && array.count === 1) return;
  if (at === array.count && characterBefore(node.span) === "&") return;
  unit.warn("outOfBounds", node.index.span, [at, array.name, array.count - 1]);
}

/** `float4 v = (1, 2, 3, 4)`: commas between parentheses compute everything and keep the last. */
export function checkCommaList(unit: Unit, node: Expression, to: CType): void {
  if (
    node.kind !== "binary" ||
    node.operator !== "," ||
    to.kind !== "vector" ||
    !isWritten(node) ||
    characterBefore(node.span) !== "("
  )
    return;
  unit.warn("commaVector", node.span, [to.name], {
    fix: insertBefore({ ...node.span, start: node.span.file.text.lastIndexOf("(", node.span.start) }, `(${to.name})`),
  });
}

/** True for what the source marks as possibly unused: in the specifiers, or after the name. */
export function mayBeUnused(attributes: readonly Attribute[], more: readonly Attribute[] = attributes): boolean {
  return (attributes.length > 0 || more.length > 0) && [...attributes, ...more].some(({ name }) => name === "unused");
}

/** What a statement does last: jump away, mark the fall-through, or neither. */
function endOf(
  node: Statement | { readonly kind: "declaration" | "pragma" | "static-assert" },
): "jump" | "meant" | "nothing" | "run-on" {
  switch (node.kind) {
    case "break":
    case "continue":
    case "return":
    case "goto":
      return "jump";
    case "empty":
      return "nothing";
    case "label":
    case "case":
    case "default":
      return endOf(node.body);
    case "attributed":
      return node.attributes.some(({ name }) => name === "fallthrough") ? "meant" : endOf(node.body);
    case "compound": {
      const last = node.items.at(-1);
      return last === undefined ? "nothing" : endOf(last);
    }
    case "if":
      return node.whenFalse !== null && endOf(node.whenTrue) === "jump" && endOf(node.whenFalse) === "jump"
        ? "jump"
        : "run-on";
    case "for":
    case "while":
      // A loop without a condition ends by a jump, and where that goes is not looked for.
      return node.kind === "for" && node.condition === null ? "jump" : "run-on";
    default:
      return "run-on";
  }
}

/** A comment that has the meaning of the attribute. */
const FALLS_THROUGH = /\bfall(?:s|ing)?[\s-]*thr(?:ough|u)\b/iu;

/** Cases that fall through into the next one, unless this is marked as intended. */
export function checkFallthrough(unit: Unit, body: Statement): void {
  if (body.kind !== "compound") return;
  let isInCase = false;
  let before: (typeof body.items)[number] | null = null;
  for (const item of body.items) {
    const isCase = item.kind === "case" || item.kind === "default";
    if (isCase && isInCase && before !== null && isWritten(item) && endOf(before) === "run-on")
      warnFallthrough(unit, before, item);
    isInCase ||= isCase;
    before = item;
  }
}

function warnFallthrough(unit: Unit, before: { readonly span: Span }, { kind, span }: Statement): void {
  const { file, start } = span;
  if (before.span.file === file && FALLS_THROUGH.test(file.text.slice(before.span.start, start))) return;
  unit.warn("fallthrough", { file, start, end: start + kind.length }, [], {
    notes: [
      note('a "break" ends the case before it', null, insertBefore(span, "break; ")),
      note(
        'if it is meant, the attribute says so, or a comment "fall through"',
        null,
        insertBefore(span, "__attribute__((fallthrough)); "),
      ),
    ],
  });
}

/** True when control can come from `entry` to a block; conditions that are known go one way. */
export function isReachable(entry: Block, wanted: Block): boolean {
  const seen = new Set([entry]);
  const work = [entry];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    if (block === wanted) return true;
    const last = block.instructions.at(-1);
    const condition = last?.op === Op.COND_BR ? last.operands[0] : undefined;
    // A block that is still being written leads nowhere yet.
    if (last?.isTerminator !== true) continue;
    const ways = condition?.kind === "constant" ? [block.successors[condition.low === 0 ? 1 : 0]] : block.successors;
    for (const next of ways) {
      if (next === undefined || seen.has(next)) continue;
      seen.add(next);
      work.push(next);
    }
  }
  return false;
}
