// SPDX-License-Identifier: Apache-2.0
// Stores each variable of a kernel to its own offset of the output, so that a difference identifies it.
import { type Expression, type Statement, code, statement } from "../tree.ts";
import { wash } from "./convert.ts";
import type { ArrayLvalue, Lvalue, State } from "./state.ts";
import { type ValueType, sizeOf } from "./types.ts";

function store(type: ValueType, offset: string, value: Expression): Statement {
  // The fourth lane of vectors of three is unspecified in memory.
  return type.lanes === 3
    ? statement`vstore3(${value}, 0, (global ${type.scalar.name}*)(mine + ${offset}));`
    : statement`*(global ${type.name}*)(mine + ${offset}) = ${value};`;
}

function room(g: State, bytes: number): number {
  const align = Math.min(128, 2 ** Math.ceil(Math.log2(bytes)));
  const offset = Math.ceil(g.written / align) * align;
  g.written = offset + bytes;
  return offset;
}

/** Writes a variable. */
export function dumpVariable(g: State, { text, type, assignable }: Lvalue): Statement[] {
  if (!assignable) return [];
  return [store(type, room(g, sizeOf(type)).toString(), wash(g, code(type)`${text}`))];
}

/** Writes the elements of a private array. */
export function dumpArray(g: State, { text, type, count, space }: ArrayLvalue): Statement[] {
  if (space !== "private") return [];
  const offset = room(g, sizeOf(type) * count);
  const { parts } = store(type, `${offset} + z * ${sizeOf(type)}`, wash(g, code(type)`${text}[z]`));
  return [{ kind: "statement", parts: [`for (uint z = 0; z < ${count}u; ++z) `, ...parts] }];
}
