// SPDX-License-Identifier: Apache-2.0
// Where containers get their memory from: an interface, so that tests can make it fail.
import { type CargoError, cargoError } from "./error.ts";
import { isCount } from "./numeric.ts";
import { type Result, err, ok } from "./result.ts";

/** Gives memory, or says that there is none. The garbage collector takes it back. @public */
export interface Allocator {
  /** Zeroed bytes. Errors: `bad_alloc`. */
  allocateBytes(count: number): Result<ArrayBuffer, CargoError>;
  /** Empty places for references. Errors: `bad_alloc`. */
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
  // `new Array` reserves the places; a literal could not.
  // oxlint-disable-next-line unicorn/no-new-array
  allocateSlots: <T>(count: number) => attempt("places", count, () => new Array<T>(count)),
};

/** Never gives anything. @public */
export const nullAllocator: Allocator = failingAllocator(0);

/** Gives memory `successes` times, then never again: for tests of what happens when there is none. @public */
export function failingAllocator(successes: number, from: Allocator = heapAllocator): Allocator {
  let left = successes;
  const refuse = (): Result<never, CargoError> | null =>
    left-- > 0 ? null : err(cargoError("bad_alloc", "this allocator gives no more"));
  return {
    allocateBytes: (count) => refuse() ?? from.allocateBytes(count),
    allocateSlots: <T>(count: number): Result<T[], CargoError> => refuse() ?? from.allocateSlots<T>(count),
  };
}
