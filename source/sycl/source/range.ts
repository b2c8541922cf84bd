// SPDX-License-Identifier: Apache-2.0
// Ranges and places in them: one to three numbers, the last of which counts fastest.
//
// SYCL is row-major: in range(rows, columns) neighbours along the last dimension are next to each other in memory.
// OpenCL's dimension 0 is the fastest one, so a launch has the sizes in reverse order: get_global_id(0) of a kernel in
// OpenCL C is the place along the last dimension.
import { SyclException } from "./exception.ts";

/** A number of dimensions. @public */
export type Dimensions = 1 | 2 | 3;

/** Sizes by dimension, or a place: the last dimension counts fastest. @public */
export type Sizes<D extends Dimensions> = D extends 1
  ? readonly [number]
  : D extends 2
    ? readonly [number, number]
    : readonly [number, number, number];

/** Sizes of a launch, in OpenCL's order. @internal */
export interface LaunchSizes {
  readonly global: readonly number[];
  /** Null: chosen. */
  readonly local: readonly number[] | null;
  readonly offset: readonly number[];
}

/** How many there are in each dimension (`sycl::range`). @public */
export class Range<D extends Dimensions = Dimensions> {
  /** The sizes. */
  readonly sizes: Sizes<D>;
  /** The launch over it, once there was one. @internal */
  launch: LaunchSizes | null = null;

  /** Made by `range`. @internal */
  constructor(sizes: Sizes<D>) {
    this.sizes = sizes;
  }

  /** Dimensions. */
  get dimensions(): D {
    return this.sizes.length as D;
  }

  /** The size in a dimension; 1 beyond the last. */
  get(dimension: number): number {
    return this.sizes[dimension] ?? 1;
  }

  /** The product of all sizes. */
  get size(): number {
    return (this.sizes as readonly number[]).reduce((product, size) => product * size, 1);
  }

  /** True for the same sizes. */
  equals(other: Range): boolean {
    return this.sizes.length === other.sizes.length && this.sizes.every((size, i) => size === other.sizes[i]);
  }
}

/** A place in a range (`sycl::id`). @public */
export class Id<D extends Dimensions = Dimensions> {
  /** The coordinates. */
  readonly sizes: Sizes<D>;

  /** Made by `id`. @internal */
  constructor(sizes: Sizes<D>) {
    this.sizes = sizes;
  }

  /** Dimensions. */
  get dimensions(): D {
    return this.sizes.length as D;
  }

  /** The coordinate in a dimension; 0 beyond the last. */
  get(dimension: number): number {
    return this.sizes[dimension] ?? 0;
  }
}

/** A range of work-items in work-groups (`sycl::nd_range`). @public */
export class NdRange<D extends Dimensions = Dimensions> {
  /** All work-items. */
  readonly global: Range<D>;
  /** Those of a work-group. */
  readonly local: Range<D>;
  /** Where the global ids begin. */
  readonly offset: Id<D>;

  /** Made by {@link ndRange}. @internal */
  constructor(global: Range<D>, local: Range<D>, offset: Id<D>) {
    this.global = global;
    this.local = local;
    this.offset = offset;
  }
}

function checked(call: string, sizes: readonly number[], what: string): void {
  for (const [dimension, size] of sizes.entries())
    if (!Number.isSafeInteger(size) || size < 0)
      throw new SyclException(
        "invalid",
        call,
        `the ${what} in dimension ${dimension} is ${size}; it must be an integer from 0`,
      );
}

/** A range of one dimension. Error: invalid for what is no count. @public */
export function range(size0: number): Range<1>;
/** A range of two dimensions. @public */
export function range(size0: number, size1: number): Range<2>;
/** A range of three dimensions. @public */
export function range(size0: number, size1: number, size2: number): Range<3>;
export function range(...sizes: readonly number[]): Range {
  if (sizes.length < 1 || sizes.length > 3)
    throw new SyclException("invalid", "range", `a range has one to three dimensions, not ${sizes.length}`);
  checked("range", sizes, "size");
  return new Range(sizes as Sizes<Dimensions>);
}

/** A place in a range of one dimension. Error: invalid for what is no coordinate. @public */
export function id(at0: number): Id<1>;
/** A place in a range of two dimensions. @public */
export function id(at0: number, at1: number): Id<2>;
/** A place in a range of three dimensions. @public */
export function id(at0: number, at1: number, at2: number): Id<3>;
export function id(...sizes: readonly number[]): Id {
  if (sizes.length < 1 || sizes.length > 3)
    throw new SyclException("invalid", "id", `an id has one to three dimensions, not ${sizes.length}`);
  checked("id", sizes, "coordinate");
  return new Id(sizes as Sizes<Dimensions>);
}

/**
 * Work-items in work-groups. Error: nd_range where the dimensions differ, or the global size is no multiple of the
 * local one.
 *
 * @public
 */
export function ndRange<D extends Dimensions>(global: Range<D>, local: Range<D>, offset?: Id<D>): NdRange<D> {
  const dimensions: number = global.dimensions;
  const others: readonly number[] = [local.dimensions, offset?.dimensions ?? dimensions];
  if (others.some((one) => one !== dimensions))
    throw new SyclException(
      "nd_range",
      "ndRange",
      `the ranges have ${dimensions} and ${others.find((one) => one !== dimensions)} dimensions; use the same number`,
    );
  for (let i = 0; i < dimensions; i++) {
    const [all, group] = [global.get(i), local.get(i)];
    if (group === 0 || all % group !== 0)
      throw new SyclException(
        "nd_range",
        "ndRange",
        `the global size in dimension ${i} is ${all}, which is not a multiple of the local size ${group}`,
      );
  }
  return new NdRange(global, local, offset ?? new Id(global.sizes.map(() => 0) as unknown as Sizes<D>));
}

/** Sizes in OpenCL's order: the fastest dimension first. */
export function reversed(sizes: readonly number[]): number[] {
  return sizes.toReversed();
}
