// SPDX-License-Identifier: Apache-2.0
// What kernels do at the borders of their NDRange: conditions on ids, indices that are clamped, conditions that all
// items of a group share.
import { type Expression, code } from "../tree.ts";
import type { State } from "./state.ts";
import { INT, UINT } from "./types.ts";

const COMPARISONS = ["<", "<=", ">", ">=", "==", "!="] as const;

/** An int that all items of a group agree on, as a condition. */
export function uniformCondition(g: State): string {
  const value = g.random.pick(g.uniforms);
  return (
    `((${value} ${g.random.pick(["+", "^", "-"])} ${g.random.below(4).toString()}u) & ` +
    `${g.random.pick(["1u", "2u", "3u"])}) ${g.random.pick(["!=", "==", ">"])} ` +
    `${g.random.below(2).toString()}u`
  );
}

/** A condition on the position of a work-item; only in kernels. */
export function borderCondition({ random }: State): Expression {
  const compare = random.pick(COMPARISONS);
  const number = random.below(random.chance(50) ? 4 : 40).toString();
  return code(INT)`${
    random.weighted([
      { weight: 30, text: `(lid ${compare} ${number}u)` },
      { weight: 20, text: `((int)get_local_id(0) - ${number} ${compare} 0)` },
      { weight: 20, text: "(get_global_id(0) + 1 < get_global_size(0))" },
      { weight: 15, text: `(${number} ${compare} (int)get_global_id(0))` },
      { weight: 15, text: `((int)(lid * 3u) ${compare} ${number})` },
    ]).text
  }`;
}

/** An index near that of the item, kept below `count`, a power of two; only in kernels. */
export function nearIndex({ random }: State, count: number): Expression {
  const [last, step] = [(count - 1).toString(), (1 + random.below(3)).toString()];
  return code(UINT)`${
    random.weighted([
      { weight: 20, text: `(lid & ${last}u)` },
      { weight: 15, text: `((lin * ${step}u) & ${last}u)` },
      { weight: 10, text: `((lsize - 1u - lid) & ${last}u)` },
      { weight: 20, text: `min((uint)get_global_id(0) + ${step}u, ${last}u)` },
      { weight: 20, text: `(uint)clamp((int)lid - ${step}, 0, ${last})` },
      { weight: 15, text: `(uint)max(0, min((int)lin, ${last}))` },
    ]).text
  }`;
}

/**
 * A condition on a work-item's number that neighbours answer differently, in patterns that overlap each other's; only
 * in kernels.
 */
export function ownCondition({ random }: State): Expression {
  const number = random.below(8);
  return code(INT)`${
    random.weighted([
      {
        weight: 25,
        text: `((lid & ${(1 + random.below(7)).toString()}u) ${random.pick(["==", "!="])} ${(number & 3).toString()}u)`,
      },
      { weight: 20, text: `(lid % 3u == ${(number % 3).toString()}u)` },
      { weight: 20, text: `(lid ${random.pick(COMPARISONS)} ${(number * 2).toString()}u)` },
      { weight: 15, text: `(lin % 5u ${random.pick(["<", ">="])} ${(1 + (number % 4)).toString()}u)` },
      { weight: 10, text: `(((lid >> 1) & 1u) == ${(number & 1).toString()}u)` },
      { weight: 10, text: `((lid ^ ${number.toString()}u) < ${(2 + number).toString()}u)` },
    ]).text
  }`;
}
