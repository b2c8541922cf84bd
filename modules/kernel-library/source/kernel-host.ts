// SPDX-License-Identifier: Apache-2.0
// What debug JavaScript of the translator calls: arithmetic of declared widths that JavaScript has no operator for.
import { callBuiltin } from "./builtin-calls.ts";
import { copyOf, type Elements, zeroMemory } from "./memory.ts";
import { atomicRef } from "./kernel-values.ts";
import { convertScalar, wrap } from "./scalars.ts";
import type { ElementType, ScalarName } from "./translated.ts";
import { type Vector, isVector, makeVector, operate } from "./vector.ts";
import { type GroupCall, localArrayOf } from "./work-items.ts";

type Scalar = number | bigint;
type AnyVector = Vector<ScalarName, 2 | 3 | 4 | 8 | 16>;

/** What collective functions make of the values of a work-group. */
const COLLECTIVES: Readonly<Record<string, (a: Scalar, b: Scalar) => Scalar>> = {
  add: (a, b) => (typeof a === "bigint" ? a + BigInt(b) : a + Number(b)),
  min: (a, b) => (b < a ? b : a),
  max: (a, b) => (b > a ? b : a),
};

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
  /** A collective function of the work-group, for `yield`. */
  group(name: string, scalar: ScalarName, value: unknown, ...more: readonly unknown[]): unknown;
  /** A barrier, for `yield`. */
  readonly barrier: unknown;
}

function groupCall(name: string, scalar: ScalarName, value: unknown, source: unknown): GroupCall {
  const [, form = "", kind = ""] =
    /^work_group_(all|any|broadcast|reduce|scan_inclusive|scan_exclusive)_?(\w*)$/u.exec(name) ?? [];
  if (form === "all") return { value, combine: (values) => (values.every((one) => one !== 0) ? 1 : 0) };
  if (form === "any") return { value, combine: (values) => (values.some((one) => one !== 0) ? 1 : 0) };
  if (form === "broadcast") return { value, combine: (values) => values[Number(source)] };
  const combine = COLLECTIVES[kind];
  if (combine === undefined) throw new Error(`the built-in ${name} exists on devices only`);
  const sum = (values: readonly unknown[]): Scalar =>
    (values as readonly Scalar[]).reduce((a, b) => wrap(scalar, combine(a, b)));
  if (form === "reduce") return { value, combine: sum };
  if (form === "scan_inclusive") return { value, combine: (values, i) => sum(values.slice(0, i + 1)) };
  return { value, combine: (values, i) => (i === 0 ? identity(kind, scalar) : sum(values.slice(0, i))) };
}

/** What changes nothing: the greatest number for a minimum, and so on. */
function identity(kind: string, scalar: ScalarName): Scalar {
  if (kind === "add") return wrap(scalar, scalar.endsWith("long") ? 0n : 0);
  return convertScalar(scalar, kind === "min" ? Infinity : -Infinity) as Scalar;
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
  group: (name, scalar, value, source) => groupCall(name, scalar, value, source),
  barrier: { combine: null, value: null } satisfies GroupCall,
};
