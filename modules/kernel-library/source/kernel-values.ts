// SPDX-License-Identifier: Apache-2.0
// What kernels call beside built-ins of the table: records, arrays, atomics.
import {
  type Elements,
  type Fields,
  type LocalArray,
  type PrivateArray,
  type FieldValue,
  type RecordType,
  copyOf,
  zeroMemory,
} from "./memory.ts";
import { convertScalar, wrap } from "./scalars.ts";
import { type ElementType, type ScalarName, layoutRecord } from "./translated.ts";
import { localArrayOf } from "./work-items.ts";

/** A record type with the layout of C: `record({ position: float4, mass: float })`. @public */
export function record<const F extends Fields>(fields: F): RecordType<F> {
  const layout = layoutRecord(
    "record",
    Object.entries(fields).map(([name, type]) => ({ name, type })),
  );
  const make = (values: Readonly<Record<string, unknown>>): unknown =>
    Object.fromEntries(
      layout.fields.map(({ name, type }) => {
        const value = values[name];
        return [name, type.kind === "scalar" ? convertScalar(type.name, value as number) : copyOf(value)];
      }),
    );
  return Object.defineProperties(make, {
    ...Object.fromEntries(Object.entries(layout).map(([key, value]) => [key, { value }])),
    tokens: { value: fields },
  }) as unknown as RecordType<F>;
}

/** A type of elements, as a value: `float`, `float4`, a record. @public */
export type ElementToken = ElementType;

/** Memory of a work-item: the values of a list. @public */
export function privateArray<const T extends ElementToken, const L extends readonly FieldValue<T>[]>(
  type: T,
  list: L,
): PrivateArray<FieldValue<T>, L["length"]>;
/** Memory of a work-item: zeros, by sizes. @public */
export function privateArray<const T extends ElementToken, A extends number, B extends number = never>(
  type: T,
  size: A,
  ...more: readonly B[]
): PrivateArray<FieldValue<T>, A, B>;
export function privateArray<T extends ElementToken>(
  type: T,
  size: number | readonly FieldValue<T>[],
  ...more: readonly number[]
): PrivateArray<FieldValue<T>> {
  if (!Array.isArray(size)) return zeroMemory(type, [size as number, ...more]);
  const memory = zeroMemory(type, [size.length]) as Elements<unknown>;
  for (const [i, value] of (size as readonly unknown[]).entries()) memory[i] = value;
  return memory as never;
}

/** Memory of the work-group, declared at the head of a kernel. @public */
export function localArray<const T extends ElementToken, A extends number, B extends number = never>(
  type: T,
  size: A,
  ...more: readonly B[]
): LocalArray<FieldValue<T>, A, B> {
  // Untransformed, arrays of a kind are told apart by their shape alone.
  return localArrayOf(-sizeKey([size, ...more]), type, [size, ...more]);
}

function sizeKey(shape: readonly number[]): number {
  return shape.reduce((key, size) => key * 65537 + size, 1);
}

/** The order of an atomic operation. @public */
export type AtomicOrderName = "relaxed" | "acquire" | "release" | "acq_rel" | "seq_cst";

/** Whose view of memory an atomic operation orders. @public */
export type AtomicScopeName = "work_item" | "sub_group" | "work_group" | "device" | "system";

/** An element whose operations are atomic. @public */
export interface AtomicRef<T> {
  /** Its value. */
  load(): T;
  /** Sets it. */
  store(value: T): void;
  /** Sets it; returns the value before, as all that follow. */
  exchange(value: T): T;
  /** Sets it where it is what is expected. */
  compareExchange(expected: T, desired: T): T;
  /** Adds. */
  fetchAdd(value: T): T;
  /** Subtracts. */
  fetchSub(value: T): T;
  /** Bits of both. */
  fetchAnd(value: T): T;
  /** Bits of either. */
  fetchOr(value: T): T;
  /** Bits of one alone. */
  fetchXor(value: T): T;
  /** The smaller one. */
  fetchMin(value: T): T;
  /** The greater one. */
  fetchMax(value: T): T;
}

const NAMES: readonly (readonly [new (length: number) => unknown, ScalarName])[] = [
  [Int32Array, "int"],
  [Uint32Array, "uint"],
  [BigInt64Array, "long"],
  [BigUint64Array, "ulong"],
  [Float32Array, "float"],
  [Float64Array, "double"],
];

/** True where `a` is the lesser: a number beside NaN, and -0 beside 0. */
function isLesser(a: number | bigint, b: number | bigint): boolean {
  if (a === b) return Object.is(a, -0) && !Object.is(b, -0);
  return a < b || (Number.isNaN(b) && !Number.isNaN(a));
}

/** True where `a` is the greater: a number beside NaN, and 0 beside -0. */
function isGreater(a: number | bigint, b: number | bigint): boolean {
  if (a === b) return Object.is(b, -0) && !Object.is(a, -0);
  return a > b || (Number.isNaN(b) && !Number.isNaN(a));
}

function add(a: number | bigint, b: number | bigint): number | bigint {
  return typeof a === "bigint" ? a + BigInt(b) : a + Number(b);
}

/** An element of memory with atomic operations: relaxed, in the scope of its memory, where nothing else is said. @public */
export function atomicRef<T extends number | bigint>(
  memory: { [index: number]: T },
  index: number,
  _order: AtomicOrderName = "relaxed",
  _scope?: AtomicScopeName,
): AtomicRef<T> {
  const name = NAMES.find(([type]) => memory instanceof type)?.[1] ?? "int";
  const change = (compute: (before: T) => number | bigint): T => {
    const before = memory[index] as T;
    memory[index] = wrap(name, compute(before)) as T;
    return before;
  };
  return {
    load: () => memory[index] as T,
    store: (value) => {
      memory[index] = value;
    },
    exchange: (value) => change(() => value),
    // Floats are compared by their bits.
    compareExchange: (expected, desired) => change((before) => (Object.is(before, expected) ? desired : before)),
    fetchAdd: (value) => change((before) => add(before, value)),
    fetchSub: (value) => change((before) => add(before, -value)),
    fetchAnd: (value) =>
      change((before) => (typeof before === "bigint" ? before & BigInt(value) : before & Number(value))),
    fetchOr: (value) =>
      change((before) => (typeof before === "bigint" ? before | BigInt(value) : before | Number(value))),
    fetchXor: (value) =>
      change((before) => (typeof before === "bigint" ? before ^ BigInt(value) : before ^ Number(value))),
    fetchMin: (value) => change((before) => (isLesser(value, before) ? value : before)),
    fetchMax: (value) => change((before) => (isGreater(value, before) ? value : before)),
  };
}
