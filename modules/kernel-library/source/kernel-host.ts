// SPDX-License-Identifier: Apache-2.0
// What debug JavaScript of the translator calls: arithmetic of declared widths that JavaScript has no operator for.
import { callBuiltin } from "./builtin-calls.ts";
import { copyOf, type Elements, zeroMemory } from "./memory.ts";
import { atomicRef } from "./kernel-values.ts";
import { convertScalar, wrap } from "./scalars.ts";
import type { ElementType, ScalarName } from "./translated.ts";
import { type Vector, isVector, makeVector, operate } from "./vector.ts";
import { groupCall } from "./sub-groups.ts";
import { type GroupCall, type GroupScope, localArrayOf } from "./work-items.ts";

type Scalar = number | bigint;
type AnyVector = Vector<ScalarName, 2 | 3 | 4 | 8 | 16>;

/** The functions that debug JavaScript calls. @public */
export interface KernelHost {
  /** An operator of two scalars of a type: add, sub, mul, div, mod, and, or, xor, shl, shr. */
  operate(operator: string, name: ScalarName, a: number | bigint, b: number | bigint): number | bigint;
  /** A value as one of a type: whole numbers wrap. */
  wrap(name: ScalarName, value: number | bigint): number | bigint;
  /** A conversion that is written. */
  convert(name: ScalarName, value: number | bigint | boolean): number | bigint | boolean;
  /** A conversion of a vector. */
  convertVector(name: ScalarName, value: unknown): unknown;
  /** A vector of a value for all lanes, or of scalars and vectors. */
  vector(name: ScalarName, lanes: number, ...parts: readonly unknown[]): unknown;
  /** A built-in. */
  builtin(name: string, scalar: ScalarName, ...values: readonly never[]): unknown;
  /** A copy of a vector or record. */
  copy(value: unknown): unknown;
  /** Gives a part of an element, which is a vector or a record, a value; returns the value. */
  update(memory: unknown, index: number, value: unknown, change: (element: never, value: never) => void): unknown;
  /** Memory of a work-item. */
  array(type: ElementType, shape: readonly number[], values: readonly unknown[]): unknown;
  /** Memory of the work-group. */
  local(number: number, type: ElementType, shape: readonly number[]): unknown;
  /** An atomic operation. */
  atomic(memory: unknown, index: number, operation: string, ...values: readonly (number | bigint)[]): unknown;
  /** A function of the work-group or sub-group at a place of the program, for `yield`. */
  group(name: string, scalar: ScalarName, site: number, ...values: readonly unknown[]): unknown;
  /** A barrier at a place of the program, for `yield`. */
  barrier(scope: GroupScope, site: number): unknown;
}

/** The functions that debug JavaScript calls. @public */
export const kernelHost: KernelHost = {
  operate,
  wrap,
  convert: convertScalar,
  convertVector: (name, value) =>
    makeVector(
      name,
      (value as AnyVector).lanes.map((lane) => convertScalar(name, lane as Scalar) as Scalar),
    ),
  vector: (name, lanes, ...parts) => {
    const values = parts.flatMap((part): readonly Scalar[] =>
      isVector(part) ? (part.lanes as readonly Scalar[]) : [part as Scalar],
    );
    return makeVector(name, values.length === 1 ? Array.from({ length: lanes }, () => values[0] ?? 0) : values);
  },
  builtin: (name, scalar, ...values) => callBuiltin(name, scalar, values),
  copy: copyOf,
  update: (memory, index, value, change) => {
    const element = (memory as Elements<never>)[index] as never;
    change(element, value as never);
    (memory as Elements<never>)[index] = element;
    return value;
  },
  array: (type, shape, values) => {
    const memory = zeroMemory(type, shape) as Elements<unknown>;
    for (const [i, value] of values.entries()) memory[i] = value;
    return memory;
  },
  local: localArrayOf,
  atomic: (memory, index, operation, ...values) =>
    (
      atomicRef(memory as Elements<number>, index) as unknown as Readonly<
        Record<string, (...all: readonly Scalar[]) => unknown>
      >
    )[operation]?.(...values),
  group: (name, scalar, site, ...values) => groupCall(name, scalar, site, values),
  barrier: (scope, site): GroupCall => ({
    name: "a barrier",
    scope,
    site,
    isTogether: true,
    combine: null,
    value: null,
  }),
};
