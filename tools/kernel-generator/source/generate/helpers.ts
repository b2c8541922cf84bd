// SPDX-License-Identifier: Apache-2.0
// Functions besides the kernel: their definitions and their calls.
import { type Block, type Expression, type Statement, block, code, statement } from "../tree.ts";
import { declare, declareAggregateVariable, declareArray, depthOf } from "./assignments.ts";
import type { MakeStatements } from "./control-flow.ts";
import { expression, someType } from "./expressions.ts";
import { type Helper, type Parameter, type State, declareAggregate, fresh } from "./state.ts";

function parameter(g: State): Parameter {
  const inputs = g.scope.arrays.filter(({ space }) => space === "global" || space === "constant");
  return g.random
    .weighted([
      { weight: 60, make: (): Parameter => ({ kind: "value", type: someType(g) }) },
      { weight: 20, make: (): Parameter => ({ kind: "pointer", type: someType(g) }) },
      { weight: 8, make: (): Parameter => ({ kind: "array", type: someType(g), count: 4, space: "private" }) },
      {
        weight: inputs.length > 0 ? 8 : 0,
        make: (): Parameter => {
          const { type, count, space } = g.random.pick(inputs);
          return { kind: "array", type, count, space };
        },
      },
      {
        weight: g.aggregates.length > 0 ? 15 : 0,
        make: (): Parameter => ({
          kind: "aggregate",
          aggregate: g.random.pick(g.aggregates),
          byPointer: g.random.chance(50),
        }),
      },
    ])
    .make();
}

/** Brings a parameter into scope and spells its declaration. */
function declareParameter(g: State, given: Parameter): string {
  const name = fresh(g, "x");
  switch (given.kind) {
    case "value":
      g.scope.lvalues.push({ text: name, type: given.type, assignable: true });
      return `${given.type.name} ${name}`;
    case "pointer":
      g.scope.lvalues.push({ text: `(*${name})`, type: given.type, assignable: true });
      return `${given.type.name}* ${name}`;
    case "array":
      g.scope.arrays.push({
        text: name,
        type: given.type,
        count: given.count,
        assignable: given.space === "private",
        space: given.space,
      });
      return given.space === "private"
        ? `${given.type.name}* ${name}`
        : `${given.space} const ${given.type.name}* ${name}`;
    default:
      declareAggregate(g, name, given.aggregate, given.byPointer ? "->" : ".");
      return `${given.aggregate.name}${given.byPointer ? "*" : ""} ${name}`;
  }
}

/** Defines a function; `inputs` are the arrays that its callers can pass. */
export function defineHelper(g: State, make: MakeStatements): Statement {
  const result = someType(g);
  const simple = g.random.chance(50);
  const parameters = Array.from({ length: 1 + g.random.below(3) }, (): Parameter =>
    simple ? { kind: "value", type: someType(g) } : parameter(g),
  );
  const name = fresh(g, "f");
  const kept = {
    lvalues: g.scope.lvalues.splice(0),
    arrays: g.scope.arrays.splice(0),
    aggregates: g.scope.aggregates.splice(0),
  };
  const tables = kept.arrays.filter(({ space }) => space === "constant");
  g.scope.arrays.push(...tables);
  g.inKernel = false;
  const declared = parameters.map((one) => declareParameter(g, one));
  const body: Block = block(make(g, { depth: 2, uniform: false, leaves: [], result, trips: 4 }, 1 + g.random.below(5)));
  body.statements.push(statement`return ${expression(g, result, 3)};`);
  g.inKernel = true;
  for (const [list, old] of [
    [g.scope.lvalues, kept.lvalues],
    [g.scope.arrays, kept.arrays],
    [g.scope.aggregates, kept.aggregates],
  ] as const)
    list.splice(0, list.length, ...(old as never[]));
  g.helpers.push({ name, result, parameters });
  const words = g.random.chance(20) ? "static inline " : "";
  return { kind: "statement", parts: [`${words}${result.name} ${name}(${declared.join(", ")}) {`, body, "}"] };
}

/** The argument for a parameter; `before` are declarations that it needs. */
function argument(g: State, given: Parameter, before: Statement[]): (string | Expression)[] {
  switch (given.kind) {
    case "value":
      return [expression(g, given.type, depthOf(g) - 1)];
    case "pointer": {
      if (!g.scope.lvalues.some(({ type, assignable }) => assignable && type === given.type))
        before.push(declare(g, given.type));
      return [
        `&${g.random.pick(g.scope.lvalues.filter(({ type, assignable }) => assignable && type === given.type)).text}`,
      ];
    }
    case "array": {
      const fits = (): typeof g.scope.arrays =>
        g.scope.arrays.filter(
          ({ type, count, space }) => type === given.type && count >= given.count && space === given.space,
        );
      if (fits().length === 0) before.push(declareArray(g, given.type, given.count));
      return [g.random.pick(fits()).text];
    }
    default: {
      if (!g.scope.aggregates.some(({ aggregate }) => aggregate === given.aggregate))
        before.push(declareAggregateVariable(g, given.aggregate));
      const { text } = g.random.pick(g.scope.aggregates.filter(({ aggregate }) => aggregate === given.aggregate));
      return [given.byPointer ? `&${text}` : text];
    }
  }
}

/** True when callers here can supply the function's arguments. */
function callable(g: State, { parameters }: Helper): boolean {
  return parameters.every(
    (given) =>
      given.kind !== "array" ||
      given.space === "private" ||
      g.scope.arrays.some(
        ({ type, count, space }) => type === given.type && count >= given.count && space === given.space,
      ),
  );
}

/** Calls a function of any parameters, and keeps its result. */
export function callHelper(g: State): Statement[] | null {
  const helpers = g.helpers.filter((helper) => callable(g, helper));
  if (helpers.length === 0) return null;
  const { name, result, parameters } = g.random.pick(helpers);
  const before: Statement[] = [];
  const given = parameters.map((one) => argument(g, one, before));
  const variable = fresh(g, "v");
  const call: Expression = {
    kind: "expression",
    type: result,
    parts: [`${name}(`, ...given.flatMap((one, i) => (i === 0 ? one : [", ", ...one])), ")"],
  };
  g.scope.lvalues.push({ text: variable, type: result, assignable: true });
  return [...before, statement`${result.name} ${variable} = ${code(result)`${call}`};`];
}
