// SPDX-License-Identifier: Apache-2.0
// Groups of items with a common key. `Map.groupBy` is newer than the oldest Node that the packages support.

/**
 * The items of each key, in order of arrival; keys in order of their first item.
 *
 * @public
 */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
