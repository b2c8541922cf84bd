// SPDX-License-Identifier: Apache-2.0
// How many work-items a run has, and how arrays lie in more than one dimension. The last dimension counts fastest.
import { chooseLocalSize } from "@muxkit/loader";
import { MAX_GROUP_ITEMS } from "@muxkit/host/launcher";

import { ensure } from "./error.ts";

/**
 * How many work-items: a number, or one for each of two or three dimensions; or all of them with those of a work-group.
 *
 * @public
 */
export type Places =
  | number
  | readonly number[]
  | { readonly global: number | readonly number[]; readonly local: number | readonly number[] };

/** An array with sizes, for an accessor of more than one dimension. @public */
export interface Shaped<T extends ArrayBufferView = ArrayBufferView> {
  /** The elements, row by row. */
  readonly array: T;
  /** How many in each dimension. */
  readonly sizes: readonly number[];
}

/** An array as elements of two or three dimensions. @public */
export function shaped<T extends ArrayBufferView>(array: T, ...sizes: readonly number[]): Shaped<T> {
  return { array, sizes };
}

function listOf(sizes: number | readonly number[]): readonly number[] {
  return typeof sizes === "number" ? [sizes] : sizes;
}

const LIMITS = [MAX_GROUP_ITEMS, MAX_GROUP_ITEMS, MAX_GROUP_ITEMS];

/** Sizes as OpenCL has them: the fastest dimension first. */
export function sizesOf(
  places: Places,
  required: readonly number[] | null,
  hint: readonly number[] | null,
): { readonly globalSize: readonly number[]; readonly localSize: readonly number[] } {
  const isGrouped = typeof places === "object" && "global" in places;
  const globalSize = listOf(isGrouped ? places.global : places).toReversed();
  const given = isGrouped ? listOf(places.local).toReversed() : required;
  const localSize = (given ?? chooseLocalSize(globalSize, LIMITS, hint)).slice(0, globalSize.length);
  ensure(
    localSize.length === globalSize.length,
    () => `there are ${globalSize.length} dimensions, and work-groups of ${localSize.length}`,
  );
  ensure(
    globalSize.every((size, i) => size % (localSize[i] ?? 1) === 0),
    () =>
      `${globalSize.toReversed().join(" x ")} work-items are not in groups of ${localSize.toReversed().join(" x ")}`,
  );
  return { globalSize, localSize };
}
