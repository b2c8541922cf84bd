// SPDX-License-Identifier: Apache-2.0
// Lists that live as long as what they belong to.

/**
 * A list of its arguments. Lists of an instruction are made so, not as literals: of those the engine finds out that they live long, and makes them among what is old from then on.
 * Whatever they hold is then kept until the whole heap is looked through, and a program's IR, dead for long, is copied again and again.
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
