// SPDX-License-Identifier: Apache-2.0
// Read-only views of parts of arrays.
import { assert } from "./assert.ts";
import { type CargoError, cargoError } from "./error.ts";
import { isCount } from "./numeric.ts";
import { type Result, err, ok } from "./result.ts";

/**
 * A view of a part of an array or typed array. Changes of the array are visible; the views of a container are stale
 * once it grows.
 *
 * @public
 */
export class ArrayView<T> implements Iterable<T> {
  private readonly list: ArrayLike<T>;
  private readonly start: number;
  /** Number of elements. */
  readonly length: number;

  /** A view of `length` elements of `list` from `start`, which must exist. */
  constructor(list: ArrayLike<T>, start: number = 0, length: number = list.length - start) {
    assert(
      isCount(start) && isCount(length) && start + length <= list.length,
      () => `a view of ${length} elements at ${start} of ${list.length}`,
    );
    this.list = list;
    this.start = start;
    this.length = length;
  }

  /** The element `index`. Errors: `out_of_bounds`. */
  get(index: number): Result<T, CargoError> {
    if (!isCount(index) || index >= this.length)
      return err(cargoError("out_of_bounds", `there is no element ${index} of ${this.length}`));
    return ok(this.list[this.start + index] as T);
  }

  /** A part. Errors: `out_of_bounds`. */
  slice(start: number, length: number = this.length - start): Result<ArrayView<T>, CargoError> {
    if (!isCount(start) || !isCount(length) || start + length > this.length) {
      return err(cargoError("out_of_bounds", `there are no ${length} elements at ${start} of ${this.length}`));
    }
    return ok(new ArrayView(this.list, this.start + start, length));
  }

  /** Elements in order. */
  *[Symbol.iterator](): Iterator<T> {
    for (let i = 0; i < this.length; i++) yield this.list[this.start + i] as T;
  }

  /** Copies the elements. */
  toArray(): T[] {
    return Array.from(this);
  }
}
