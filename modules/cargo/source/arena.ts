// SPDX-License-Identifier: Apache-2.0
// A bump allocator: memory is allocated piece by piece and released all at once, or back to a mark.
import { type Allocator, heapAllocator } from "./allocator.ts";
import { assert } from "./assert.ts";
import { type CargoError, cargoError } from "./error.ts";
import { alignUp, isCount, isPowerOfTwo } from "./numeric.ts";
import { type Result, err, map, ok } from "./result.ts";

/** Allocates ascending offsets in one buffer. @public */
export class Arena {
  /** The memory. */
  readonly buffer: ArrayBuffer;
  private end = 0;
  private most = 0;

  private constructor(buffer: ArrayBuffer) {
    this.buffer = buffer;
  }

  /** An arena of `size` bytes. Errors: `bad_alloc`. */
  static create(size: number, allocator: Allocator = heapAllocator): Result<Arena, CargoError> {
    return map(allocator.allocateBytes(size), (buffer) => new Arena(buffer));
  }

  /** Allocated bytes, padding included. */
  get used(): number {
    return this.end;
  }

  /** Most bytes that were allocated at one time. */
  get peak(): number {
    return this.most;
  }

  /**
   * Allocates `size` bytes at a multiple of `alignment`, a power of two. Errors: `bad_argument`, `bad_alloc` (full).
   */
  allocate(size: number, alignment: number = 1): Result<number, CargoError> {
    if (!isCount(size) || !isPowerOfTwo(alignment))
      return err(cargoError("bad_argument", `${size} bytes at an alignment of ${alignment}`));
    const start = alignUp(this.end, alignment);
    if (start + size > this.buffer.byteLength) {
      const use = `an arena of ${this.buffer.byteLength} bytes with ${this.end} in use`;
      return err(cargoError("bad_alloc", `${use} has no room for ${size} at an alignment of ${alignment}`));
    }
    this.end = start + size;
    this.most = Math.max(this.most, this.end);
    return ok(start);
  }

  /** A view of allocated bytes. */
  bytes(offset: number, size: number): Uint8Array<ArrayBuffer> {
    assert(
      isCount(offset) && isCount(size) && offset + size <= this.end,
      () => `${size} bytes at ${offset} of an arena are not allocated`,
    );
    return new Uint8Array(this.buffer, offset, size);
  }

  /**
   * Releases everything that was allocated after {@link Arena.used} was `mark`; by default all. Bytes keep their
   * values.
   */
  release(mark: number = 0): void {
    assert(
      isCount(mark) && mark <= this.end,
      () => `an arena with ${this.end} bytes in use cannot be released to ${mark}`,
    );
    this.end = mark;
  }
}
