// SPDX-License-Identifier: Apache-2.0
// A stretch of somebody else's elements.
import { assert } from "./assert.ts";
import { type CargoError, cargoError } from "./error.ts";
import { isCount } from "./numeric.ts";
import { type Result, err, ok } from "./result.ts";

/**
 * Reads a stretch of an array or typed array that somebody else owns. Changes of the owner show; a container that grows
 * leaves old views behind.
 *
 * @public
 */
export class ArrayView<T> implements Iterable<T> {
  private readonly list: ArrayLike<T>;
  private readonly start: number;
  /** Elements seen. */
  readonly length: number;

  /** Sees `length` elements of `list` from `start`; they must exist. */
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
