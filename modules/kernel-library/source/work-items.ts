// SPDX-License-Identifier: Apache-2.0
// Items, and the runner of kernels in plain JavaScript: work-groups one after another, their work-items in turn from
// barrier to barrier. A kernel that waits is a generator, which the translator makes of it; a plain function that waits
// says so.
import { type Elements, zeroMemory } from "./memory.ts";
import type { Width } from "./scalars.ts";
import type { ElementType } from "./translated.ts";

/** Number of dimensions. @public */
export type Dimensions = 1 | 2 | 3;

type Int = Width<number, "int">;

/** An item of a range. @public */
export interface Item<D extends Dimensions = 1> {
  /** Dimensions, for the checker alone. */
  readonly dimensions: D;
  /** Its id in a dimension, from 0; the last one counts neighbours. */
  getId(dimension?: number): Int;
  /** Items of a dimension. */
  getRange(dimension?: number): Int;
  /** Its number among all items. */
  getLinearId(): Int;
}

/** Memory that a barrier makes visible. @public */
export type FenceSpace = "local" | "global" | "both";

/** An item of a range that is divided into work-groups. @public */
export interface NdItem<D extends Dimensions = 1> extends Item<D> {
  /** Its id in a dimension. */
  getGlobalId(dimension?: number): Int;
  /** Items of a dimension. */
  getGlobalRange(dimension?: number): Int;
  /** Its number among all items. */
  getGlobalLinearId(): Int;
  /** Its id within the work-group. */
  getLocalId(dimension?: number): Int;
  /** Items of a work-group in a dimension. */
  getLocalRange(dimension?: number): Int;
  /** Its number within the work-group. */
  getLocalLinearId(): Int;
  /** The id of its work-group. */
  getGroup(dimension?: number): Int;
  /** Work-groups of a dimension. */
  getGroupRange(dimension?: number): Int;
  /** The number of its work-group. */
  getGroupLinearId(): Int;
  /** Waits until all items of the work-group are here; "both" where nothing is said. */
  barrier(fence?: FenceSpace): void;
}

/** What is launched. @public */
export interface HostLaunch {
  /** Items of each dimension. */
  readonly range: readonly number[];
  /** Items of a work-group in each dimension; absent: each item is one. */
  readonly localRange?: readonly number[];
  /** The first ids; absent: 0. */
  readonly offset?: readonly number[];
}

/** Local memory as an argument: each work-group gets its own. @public */
export class HostLocal {
  /** What it holds. */
  readonly element: ElementType;
  /** How many. */
  readonly count: number;

  /** Local memory of so many elements. */
  constructor(element: ElementType, count: number) {
    this.element = element;
    this.count = count;
  }
}

/** The state of a work-group that runs. */
interface Group {
  readonly range: readonly number[];
  readonly localRange: readonly number[];
  readonly offset: readonly number[];
  readonly ids: readonly number[];
  readonly locals: Map<number, Elements<never>>;
}

const linear = (ids: readonly number[], range: readonly number[]): number =>
  ids.reduce((sum, id, i) => sum * (range[i] ?? 1) + id, 0);

/** An item of the runner. */
class HostItem {
  readonly dimensions: number;
  readonly group: Group;
  readonly local: readonly number[];

  constructor(group: Group, local: readonly number[]) {
    this.dimensions = group.range.length;
    this.group = group;
    this.local = local;
  }

  getId(dimension: number = 0): number {
    const { ids, localRange, offset } = this.group;
    return (
      (ids[dimension] ?? 0) * (localRange[dimension] ?? 1) + (this.local[dimension] ?? 0) + (offset[dimension] ?? 0)
    );
  }

  getRange(dimension: number = 0): number {
    return this.group.range[dimension] ?? 1;
  }

  getLinearId(): number {
    const { range, offset } = this.group;
    return linear(
      range.map((_, i) => this.getId(i) - (offset[i] ?? 0)),
      range,
    );
  }

  getGlobalId(dimension: number = 0): number {
    return this.getId(dimension);
  }

  getGlobalRange(dimension: number = 0): number {
    return this.getRange(dimension);
  }

  getGlobalLinearId(): number {
    return this.getLinearId();
  }

  getLocalId(dimension: number = 0): number {
    return this.local[dimension] ?? 0;
  }

  getLocalRange(dimension: number = 0): number {
    return this.group.localRange[dimension] ?? 1;
  }

  getLocalLinearId(): number {
    return linear(this.local, this.group.localRange);
  }

  getGroup(dimension: number = 0): number {
    return this.group.ids[dimension] ?? 0;
  }

  getGroupRange(dimension: number = 0): number {
    return (this.group.range[dimension] ?? 1) / (this.group.localRange[dimension] ?? 1);
  }

  getGroupLinearId(): number {
    return linear(
      this.group.ids,
      this.group.range.map((_, i) => this.getGroupRange(i)),
    );
  }

  barrier(): void {
    if (this.group.localRange.some((size) => size > 1))
      throw new Error(
        "a barrier needs the translated form of a kernel: load the file with a plugin of muxkit, or with " +
          "node --import muxkit/sycl/register",
      );
  }
}

/** The group that runs, for local arrays. */
let current: Group | null = null;

/** The local array of a number in the group that runs. @internal */
export function localArrayOf(number: number, type: ElementType, shape: readonly number[]): Elements<never> {
  if (current === null) throw new Error("local memory exists while a kernel runs");
  let memory = current.locals.get(number);
  if (memory === undefined) current.locals.set(number, (memory = zeroMemory(type, shape)));
  return memory;
}

/** Waits of a work-item, each with what it tells its group and hears of it. */
type Steps = Generator<GroupCall, unknown, unknown>;

/** What a work-item waits for: a barrier, or what a collective function makes of all values. @internal */
export interface GroupCall {
  /** Values of all items in order, to the value of each; null: a barrier. */
  readonly combine: ((values: readonly unknown[], index: number) => unknown) | null;
  /** The item's value. */
  readonly value: unknown;
}

function isSteps(value: unknown): value is Steps {
  return typeof value === "object" && value !== null && "next" in value;
}

function positions(range: readonly number[]): readonly (readonly number[])[] {
  return range.reduce<readonly (readonly number[])[]>(
    (list, size) => list.flatMap((ids) => Array.from({ length: size }, (_, i) => [...ids, i])),
    [[]],
  );
}

function runGroup(
  fn: (...values: never[]) => unknown,
  group: Group,
  takesItem: boolean,
  values: readonly unknown[],
): void {
  const own = values.map((value) => (value instanceof HostLocal ? zeroMemory(value.element, [value.count]) : value));
  let waiting: Steps[] = [];
  for (const local of positions(group.localRange)) {
    const given = takesItem ? [new HostItem(group, local), ...own] : own;
    const made = fn(...(given as never[]));
    if (isSteps(made)) waiting.push(made);
  }
  let answers: readonly unknown[] = [];
  while (waiting.length > 0) {
    const calls: GroupCall[] = [];
    const next: Steps[] = [];
    for (const [i, steps] of waiting.entries()) {
      const { done, value } = steps.next(answers[i]);
      if (done === true) continue;
      next.push(steps);
      calls.push(value);
    }
    if (next.length > 0 && next.length < waiting.length)
      throw new Error(`${next.length} of ${waiting.length} work-items wait at a barrier that the others do not reach`);
    waiting = next;
    const all = calls.map(({ value }) => value);
    answers = calls.map(({ combine }, i) => combine?.(all, i));
  }
}

/**
 * Runs a kernel in this thread: a plain function as it is, or what the translator makes of it. Local memory is an
 * argument of class {@link HostLocal}. Error: a group whose range does not divide the range, and a barrier that not
 * all reach.
 *
 * @param fn - the function
 * @param item - what its first parameter is
 * @param values - its arguments
 * @public
 */
export function runOnHost(
  fn: (...values: never[]) => unknown,
  item: "item" | "nd-item" | "none",
  { range, localRange = range.map(() => 1), offset = [] }: HostLaunch,
  values: readonly unknown[],
): void {
  const groups = range.map((size, i) => size / (localRange[i] ?? 1));
  if (!groups.every(Number.isInteger))
    throw new RangeError(`the range ${range.join(" × ")} is no multiple of the work-group ${localRange.join(" × ")}`);
  const before = current;
  try {
    for (const ids of item === "none" ? [range.map(() => 0)] : positions(groups)) {
      current = { range, localRange, offset, ids, locals: new Map() };
      runGroup(fn, current, item !== "none", values);
    }
  } finally {
    current = before;
  }
}
