// SPDX-License-Identifier: Apache-2.0
// Growing sequences: SmallVector has an inline capacity that needs no allocator call, FixedVector never grows.
// Constructors allocate nothing.
import { type Allocator, heapAllocator } from "./allocator.ts";
import { ArrayView } from "./array-view.ts";
import type { ElementType, Storage } from "./element-type.ts";
import { type CargoError, cargoError } from "./error.ts";
import { isCount } from "./numeric.ts";
import { Optional } from "./optional.ts";
import { type Result, err, ok } from "./result.ts";

/** What {@link SmallVector} and {@link FixedVector} have in common. A failed call changes nothing. @public */
export abstract class Vector<T> implements Iterable<T> {
  /** Type of the elements. */
  readonly elementType: ElementType<T>;
  /** Number of elements that need no call of the allocator. */
  readonly inlineCapacity: number;
  private readonly allocator: Allocator | null;
  private storage: Storage<T> | null = null;
  private count = 0;

  /** Empty. A null allocator: it does not grow beyond the inline capacity. */
  constructor(elementType: ElementType<T>, inlineCapacity: number, allocator: Allocator | null) {
    this.elementType = elementType;
    this.inlineCapacity = inlineCapacity;
    this.allocator = allocator;
  }

  /** An empty one of the same kind. */
  protected abstract another(): Vector<T>;

  /** Number of elements. */
  get length(): number {
    return this.count;
  }

  /** Elements that fit without a call of the allocator. */
  get capacity(): number {
    return Math.max(this.inlineCapacity, this.storage === null ? 0 : this.storage.length);
  }

  /** Makes room for `capacity` elements. Errors: `bad_argument`, `overflow` (a fixed one is full), `bad_alloc`. */
  reserve(capacity: number): Result<void, CargoError> {
    const room = this.room(capacity);
    return room.ok ? ok() : room;
  }

  private room(needed: number): Result<Storage<T>, CargoError> {
    if (!isCount(needed)) return err(cargoError("bad_argument", `a vector cannot hold ${needed} elements`));
    if (this.storage !== null && needed <= this.storage.length) return ok(this.storage);
    if (needed > this.inlineCapacity && this.allocator === null) {
      return err(cargoError("overflow", `a vector of at most ${this.inlineCapacity} elements cannot hold ${needed}`));
    }
    const inline = needed <= this.inlineCapacity || this.allocator === null;
    const made = this.elementType.allocate(
      inline ? this.inlineCapacity : Math.max(needed, this.capacity * 2),
      inline ? heapAllocator : this.allocator,
    );
    if (!made.ok) return made;
    for (let i = 0; i < this.count; i++) made.value[i] = (this.storage as Storage<T>)[i] as T;
    this.storage = made.value;
    return made;
  }

  private missing(index: number): CargoError | null {
    return isCount(index) && index < this.count
      ? null
      : cargoError("out_of_bounds", `there is no element ${index} of ${this.count}`);
  }

  /** The element `index`. Errors: `out_of_bounds`. */
  get(index: number): Result<T, CargoError> {
    const error = this.missing(index);
    return error === null ? ok((this.storage as Storage<T>)[index] as T) : err(error);
  }

  /** Replaces the element `index`. Errors: `out_of_bounds`. */
  set(index: number, value: T): Result<void, CargoError> {
    const error = this.missing(index);
    if (error !== null) return err(error);
    (this.storage as Storage<T>)[index] = value;
    return ok();
  }

  /** Appends. Errors: `overflow`, `bad_alloc`. */
  push(value: T): Result<void, CargoError> {
    const room = this.room(this.count + 1);
    if (!room.ok) return room;
    room.value[this.count++] = value;
    return ok();
  }

  /** Removes and returns the last element. */
  pop(): Optional<T> {
    if (this.count === 0) return Optional.none();
    const value = (this.storage as Storage<T>)[this.count - 1] as T;
    this.shrink(this.count - 1);
    return Optional.of(value);
  }

  /**
   * Inserts before the element `index`; `index` may be the length. Errors: `out_of_bounds`, `overflow`, `bad_alloc`.
   */
  insert(index: number, value: T): Result<void, CargoError> {
    if (!isCount(index) || index > this.count)
      return err(cargoError("out_of_bounds", `there is no position ${index} among ${this.count} elements`));
    const room = this.room(this.count + 1);
    if (!room.ok) return room;
    room.value.copyWithin(index + 1, index, this.count);
    room.value[index] = value;
    this.count++;
    return ok();
  }

  /** Removes `count` elements from `index`. Errors: `out_of_bounds`. */
  erase(index: number, count: number = 1): Result<void, CargoError> {
    if (!isCount(index) || !isCount(count) || index + count > this.count) {
      return err(cargoError("out_of_bounds", `there are no ${count} elements at ${index} of ${this.count}`));
    }
    this.storage?.copyWithin(index, index + count, this.count);
    this.shrink(this.count - count);
    return ok();
  }

  /** Truncates or extends to `length` elements. Errors: `bad_argument`, `overflow`, `bad_alloc`. */
  resize(length: number, value: T): Result<void, CargoError> {
    const room = this.room(length);
    if (!room.ok) return room;
    if (length < this.count) this.shrink(length);
    else room.value.fill(value, this.count, length);
    this.count = length;
    return ok();
  }

  /** Replaces the elements by those of `values`. Errors: `overflow`, `bad_alloc`. */
  assign(values: ArrayLike<T>): Result<void, CargoError> {
    const room = this.room(values.length);
    if (!room.ok) return room;
    if (values.length < this.count) this.shrink(values.length);
    for (let i = 0; i < values.length; i++) room.value[i] = values[i] as T;
    this.count = values.length;
    return ok();
  }

  /** Removes everything; the capacity stays. */
  clear(): void {
    this.shrink(0);
  }

  private shrink(length: number): void {
    // A freed slot must not keep its object alive.
    if (this.elementType.holdsReferences && this.storage !== null)
      this.storage.fill(undefined as T, length, this.count);
    this.count = length;
  }

  /** A copy with memory of its own. Errors: `bad_alloc`. */
  clone(): Result<this, CargoError> {
    const copy = this.another() as this;
    const assigned = copy.assign(this.toArray());
    return assigned.ok ? ok(copy) : assigned;
  }

  /** A view of the elements, valid until the vector grows. */
  view(): ArrayView<T> {
    return new ArrayView<T>(this.storage ?? [], 0, this.count);
  }

  /** Elements in order. */
  [Symbol.iterator](): Iterator<T> {
    return this.view()[Symbol.iterator]();
  }

  /** Copies the elements. */
  toArray(): T[] {
    return this.view().toArray();
  }
}

/** A vector whose first elements need no allocator; further ones double its memory. @public */
export class SmallVector<T> extends Vector<T> {
  private readonly from: Allocator;

  /** Empty; nothing is allocated. */
  constructor(elementType: ElementType<T>, inlineCapacity: number, allocator: Allocator = heapAllocator) {
    super(elementType, inlineCapacity, allocator);
    this.from = allocator;
  }

  /** An empty one of the same kind. */
  protected another(): SmallVector<T> {
    return new SmallVector(this.elementType, this.inlineCapacity, this.from);
  }
}

/** A vector of at most `capacity` elements. @public */
export class FixedVector<T> extends Vector<T> {
  /** Empty; nothing is allocated. */
  constructor(elementType: ElementType<T>, capacity: number) {
    super(elementType, capacity, null);
  }

  /** An empty one of the same kind. */
  protected another(): FixedVector<T> {
    return new FixedVector(this.elementType, this.inlineCapacity);
  }
}
