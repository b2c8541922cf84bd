// SPDX-License-Identifier: Apache-2.0
// Statements that declare and change variables, members, elements and lanes.
import { type Expression, type Statement, block, code, statement } from "../tree.ts";
import { convert, wash } from "./convert.ts";
import { bounded, expression, someType } from "./expressions.ts";
import { at } from "./lvalues.ts";
import {
  type Aggregate,
  type ArrayLvalue,
  type Lvalue,
  type State,
  declareAggregate,
  fresh,
  isUnion,
} from "./state.ts";
import { INT, UINT, type ValueType, isFloat, typeOf, withLanes, withScalar } from "./types.ts";
import { HALVES, selector } from "./vector-expressions.ts";

const DEPTH = 4;

/** How deep the expression of a statement nests. */
export function depthOf(g: State): number {
  return 1 + g.random.below(DEPTH);
}

/** Declares a variable. */
export function declare(
  g: State,
  type: ValueType = someType(g),
  initial: Expression = expression(g, type, depthOf(g)),
): Statement {
  const name = fresh(g, "v");
  g.scope.lvalues.push({ text: name, type, assignable: true });
  return statement`${type.name} ${name} = ${initial};`;
}

/** `{a, b, ...}` for so many elements; fewer leave zeros. */
function elements(g: State, type: ValueType, count: number): (string | Expression)[] {
  const given = g.random.chance(80) ? count : 1 + g.random.below(count);
  return ["{", ...Array.from({ length: given }, (_, i) => [i === 0 ? "" : ", ", expression(g, type, 1)]).flat(), "}"];
}

/** Declares an array of 2, 4 or 8 elements. */
export function declareArray(
  g: State,
  type: ValueType = someType(g),
  count: number = g.random.pick([2, 4, 4, 8]),
): Statement {
  const name = fresh(g, "a");
  const made: Statement = {
    kind: "statement",
    parts: [`${type.name} ${name}[${count}] = `, ...elements(g, type, count), ";"],
  };
  g.scope.arrays.push({ text: name, type, count, assignable: true, space: "private" });
  return made;
}

/** Values for all members; of a union: for the first. */
export function aggregateValue(g: State, aggregate: Aggregate): (string | Expression)[] {
  const wanted = isUnion(aggregate) ? aggregate.fields.slice(0, 1) : aggregate.fields;
  const designated = g.random.chance(25);
  return [
    "{",
    ...wanted.flatMap(({ name: field, type, count }, i) => [
      i === 0 ? "" : ", ",
      designated ? `.${field} = ` : "",
      ...(count > 1 ? elements(g, type, count) : [expression(g, type, 2)]),
    ]),
    "}",
  ];
}

/** Declares a variable of a struct or a union. */
export function declareAggregateVariable(g: State, aggregate: Aggregate = g.random.pick(g.aggregates)): Statement {
  const name = fresh(g, "s");
  const same = g.scope.aggregates.filter((lvalue) => lvalue.aggregate === aggregate);
  const initial = same.length > 0 && g.random.chance(30) ? [g.random.pick(same).text] : aggregateValue(g, aggregate);
  const made: Statement = { kind: "statement", parts: [`${aggregate.name} ${name} = `, ...initial, ";"] };
  declareAggregate(g, name, aggregate);
  return made;
}

/** Copies a struct as a whole. */
export function copyAggregate(g: State): Statement | null {
  if (g.scope.aggregates.length === 0) return null;
  const { text, aggregate } = g.random.pick(g.scope.aggregates);
  const from = g.random.pick(g.scope.aggregates.filter((lvalue) => lvalue.aggregate === aggregate));
  if (from.text !== text && g.random.chance(60)) return statement`${text} = ${from.text};`;
  return { kind: "statement", parts: [`${text} = (${aggregate.name})`, ...aggregateValue(g, aggregate), ";"] };
}

/** Declares a pointer to one of two variables, to an element, or to a struct. */
export function declarePointer(g: State): Statement | null {
  const name = fresh(g, "p");
  if (g.scope.aggregates.length > 0 && g.random.chance(30)) {
    const { text, aggregate } = g.random.pick(g.scope.aggregates);
    const made = statement`${aggregate.name}* ${name} = &${text};`;
    declareAggregate(g, name, aggregate, "->");
    return made;
  }
  const targets = g.scope.lvalues.filter(({ assignable }) => assignable);
  const arrays = g.scope.arrays.filter(({ assignable, space }) => assignable && space === "private");
  if (arrays.length > 0 && g.random.chance(50)) {
    const array = g.random.pick(arrays);
    const made = statement`${array.type.name}* ${name} = &${at(g, array, 2, expression)};`;
    g.scope.lvalues.push({ text: `(*${name})`, type: array.type, assignable: true });
    return made;
  }
  if (targets.length === 0) return null;
  const { text, type } = g.random.pick(targets);
  const other = g.random.pick(targets.filter((lvalue) => lvalue.type === type)).text;
  const made = statement`${type.name}* ${name} = ${code(INT)`(${expression(g, INT, 2)} & 1)`} ? &${text} : &${other};`;
  g.scope.lvalues.push({ text: `(*${name})`, type, assignable: true });
  return made;
}

/** What a statement may assign to: a variable or an element. */
function target(g: State): { readonly type: ValueType; readonly left: Expression } | null {
  const lvalues = g.scope.lvalues.filter(({ assignable }) => assignable);
  const arrays = g.scope.arrays.filter(({ assignable }) => assignable);
  if (arrays.length > 0 && (lvalues.length === 0 || g.random.chance(30))) {
    const array: ArrayLvalue = g.random.pick(arrays);
    return { type: array.type, left: at(g, array, 2, expression) };
  }
  if (lvalues.length === 0) return null;
  const lvalue: Lvalue = g.random.pick(lvalues);
  return { type: lvalue.type, left: code(lvalue.type)`${lvalue.text}` };
}

/** Some lanes of a vector, each once. */
function lanesOf(g: State, type: ValueType, left: Expression): { readonly type: ValueType; readonly left: Expression } {
  if (type.lanes !== 3 && g.random.chance(30)) {
    const half = withLanes(type, type.lanes / 2);
    return { type: half, left: code(half)`${left}.${g.random.pick(HALVES)}` };
  }
  const order = Array.from({ length: type.lanes }, (_, lane) => lane);
  const picked = Array.from(
    { length: g.random.pick([1, 1, 2, 3, 4].filter((lanes) => lanes <= type.lanes)) },
    () => order.splice(g.random.below(order.length), 1)[0] ?? 0,
  );
  const part = withLanes(type, picked.length);
  return { type: part, left: code(part)`${left}.${selector(g, picked, type.lanes)}` };
}

/** Compound assignments whose arithmetic cannot overflow a signed type. */
function compound(g: State, type: ValueType, left: Expression): Statement {
  const { lanes, scalar } = type;
  if (isFloat(type))
    return statement`${left} ${g.random.pick(["+=", "-=", "*=", "/="])} ${expression(g, type, depthOf(g))};`;
  const wraps =
    !g.portable ||
    (scalar.kind === "unsigned" && (lanes > 1 || scalar.bits >= 32)) ||
    (lanes === 1 && scalar.bits < 16);
  const op = g.random.pick(
    wraps ? ["+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>="] : ["&=", "|=", "^=", ">>=", "<<="],
  );
  const shifts = op === "<<=" || op === ">>=";
  const operand =
    lanes > 1
      ? g.random.chance(70)
        ? type
        : withLanes(type, 1)
      : g.random.chance(50) || !(shifts || scalar.kind === "unsigned")
        ? type
        : typeOf(shifts ? g.random.pick(["int", "uchar", "ulong"]) : g.random.pick(["uint", "uchar"]));
  return statement`${left} ${op} ${expression(g, operand, depthOf(g))};`;
}

/** Assigns in one of the ways there are. */
export function assign(g: State): Statement | null {
  const chosen = target(g);
  if (chosen === null) return null;
  const { type, left } = chosen.type.lanes > 1 && g.random.chance(40) ? lanesOf(g, chosen.type, chosen.left) : chosen;
  const steps =
    !isFloat(type) && type.lanes === 1 && (!g.portable || type.scalar.kind === "unsigned" || type.scalar.bits < 32);
  return g.random
    .weighted([
      { weight: 60, make: () => statement`${left} = ${expression(g, type, depthOf(g))};` },
      { weight: 25, make: () => compound(g, type, left) },
      {
        weight: steps ? 10 : 0,
        make: () =>
          g.random.chance(50)
            ? statement`${left}${g.random.pick(["++", "--"])};`
            : statement`${g.random.pick(["++", "--"])}${left};`,
      },
      // An implicit conversion; of floats only where the value is in range.
      {
        weight: type.lanes === 1 ? 15 : 0,
        make: () => {
          const from = typeOf(
            g.random.pick(
              isFloat(type) ? ["int", "uchar", "float", "short"] : ["int", "uint", "char", "ushort", "long"],
            ),
          );
          return statement`${left} = ${expression(g, from, depthOf(g))};`;
        },
      },
    ])
    .make();
}

/** Stores lanes one after the other into an array of scalars. */
export function storeLanes(g: State): Statement | null {
  const arrays = g.scope.arrays.filter(({ assignable, type, count }) => assignable && type.lanes === 1 && count >= 2);
  if (arrays.length === 0) return null;
  const array = g.random.pick(arrays);
  const lanes = g.random.pick([2, 3, 4, 8].filter((count) => count <= array.count));
  const room = Math.floor(array.count / lanes);
  return statement`vstore${lanes.toString()}(${expression(g, withLanes(array.type, lanes), depthOf(g))}, ${room === 1 ? "0" : bounded(g, room, 2)}, ${array.text});`;
}

/** modf, fract and frexp write their second result through a pointer. */
export function secondResult(g: State): Statement {
  const type = typeOf(g.random.pick(["float", "double"]), g.random.pick([1, 1, 2, 4]));
  const value = wash(g, expression(g, type, 2));
  const [first, second] = [fresh(g, "v"), fresh(g, "v")];
  const power = g.random.chance(40);
  const other = power ? withScalar(type, "int") : type;
  g.scope.lvalues.push({ text: first, type, assignable: true }, { text: second, type: other, assignable: true });
  return statement`${other.name} ${second}; ${type.name} ${first} = ${power ? "frexp" : g.random.pick(["modf", "fract"])}(${value}, &${second});`;
}

/** Stirs a value into a variable that is written at the end. */
export function mix(g: State, text: string, value: Expression): Statement {
  const scalar =
    value.type.lanes === 1
      ? value
      : code(withLanes(value.type, 1))`(${value}).s${"0123456789abcdef"[g.random.below(value.type.lanes)] ?? "0"}`;
  return statement`${text} = ${text} * 33u ^ ${convert(g, UINT, scalar)};`;
}

/** Types of the same size. */
const PUNNED: readonly (readonly [ValueType, ValueType])[] = [
  [UINT, typeOf("uchar", 4)],
  [typeOf("float"), typeOf("short", 2)],
  [typeOf("ulong"), typeOf("ushort", 4)],
  [typeOf("int", 2), typeOf("char", 8)],
  [typeOf("double"), typeOf("uint", 2)],
];

/** Declares a union, whose bytes may be read as another member. */
export function punned(g: State): Statement {
  const [first, second] = g.random.pick(PUNNED);
  const name = fresh(g, "u");
  const made = statement`union { ${first.name} m; ${second.name} n; } ${name} = { ${wash(g, expression(g, first, 2))} };`;
  g.scope.lvalues.push(
    { text: `${name}.m`, type: first, assignable: !isFloat(first) },
    { text: `${name}.n`, type: second, assignable: true },
  );
  return made;
}

/** A block with names of its own, one of which may hide another. */
export function innerBlock(statements: Statement[]): Statement {
  return statement`{${block(statements)}}`;
}
