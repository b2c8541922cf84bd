// SPDX-License-Identifier: Apache-2.0
// Allocators of containers: an interface, so that tests can simulate that memory is exhausted.
import { type CargoError, cargoError } from "./error.ts";
import { isCount } from "./numeric.ts";
import { type Result, err, ok } from "./result.ts";

/** Allocates memory or returns an error. The garbage collector frees it. @public */
export interface Allocator {
  /** Zeroed bytes. Errors: `bad_alloc`. */
  allocateBytes(count: number): Result<ArrayBuffer, CargoError>;
  /** Empty slots for references. Errors: `bad_alloc`. */
  allocateSlots<T>(count: number): Result<T[], CargoError>;
}

function attempt<T>(what: string, count: number, make: () => T): Result<T, CargoError> {
  if (!isCount(count)) return err(cargoError("bad_alloc", `${count} ${what} cannot be allocated`));
  try {
    return ok(make());
  } catch {
    return err(cargoError("bad_alloc", `${count} ${what} cannot be allocated: the engine refused`));
  }
}

/** The engine's own memory. @public */
export const heapAllocator: Allocator = {
  allocateBytes: (count) => attempt("bytes", count, () => new ArrayBuffer(count)),
  // `new Array` reserves the slots; a literal could not.
  // oxlint-disable-next-line unicorn/no-new-array
  allocateSlots: <T>(count: number) => attempt("slots", count, () => new Array<T>(count)),
};

/** An allocator that always fails. @public */
export const nullAllocator: Allocator = failingAllocator(0);

/** An allocator that succeeds `successes` times and then fails: for tests of exhausted memory. @public */
export function failingAllocator(successes: number, from: Allocator = heapAllocator): Allocator {
  let left = successes;
  const refuse = (): Result<never, CargoError> | null =>
    left-- > 0 ? null : err(cargoError("bad_alloc", "this allocator has no more memory"));
  return {
    allocateBytes: (count) => refuse() ?? from.allocateBytes(count),
    allocateSlots: <T>(count: number): Result<T[], CargoError> => refuse() ?? from.allocateSlots<T>(count),
  };
}
