// SPDX-License-Identifier: Apache-2.0
// Arrays of the host.

/** Arrays whose elements kernels have a type for. @public */
export type TypedArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** The class of an array. @public */
export interface TypedArrayType<T extends TypedArray> {
  /** Bytes of an element. */
  readonly BYTES_PER_ELEMENT: number;
  /** Its name. */
  readonly name: string;
  /** An array of so many zeros. */
  new (length: number): T;
  /** An array over bytes. */
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): T;
}

/** What an array's elements are in TypeScript. @public */
export type ElementOf<T extends TypedArray> = T extends BigInt64Array | BigUint64Array ? bigint : number;

/** The class of an array. */
export function typeOf<T extends TypedArray>(array: T): TypedArrayType<T> {
  return array.constructor as unknown as TypedArrayType<T>;
}

/** True for an array that kernels have a type for. */
export function isTypedArray(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

/** An array's elements by their type, which the compiler does not infer of a type parameter. */
export function elementsOf<T extends TypedArray>(array: T): { [index: number]: ElementOf<T> } {
  return array as unknown as { [index: number]: ElementOf<T> };
}
