// SPDX-License-Identifier: Apache-2.0
// Arrays that are part of instructions.

/**
 * An array of its arguments. Lists of instructions are made by this function and not as literals: V8 learns that
 * literals of one source location live long and pretenures them, and whatever they refer to then survives every minor
 * collection.
 *
 * @public
 */
export function listOf<T>(...items: T[]): T[] {
  return items;
}

/** A list with the same entries, see {@link listOf}. @public */
export function copyOf<T>(items: readonly T[]): T[] {
  return items.length === 0 ? listOf() : items.slice();
}
