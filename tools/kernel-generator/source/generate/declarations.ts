// SPDX-License-Identifier: Apache-2.0
// Declarations at program scope besides functions: structs, unions, macros, enumerations, tables in constant memory.
import { type Statement, statement } from "../tree.ts";
import { expression, someType } from "./expressions.ts";
import { literal } from "./literals.ts";
import { type Aggregate, type Field, type State, fresh } from "./state.ts";
import { INT, type ValueType, typeOf } from "./types.ts";

/**
 * Members of a union that all have the same size, so that reading one after writing another reads written bytes only.
 */
const UNIONS: readonly (readonly Field[])[] = [
  [
    { name: "a", type: typeOf("uint"), count: 1 },
    { name: "b", type: typeOf("uchar", 4), count: 1 },
    { name: "c", type: typeOf("short"), count: 2 },
  ],
  [
    { name: "a", type: typeOf("ulong"), count: 1 },
    { name: "b", type: typeOf("int", 2), count: 1 },
    { name: "c", type: typeOf("ushort"), count: 4 },
    { name: "d", type: typeOf("char", 8), count: 1 },
  ],
  [
    { name: "a", type: typeOf("int", 4), count: 1 },
    { name: "b", type: typeOf("long"), count: 2 },
    { name: "c", type: typeOf("float", 4), count: 1 },
  ],
];

function declare(aggregate: Aggregate, word: string, attribute = ""): Statement {
  const members = aggregate.fields
    .map(({ name, type, count }) => `${type.name} ${name}${count > 1 ? `[${count}]` : ""};`)
    .join(" ");
  return statement`typedef ${word}${attribute} { ${members} } ${aggregate.name};`;
}

/** Declares a struct or a union. */
export function declareType(g: State): Statement {
  if (g.random.chance(30)) {
    const union: Aggregate = { name: fresh(g, "U"), fields: g.random.pick(UNIONS) };
    g.aggregates.push(union);
    return declare(union, "union");
  }
  const fields = Array.from({ length: 1 + g.random.below(4) }, (_, i): Field => ({
    name: `m${i}`,
    type: someType(g),
    count: g.random.chance(20) ? g.random.pick([2, 4]) : 1,
  }));
  const struct: Aggregate = { name: fresh(g, "S"), fields };
  g.aggregates.push(struct);
  return declare(struct, "struct");
}

/** Defines a function-like macro of two operands that yields a uint; each is used once or twice. */
export function defineMacro(g: State): Statement {
  const name = fresh(g, "M");
  g.macros.push(name);
  const op = (): string => g.random.pick(["+", "^", "*", "|", "-"]);
  return statement`#define ${name}(a, b) ((uint)(a) ${op()} ((uint)(b) ${op()} ${g.random.below(50).toString()}u) ${op()} (uint)(${g.random.pick(["a", "b"])}))`;
}

/** Declares a table in constant memory. */
export function declareTable(g: State, type: ValueType = someType(g)): Statement {
  const name = fresh(g, "k");
  const count = g.random.pick([2, 4, 8]);
  const values = Array.from({ length: count }, (_, i) => [i === 0 ? "" : ", ", literal(g, type)]).flat();
  g.scope.arrays.push({ text: name, type, count, assignable: false, space: "constant" });
  return { kind: "statement", parts: [`constant ${type.name} ${name}[${count}] = {`, ...values, "};"] };
}

/** Declares an enumeration; its constants are ints. */
export function declareEnumeration(g: State): Statement {
  const [first, second] = [fresh(g, "E"), fresh(g, "E")];
  g.scope.lvalues.push({ text: first, type: INT, assignable: false }, { text: second, type: INT, assignable: false });
  // A constant expression of literals: the front end folds it, the others too.
  return statement`enum { ${first} = ${g.random.below(100).toString()} - 50, ${second} };`;
}

/** An unused variable keeps the table of expressions honest about types: sizeof never evaluates. */
export function sizeOfExpression(g: State, name: string): Statement {
  return statement`uint ${name} = (uint)sizeof(${expression(g, someType(g), 2)});`;
}
