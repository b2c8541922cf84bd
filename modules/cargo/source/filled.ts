// SPDX-License-Identifier: Apache-2.0
// Arrays of a given length.

/**
 * An array of `length` times the same item, of exactly that capacity. For short-lived tables: the memory of a typed
 * array of more than 64 bytes is outside of the heap, and creating and freeing it costs ten times as much.
 *
 * @public
 */
export function filled<T>(length: number, item: T): T[] {
  // oxlint-disable-next-line unicorn/no-new-array
  return new Array<T>(length).fill(item);
}
