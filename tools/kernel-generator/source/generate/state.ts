// SPDX-License-Identifier: Apache-2.0
// The state of the generator: the names in scope, and the declarations of the program so far.
import type { Expression, Statement } from "../tree.ts";
import type { Random } from "./random.ts";
import { type ValueType, isFloat } from "./types.ts";

/** An lvalue: a variable, a field, an element, the target of a pointer. */
export interface Lvalue {
  readonly text: string;
  readonly type: ValueType;
  readonly assignable: boolean;
}

/** Address spaces, as they are spelled. */
export type Space = "private" | "local" | "global" | "constant";

/** An array, or a pointer to one. */
export interface ArrayLvalue extends Lvalue {
  /** Elements; a power of two. */
  readonly count: number;
  readonly space: Space;
}

/** A member of a struct; `count` above 1: an array. */
export interface Field {
  readonly name: string;
  readonly type: ValueType;
  readonly count: number;
}

/** A struct or a union that the program declares. */
export interface Aggregate {
  readonly name: string;
  readonly fields: readonly Field[];
}

/** A variable of struct or union type, or what a pointer to one points to. */
export interface AggregatePlace {
  readonly text: string;
  readonly aggregate: Aggregate;
}

/** How a function takes an argument. */
export type Parameter =
  | { readonly kind: "value"; readonly type: ValueType }
  | { readonly kind: "pointer"; readonly type: ValueType }
  | { readonly kind: "array"; readonly type: ValueType; readonly count: number; readonly space: Space }
  | { readonly kind: "aggregate"; readonly aggregate: Aggregate; readonly byPointer: boolean };

/** A function that kernels and later functions may call. */
export interface Helper {
  readonly name: string;
  readonly result: ValueType;
  readonly parameters: readonly Parameter[];
}

/** Names that end with the block that declares them. */
export interface Scope {
  readonly lvalues: Lvalue[];
  readonly arrays: ArrayLvalue[];
  readonly aggregates: AggregatePlace[];
}

/** The context of a statement. */
export interface Surroundings {
  /** Statements may still nest this deep. */
  readonly depth: number;
  /** True in uniform control flow of the group: barriers are allowed. */
  readonly uniform: boolean;
  /** Statements that leave the enclosing one: `break`, `continue`, `goto` of a label that follows. */
  readonly leaves: readonly string[];
  /** The type of a `return` value; null: return is not allowed. */
  readonly result: ValueType | "nothing" | null;
  /** Trips of the loops around, multiplied. */
  readonly trips: number;
}

/** The generator's state. */
export interface State {
  readonly random: Random;
  /**
   * True: nothing in the program is undefined or implementation-defined in OpenCL C, so all implementations must agree.
   * False: also what only Muxkit defines: signed overflow, division by zero, conversions out of range, infinities,
   * ragged groups, returns before barriers.
   */
  readonly portable: boolean;
  readonly scope: Scope;
  readonly aggregates: Aggregate[];
  readonly helpers: Helper[];
  /** Function-like macros of two operands, which yield a uint. */
  readonly macros: string[];
  /** Float types whose washing function is called. */
  readonly washed: Set<ValueType>;
  /** Items of a work-group when all are there. */
  readonly groupItems: number;
  /** Ints that are the same for all items of a group. */
  readonly uniforms: string[];
  /** Declarations in local memory that the kernel's block must begin with. */
  readonly localDeclarations: Statement[];
  /** Types whose exchanging function is called. */
  readonly exchanged: Set<ValueType>;
  /** Counters in the buffer of atomics that are in use, of {@link COUNTERS}. */
  counters: number;
  /** Bytes of each work-item's part of the buffer for results that are in use. */
  written: number;
  /** Work-items of the launch. */
  readonly items: number;
  /** Bytes after all work-items' parts in which neighbours have theirs side by side. */
  lined: number;
  /** True: work-items may return although barriers follow, which then continue without them. */
  readonly returns: boolean;
  /** In a kernel: true; in other functions work-items and kernel arguments are not at hand. */
  inKernel: boolean;
  /** Counts names. */
  next: number;
}

/** Words of the buffer that global atomics count in. */
export const COUNTERS = 32;

/** A name that nothing else has. */
export function fresh(g: State, prefix: string): string {
  return `${prefix}${g.next++}`;
}

/** Runs `work` with what it declares going out of scope at the end. */
export function scoped<T>({ scope }: State, work: () => T): T {
  const lists = [scope.lvalues, scope.arrays, scope.aggregates];
  const lengths = lists.map((list) => list.length);
  const result = work();
  lists.forEach((list, i) => {
    list.length = lengths[i] ?? 0;
  });
  return result;
}

/** True for a union. */
export function isUnion({ name }: Aggregate): boolean {
  return name.startsWith("U");
}

/** Brings an aggregate's members into scope. */
export function declareAggregate({ scope }: State, text: string, aggregate: Aggregate, separator = "."): void {
  scope.aggregates.push({ text: separator === "." ? text : `(*${text})`, aggregate });
  for (const { name, type, count } of aggregate.fields) {
    const member = `${text}${separator}${name}`;
    if (count > 1) scope.arrays.push({ text: member, type, count, assignable: true, space: "private" });
    // Other members show the bits of a union's floats, and nothing decides the bits of a NaN.
    else scope.lvalues.push({ text: member, type, assignable: !(isUnion(aggregate) && isFloat(type)) });
  }
}

/** Makes an expression of a type; `depth` bounds its nesting. */
export type MakeExpression = (g: State, type: ValueType, depth: number) => Expression;
