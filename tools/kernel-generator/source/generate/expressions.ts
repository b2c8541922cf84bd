// SPDX-License-Identifier: Apache-2.0
// Random expressions of a requested type. Every expression's static type is exactly its node's.
//
// Top-down generation from a weighted grammar, as in Csmith (Yang et al. 2011) and CLsmith (Lidbury et al. 2015): each
// row of a table has a weight, a predicate on the types that it can produce, and a function that makes the expression
// with smaller ones as operands. `expression` picks one of the applicable rows at random.
//
// In portable programs no expression is undefined: arithmetic that could overflow is done on unsigned types, and
// divisors are from 1 to 16. The others may do what Muxkit defines and the specification does not.
//
// `depth` bounds the nesting; at 0 only variables and literals remain, so generation terminates.
import { type Expression, code } from "../tree.ts";
import { borderCondition, uniformCondition } from "./bounds.ts";
import { builtinCall } from "./builtin-calls.ts";
import { convert, convertSpecially, fromComparison, wash } from "./convert.ts";
import { literal, small } from "./literals.ts";
import { elementOf, readLvalue } from "./lvalues.ts";
import type { MakeExpression, State } from "./state.ts";
import {
  ALL_TYPES,
  INT,
  LANES,
  type ScalarName,
  UINT,
  type ValueType,
  comparisonType,
  intOf,
  isFloat,
  promoted,
  sizeOf,
  typeOf,
  unsignedOf,
  usual,
  withLanes,
  withScalar,
} from "./types.ts";
import { compose, swizzled } from "./vector-expressions.ts";

interface Row {
  readonly weight: number;
  readonly gives: (type: ValueType, g: State) => boolean;
  readonly make: MakeExpression;
}

const WHOLE: readonly ScalarName[] = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"];

const isScalar = ({ lanes }: ValueType): boolean => lanes === 1;
const isVector = ({ lanes }: ValueType): boolean => lanes > 1;
const isWhole = (type: ValueType): boolean => !isFloat(type);

/** A scalar type for an operand: mostly the wanted one. */
function operandType(g: State, type: ValueType, floats: boolean): ValueType {
  if (g.random.chance(55)) return type;
  return typeOf(g.random.pick(floats && g.random.chance(50) ? (["float", "double"] as const) : WHOLE));
}

/** The expression with a cast when its static type is not the wanted one. */
function exactly(g: State, wanted: ValueType, given: ValueType, value: Expression): Expression {
  return wanted === given ? value : isFloat(given) ? convert(g, wanted, value) : code(wanted)`(${wanted.name})${value}`;
}

/** A divisor that no implementation chokes on: from 1 to 16. */
function divisor(value: Expression): Expression {
  const { type } = value;
  return isFloat(type) ? value : code(type)`(${type.name})(((${value}) & ${small(type, 15)}) + ${small(type, 1)})`;
}

/** True when the sum, difference or product of such scalars can leave the range of a signed type. */
function overflows(op: string, left: ValueType, right: ValueType): boolean {
  const result = usual(left, right);
  if (result.scalar.kind !== "signed") return false;
  return (
    left.scalar.bits >= 32 ||
    right.scalar.bits >= 32 ||
    (op === "*" && left.scalar.name === "ushort" && right.scalar.name === "ushort")
  );
}

const arithmetic: MakeExpression = (g, type, depth) => {
  const op = g.random.pick(isFloat(type) ? ["+", "-", "*", "/"] : ["+", "-", "*", "+", "-", "*", "/", "%"]);
  if (isVector(type)) return vectorArithmetic(g, type, depth, op);
  const [a, b] = [operandType(g, type, isFloat(type)), operandType(g, type, isFloat(type))];
  const result = usual(a, b);
  const left = expression(g, a, depth - 1);
  const plainRight = expression(g, b, depth - 1);
  const right = g.portable && "/%".includes(op) ? divisor(plainRight) : plainRight;
  if (g.portable && "+-*".includes(op) && overflows(op, a, b)) {
    const wide = unsignedOf(result);
    return code(type)`(${type.name})((${wide.name})${left} ${op} (${wide.name})${right})`;
  }
  return exactly(g, type, result, code(result)`(${left} ${op} ${right})`);
};

function asUnsigned(value: Expression): Expression {
  const type = unsignedOf(value.type);
  return code(type)`as_${type.name}(${value})`;
}

const vectorArithmetic = (g: State, type: ValueType, depth: number, op: string): Expression => {
  const scalar = withLanes(type, 1);
  const [left, plainRight] = g.random
    .weighted([
      { weight: 70, types: [type, type] },
      { weight: 15, types: [scalar, type] },
      { weight: 15, types: [type, scalar] },
    ])
    .types.map((of) => expression(g, of, depth - 1)) as [Expression, Expression];
  const right = g.portable && "/%".includes(op) ? divisor(plainRight) : plainRight;
  if (g.portable && "+-*".includes(op) && type.scalar.kind === "signed") {
    const wide = unsignedOf(type);
    return code(type)`as_${type.name}(${code(wide)`(${asUnsigned(left)} ${op} ${asUnsigned(right)})`})`;
  }
  return code(type)`(${left} ${op} ${right})`;
};

const bitwise: MakeExpression = (g, type, depth) => {
  const op = g.random.pick(["&", "|", "^"]);
  if (isVector(type))
    return code(
      type,
    )`(${expression(g, type, depth - 1)} ${op} ${expression(g, g.random.chance(80) ? type : withLanes(type, 1), depth - 1)})`;
  const [a, b] = [operandType(g, type, false), operandType(g, type, false)];
  const result = usual(a, b);
  return exactly(g, type, result, code(result)`(${expression(g, a, depth - 1)} ${op} ${expression(g, b, depth - 1)})`);
};

const shift: MakeExpression = (g, type, depth) => {
  const op = g.random.pick(["<<", ">>"]);
  if (isVector(type))
    return code(
      type,
    )`(${expression(g, type, depth - 1)} ${op} ${expression(g, g.random.chance(70) ? type : withLanes(type, 1), depth - 1)})`;
  const a = operandType(g, type, false);
  return exactly(
    g,
    type,
    promoted(a),
    code(promoted(a))`(${expression(g, a, depth - 1)} ${op} ${expression(g, typeOf(g.random.pick(WHOLE)), depth - 1)})`,
  );
};

const unary: MakeExpression = (g, type, depth) => {
  const op = isFloat(type) ? "-" : g.random.pick(["-", "~", "+"]);
  const value = expression(g, type, depth - 1);
  const result = isScalar(type) ? promoted(type) : type;
  if (g.portable && op === "-" && type.scalar.kind === "signed" && (isVector(type) || type.scalar.bits >= 32)) {
    const wide = unsignedOf(type);
    return isVector(type)
      ? code(type)`as_${type.name}(-as_${wide.name}(${value}))`
      : code(type)`(${type.name})(-(${wide.name})${value})`;
  }
  return exactly(g, type, result, code(result)`(${op}${value})`);
};

/** The type whose comparison comes closest to the wanted type. */
function comparedType(g: State, type: ValueType): ValueType {
  if (isScalar(type)) return typeOf(g.random.pick([...WHOLE, "float", "double"]));
  const { bits } = type.scalar;
  const signs = [intOf(bits, "signed"), intOf(bits, "unsigned")];
  return withScalar(
    type,
    g.random.pick(bits === 32 ? [...signs, "float"] : bits === 64 ? [...signs, "double"] : signs),
  );
}

const comparison: MakeExpression = (g, type, depth) => {
  const compared = comparedType(g, type);
  const other = isScalar(type) ? operandType(g, compared, true) : compared;
  const op = g.random.pick(["<", "<=", ">", ">=", "==", "!="]);
  return fromComparison(
    g,
    type,
    compared,
    (given) => code(given)`(${expression(g, compared, depth - 1)} ${op} ${expression(g, other, depth - 1)})`,
  );
};

const logical: MakeExpression = (g, type, depth) => {
  if (isScalar(type))
    return exactly(
      g,
      type,
      INT,
      g.random.chance(30)
        ? code(INT)`(!${condition(g, depth - 1)})`
        : code(INT)`(${condition(g, depth - 1)} ${g.random.pick(["&&", "||"])} ${condition(g, depth - 1)})`,
    );
  const of = withScalar(type, intOf(type.scalar.bits, g.random.pick(["signed", "unsigned"])));
  return fromComparison(g, type, of, (given) =>
    g.random.chance(30)
      ? code(given)`(!${expression(g, of, depth - 1)})`
      : code(given)`(${expression(g, of, depth - 1)} ${g.random.pick(["&&", "||"])} ${expression(g, of, depth - 1)})`,
  );
};

const ternary: MakeExpression = (g, type, depth) => {
  const [yes, no] = [expression(g, type, depth - 1), expression(g, type, depth - 1)];
  const result = isScalar(type) ? promoted(type) : type;
  if (isVector(type) && g.random.chance(60))
    return code(type)`(${expression(g, comparisonType(type), depth - 1)} ? ${yes} : ${no})`;
  return exactly(g, type, result, code(result)`(${condition(g, depth - 1)} ? ${yes} : ${no})`);
};

const conversion: MakeExpression = (g, type, depth) => {
  const from = withLanes(typeOf(g.random.pick([...WHOLE, "float", "double"])), type.lanes);
  const value = expression(g, from, depth - 1);
  return g.random.chance(50) ? convert(g, type, value) : convertSpecially(g, type, value);
};

const reinterpretation: MakeExpression = (g, type, depth) => {
  const same = ALL_TYPES.filter((of) => (of.lanes === 3) === (type.lanes === 3) && sizeOf(of) === sizeOf(type));
  return code(type)`as_${type.name}(${wash(g, expression(g, g.random.pick(same), depth - 1))})`;
};

/** For dimensions beyond the launch's, PoCL and Oclgrind return 0 even where the specification requires 1. */
const workItem: MakeExpression = (g, type) => {
  const name = g.random.pick([
    "get_global_id",
    "get_local_id",
    "get_group_id",
    "get_local_size",
    "get_num_groups",
    "get_global_size",
    "get_global_offset",
  ]);
  return g.random.chance(8)
    ? code(type)`(${type.name})get_work_dim()`
    : code(type)`(${type.name})${name}(${!g.portable && g.random.chance(10) ? "3" : g.random.below(3).toString()})`;
};

const call: MakeExpression = (g, type, depth) => {
  const fitting = g.helpers.filter(
    ({ result, parameters }) => result === type && parameters.every(({ kind }) => kind === "value"),
  );
  const { name, parameters } = g.random.pick(fitting);
  const operands = parameters.flatMap((parameter) =>
    parameter.kind === "value" ? [expression(g, parameter.type, depth - 1)] : [],
  );
  return {
    kind: "expression",
    type,
    parts: [`${name}(`, ...operands.flatMap((one, i) => (i === 0 ? [one] : [", ", one])), ")"],
  };
};

const ROWS: readonly Row[] = [
  { weight: 8, gives: () => true, make: literal },
  { weight: 30, gives: () => true, make: (g, type) => leaf(g, type) },
  { weight: 28, gives: () => true, make: arithmetic },
  { weight: 10, gives: isWhole, make: bitwise },
  { weight: 9, gives: isWhole, make: shift },
  { weight: 6, gives: () => true, make: unary },
  { weight: 8, gives: isWhole, make: comparison },
  { weight: 4, gives: isWhole, make: logical },
  { weight: 7, gives: () => true, make: ternary },
  { weight: 8, gives: () => true, make: conversion },
  { weight: 5, gives: () => true, make: reinterpretation },
  { weight: 16, gives: () => true, make: builtinCall((g, type, depth) => expression(g, type, depth)) },
  { weight: 14, gives: isVector, make: (g, type, depth) => compose(g, type, depth, expression) },
  { weight: 8, gives: () => true, make: (g, type, depth) => swizzled(g, type, depth, expression) },
  { weight: 6, gives: (type, g) => isScalar(type) && isWhole(type) && g.inKernel, make: workItem },
  {
    weight: 10,
    gives: (type, g) =>
      g.helpers.some(({ result, parameters }) => result === type && parameters.every(({ kind }) => kind === "value")),
    make: call,
  },
  { weight: 10, gives: () => true, make: (g, type, depth) => elementOf(g, type, depth, expression) ?? leaf(g, type) },
  {
    weight: 2,
    gives: (type) => type === UINT,
    make: (g) => code(UINT)`(uint)sizeof(${g.random.pick(ALL_TYPES).name})`,
  },
  {
    weight: 4,
    gives: (type, g) => type === UINT && g.macros.length > 0,
    make: (g, _, depth) =>
      code(
        UINT,
      )`${g.random.pick(g.macros)}(${expression(g, typeOf(g.random.pick(WHOLE)), depth - 1)}, ${expression(g, typeOf(g.random.pick(WHOLE)), depth - 1)})`,
  },
  {
    weight: 1,
    gives: (type) => type.scalar.bits >= 32 || isVector(type),
    make: (g, type, depth) => code(type)`(${expression(g, INT, depth - 2)}, ${expression(g, type, depth - 1)})`,
  },
];

/** A variable of the type, or one that is converted to it, or a literal. */
const leaf = (g: State, type: ValueType): Expression => {
  const lvalue = readLvalue(g, type);
  if (lvalue !== null) return lvalue;
  const others = g.scope.lvalues.filter(({ type: { lanes } }) => lanes === type.lanes);
  if (others.length > 0 && g.random.chance(75)) {
    const { text, type: from } = g.random.pick(others);
    return convert(g, type, code(from)`${text}`);
  }
  return g.random.chance(40) && isVector(type)
    ? code(type)`(${type.name})(${leaf(g, withLanes(type, 1))})`
    : literal(g, type);
};

/** An expression of a type, nested at most `depth` deep. */
export function expression(g: State, type: ValueType, depth: number): Expression {
  if (depth <= 0) return g.random.chance(75) ? leaf(g, type) : literal(g, type);
  return g.random.weighted(ROWS.filter(({ gives }) => gives(type, g))).make(g, type, depth);
}

/** A scalar int used as a condition; both outcomes are frequent. */
export function condition(g: State, depth: number): Expression {
  const of = typeOf(g.random.pick([...WHOLE, "float"]));
  return g.random
    .weighted([
      {
        weight: 50,
        make: () =>
          code(
            INT,
          )`(${expression(g, of, depth - 1)} ${g.random.pick(["<", "<=", ">", ">=", "==", "!="])} ${expression(g, of, depth - 1)})`,
      },
      {
        weight: 35,
        make: () => code(INT)`((${expression(g, INT, depth - 1)} & ${g.random.pick(["1", "2", "3", "5", "4"])}) != 0)`,
      },
      { weight: 15, make: () => expression(g, INT, depth - 1) },
      { weight: g.inKernel ? 12 : 0, make: () => borderCondition(g) },
      {
        weight: depth > 0 ? 8 : 0,
        make: () => {
          const [varying, shared] = [condition(g, depth - 1), code(INT)`(${uniformCondition(g)})`];
          const op = g.random.pick(["&&", "||"]);
          return g.random.chance(50)
            ? code(INT)`(${varying} ${op} ${shared})`
            : code(INT)`(${shared} ${op} ${varying})`;
        },
      },
    ])
    .make();
}

/** A number below `bound` from 1 to 16, of type uint. */
export function bounded(g: State, bound: number, depth: number): Expression {
  return Number.isInteger(Math.log2(bound))
    ? code(UINT)`(${expression(g, UINT, depth)} & ${(bound - 1).toString()}u)`
    : code(UINT)`(${expression(g, UINT, depth)} % ${bound.toString()}u)`;
}

/** Any type, scalars of 32 bits most often. */
export function someType(g: State): ValueType {
  const scalar = g.random.weighted([
    { weight: 40, names: ["int", "uint"] },
    { weight: 30, names: ["char", "uchar", "short", "ushort"] },
    { weight: 15, names: ["long", "ulong"] },
    { weight: 20, names: ["float", "float", "double"] },
  ] as const).names;
  return typeOf(g.random.pick<ScalarName>(scalar), g.random.chance(55) ? 1 : g.random.pick(LANES));
}
