// SPDX-License-Identifier: Apache-2.0
// Work-items of a group that wait for each other: which of them continue, and the results of group operations.
//
// Work-items run one by one until each waits or is done, so a barrier or a group operation is the only point at which
// they synchronise. Operations that all must reach (uniform) release all that run at once; those waiting elsewhere are
// a divergent barrier. Operations of those that arrive together (non-uniform: ballots, shuffles, the end of an
// iteration) converge by position: the work-items whose position in the program is the earliest continue first, until
// the others are at the same position (thread frontiers, Diamos et al. 2011). Positions are block numbers of
// `convergence` (@muxkit/ir), frame by frame.
//
// Reductions and scans combine in the order that docs/kernel-abi.md fixes for every way to run a kernel.
import { InternalError, at, groupBy } from "@muxkit/cargo";
import { type DataLayout, Op, combinationOf, laneOperation, reduceItems, scanItems } from "@muxkit/ir";

import { Fault } from "./error.ts";
import { type Register, fromLanes, laneBits, scalar } from "./register.ts";
import type { Wait, WorkItem } from "./work-item.ts";

/** Operand `i` of the group operation at which a work-item waits. */
function operand(item: WorkItem, i: number): Register {
  const frame = item.frames.at(-1);
  const step = item.wait?.step;
  if (frame === undefined || step === null || step === undefined)
    throw new InternalError("a work-item without a group operation", ["interpreter"]);
  return at(frame.registers, at(step.operands, i));
}

/** Values by linear id; null: takes no part. */
type Members = readonly (WorkItem | null)[];

/** The result of each member: the same for all, or by id. */
type GroupResult = (wait: Wait, members: Members, layout: DataLayout) => (id: number, item: WorkItem) => Register;

const vote: GroupResult = ({ instruction }, members) => {
  const votes = members.flatMap((item) => (item === null ? [] : [scalar(operand(item, 0)) === 1n]));
  const result = (instruction.op === Op.GROUP_ALL ? votes.every(Boolean) : votes.some(Boolean)) ? 1n : 0n;
  return () => result;
};

const pick: GroupResult = ({ instruction }, members) => {
  const nothing = fromLanes(
    instruction.type,
    Array.from({ length: Math.max(1, instruction.type.count) }, () => 0n),
  );
  return (_, item) => {
    const source = members[Number(scalar(operand(item, 1)))] ?? null;
    return source === null ? nothing : operand(source, 0);
  };
};

const first: GroupResult = (_wait, members) => {
  const item = members.find((member) => member !== null);
  const value = item === null || item === undefined ? 0n : operand(item, 0);
  return () => value;
};

const ballot: GroupResult = (_wait, members) => {
  let bits = 0n;
  members.forEach((item, i) => {
    if (item !== null) bits |= scalar(operand(item, 0)) << BigInt(i);
  });
  const words = Array.from({ length: 4 }, (_, i) => BigInt.asUintN(32, bits >> BigInt(i * 32)));
  return () => words;
};

const reduce: GroupResult = ({ instruction, step }, members, layout) => {
  const { type, atomicKind, op } = instruction;
  const bits = laneBits(layout, type);
  const combination = combinationOf(atomicKind, bits);
  const compute = laneOperation(combination.op, bits, bits);
  if (compute === null) throw new InternalError(`nothing combines by ${atomicKind}`, ["interpreter"]);
  const combine = (left: bigint, right: bigint): bigint => compute(left, right, 0n);
  const values = members.map((item) => (item === null ? null : scalar(operand(item, 0))));
  if (op === Op.GROUP_REDUCE) {
    const [cluster] = step === null || step.operands.length < 2 ? [] : [instruction.operands[1]];
    const size = cluster?.kind === "constant" ? cluster.low : Math.max(1, values.length);
    const results = Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
      reduceItems(values.slice(i * size, (i + 1) * size), combination.neutral, combine),
    );
    return (id) => at(results, Math.floor(id / size));
  }
  const scanned = scanItems(values, combination.neutral, combine);
  if (op === Op.GROUP_SCAN_INCLUSIVE) return (id) => at(scanned, id);
  let before = combination.first;
  const exclusive = values.map((value, id) => {
    const own = before;
    if (value !== null) before = at(scanned, id);
    return own;
  });
  return (id) => at(exclusive, id);
};

const RESULTS: Readonly<Record<number, GroupResult>> = {
  [Op.GROUP_ALL]: vote,
  [Op.GROUP_ANY]: vote,
  [Op.GROUP_BROADCAST]: pick,
  [Op.GROUP_SHUFFLE]: pick,
  [Op.GROUP_BROADCAST_FIRST]: first,
  [Op.GROUP_BALLOT]: ballot,
  [Op.GROUP_REDUCE]: reduce,
  [Op.GROUP_SCAN_INCLUSIVE]: reduce,
  [Op.GROUP_SCAN_EXCLUSIVE]: reduce,
};

/** Releases work-items that wait at one position; `members` are all of the scope by linear id. */
function release(together: readonly WorkItem[], members: readonly WorkItem[], layout: DataLayout): void {
  const wait = together[0]?.wait;
  if (wait === null || wait === undefined) return;
  if (wait.step !== null) {
    const { slot, instruction } = wait.step;
    const chosen = new Set(together);
    const result = RESULTS[instruction.op]?.(
      wait,
      members.map((item) => (chosen.has(item) ? item : null)),
      layout,
    );
    if (result === undefined) throw new InternalError("no group operation", ["interpreter"]);
    if (instruction.op === Op.GROUP_BROADCAST && wait.isUniform) checkSameId(together, wait);
    const lowest = at(members, 0).linearId;
    // All are computed before any is written: an operand may be in the slot of a result.
    const results = together.map((item) => result(item.linearId - lowest, item));
    together.forEach((item, i) => {
      const frame = item.frames.at(-1);
      if (frame !== undefined) frame.registers[slot] = at(results, i);
    });
  }
  for (const item of together) item.state = "running";
}

/** A broadcast is from one work-item to all. */
function checkSameId(together: readonly WorkItem[], { instruction }: Wait): void {
  const other = together.find((item) => operand(item, 1) !== operand(at(together, 0), 1));
  if (other !== undefined)
    throw new Fault(
      "barrier-divergence",
      `work-item (${at(together, 0).localId.join(", ")}) of the group broadcasts from another work-item ` +
        `than work-item (${other.localId.join(", ")})`,
      instruction,
    );
}

function comparePositions(left: readonly number[], right: readonly number[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/**
 * All that run must wait at one barrier or group operation; those that have returned take no further part
 * (docs/decisions/031-early-returns.md).
 */
function checkTogether(waiting: readonly WorkItem[]): void {
  const [leader] = waiting;
  const other = waiting.find(({ wait }) => wait?.instruction !== leader?.wait?.instruction);
  if (leader === undefined || other === undefined) return;
  throw new Fault(
    "barrier-divergence",
    `work-item (${leader.localId.join(", ")}) of the group waits at this barrier, ` +
      `work-item (${other.localId.join(", ")}) at another`,
    leader.wait?.instruction,
  );
}

/**
 * Runs a sub-group until its work-items wait for the work-group or are done. `items` are in the order to run them in,
 * `members` by id.
 */
function runSubGroup(
  items: readonly WorkItem[],
  members: readonly WorkItem[],
  run: (item: WorkItem) => void,
  layout: DataLayout,
): void {
  for (;;) {
    for (const item of items) if (item.state === "running") run(item);
    const waiting = items.filter(({ state, wait }) => state === "waiting" && wait?.scope === "sub_group");
    if (waiting.length === 0) return;
    const converging = waiting
      .filter(({ wait }) => wait?.isUniform === false)
      .toSorted((a, b) => comparePositions(a.wait?.position ?? [], b.wait?.position ?? []));
    const [earliest] = converging;
    if (earliest === undefined) {
      checkTogether(items.filter(({ state }) => state !== "done"));
      release(waiting, members, layout);
    } else
      release(
        converging.filter(({ wait }) => comparePositions(wait?.position ?? [], earliest.wait?.position ?? []) === 0),
        members,
        layout,
      );
  }
}

/**
 * Runs the work-items of a group, passed in execution order, until all are done. `run` runs one until it waits
 * or is done.
 */
export function runGroup(
  items: readonly WorkItem[],
  subGroupSize: number,
  run: (item: WorkItem) => void,
  layout: DataLayout,
): void {
  const members = items.toSorted((a, b) => a.linearId - b.linearId);
  const subGroups = [...groupBy(items, ({ linearId }) => Math.floor(linearId / subGroupSize)).values()].map((own) => ({
    own,
    ids: own.toSorted((a, b) => a.linearId - b.linearId),
  }));
  while (items.some(({ state }) => state !== "done")) {
    for (const { own, ids } of subGroups) runSubGroup(own, ids, run, layout);
    const waiting = items.filter(({ state }) => state === "waiting");
    checkTogether(waiting);
    release(waiting, members, layout);
  }
}
