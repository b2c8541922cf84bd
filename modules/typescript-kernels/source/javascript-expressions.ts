// SPDX-License-Identifier: Apache-2.0
// Expressions in debug JavaScript: the arithmetic of declared widths with JavaScript's operators.
import { type ScalarName, isGroupFunction } from "@muxkit/kernel-library";

import { FACTS, type KernelType, isInteger, isLong, scalarOf } from "./kernel-type.ts";
import { METHODS } from "./operators.ts";
import { ASSIGNMENT, type Bound, CONDITIONAL, PRIMARY, STRENGTH, UNARY, at } from "./precedence.ts";
import type { BinaryOperator, Expression } from "./tree.ts";

/** The name under which debug JavaScript has what it calls. */
export const HOST = "$kernel";

/** An expression as text. */
export function javascriptText(expression: Expression): string {
  return bound(expression).text;
}

const primary = (text: string): Bound => ({ text, strength: PRIMARY });

/** A variable's name: `$` keeps it from names of the program. */
export function variableText(cName: string): string {
  return `${cName}$`;
}

function literalText(value: number | bigint | boolean): Bound {
  if (typeof value === "bigint") return value < 0n ? { text: `${value}n`, strength: UNARY } : primary(`${value}n`);
  if (typeof value === "boolean" || Number.isNaN(value)) return primary(String(value));
  const text = Object.is(value, -0) ? "-0" : String(value);
  return { text, strength: text.startsWith("-") ? UNARY : PRIMARY };
}

const names: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(METHODS).map(([method, operator]) => [operator, method]),
);

/** Brings a number that an operator made back to its type. */
function narrow({ text, strength }: Bound, type: KernelType): Bound {
  const name = scalarOf(type);
  if (name === "int") return { text: `${at({ text, strength }, STRENGTH["|"])} | 0`, strength: STRENGTH["|"] };
  if (name === "uint") return { text: `${at({ text, strength }, STRENGTH["<<"])} >>> 0`, strength: STRENGTH["<<"] };
  if (name === "float") return primary(`Math.fround(${text})`);
  if (name === "half") return primary(`${HOST}.wrap("half", ${text})`);
  if (name === "double" || name === "bool" || name === null) return { text, strength };
  if (isLong(type)) return primary(`BigInt.as${name === "long" ? "Int" : "Uint"}N(64, ${text})`);
  const shift = 32 - FACTS[name].bits;
  return FACTS[name].isSigned
    ? { text: `${at({ text, strength }, STRENGTH["<<"])} << ${shift} >> ${shift}`, strength: STRENGTH["<<"] }
    : { text: `${at({ text, strength }, STRENGTH["&"])} & ${2 ** FACTS[name].bits - 1}`, strength: STRENGTH["&"] };
}

/** Operators that JavaScript has for the values of a type. */
function binaryText({ operator, left, right, type }: Expression & { op: "binary" }): Bound {
  const [a, b] = [bound(left), bound(right)];
  if (left.type.kind === "vector") return primary(`${at(a, PRIMARY)}.${names[operator]}(${b.text})`);
  const strength = STRENGTH[operator];
  const plain = (word: string = operator): Bound => ({
    text: `${at(a, strength)} ${word} ${at(b, strength + 1)}`,
    strength,
  });
  if (operator === "&&" || operator === "||") return plain();
  if (operator === "==" || operator === "!=") return plain(`${operator}=`);
  if (["<", "<=", ">", ">="].includes(operator)) return plain();
  return arithmetic(operator, a, b, plain, { left, right, type });
}

interface Typed {
  readonly left: Expression;
  readonly right: Expression;
  readonly type: KernelType;
}

function arithmetic(
  operator: BinaryOperator,
  a: Bound,
  b: Bound,
  plain: (word?: string) => Bound,
  { right, type }: Typed,
): Bound {
  const name = scalarOf(type) ?? "int";
  // Counts of C are those of the promoted type, as those of JavaScript; longs count to 63.
  if (operator === "<<" || operator === ">>") {
    if (isLong(type))
      return primary(`${HOST}.operate(${JSON.stringify(names[operator])}, "${name}", ${a.text}, ${b.text})`);
    const count: Bound = isLong(right.type) ? primary(`Number(${b.text} & 31n)`) : b;
    const word = operator === ">>" && name === "uint" ? ">>>" : operator;
    return narrow(
      { text: `${at(a, STRENGTH["<<"])} ${word} ${at(count, STRENGTH["<<"] + 1)}`, strength: STRENGTH["<<"] },
      type,
    );
  }
  if (operator === "*" && isInteger(type) && !isLong(type))
    return narrow(primary(`Math.imul(${a.text}, ${b.text})`), type);
  if ((operator === "/" || operator === "%") && isLong(type))
    return primary(`${HOST}.operate(${JSON.stringify(names[operator])}, "${name}", ${a.text}, ${b.text})`);
  return narrow(plain(), type);
}

/** Conversions between types; a float beyond an integer becomes its limit. */
function convertText(operand: Expression, type: KernelType): Bound {
  const own = bound(operand);
  const from = scalarOf(operand.type) ?? "int";
  if (type.kind === "vector") return primary(`${HOST}.convertVector("${type.scalar}", ${own.text})`);
  const to = scalarOf(type) ?? "int";
  if (from === "bool" && !isLong(type) && to !== "bool") return primary(`(${own.text} ? 1 : 0)`);
  if (!FACTS[from].isFloat && from !== "bool" && to !== "bool" && !isLong(type) && !isLong(operand.type))
    return narrow(own, type);
  if (FACTS[from].isFloat && to === "float") return narrow(own, type);
  if ((from === "float" || from === "half") && to === "double") return own;
  return primary(`${HOST}.convert("${to}", ${own.text})`);
}

/** The element, in brackets; rows of memory are objects of their own. */
function indexText({ memory, indices }: Expression & { op: "index" }): string {
  return `${at(bound(memory), PRIMARY)}${indices.map((index) => `[${bound(index).text}]`).join("")}`;
}

/** The row that an element is in, and its index. */
function rowText({ memory, indices }: Expression & { op: "index" }): readonly [row: string, index: string] {
  const last = indices.at(-1);
  const row = indices
    .slice(0, -1)
    .map((index) => `[${bound(index).text}]`)
    .join("");
  return [`${at(bound(memory), PRIMARY)}${row}`, last === undefined ? "0" : bound(last).text];
}

const isValue = (type: KernelType): boolean => type.kind === "vector" || type.kind === "record";

/** A value that is kept: vectors and records of variables are copied, as C does. */
export function keptText(value: Expression): string {
  const { text } = bound(value);
  return isValue(value.type) && ["variable", "field", "conditional"].includes(value.op)
    ? `${HOST}.copy(${text})`
    : text;
}

function assignText({ target, value }: Expression & { op: "assign" }): Bound {
  return storedText(target, keptText(value));
}

/** A place with the value of some text. A part of an element is changed in a copy, which goes back. */
function storedText(target: Expression, kept: string): Bound {
  const element = target.op === "index" ? null : elementOf(target);
  if (element !== null) {
    const [row, index] = rowText(element);
    return primary(`${HOST}.update(${row}, ${index}, ${kept}, (element, value) => { ${partText(target)} = value; })`);
  }
  return { text: `${bound(target).text} = ${kept}`, strength: ASSIGNMENT };
}

/** The element of memory that a component or field is of; null: it is one of a variable. */
function elementOf(target: Expression): (Expression & { op: "index" }) | null {
  if (target.op === "swizzle" || target.op === "field" || target.op === "lane") return elementOf(target.object);
  return target.op === "index" ? target : null;
}

function partText(target: Expression): string {
  if (target.op === "field") return `${partText(target.object)}.${target.name}`;
  if (target.op === "swizzle") return `${partText(target.object)}.${componentText(target.lanes)}`;
  if (target.op === "lane") return `${partText(target.object)}.lanes[${bound(target.index).text}]`;
  return "element";
}

/** Lanes by letters or digits, of which the library has names; others as a list. */
function componentText(lanes: readonly number[]): string {
  if (lanes.every((lane) => lane < 4) && lanes.length <= 4) return lanes.map((lane) => "xyzw"[lane]).join("");
  return `s${lanes.map((lane) => lane.toString(16)).join("")}`;
}

function stepText({ target, by, isPrefix, type }: Expression & { op: "step" }): Bound {
  const place = bound(target);
  const one = isLong(type) ? "1n" : "1";
  const changed = narrow(
    { text: `${at(place, STRENGTH["+"])} ${by === 1 ? "+" : "-"} ${one}`, strength: STRENGTH["+"] },
    type,
  );
  const assigned = storedText(target, at(changed, ASSIGNMENT));
  if (isPrefix) return assigned;
  const back = narrow(
    { text: `${at(assigned, PRIMARY)} ${by === 1 ? "-" : "+"} ${one}`, strength: STRENGTH["+"] },
    type,
  );
  return back;
}

function scalarName(value: Expression | undefined): ScalarName {
  return (value === undefined ? null : scalarOf(value.type)) ?? "int";
}

function builtinText({ name, arguments: values, type, span }: Expression & { op: "builtin" }): Bound {
  const given = values.map(javascriptText);
  const scalar = scalarName(values[0]);
  if (isGroupFunction(name))
    return primary(`(yield ${HOST}.group(${[`"${name}"`, `"${scalar}"`, span.start, ...given].join(", ")}))`);
  if (name === "sqrt" && type.kind === "scalar") return narrow(primary(`Math.sqrt(${given[0]})`), type);
  return primary(`${HOST}.builtin(${[`"${name}"`, `"${scalar}"`, ...given].join(", ")})`);
}

function bound(expression: Expression): Bound {
  const text = (inner: Expression, least: number): string => at(bound(inner), least);
  const { type } = expression;
  switch (expression.op) {
    case "literal":
      return literalText(expression.value);
    case "invalid":
      return primary("undefined");
    case "variable":
      return primary(variableText(expression.variable.cName));
    case "table":
      return primary(variableText(expression.table.cName));
    case "spec-constant":
      return primary(variableText(expression.constant.cName));
    case "binary":
      return binaryText(expression);
    case "unary":
      if (type.kind === "vector")
        return primary(`${text(expression.operand, PRIMARY)}.${expression.operator === "-" ? "neg" : "not"}()`);
      return narrow(
        { text: `${expression.operator}${text(expression.operand, PRIMARY)}`, strength: UNARY },
        expression.operator === "!" ? { kind: "void" } : type,
      );
    case "conditional":
      return {
        text: `${text(expression.condition, CONDITIONAL + 1)} ? ${text(expression.whenTrue, CONDITIONAL)} : ${text(expression.whenFalse, CONDITIONAL)}`,
        strength: CONDITIONAL,
      };
    case "convert":
      return convertText(expression.operand, type);
    case "call": {
      const given = expression.arguments.map(keptText);
      const constants = [...expression.callee.uses.constants].map(({ cName }) => variableText(cName));
      const call = `${variableText(expression.callee.cName)}(${[...given, ...constants].join(", ")})`;
      return primary(expression.callee.uses.waits ? `(yield* ${call})` : call);
    }
    case "builtin":
      return builtinText(expression);
    case "vector":
    case "record":
      return primary(madeText(expression));
    case "swizzle":
      return swizzleText(expression);
    case "lane":
      return primary(`${text(expression.object, PRIMARY)}.lanes[${text(expression.index, ASSIGNMENT)}]`);
    case "field":
      return primary(`${text(expression.object, PRIMARY)}.${expression.name}`);
    case "index":
      return primary(indexText(expression));
    case "assign":
      return assignText(expression);
    case "step":
      return stepText(expression);
    case "item":
      return primary(`item$.${expression.query}(${expression.userDimension ?? ""})`);
    case "image":
      return primary(imageText(expression));
    case "combine":
      return primary(combineText(expression));
    case "barrier":
      return { text: `yield ${HOST}.barrier("${expression.scope}", ${expression.span.start})`, strength: ASSIGNMENT };
    case "atomic": {
      const [row, index] = rowText(expression.target as Expression & { op: "index" });
      const given = expression.arguments.map(javascriptText);
      return primary(`${HOST}.atomic(${[row, index, `"${expression.operation}"`, ...given].join(", ")})`);
    }
    default: {
      const parts = expression.parts.map((part) =>
        typeof part === "string" ? JSON.stringify(part) : `String(${bound(part).text})`,
      );
      return primary(`console.log(${parts.join(", ")})`);
    }
  }
}

function imageText({ operation, image, arguments: values }: Expression & { op: "image" }): string {
  const method = operation === "range" ? "getRange" : operation;
  return `${variableText(image.cName)}.${method}(${values.map(keptText).join(", ")})`;
}

/** The reducer combines by the arithmetic of its type. */
function combineText({ variable, value, combination, span }: Expression & { op: "combine" }): string {
  const { type } = value;
  const named = (cName: string): Expression => ({
    op: "variable",
    variable: { name: cName, cName, type, isConst: true },
    type,
    span,
  });
  const typed = javascriptText(combination(named("left"), named("right")));
  return `${variableText(variable.cName)}.combine(${keptText(value)}, (left$, right$) => (${typed}))`;
}

/** A vector or a record of its parts. */
function madeText({ type, arguments: parts }: Expression & { op: "vector" | "record" }): string {
  if (type.kind === "vector")
    return `${HOST}.vector(${[`"${type.scalar}"`, type.lanes, ...parts.map(javascriptText)].join(", ")})`;
  const fields = type.kind === "record" ? type.fields : [];
  return `({ ${fields.map(({ name }, i) => `${name}: ${keptOf(parts[i])}`).join(", ")} })`;
}

function keptOf(value: Expression | undefined): string {
  return value === undefined ? "undefined" : keptText(value);
}

function swizzleText({ object, lanes, type }: Expression & { op: "swizzle" }): Bound {
  const own = at(bound(object), PRIMARY);
  const digits = lanes.every((lane) => lane < 4) ? lanes.length <= 4 : lanes.length <= 2;
  if (digits) return primary(`${own}.${componentText(lanes)}`);
  const name = scalarOf(type) ?? "int";
  // The object is read once for each lane: it is a variable, or a copy.
  return primary(
    `((v) => ${HOST}.vector("${name}", ${lanes.length}, ${lanes.map((lane) => `v.s${lane.toString(16)}`).join(", ")}))(${own})`,
  );
}
