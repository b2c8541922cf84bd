// SPDX-License-Identifier: Apache-2.0
// Built-ins of clang on vectors (its "Language Extensions", "Vector Builtins"): `__builtin_reduce_add(v)` and its kin
// make one number of the components, `__builtin_elementwise_max(a, b)` and its kin are functions of the language under
// other names, for operands of one type.
import { I32, Op, type Value, constantInt } from "@muxkit/ir";

import { type NamedBuiltin, callByName, refuseTypes, retyped, valueOfNode } from "./compiler-builtin.ts";
import { elementOf, lanesOf } from "./ctype.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

/** The components of a vector. */
function componentsOf(unit: Unit, { type, value }: Operand): readonly Operand[] {
  const element = elementOf(type);
  return Array.from({ length: lanesOf(type) }, (_, i) =>
    valueOf(element, unit.op(Op.EXTRACT, element.ir, value, constantInt(I32, i))),
  );
}

/** Reductions of ints by an op. */
const REDUCTIONS: Readonly<Record<string, number>> = {
  add: Op.ADD,
  mul: Op.MUL,
  and: Op.AND,
  or: Op.OR,
  xor: Op.XOR,
};

function reduction(name: string, op: number): NamedBuiltin {
  const full = `__builtin_reduce_${name}`;
  return [
    full,
    {
      count: 1,
      write: (unit, node, first) => {
        const vector = valueOfNode(unit, first);
        const element = elementOf(vector.type);
        if (vector.type.kind !== "vector" || element.kind !== "int") return refuseTypes(unit, full, [vector], node);
        unit.locate(node.span);
        const values = componentsOf(unit, vector).map(({ value }) => value);
        return valueOf(
          element,
          values.reduce((left: Value, right) => unit.op(op, element.ir, left, right)),
        );
      },
    },
  ];
}

/** The least or the greatest component. */
function extreme(name: "min" | "max"): NamedBuiltin {
  const full = `__builtin_reduce_${name}`;
  return [
    full,
    {
      count: 1,
      write: (unit, node, first) => {
        const vector = valueOfNode(unit, first);
        if (vector.type.kind !== "vector") return refuseTypes(unit, full, [vector], node);
        unit.locate(node.span);
        const called = elementOf(vector.type).kind === "float" ? `f${name}` : name;
        return componentsOf(unit, vector).reduce((left, right) => callByName(unit, called, [left, right], node));
      },
    },
  ];
}

/** What a function of components is called in the language: for ints, for floats; null: it takes none. */
type Elementwise = readonly [name: string, count: number, ofInts: string | null, ofFloats: string | null];

const OF_BOTH: readonly Elementwise[] = [
  ["abs", 1, "abs", "fabs"],
  ["max", 2, "max", "fmax"],
  ["min", 2, "min", "fmin"],
  ["add_sat", 2, "add_sat", null],
  ["sub_sat", 2, "sub_sat", null],
  ["popcount", 1, "popcount", null],
  ["roundeven", 1, null, "rint"],
  ["nearbyint", 1, null, "rint"],
];

/** Functions of floats that have the same name in the language, by how many arguments they take. */
const OF_FLOATS: readonly (readonly [count: number, names: string])[] = [
  [1, "ceil floor trunc rint round sqrt exp exp2 exp10 log log2 log10"],
  [1, "sin cos tan asin acos atan sinh cosh tanh"],
  [2, "pow fmod copysign atan2"],
  [3, "fma"],
];

const ELEMENTWISE: readonly Elementwise[] = [
  ...OF_BOTH,
  ...OF_FLOATS.flatMap(([count, names]) => names.split(" ").map((name): Elementwise => [name, count, null, name])),
];

function elementwise([name, count, ofInts, ofFloats]: Elementwise): NamedBuiltin {
  const full = `__builtin_elementwise_${name}`;
  return [
    full,
    {
      count,
      write: (unit, node, first) => {
        const given = node.arguments.map((argument) => valueOfNode(unit, argument));
        const { type } = given[0] ?? valueOfNode(unit, first);
        const { kind, isSigned } = elementOf(type);
        const called = kind === "int" ? ofInts : kind === "float" ? ofFloats : null;
        // Clang has an absolute value of signed numbers only.
        if (called === null || (called === "abs" && !isSigned) || given.some((one) => one.type !== type))
          return refuseTypes(unit, full, given, node);
        unit.locate(node.span);
        return retyped(callByName(unit, called, given, node), type);
      },
    },
  ];
}

/** All of them. */
export const VECTOR_BUILTINS: readonly NamedBuiltin[] = [
  ...Object.entries(REDUCTIONS).map(([name, op]) => reduction(name, op)),
  extreme("min"),
  extreme("max"),
  ...ELEMENTWISE.map(elementwise),
];
