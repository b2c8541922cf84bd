// SPDX-License-Identifier: Apache-2.0
// Statements over memory that work-items share: exchange through local memory with barriers, atomics whose effects
// commute, copies.
import { type Statement, block, code, statement } from "../tree.ts";
import { depthOf } from "./assignments.ts";
import { convert } from "./convert.ts";
import { condition, expression, someType } from "./expressions.ts";
import { COUNTERS, type ArrayLvalue, type State, fresh } from "./state.ts";
import { INT, UINT, type ValueType, typeOf, withLanes } from "./types.ts";

const FENCES = ["CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"] as const;

function barrier(g: State): string {
  return `barrier(${g.random.pick(FENCES)});`;
}

/** An array in local memory with an element for each item of the group, all zero before the first barrier. */
function tile(g: State, type: ValueType, items: number): string {
  const name = fresh(g, "t");
  g.localDeclarations.push(
    statement`local ${type.name} ${name}[${items.toString()}];`,
    statement`for (uint z = lid; z < ${items.toString()}u; z += lsize) ${name}[z] = (${type.name})(0);`,
  );
  return name;
}

/** Each item puts a value down and takes another's. */
export function exchange(g: State): Statement[] {
  const type = someType(g);
  const name = fresh(g, "v");
  const put = expression(g, type, depthOf(g));
  const shared = tile(g, type, g.groupItems);
  const step = g.random
    .weighted([
      { weight: 40, make: () => `(lid + ${1 + g.random.below(5)}u) % lsize` },
      { weight: 30, make: () => "lsize - 1u - lid" },
      { weight: 15, make: () => "0" },
      { weight: 15, make: () => `(lid ^ ${1 + g.random.below(3)}u) % lsize` },
    ])
    .make();
  const made: Statement = {
    kind: "statement",
    parts: g.random.chance(30)
      ? [`${type.name} ${name} = exchange_${type.name}(${shared}, lid, ${step}, `, put, ");"]
      : [`${barrier(g)} ${shared}[lid] = `, put, `; ${barrier(g)} ${type.name} ${name} = ${shared}[${step}];`],
  };
  const calls = typeof made.parts[0] === "string" && made.parts[0].includes("exchange_");
  if (calls) g.exchanged.add(type);
  g.scope.lvalues.push({ text: name, type, assignable: true });
  return [made];
}

/** The text of the function that {@link exchange} may call: barriers in a function that is no kernel. */
export function exchangeFunction({ name }: ValueType): string {
  return (
    `${name} exchange_${name}(local ${name}* tile, uint own, uint other, ${name} value) ` +
    "{ barrier(CLK_LOCAL_MEM_FENCE); tile[own] = value; barrier(CLK_LOCAL_MEM_FENCE); " +
    `${name} got = tile[other]; return got; }`
  );
}

/** Atomic functions whose order of execution is not observable. */
const COMMUTING = [
  "atomic_add",
  "atomic_sub",
  "atomic_and",
  "atomic_or",
  "atomic_xor",
  "atomic_min",
  "atomic_max",
  "atomic_inc",
  "atomic_dec",
] as const;

function atomic(g: State, pointer: string, type: ValueType): Statement {
  const name = g.random.pick(COMMUTING);
  return name === "atomic_inc" || name === "atomic_dec"
    ? statement`${name}(${pointer});`
    : statement`${name}(${pointer}, ${expression(g, type, depthOf(g))});`;
}

/** All items that come by change a counter; each counter has one function, so the order does not matter. */
export function countGlobally(g: State): Statement | null {
  if (g.counters >= COUNTERS) return null;
  const type = g.random.pick([INT, UINT]);
  return atomic(g, `${type === INT ? "" : "(volatile global uint*)"}&counters[${g.counters++}]`, type);
}

/** A counter of the group: all items change it, then all read it. */
export function countLocally(g: State): Statement {
  const type = g.random.pick([INT, UINT]);
  const [counter, name] = [fresh(g, "c"), fresh(g, "v")];
  g.localDeclarations.push(
    statement`local ${type.name} ${counter};`,
    statement`if (lid == 0u) ${counter} = (${type.name})(1);`,
  );
  const change = atomic(g, `&${counter}`, type);
  const guarded = g.random.chance(40) ? statement`if (${condition(g, 2)}) {${block([change])}}` : change;
  const made = statement`${barrier(g)} if (lid == 0u) ${counter} = ${expression(g, type, 2)}; ${barrier(g)}${block([guarded])}${barrier(g)} ${type.name} ${name} = ${counter};`;
  g.scope.lvalues.push({ text: name, type, assignable: true });
  return made;
}

/** The group copies the beginning of a buffer to local memory, and each item reads an element. */
export function copyToLocal(g: State): Statement | null {
  const buffers = g.scope.arrays.filter(
    ({ space, assignable, type: { lanes } }) => space === "global" && !assignable && lanes !== 3,
  );
  if (buffers.length === 0 || g.returns) return null;
  const { text, type, count } = g.random.pick(buffers);
  const shared = tile(g, type, count);
  const name = fresh(g, "v");
  const strided = g.random.chance(30) && count > 2;
  const copy = strided
    ? `async_work_group_strided_copy(${shared}, ${text}, (size_t)${count / 2}, (size_t)2, 0)`
    : `async_work_group_copy(${shared}, ${text}, (size_t)${count}, 0)`;
  const made = statement`${barrier(g)} { event_t e = ${copy}; wait_group_events(1, &e); } ${barrier(g)} ${type.name} ${name} = ${shared}[${code(UINT)`(${expression(g, UINT, 2)} & ${(count - 1).toString()}u)`}];`;
  g.scope.lvalues.push({ text: name, type, assignable: true });
  return made;
}

/** Atomic functions with results, on memory that no other item touches. */
export function exchangeAlone(g: State): Statement | null {
  const owned = g.scope.arrays.filter(
    ({ space, assignable, type }) =>
      space === "global" &&
      assignable &&
      type.lanes === 1 &&
      (type.scalar.name === "int" || type.scalar.name === "uint"),
  );
  if (owned.length === 0) return null;
  const { text, type, count }: ArrayLvalue = g.random.pick(owned);
  const pointer = `&${text}[${g.random.below(count)}]`;
  const value = (): ReturnType<typeof expression> => expression(g, type, 2);
  const name = fresh(g, "v");
  const made = g.random
    .weighted([
      { weight: 30, make: () => statement`${type.name} ${name} = atomic_xchg(${pointer}, ${value()});` },
      { weight: 40, make: () => statement`${type.name} ${name} = atomic_cmpxchg(${pointer}, ${value()}, ${value()});` },
      {
        weight: 40,
        make: () => statement`${type.name} ${name} = ${g.random.pick(COMMUTING.slice(0, 7))}(${pointer}, ${value()});`,
      },
    ])
    .make();
  g.scope.lvalues.push({ text: name, type, assignable: true });
  return made;
}

/** Mixes a group's number into an int variable. */
export function groupNumber(g: State): Statement {
  const name = fresh(g, "v");
  const type = typeOf(g.random.pick(["int", "uint", "ulong"]));
  g.scope.lvalues.push({ text: name, type, assignable: true });
  return statement`${type.name} ${name} = ${convert(g, type, code(UINT)`(uint)(get_group_id(0) * 7 + get_group_id(1) * 3 + get_group_id(2))`)} + ${convert(g, type, code(withLanes(UINT, 1))`lid`)};`;
}
