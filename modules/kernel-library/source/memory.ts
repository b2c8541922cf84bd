// SPDX-License-Identifier: Apache-2.0
// Memory of kernels in JavaScript: typed arrays for scalars; views that read and write copies for vectors and records;
// rows for more than one dimension.
import { floatToHalf, halfToFloat } from "@muxkit/cargo";

import { type ScalarValue, convertScalar } from "./scalars.ts";
import {
  ARRAYS,
  type AccessMode,
  type ElementType,
  type RecordElement,
  type ScalarName,
  sizeOf,
} from "./translated.ts";
import { type Vector, isVector, makeVector } from "./vector.ts";

/** What memory holds, as a type of TypeScript: a scalar, a vector or a record. @public */
export type Element = number | bigint | object;

/** Elements by their index. @public */
export interface Elements<T> {
  /** An element. */
  [index: number]: T;
}

/** Elements that are read only. @public */
export interface ReadonlyElements<T> {
  /** An element. */
  readonly [index: number]: T;
}

declare const element: unique symbol;
declare const mode: unique symbol;

type Indexed<T, M extends AccessMode> = M extends "read" ? ReadonlyElements<T> : Elements<T>;

/** Memory of a buffer in a kernel: `x[i]`, `x[row][column]`. @public */
export type Accessor<T, M extends AccessMode = "read_write", D extends 1 | 2 | 3 = 1> = (D extends 1
  ? Indexed<T, M>
  : D extends 2
    ? ReadonlyElements<Indexed<T, M>>
    : ReadonlyElements<ReadonlyElements<Indexed<T, M>>>) & {
  /** The element, for the checker alone. */
  readonly [element]?: T;
  /** The mode, for the checker alone. */
  readonly [mode]?: M;
};

/** A pointer to unified shared memory: `p[i]`. @public */
export type Pointer<T, M extends AccessMode = "read_write"> = Accessor<T, M> & {
  /** Tells it from accessors. */
  readonly isPointer?: true;
};

/** Memory of a work-group; the numbers are the ranges of its dimensions, where they are constant. @public */
export type LocalArray<T, A extends number = number, B extends number = never> = ([B] extends [never]
  ? Elements<T>
  : ReadonlyElements<Elements<T>>) & {
  /** The ranges, for the checker alone. */
  readonly ranges?: readonly [A, B];
};

/** Memory of a work-item. @public */
export type PrivateArray<T, A extends number = number, B extends number = never> = LocalArray<T, A, B>;

/** The value of a field. @public */
export type FieldValue<F> = F extends { readonly kind: "vector"; readonly scalar: infer S; readonly lanes: infer N }
  ? Vector<Extract<S, ScalarName>, Extract<N, 2 | 3 | 4 | 8 | 16>>
  : F extends { readonly kind: "scalar"; readonly name: infer S }
    ? ScalarValue<Extract<S, ScalarName>>
    : F extends RecordType<infer G>
      ? RecordValue<G>
      : never;

/** Fields of a record: names, and tokens of types. @public */
export type Fields = Readonly<Record<string, ElementType>>;

/** A record. @public */
export type RecordValue<F> = { -readonly [K in keyof F]: FieldValue<F[K]> };

/** What names a record type, and makes its records. @public */
export interface RecordType<F> extends RecordElement {
  /** The tokens of its fields. */
  readonly tokens: F;
  /** A record of these values. */
  (values: Readonly<RecordValue<F>>): RecordValue<F>;
}

/** The records of a type: `type Body = RecordOf<typeof Body>`. @public */
export type RecordOf<R> = R extends RecordType<infer F> ? RecordValue<F> : never;

/** A copy of a value: vectors and records are values in kernels. @internal */
export function copyOf(value: unknown): unknown {
  if (isVector(value)) return value.clone();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copyOf(field)]));
}

/** An element of zeros. @internal */
export function zeroOf(type: ElementType): unknown {
  return readElement(type, new DataView(new ArrayBuffer(sizeOf(type))), 0);
}

function scalarAt(name: ScalarName, view: DataView, offset: number): number | bigint {
  const Numbers = ARRAYS[name];
  const start = view.byteOffset + offset;
  const [value = 0] = new Numbers(view.buffer.slice(start, start + Numbers.BYTES_PER_ELEMENT));
  return name === "half" ? halfToFloat(Number(value)) : value;
}

function putScalar(name: ScalarName, view: DataView, offset: number, value: number | bigint): void {
  const one: Elements<number | bigint> & ArrayBufferView = new ARRAYS[name](1);
  one[0] = name === "half" ? floatToHalf(Number(value)) : (convertScalar(name, value) as number | bigint);
  new Uint8Array(view.buffer, view.byteOffset + offset).set(new Uint8Array(one.buffer));
}

/** Reads an element as a value of its own. */
function readElement(type: ElementType, view: DataView, offset: number): unknown {
  if (type.kind === "scalar") return scalarAt(type.name, view, offset);
  if (type.kind === "record")
    return Object.fromEntries(
      type.fields.map((field) => [field.name, readElement(field.type, view, offset + field.offset)]),
    );
  const step = sizeOf({ kind: "scalar", name: type.scalar });
  return makeVector(
    type.scalar,
    Array.from({ length: type.lanes }, (_, i) => scalarAt(type.scalar, view, offset + i * step)),
  );
}

function writeElement(type: ElementType, view: DataView, offset: number, value: unknown): void {
  if (type.kind === "scalar") putScalar(type.name, view, offset, value as number);
  else if (type.kind === "record")
    for (const field of type.fields)
      writeElement(field.type, view, offset + field.offset, (value as Readonly<Record<string, unknown>>)[field.name]);
  else {
    const step = sizeOf({ kind: "scalar", name: type.scalar });
    (value as { readonly lanes: readonly number[] }).lanes.forEach((lane, i) => {
      putScalar(type.scalar, view, offset + i * step, lane);
    });
  }
}

/** Elements in bytes as objects that are indexed like arrays. */
function viewOf(type: ElementType, view: DataView): object {
  const size = sizeOf(type);
  return new Proxy(
    {},
    {
      get: (_target, key) =>
        typeof key === "string" && /^\d+$/u.test(key) ? readElement(type, view, Number(key) * size) : undefined,
      set: (_target, key, value) => {
        if (typeof key !== "string" || !/^\d+$/u.test(key)) return false;
        writeElement(type, view, Number(key) * size, value);
        return true;
      },
    },
  );
}

/**
 * Memory as kernels see it in JavaScript: bytes as elements, in rows where there are several dimensions.
 *
 * @param range - elements of each dimension, the first one too; absent: one dimension
 * @public
 */
export function hostMemory(type: ElementType, data: ArrayBufferView, range: readonly number[] = []): Elements<never> {
  if (range.length > 1) {
    const [rows = 0, ...rest] = range;
    const bytes = rest.reduce((product, size) => product * size, sizeOf(type));
    return Array.from({ length: rows }, (_, row) =>
      hostMemory(type, new Uint8Array(data.buffer, data.byteOffset + row * bytes, bytes), rest),
    ) as never;
  }
  if (type.kind === "scalar" && type.name !== "half")
    return new ARRAYS[type.name](data.buffer, data.byteOffset, data.byteLength / sizeOf(type)) as never;
  return viewOf(type, new DataView(data.buffer, data.byteOffset, data.byteLength)) as never;
}

/** Memory of zeros. @internal */
export function zeroMemory(type: ElementType, shape: readonly number[]): Elements<never> {
  const count = shape.reduce((product, size) => product * size, 1);
  return hostMemory(type, new Uint8Array(count * sizeOf(type)), shape);
}
