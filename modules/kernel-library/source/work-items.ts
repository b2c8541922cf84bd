// SPDX-License-Identifier: Apache-2.0
// Items, and the runner of kernels in plain JavaScript: work-groups one after another, their work-items in turn from
// barrier to barrier. A kernel that waits is a generator, which the translator makes of it; a plain function that waits
// says so. Work-items of a sub-group meet at its functions: where they wait at several, those at the first one in the
// program go on, as they do that follow the shortest way back together.
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

/** Who waits at a barrier. @public */
export type GroupScope = "work_group" | "sub_group";

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
  /** Waits until all items of the work-group, or of the sub-group, are here; "both" where nothing is said. */
  barrier(fence?: FenceSpace, scope?: GroupScope): void;
}

/** What is launched. @public */
export interface HostLaunch {
  /** Items of each dimension. */
  readonly range: readonly number[];
  /** Items of a work-group in each dimension; absent: each item is one. */
  readonly localRange?: readonly number[];
  /** The first ids; absent: 0. */
  readonly offset?: readonly number[];
  /** Items of a sub-group; absent: 8, as on the processor. */
  readonly subGroupSize?: number;
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
  readonly subGroupSize: number;
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
    if (this.group.localRange.some((size) => size > 1)) throw new Error(`a barrier ${HOW_TO_TRANSLATE}`);
  }

  /** Items of the work-group. */
  get groupSize(): number {
    return this.group.localRange.reduce((product, size) => product * size, 1);
  }

  get maxSubGroupSize(): number {
    return Math.min(this.group.subGroupSize, this.groupSize);
  }

  get subGroupCount(): number {
    return Math.ceil(this.groupSize / this.group.subGroupSize);
  }

  get subGroupId(): number {
    return Math.floor(this.getLocalLinearId() / this.group.subGroupSize);
  }

  get subGroupLocalId(): number {
    return this.getLocalLinearId() % this.group.subGroupSize;
  }

  /** Items of its sub-group; the last one of a work-group may have less. */
  get subGroupRange(): number {
    const { subGroupSize } = this.group;
    return Math.min(subGroupSize, this.groupSize - this.subGroupId * subGroupSize);
  }

  /** The linear local id of ids in OpenCL's order. */
  linearOf(ids: readonly number[]): number {
    const { localRange } = this.group;
    return ids.reduceRight((sum, id, i) => sum * (localRange[localRange.length - 1 - i] ?? 1) + id, 0);
  }
}

/** How to run what an untransformed function cannot do. @internal */
export const HOW_TO_TRANSLATE: string =
  "needs the translated form of a kernel: load the file with a plugin of muxkit, or with " +
  "node --import muxkit/sycl/register";

/** The item that runs. */
let running: HostItem | null = null;

/** The item that runs. @internal */
export function currentItem(call: string): HostItem {
  if (running === null) throw new Error(`${call} is for work-items, and no kernel runs`);
  return running;
}

/** Items of a sub-group on the processor. */
const SUB_GROUP_SIZE = 8;

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

/** What a work-item waits for: a barrier, or what a function of its group makes of all values. @internal */
export interface GroupCall {
  /** What is called. */
  readonly name: string;
  /** Who meets. */
  readonly scope: GroupScope;
  /** Its place in the program. */
  readonly site: number;
  /** All of the group come; else those that come take part. */
  readonly isTogether: boolean;
  /** Values of all that meet, in order, and their local ids in the group, to the value of each; null: a barrier. */
  readonly combine: ((values: readonly unknown[], index: number, lanes: readonly number[]) => unknown) | null;
  /** The item's value. */
  readonly value: unknown;
}

/** A work-item between two of its waits. */
interface Turn {
  readonly item: HostItem;
  readonly steps: Steps;
  /** What it waits for. */
  call: GroupCall | null;
  answer: unknown;
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
  let waiting: Turn[] = [];
  for (const local of positions(group.localRange)) {
    const item = new HostItem(group, local);
    running = item;
    const made = fn(...((takesItem ? [item, ...own] : own) as never[]));
    if (isSteps(made)) waiting.push({ item, steps: made, call: null, answer: undefined });
  }
  let ready: readonly Turn[] = waiting;
  while (ready.length > 0) {
    for (const turn of ready) {
      running = turn.item;
      const { done, value } = turn.steps.next(turn.answer);
      turn.call = done === true ? null : value;
    }
    waiting = waiting.filter(({ call }) => call !== null);
    const met = subGroupMeetings(waiting);
    ready = met.length > 0 ? met : workGroupMeeting(waiting);
  }
}

/** Work-items that have met in their sub-groups, with their answers. */
function subGroupMeetings(waiting: readonly Turn[]): readonly Turn[] {
  const groups = new Map<number, Turn[]>();
  for (const turn of waiting) {
    const list = groups.get(turn.item.subGroupId);
    if (list === undefined) groups.set(turn.item.subGroupId, [turn]);
    else list.push(turn);
  }
  return [...groups.values()].flatMap((turns) => {
    const sites = turns.flatMap(({ call }) => (call?.scope === "sub_group" ? [call.site] : []));
    if (sites.length === 0) return [];
    const first = Math.min(...sites);
    const members = turns.filter(({ call }) => call?.scope === "sub_group" && call.site === first);
    meet(members, members[0]?.item.subGroupRange ?? 0, ({ subGroupLocalId }) => subGroupLocalId);
    return members;
  });
}

/** All work-items, which have met, with their answers. */
function workGroupMeeting(waiting: readonly Turn[]): readonly Turn[] {
  meet(waiting, waiting[0]?.item.groupSize ?? 0, (item) => item.getLocalLinearId());
  return waiting;
}

function meet(members: readonly Turn[], all: number, idOf: (item: HostItem) => number): void {
  const [first] = members;
  if (first?.call?.isTogether === true && members.length < all)
    throw new Error(`${members.length} of ${all} work-items wait at ${first.call.name} that the others do not reach`);
  const values = members.map(({ call }) => call?.value);
  const lanes = members.map(({ item }) => idOf(item));
  for (const [i, turn] of members.entries()) {
    running = turn.item;
    turn.answer = turn.call?.combine?.(values, i, lanes);
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
  { range, localRange = range.map(() => 1), offset = [], subGroupSize = SUB_GROUP_SIZE }: HostLaunch,
  values: readonly unknown[],
): void {
  const groups = range.map((size, i) => size / (localRange[i] ?? 1));
  if (!groups.every(Number.isInteger))
    throw new RangeError(`the range ${range.join(" × ")} is no multiple of the work-group ${localRange.join(" × ")}`);
  const before = current;
  const itemBefore = running;
  try {
    for (const ids of item === "none" ? [range.map(() => 0)] : positions(groups)) {
      current = { range, localRange, offset, subGroupSize, ids, locals: new Map() };
      runGroup(fn, current, item !== "none", values);
    }
  } finally {
    current = before;
    running = itemBefore;
  }
}
