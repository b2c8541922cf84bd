// SPDX-License-Identifier: Apache-2.0
// Functions of work-groups and sub-groups in JavaScript: what each work-item gives, and what all of them make of it.
// A sub-group are neighbours by the linear local id. Sums are those of the items in order.
import { convertScalar, isWide, wrap } from "./scalars.ts";
import type { ScalarName } from "./translated.ts";
import { type Vector, makeVector, operate } from "./vector.ts";
import { type GroupCall, currentItem } from "./work-items.ts";

type Scalar = number | bigint;
type Words = Vector<"uint", 4>;

/** Combines two values of a type. */
type Combine = (scalar: ScalarName, a: Scalar, b: Scalar) => Scalar;

const operator =
  (name: string): Combine =>
  (scalar, a, b) =>
    operate(name, scalar, a, b);
const truth =
  (holds: (a: boolean, b: boolean) => boolean): Combine =>
  (_scalar, a, b) =>
    Number(holds(Boolean(a), Boolean(b)));

/** What reductions and scans combine by, and what changes nothing. */
const COMBINATIONS: Readonly<
  Record<string, { readonly combine: Combine; readonly identity: (scalar: ScalarName) => Scalar }>
> = {
  add: { combine: operator("add"), identity: (scalar) => numberOf(scalar, 0) },
  mul: { combine: operator("mul"), identity: (scalar) => numberOf(scalar, 1) },
  min: {
    combine: (_scalar, a, b) => (b < a ? b : a),
    identity: (scalar) => convertScalar(scalar, Infinity) as Scalar,
  },
  max: {
    combine: (_scalar, a, b) => (b > a ? b : a),
    identity: (scalar) => convertScalar(scalar, -Infinity) as Scalar,
  },
  and: { combine: operator("and"), identity: (scalar) => numberOf(scalar, -1) },
  or: { combine: operator("or"), identity: (scalar) => numberOf(scalar, 0) },
  xor: { combine: operator("xor"), identity: (scalar) => numberOf(scalar, 0) },
  logical_and: { combine: truth((a, b) => a && b), identity: () => 1 },
  logical_or: { combine: truth((a, b) => a || b), identity: () => 0 },
  logical_xor: { combine: truth((a, b) => a !== b), identity: () => 0 },
};

function numberOf(scalar: ScalarName, value: number): Scalar {
  return wrap(scalar, isWide(scalar) ? BigInt(value) : value);
}

/** Values of those who wait together, the ids of these, and which of them asks. */
interface Meeting {
  readonly values: readonly Scalar[];
  readonly lanes: readonly number[];
  readonly index: number;
}

/** The value of an id; 0 of one that does not take part. */
function valueAt({ values, lanes }: Meeting, lane: number): Scalar | undefined {
  const found = lanes.indexOf(lane);
  return found === -1 ? (typeof values[0] === "bigint" ? 0n : 0) : values[found];
}

/** The meeting of those whose ids are in the own cluster. */
function clusterOf({ values, lanes, index }: Meeting, size: number): Meeting {
  const own = Math.floor((lanes[index] ?? 0) / size);
  const members = lanes.flatMap((lane, i) => (Math.floor(lane / size) === own ? [i] : []));
  return {
    values: members.map((i) => values[i] as Scalar),
    lanes: members.map((i) => lanes[i] as number),
    index: members.indexOf(index),
  };
}

/** A reduction or scan; null: the name is of none. */
function combined(form: string, scalar: ScalarName, meeting: Meeting): Scalar | null {
  const [, kind = "", name = ""] = /^(reduce|scan_inclusive|scan_exclusive)_(\w+)$/u.exec(form) ?? [];
  const known = Object.hasOwn(COMBINATIONS, name) ? COMBINATIONS[name] : undefined;
  if (known === undefined) return null;
  const { index } = meeting;
  const values = name.startsWith("logical_") ? meeting.values.map((value) => Number(Boolean(value))) : meeting.values;
  const part =
    kind === "reduce" ? values : kind === "scan_inclusive" ? values.slice(0, index + 1) : values.slice(0, index);
  return part.length === 0 ? known.identity(scalar) : part.reduce((a, b) => wrap(scalar, known.combine(scalar, a, b)));
}

/** The id from which a value is rotated, among so many. */
function rotated(lane: number, by: number, size: number): number {
  const first = lane - (lane % size);
  return first + ((((lane - first + by) % size) + size) % size);
}

/** Functions of sub-groups that are neither reductions nor scans; `more` are the arguments behind the value. */
const EXCHANGES: Readonly<Record<string, (meeting: Meeting, more: readonly number[]) => unknown>> = {
  all: ({ values }) => Number(values.every((value) => value !== 0)),
  any: ({ values }) => Number(values.some((value) => value !== 0)),
  all_equal: ({ values }) => Number(values.every((value) => value === values[0])),
  elect: ({ index }) => Number(index === 0),
  broadcast: (meeting, [lane = 0]) => valueAt(meeting, lane),
  broadcast_first: ({ values }) => values[0],
  ballot: ({ values, lanes }) => maskOf(lanes.filter((_, i) => values[i] !== 0)),
  shuffle: (meeting, [lane = 0]) => valueAt(meeting, lane),
  shuffle_xor: (meeting, [mask = 0]) => valueAt(meeting, (meeting.lanes[meeting.index] ?? 0) ^ mask),
  shuffle_up: (meeting, [by = 0]) => valueAt(meeting, (meeting.lanes[meeting.index] ?? 0) - by),
  shuffle_down: (meeting, [by = 0]) => valueAt(meeting, (meeting.lanes[meeting.index] ?? 0) + by),
  rotate: (meeting, [by = 0]) =>
    valueAt(meeting, rotated(meeting.lanes[meeting.index] ?? 0, by, currentItem("rotate").subGroupRange)),
  clustered_rotate: (meeting, [by = 0, size = 1]) =>
    valueAt(meeting, rotated(meeting.lanes[meeting.index] ?? 0, by, size)),
};

/** Functions that all work-items of a sub-group reach together; the others are for those that do. */
const TOGETHER = /^sub_group_(?:all|any|broadcast|(?:reduce|scan_inclusive|scan_exclusive)_\w+)$/u;

/**
 * A function of a work-group or sub-group, for `yield`.
 *
 * @param site - its place in the program, by which those who wait at it are told from others
 */
export function groupCall(name: string, scalar: ScalarName, site: number, values: readonly unknown[]): GroupCall {
  const [value = 1, ...more] = values;
  const scope = name.startsWith("work_group_") ? "work_group" : "sub_group";
  const [, kind = "", form = ""] =
    /^(?:work|sub)_group_(non_uniform_|(?=clustered_reduce)clustered_)?(\w+)$/u.exec(name) ?? [];
  const plain = more.map(Number);
  const combine: GroupCall["combine"] = (given, index, lanes) => {
    const meeting: Meeting = { values: given as readonly Scalar[], lanes, index };
    const own = kind === "clustered_" ? clusterOf(meeting, plain[0] ?? 1) : meeting;
    const made = combined(form, scalar, own);
    if (made !== null) return made;
    // The ids of a work-group's broadcast count dimensions from OpenCL's first.
    if (scope === "work_group" && form === "broadcast") return given[currentItem(name).linearOf(plain)];
    const exchange = Object.hasOwn(EXCHANGES, form) ? EXCHANGES[form] : undefined;
    if (exchange === undefined) throw new Error(`the built-in ${name} exists on devices only`);
    return exchange(own, plain);
  };
  return { name, scope, site, isTogether: scope === "work_group" || TOGETHER.test(name), combine, value };
}

/** Bits of some ids. */
function maskOf(lanes: readonly number[]): Words {
  const words = [0, 0, 0, 0];
  for (const lane of lanes) words[lane >> 5] = ((words[lane >> 5] ?? 0) | (1 << (lane & 31))) >>> 0;
  return makeVector("uint", words) as unknown as Words;
}

function lanesOf(mask: unknown): readonly number[] {
  const words = (mask as Words).lanes.map(Number);
  const { maxSubGroupSize } = currentItem("a ballot");
  return Array.from({ length: maxSubGroupSize }, (_, i) => i).filter(
    (i) => (((words[i >> 5] ?? 0) >>> (i & 31)) & 1) === 1,
  );
}

const maskWhere = (holds: (lane: number, own: number) => boolean) => (): Words => {
  const { maxSubGroupSize, subGroupLocalId } = currentItem("a mask");
  return maskOf(Array.from({ length: maxSubGroupSize }, (_, i) => i).filter((i) => holds(i, subGroupLocalId)));
};

/** Functions that a work-item answers by itself: queries, masks, and what is read of a ballot. */
export const OWN_FUNCTIONS: Readonly<Record<string, (...values: readonly unknown[]) => unknown>> = {
  get_sub_group_size: () => currentItem("get_sub_group_size").subGroupRange,
  get_max_sub_group_size: () => currentItem("get_max_sub_group_size").maxSubGroupSize,
  get_num_sub_groups: () => currentItem("get_num_sub_groups").subGroupCount,
  get_enqueued_num_sub_groups: () => currentItem("get_enqueued_num_sub_groups").subGroupCount,
  get_sub_group_id: () => currentItem("get_sub_group_id").subGroupId,
  get_sub_group_local_id: () => currentItem("get_sub_group_local_id").subGroupLocalId,
  get_sub_group_eq_mask: maskWhere((lane, own) => lane === own),
  get_sub_group_ge_mask: maskWhere((lane, own) => lane >= own),
  get_sub_group_gt_mask: maskWhere((lane, own) => lane > own),
  get_sub_group_le_mask: maskWhere((lane, own) => lane <= own),
  get_sub_group_lt_mask: maskWhere((lane, own) => lane < own),
  sub_group_inverse_ballot: (mask) => Number(lanesOf(mask).includes(currentItem("a ballot").subGroupLocalId)),
  sub_group_ballot_bit_extract: (mask, lane) => {
    const [word = 0] = (mask as Words).lanes.map(Number).slice(Number(lane) >> 5);
    return (word >>> (Number(lane) & 31)) & 1;
  },
  sub_group_ballot_bit_count: (mask) => lanesOf(mask).length,
  sub_group_ballot_inclusive_scan: (mask) =>
    lanesOf(mask).filter((lane) => lane <= currentItem("a ballot").subGroupLocalId).length,
  sub_group_ballot_exclusive_scan: (mask) =>
    lanesOf(mask).filter((lane) => lane < currentItem("a ballot").subGroupLocalId).length,
  sub_group_ballot_find_lsb: (mask) => lanesOf(mask)[0] ?? 0,
  sub_group_ballot_find_msb: (mask) => lanesOf(mask).at(-1) ?? 0,
};

/** True for a name whose function waits for other work-items. @internal */
export function isGroupFunction(name: string): boolean {
  return /^(?:work|sub)_group_/u.test(name) && !Object.hasOwn(OWN_FUNCTIONS, name);
}
