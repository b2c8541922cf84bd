// SPDX-License-Identifier: Apache-2.0
// Statements that decide what runs: branches, loops with bounded trips, switches, jumps.
import { type Block, type Statement, block, code, statement } from "../tree.ts";
import { uniformCondition } from "./bounds.ts";
import { bounded, condition, expression } from "./expressions.ts";
import { type State, type Surroundings, fresh, scoped } from "./state.ts";
import { INT, typeOf } from "./types.ts";

/** Makes so many statements. */
export type MakeStatements = (g: State, where: Surroundings, count: number) => Statement[];

const MOST_TRIPS = 24;

function inner(g: State, where: Surroundings, make: MakeStatements, most = 4): Block {
  return block(scoped(g, () => make(g, { ...where, depth: where.depth - 1 }, 1 + g.random.below(most))));
}

/** if, with else or without. */
export function branch(g: State, where: Surroundings, make: MakeStatements): Statement {
  const uniform = where.uniform && g.random.chance(40);
  const around = { ...where, uniform };
  const test = uniform ? uniformCondition(g) : condition(g, 3);
  const [yes, no] = [inner(g, around, make), g.random.chance(45) ? inner(g, around, make) : null];
  return no === null ? statement`if (${test}) {${yes}}` : statement`if (${test}) {${yes}} else {${no}}`;
}

/** A loop whose trips all items of the group share, so that it may contain barriers. */
function uniformLoop(g: State, where: Surroundings, make: MakeStatements): Statement {
  const name = fresh(g, "i");
  const trips = 2 + g.random.below(3);
  const bound = g.random.chance(50)
    ? `${trips}`
    : `(int)((${g.random.pick(g.uniforms)} & ${g.random.pick(["1", "3"])}u) + 1u)`;
  return scoped(g, () => {
    g.scope.lvalues.push({ text: name, type: INT, assignable: false });
    g.uniforms.push(`(uint)${name}`);
    const body = make(
      g,
      { ...where, depth: where.depth - 1, leaves: [], trips: where.trips * 4, result: g.returns ? where.result : null },
      1 + g.random.below(4),
    );
    const exit = g.random.chance(25)
      ? [statement`if (${uniformCondition(g)}) ${g.random.pick(["break", "continue"])};`]
      : [];
    g.uniforms.pop();
    return statement`for (int ${name} = 0; ${name} < ${bound}; ++${name}) {${block(g.random.chance(50) ? [...body, ...exit] : [...exit, ...body])}}`;
  });
}

/** for, while or do. */
export function loop(g: State, where: Surroundings, make: MakeStatements): Statement[] {
  if (where.uniform && g.random.chance(60)) return [uniformLoop(g, where, make)];
  const trips = 1 + g.random.below(6);
  const name = fresh(g, "i");
  const label = fresh(g, "L");
  const jumps = g.random.chance(15);
  const around: Surroundings = {
    ...where,
    uniform: false,
    leaves: [
      ...(jumps ? [`goto ${label}`] : where.leaves.filter((exit) => exit.startsWith("goto"))),
      "break",
      "continue",
    ],
    trips: where.trips * trips,
  };
  const bound = g.random.chance(50) ? code(INT)`${trips.toString()}` : code(INT)`(int)${bounded(g, trips + 1, 2)}`;
  const made = scoped(g, () => {
    g.scope.lvalues.push({ text: name, type: INT, assignable: false });
    const body = inner(g, around, make, 5);
    const extra = g.random.chance(30) ? condition(g, 2) : null;
    const also = extra === null ? [] : [" && ", extra];
    return g.random
      .weighted([
        {
          weight: 60,
          make: () => ({
            kind: "statement" as const,
            parts: g.random.chance(70)
              ? [`for (int ${name} = 0; ${name} < `, bound, ...also, `; ${name}++) {`, body, "}"]
              : [
                  `for (int ${name} = `,
                  bound,
                  `; ${name} > 0`,
                  ...also,
                  `; ${name} -= ${1 + g.random.below(2)}) {`,
                  body,
                  "}",
                ],
          }),
        },
        {
          weight: 20,
          make: () => ({
            kind: "statement" as const,
            parts: [`{ int ${name} = `, bound, `; while (${name}-- > 0`, ...also, ") {", body, "} }"],
          }),
        },
        {
          weight: 20,
          make: () => ({
            kind: "statement" as const,
            parts: [`{ int ${name} = `, bound, "; do {", body, `} while (--${name} > 0`, ...also, "); }"],
          }),
        },
      ])
      .make();
  });
  return jumps ? [made, statement`${label}: ;`] : [made];
}

/** switch, with fall-through and the default anywhere. */
export function choose(g: State, where: Surroundings, make: MakeStatements): Statement {
  const type = typeOf(g.random.pick(["int", "uint", "uchar", "long", "short"]));
  const count = 1 + g.random.below(5);
  const values = Array.from({ length: count }, (_, i) => (g.random.chance(80) ? i : i * 1000 - 3));
  const unsigned = type.scalar.kind === "unsigned";
  const cases = [
    ...new Set(values.map((value) => (type.scalar.bits === 8 ? value & 255 : unsigned ? Math.abs(value) : value))),
  ].map((value) => `case ${value}:`);
  if (g.random.chance(75)) cases.splice(g.random.below(cases.length + 1), 0, "default:");
  const around: Surroundings = {
    ...where,
    uniform: false,
    leaves: [...where.leaves.filter((exit) => exit !== "break"), "break"],
  };
  const parts = cases.flatMap((label) => {
    const doubled = g.random.chance(15);
    return [
      statement`${label}`,
      ...(doubled ? [] : [statement`{${inner(g, around, make, 3)}}`]),
      ...(g.random.chance(65) ? [statement`break;`] : []),
    ];
  });
  // A label needs a statement after it.
  return statement`switch (${g.random.chance(70) ? code(type)`(${type.name})(${expression(g, type, 2)} & 7)` : expression(g, type, 2)}) {${block([...parts, statement`;`])}}`;
}

/** A jump forward over some statements. */
export function jump(g: State, where: Surroundings, make: MakeStatements): Statement[] {
  const label = fresh(g, "L");
  const around: Surroundings = { ...where, uniform: false, leaves: [...where.leaves, `goto ${label}`] };
  return [statement`{ if (${condition(g, 2)}) goto ${label};${inner(g, around, make)}}`, statement`${label}: ;`];
}

/** A loop with two entries, and bounded trips: no structured statement makes it. */
export function irreducible(g: State, where: Surroundings, make: MakeStatements): Statement {
  const [head, middle, end, count] = [fresh(g, "L"), fresh(g, "L"), fresh(g, "L"), fresh(g, "i")];
  const around: Surroundings = { ...where, uniform: false, leaves: [`goto ${end}`], trips: where.trips * 4 };
  return scoped(g, () => {
    g.scope.lvalues.push({ text: count, type: INT, assignable: false });
    const test = condition(g, 2);
    const [first, second] = [inner(g, around, make, 3), inner(g, around, make, 3)];
    return statement`{ int ${count} = 0; if (${test}) goto ${middle}; ${head}: {${first}} if (++${count} > 3) goto ${end}; ${middle}: {${second}} if (++${count} < 4) goto ${head}; ${end}: ; }`;
  });
}

/** Leaves the enclosing statement, under a condition. */
export function leave(g: State, where: Surroundings): Statement | null {
  if (where.uniform || where.leaves.length === 0) return null;
  return statement`if (${condition(g, 2)}) ${g.random.pick(where.leaves)};`;
}

/** Returns early, under a condition. */
export function returnEarly(g: State, where: Surroundings): Statement | null {
  if (where.result === null) return null;
  return where.result === "nothing"
    ? statement`if (${condition(g, 2)}) return;`
    : statement`if (${condition(g, 2)}) return ${expression(g, where.result, 2)};`;
}

/** True while another loop does not make the program slow. */
export function mayLoop(where: Surroundings): boolean {
  return where.depth > 0 && where.trips < MOST_TRIPS;
}
