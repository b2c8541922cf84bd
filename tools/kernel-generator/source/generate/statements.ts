// SPDX-License-Identifier: Apache-2.0
// Statements: a table of those allowed in a context, each row chosen in proportion to its weight.
import type { Statement } from "../tree.ts";
import {
  assign,
  copyAggregate,
  declare,
  declareAggregateVariable,
  declareArray,
  declarePointer,
  depthOf,
  innerBlock,
  mix,
  punned,
  secondResult,
  storeLanes,
} from "./assignments.ts";
import { branch, choose, irreducible, jump, leave, loop, mayLoop, returnEarly } from "./control-flow.ts";
import { expression, someType } from "./expressions.ts";
import { copyToLocal, countGlobally, countLocally, exchange, exchangeAlone, groupNumber } from "./group-statements.ts";
import { callHelper } from "./helpers.ts";
import { arrayAgain, arrayOfOwn, jumpBack, overlap, returnBeyond, search } from "./divergence.ts";
import { type State, type Surroundings, scoped } from "./state.ts";

interface Row {
  readonly weight: number;
  readonly fits: (where: Surroundings, g: State) => boolean;
  /** Null: nothing in scope allows it here. */
  readonly make: (g: State, where: Surroundings) => Statement | readonly Statement[] | null;
}

const always = (): boolean => true;
const deep = ({ depth }: Surroundings): boolean => depth > 0;

const ROWS: readonly Row[] = [
  { weight: 16, fits: always, make: (g) => declare(g) },
  { weight: 40, fits: always, make: assign },
  { weight: 5, fits: always, make: (g) => declareArray(g) },
  { weight: 5, fits: (_, g) => g.aggregates.length > 0, make: (g) => declareAggregateVariable(g) },
  { weight: 3, fits: always, make: copyAggregate },
  { weight: 5, fits: always, make: declarePointer },
  { weight: 3, fits: always, make: storeLanes },
  { weight: 2, fits: always, make: secondResult },
  { weight: 2, fits: always, make: punned },
  { weight: 6, fits: (_, g) => g.inKernel, make: (g) => mix(g, "h", expression(g, someType(g), depthOf(g))) },
  { weight: 6, fits: (_, g) => g.helpers.length > 0, make: callHelper },
  {
    weight: 3,
    fits: deep,
    make: (g, where) =>
      innerBlock(scoped(g, () => statements(g, { ...where, depth: where.depth - 1 }, 1 + g.random.below(3)))),
  },
  { weight: 14, fits: deep, make: (g, where) => branch(g, where, statements) },
  { weight: 14, fits: mayLoop, make: (g, where) => loop(g, where, statements) },
  { weight: 5, fits: deep, make: (g, where) => choose(g, where, statements) },
  { weight: 3, fits: deep, make: (g, where) => jump(g, where, statements) },
  {
    weight: 3,
    fits: (where, g) => !g.portable && mayLoop(where),
    make: (g, where) => irreducible(g, where, statements),
  },
  { weight: 6, fits: ({ leaves, uniform }) => leaves.length > 0 && !uniform, make: leave },
  { weight: 3, fits: ({ result }) => result !== null, make: returnEarly },
  { weight: 8, fits: deep, make: (g, where) => overlap(g, where, statements) },
  { weight: 7, fits: mayLoop, make: (g, where) => search(g, where, statements) },
  { weight: 4, fits: mayLoop, make: (g, where) => jumpBack(g, where, statements) },
  { weight: 7, fits: mayLoop, make: (g) => arrayOfOwn(g) },
  { weight: 6, fits: mayLoop, make: arrayAgain },
  { weight: 3, fits: ({ result }, g) => result === "nothing" && g.inKernel, make: returnBeyond },
  { weight: 16, fits: ({ uniform }, g) => uniform && g.inKernel, make: exchange },
  { weight: 6, fits: ({ uniform }, g) => uniform && g.inKernel, make: countLocally },
  { weight: 3, fits: ({ uniform }, g) => uniform && g.inKernel, make: copyToLocal },
  { weight: 4, fits: (_, g) => g.inKernel, make: countGlobally },
  { weight: 4, fits: (_, g) => g.inKernel, make: exchangeAlone },
  { weight: 1, fits: (_, g) => g.inKernel, make: groupNumber },
];

/** Generates that many statements for the context; their declarations stay in scope. */
export function statements(g: State, where: Surroundings, count: number): Statement[] {
  const made: Statement[] = [];
  for (let i = 0; i < count; i++) {
    const next = g.random.weighted(ROWS.filter(({ fits }) => fits(where, g))).make(g, where);
    if (next !== null) made.push(...("kind" in next ? [next] : next));
  }
  return made;
}
