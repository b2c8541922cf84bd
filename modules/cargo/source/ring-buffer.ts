// SPDX-License-Identifier: Apache-2.0
// Queues of fixed capacity.
import { type Allocator, heapAllocator } from "./allocator.ts";
import type { ElementType, Storage } from "./element-type.ts";
import { type CargoError, cargoError } from "./error.ts";
import { isPowerOfTwo } from "./numeric.ts";
import { Optional } from "./optional.ts";
import { type Result, err, ok } from "./result.ts";

/** A first-in, first-out queue whose capacity is a power of two. @public */
export class RingBuffer<T> {
  private readonly storage: Storage<T>;
  private readonly holdsReferences: boolean;
  private head = 0;
  private count = 0;

  private constructor(storage: Storage<T>, holdsReferences: boolean) {
    this.storage = storage;
    this.holdsReferences = holdsReferences;
  }

  /** An empty queue. Errors: `bad_argument` (the capacity is not a power of two), `bad_alloc`. */
  static create<T>(
    elementType: ElementType<T>,
    capacity: number,
    allocator: Allocator = heapAllocator,
  ): Result<RingBuffer<T>, CargoError> {
    if (!isPowerOfTwo(capacity))
      return err(cargoError("bad_argument", `the capacity of a ring buffer is a power of two, not ${capacity}`));
    const made = elementType.allocate(capacity, allocator);
    return made.ok ? ok(new RingBuffer(made.value, elementType.holdsReferences)) : made;
  }

  /** Number of elements in it. */
  get length(): number {
    return this.count;
  }

  /** Elements that it can hold. */
  get capacity(): number {
    return this.storage.length;
  }

  /** Appends. Errors: `overflow`. */
  enqueue(value: T): Result<void, CargoError> {
    if (this.count === this.storage.length)
      return err(cargoError("overflow", `the ring buffer holds ${this.count} elements and is full`));
    this.storage[(this.head + this.count) & (this.storage.length - 1)] = value;
    this.count++;
    return ok();
  }

  /** Removes and returns the oldest element. */
  dequeue(): Optional<T> {
    if (this.count === 0) return Optional.none();
    const value = this.storage[this.head] as T;
    if (this.holdsReferences) this.storage[this.head] = undefined as T;
    this.head = (this.head + 1) & (this.storage.length - 1);
    this.count--;
    return Optional.of(value);
  }
}
