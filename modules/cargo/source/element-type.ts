// SPDX-License-Identifier: Apache-2.0
// Element types of containers: typed arrays for numbers, arrays for references.
import type { Allocator } from "./allocator.ts";
import { type CargoError, cargoError } from "./error.ts";
import { checkedMultiply } from "./numeric.ts";
import { type Result, err, map } from "./result.ts";

/** Memory of a container: what arrays and typed arrays have in common. @public */
export interface Storage<T> {
  /** Number of slots. */
  readonly length: number;
  /** The slot `index`. */
  [index: number]: T;
  /** Moves the slots from `start` to before `end` to `target`. */
  copyWithin(target: number, start: number, end?: number): unknown;
  /** Writes a value to the slots from `start` to before `end`. */
  fill(value: T, start?: number, end?: number): unknown;
}

/** A kind of element. @public */
export interface ElementType<T> {
  /** Name for messages. */
  readonly name: string;
  /** True when freed slots must be cleared, so that no object is kept alive. */
  readonly holdsReferences: boolean;
  /** Memory for `count` elements: zeros, or empty slots. Errors: `bad_alloc`. */
  allocate(count: number, allocator: Allocator): Result<Storage<T>, CargoError>;
}

function numeric<T extends number | bigint>(
  name: string,
  bytes: number,
  view: (buffer: ArrayBuffer) => Storage<T>,
): ElementType<T> {
  return {
    name,
    holdsReferences: false,
    allocate(count, allocator) {
      const size = checkedMultiply(count, bytes);
      if (size === null) return err(cargoError("bad_alloc", `${count} elements of type ${name} cannot be allocated`));
      return map(allocator.allocateBytes(size), view);
    },
  };
}

/** Elements in typed arrays. @public */
export const elements: {
  readonly int8: ElementType<number>;
  readonly uint8: ElementType<number>;
  readonly int16: ElementType<number>;
  readonly uint16: ElementType<number>;
  readonly int32: ElementType<number>;
  readonly uint32: ElementType<number>;
  readonly int64: ElementType<bigint>;
  readonly uint64: ElementType<bigint>;
  readonly float32: ElementType<number>;
  readonly float64: ElementType<number>;
} = {
  int8: numeric("int8", 1, (buffer) => new Int8Array(buffer)),
  uint8: numeric("uint8", 1, (buffer) => new Uint8Array(buffer)),
  int16: numeric("int16", 2, (buffer) => new Int16Array(buffer)),
  uint16: numeric("uint16", 2, (buffer) => new Uint16Array(buffer)),
  int32: numeric("int32", 4, (buffer) => new Int32Array(buffer)),
  uint32: numeric("uint32", 4, (buffer) => new Uint32Array(buffer)),
  int64: numeric("int64", 8, (buffer) => new BigInt64Array(buffer)),
  uint64: numeric("uint64", 8, (buffer) => new BigUint64Array(buffer)),
  float32: numeric("float32", 4, (buffer) => new Float32Array(buffer)),
  float64: numeric("float64", 8, (buffer) => new Float64Array(buffer)),
};

/** Elements of any other type. @public */
export function references<T>(): ElementType<T> {
  return {
    name: "reference",
    holdsReferences: true,
    allocate: (count, allocator) => allocator.allocateSlots<T>(count),
  };
}
