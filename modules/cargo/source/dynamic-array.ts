// SPDX-License-Identifier: Apache-2.0
// Arrays whose length is set at each allocation.
import { type Allocator, heapAllocator } from "./allocator.ts";
import { ArrayView } from "./array-view.ts";
import type { ElementType, Storage } from "./element-type.ts";
import { type CargoError, cargoError } from "./error.ts";
import { isCount } from "./numeric.ts";
import { type Result, err, ok } from "./result.ts";

/** An array of a length given by {@link DynamicArray.allocate}. @public */
export class DynamicArray<T> implements Iterable<T> {
  /** Type of the elements. */
  readonly elementType: ElementType<T>;
  private readonly allocator: Allocator;
  private storage: Storage<T> | null = null;

  /** Empty; nothing is allocated. */
  constructor(elementType: ElementType<T>, allocator: Allocator = heapAllocator) {
    this.elementType = elementType;
    this.allocator = allocator;
  }

  /** Number of elements. */
  get length(): number {
    return this.storage === null ? 0 : this.storage.length;
  }

  /**
   * Allocates `length` elements, all of them `value`, instead of the current ones. Errors: `bad_argument`, `bad_alloc`;
   * the array is unchanged then.
   */
  allocate(length: number, value: T): Result<void, CargoError> {
    if (!isCount(length)) return err(cargoError("bad_argument", `an array cannot have ${length} elements`));
    const made = this.elementType.allocate(length, this.allocator);
    if (!made.ok) return made;
    made.value.fill(value);
    this.storage = made.value;
    return ok();
  }

  /** Frees the memory. */
  clear(): void {
    this.storage = null;
  }

  /** The element `index`. Errors: `out_of_bounds`. */
  get(index: number): Result<T, CargoError> {
    return this.view().get(index);
  }

  /** Replaces the element `index`. Errors: `out_of_bounds`. */
  set(index: number, value: T): Result<void, CargoError> {
    if (this.storage === null || !isCount(index) || index >= this.storage.length)
      return err(cargoError("out_of_bounds", `there is no element ${index} of ${this.length}`));
    this.storage[index] = value;
    return ok();
  }

  /** A copy with memory of its own. Errors: `bad_alloc`. */
  clone(): Result<DynamicArray<T>, CargoError> {
    const copy = new DynamicArray(this.elementType, this.allocator);
    if (this.storage === null) return ok(copy);
    const made = this.elementType.allocate(this.storage.length, this.allocator);
    if (!made.ok) return made;
    for (let i = 0; i < this.storage.length; i++) made.value[i] = this.storage[i] as T;
    copy.storage = made.value;
    return ok(copy);
  }

  /** A view of the elements, valid until the next allocation. */
  view(): ArrayView<T> {
    return new ArrayView<T>(this.storage ?? []);
  }

  /** Elements in order. */
  [Symbol.iterator](): Iterator<T> {
    return this.view()[Symbol.iterator]();
  }
}
