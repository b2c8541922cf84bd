// SPDX-License-Identifier: Apache-2.0
// Memory that is given out piece by piece and taken back all at once.
import { type Allocator, heapAllocator } from "./allocator.ts";
import { assert } from "./assert.ts";
import { type CargoError, cargoError } from "./error.ts";
import { alignUp, isCount, isPowerOfTwo } from "./numeric.ts";
import { type Result, err, map, ok } from "./result.ts";

/** Gives out offsets in one buffer, ascending. @public */
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

  /** Bytes given out, padding included. */
  get used(): number {
    return this.end;
  }

  /** Most bytes that were given out at one time. */
  get peak(): number {
    return this.most;
  }

  /**
   * The offset of `size` bytes at a multiple of `alignment` (a power of two). Errors: `bad_argument`, `bad_alloc` (it
   * is full).
   */
  allocate(size: number, alignment: number = 1): Result<number, CargoError> {
    if (!isCount(size) || !isPowerOfTwo(alignment))
      return err(cargoError("bad_argument", `${size} bytes at an alignment of ${alignment}`));
    const start = alignUp(this.end, alignment);
    if (start + size > this.buffer.byteLength) {
      return err(
        cargoError(
          "bad_alloc",
          `an arena of ${this.buffer.byteLength} bytes, ${this.end} of them in use, has no room for ${size} at an alignment of ${alignment}`,
        ),
      );
    }
    this.end = start + size;
    this.most = Math.max(this.most, this.end);
    return ok(start);
  }

  /** A view of bytes that were given out. */
  bytes(offset: number, size: number): Uint8Array<ArrayBuffer> {
    assert(
      isCount(offset) && isCount(size) && offset + size <= this.end,
      () => `${size} bytes at ${offset} of an arena were not given out`,
    );
    return new Uint8Array(this.buffer, offset, size);
  }

  /**
   * Takes back everything that was given out since {@link Arena.used} was `mark`; by default everything. The bytes keep
   * their values.
   */
  release(mark: number = 0): void {
    assert(isCount(mark) && mark <= this.end, () => `an arena with ${this.end} bytes in use cannot go back to ${mark}`);
    this.end = mark;
  }
}
