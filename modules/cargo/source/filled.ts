// SPDX-License-Identifier: Apache-2.0
// Arrays of a length.

/**
 * An array of `length` times the same item, with room for just these. For tables that live shortly: a typed array of
 * more than 64 bytes lies outside of the heap, and to make one and to take it away costs ten times as much.
 *
 * @public
 */
export function filled<T>(length: number, item: T): T[] {
  // oxlint-disable-next-line unicorn/no-new-array
  return new Array<T>(length).fill(item);
}
