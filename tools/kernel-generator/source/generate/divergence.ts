// SPDX-License-Identifier: Apache-2.0
// Statements with divergent control flow: overlapping masks, loops with several exits, backward jumps, and private
// arrays with divergent indices.
import { type Block, type Statement, block, code, statement } from "../tree.ts";
import { depthOf } from "./assignments.ts";
import { ownCondition } from "./bounds.ts";
import type { MakeStatements } from "./control-flow.ts";
import { bounded, condition, expression, someType } from "./expressions.ts";
import { type ArrayLvalue, type State, type Surroundings, fresh, scoped } from "./state.ts";
import { INT, UINT, type ValueType, withLanes } from "./types.ts";

/** A condition that diverges between neighbouring work-items, by their ids where the function has them. */
function divergentCondition(g: State): ReturnType<typeof condition> {
  return g.inKernel && g.random.chance(60) ? ownCondition(g) : condition(g, 2);
}

/**
 * Several conditions, one after the other and one within the other, that change the same variable: each for other
 * work-items.
 */
export function overlap(g: State, where: Surroundings, make: MakeStatements): Statement[] | null {
  const lvalues = g.scope.lvalues.filter(({ assignable, type }) => assignable && type.lanes <= 4);
  if (lvalues.length === 0) return null;
  const { text, type } = g.random.pick(lvalues);
  const change = (): Statement => statement`${text} = ${expression(g, type, depthOf(g))};`;
  const around: Surroundings = { ...where, uniform: false, depth: where.depth - 1 };
  const arm = (): Block => block([change(), ...(g.random.chance(30) ? scoped(g, () => make(g, around, 1)) : [])]);
  const one = (): Statement =>
    g.random
      .weighted([
        { weight: 40, make: () => statement`if (${divergentCondition(g)}) {${arm()}}` },
        {
          weight: 30,
          make: () =>
            statement`if (${divergentCondition(g)}) {${block([change(), statement`if (${divergentCondition(g)}) {${arm()}} else {${arm()}}`, change()])}}`,
        },
        {
          weight: 30,
          make: () =>
            statement`if (${divergentCondition(g)}) {${arm()}} else if (${divergentCondition(g)}) {${arm()}} else {${arm()}}`,
        },
      ])
      .make();
  return Array.from({ length: 2 + g.random.below(2) }, one);
}

/**
 * A loop that looks for something: it continues early in some iterations, and is left at two or three exits, each with
 * another value.
 */
export function search(g: State, where: Surroundings, make: MakeStatements): Statement[] {
  const [index, found, end] = [fresh(g, "i"), fresh(g, "v"), fresh(g, "L")];
  const type = someType(g);
  const trips = 3 + g.random.below(6);
  const jumps = g.random.chance(40);
  const around: Surroundings = {
    ...where,
    uniform: false,
    depth: where.depth - 1,
    trips: where.trips * trips,
    leaves: [
      ...where.leaves.filter((exit) => exit.startsWith("goto")),
      ...(jumps ? [`goto ${end}`] : []),
      "break",
      "continue",
    ],
  };
  const declared = statement`${type.name} ${found} = ${expression(g, type, 1)};`;
  g.scope.lvalues.push({ text: found, type, assignable: true });
  const bound = g.random.chance(50) ? code(INT)`${trips.toString()}` : code(INT)`(int)${bounded(g, trips + 1, 2)}`;
  const loop = scoped(g, () => {
    g.scope.lvalues.push({ text: index, type: INT, assignable: false });
    const exit = (way: string): Statement =>
      statement`if (${divergentCondition(g)}) { ${found} = ${expression(g, type, 2)}; ${way}; }`;
    const body = [
      ...(g.random.chance(60) ? [statement`if (${divergentCondition(g)}) continue;`] : []),
      exit("break"),
      ...make(g, around, 1 + g.random.below(2)),
      ...(g.random.chance(50) ? [exit("continue")] : []),
      ...(jumps ? [exit(`goto ${end}`)] : []),
      ...(where.result === "nothing" && g.random.chance(30) ? [statement`if (${divergentCondition(g)}) return;`] : []),
      ...(g.random.chance(50) ? [exit("break")] : []),
    ];
    return statement`for (int ${index} = 0; ${index} < ${bound}; ${index}++) {${block(body)}}`;
  });
  if (!jumps) return [declared, loop];
  return [
    declared,
    statement`{${block([loop, statement`${found} = ${expression(g, type, 2)};`])}}`,
    statement`${end}: ;`,
  ];
}

/** A loop of jumps back, which may be left in its middle. */
export function jumpBack(g: State, where: Surroundings, make: MakeStatements): Statement[] {
  const [head, end, count] = [fresh(g, "L"), fresh(g, "L"), fresh(g, "i")];
  const around: Surroundings = {
    ...where,
    uniform: false,
    depth: where.depth - 1,
    leaves: [`goto ${end}`],
    trips: where.trips * 4,
  };
  const made = scoped(g, () => {
    g.scope.lvalues.push({ text: count, type: INT, assignable: false });
    const body = block(scoped(g, () => make(g, around, 1 + g.random.below(3))));
    const more = block(scoped(g, () => make(g, around, 1)));
    const leaves = g.random.chance(50) ? statement`if (${divergentCondition(g)}) goto ${end};` : statement`;`;
    return statement`{ int ${count} = 0; ${head}: ; {${body}} if (++${count} < ${(2 + g.random.below(3)).toString()} && ${divergentCondition(g)}) goto ${head};${block([leaves])}if (++${count} < 4) {${more} goto ${head}; } }`;
  });
  return [made, statement`${end}: ;`];
}

/** Most elements of a private array that is filled by a loop. */
const SIZES = [4, 8, 16, 32] as const;

/** An index of each work-item's own. */
function ownIndex(g: State, { count }: ArrayLvalue): ReturnType<typeof expression> {
  const last = (count - 1).toString();
  return g.inKernel && g.random.chance(50)
    ? code(UINT)`((lid * ${(1 + g.random.below(3)).toString()}u + ${g.random.below(count).toString()}u) & ${last}u)`
    : code(UINT)`(${expression(g, UINT, 2)} & ${last}u)`;
}

/** One access to a private array, at divergent indices. */
function arrayStep(g: State, array: ArrayLvalue): Statement {
  const { text, type, count } = array;
  const [i, last] = [fresh(g, "i"), (count - 1).toString()];
  const trips = (2 + g.random.below(Math.min(count, 6))).toString();
  const within = (work: () => Statement): Statement =>
    scoped(g, () => {
      g.scope.lvalues.push({ text: i, type: INT, assignable: false });
      return work();
    });
  return g.random
    .weighted([
      { weight: 30, make: () => statement`${text}[${ownIndex(g, array)}] = ${expression(g, type, 2)};` },
      {
        weight: 25,
        make: () =>
          within(
            () =>
              statement`for (int ${i} = 0; ${i} < ${trips}; ${i}++) {${block([statement`if (${divergentCondition(g)}) ${text}[((uint)${i} + ${ownIndex(g, array)}) & ${last}u] = ${text}[${i} & ${last}];`, statement`else ${text}[${i} & ${last}] = ${expression(g, type, 2)};`])}}`,
          ),
      },
      {
        weight: 20,
        make: () => {
          const [x, y, kept] = [fresh(g, "x"), fresh(g, "y"), fresh(g, "t")];
          return statement`{ uint ${x} = ${ownIndex(g, array)}; uint ${y} = ${ownIndex(g, array)}; if (${divergentCondition(g)}) { ${type.name} ${kept} = ${text}[${x}]; ${text}[${x}] = ${text}[${y}]; ${text}[${y}] = ${kept}; } }`;
        },
      },
      // A pointer that goes along the array, as far as each work-item likes.
      {
        weight: 20,
        make: () =>
          within(() => {
            const p = fresh(g, "p");
            return statement`{ ${type.name}* ${p} = ${text}; for (int ${i} = 0; ${i} < ${Math.min(count, 6).toString()}; ${i}++) {${block([statement`if (${divergentCondition(g)}) break;`, statement`*${p}++ = ${expression(g, type, 2)};`])}} }`;
          }),
      },
      {
        weight: type.lanes === 1 ? 15 : 0,
        make: () => statement`vstore2(${expression(g, withLanes(type, 2), 2)}, ${bounded(g, count / 2, 2)}, ${text});`,
      },
    ])
    .make();
}

/** A private array that a loop fills, and the accesses that follow immediately. */
export function arrayOfOwn(
  g: State,
  type: ValueType = withLanes(someType(g), g.random.pick([1, 1, 1, 1, 2, 4])),
): Statement[] {
  const [name, i] = [fresh(g, "a"), fresh(g, "i")];
  const count = g.random.pick(type.lanes === 1 ? SIZES : [4, 8]);
  const array: ArrayLvalue = { text: name, type, count, assignable: true, space: "private" };
  const first = expression(g, type, 2);
  const made: Statement[] = [
    statement`${type.name} ${name}[${count.toString()}];`,
    statement`for (int ${i} = 0; ${i} < ${count.toString()}; ${i}++) ${name}[${i}] = ${first};`,
  ];
  g.scope.arrays.push(array);
  return [...made, ...Array.from({ length: 1 + g.random.below(3) }, () => arrayStep(g, array))];
}

/** More of the same with an array that is there already. */
export function arrayAgain(g: State): Statement | null {
  const arrays = g.scope.arrays.filter(
    ({ space, assignable, type }) => space === "private" && assignable && type.lanes <= 4,
  );
  return arrays.length === 0 ? null : arrayStep(g, g.random.pick(arrays));
}

/** The work-items beyond a border return, as kernels do whose NDRange is larger than their data. */
export function returnBeyond(g: State): Statement {
  const bound = Math.max(1, Math.floor((g.items * (50 + g.random.below(60))) / 100));
  return g.random.chance(70)
    ? statement`if (lin >= ${bound.toString()}u) return;`
    : statement`if (${ownCondition(g)}) return;`;
}
