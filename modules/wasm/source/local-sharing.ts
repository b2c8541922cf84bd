// SPDX-License-Identifier: Apache-2.0
// Register allocation for WebAssembly's locals: values of one type whose live ranges do not overlap share a local.
//
// The function has been written with virtual locals, one for each value. Their accesses, and where loops begin and end,
// are events in the order of the code. A live range is one interval of events: from the first access to the last, and
// to the end of a loop that begins inside of it and accesses the local, since the next iteration needs the value
// (Poletto and Sarkar, "Linear Scan Register Allocation", TOPLAS 1999). Because each value is written before it is read
// on all paths, a range that begins in a loop need not cover the loop. Two kinds of locals get wider ranges: one that
// is read first relies on the zero that locals begin with, and keeps its local everywhere; one that goes from one part
// of a dispatch loop to another covers that loop, where the order of the code says nothing about that of execution.
//
// A local that becomes free is taken next: few locals are in use, and their numbers are short. Engines keep a table of
// all locals at each branch, so fewer locals also make compilation faster there. Cost: linear in events, times the
// logarithm of the depth of loops.

import { filled } from "@muxkit/cargo";

/** What an event is; that of an access has the local's number above {@link EVENT_BITS}. */
export const EVENT = { read: 0, write: 1, loop: 2, loopEnd: 3, part: 4, dispatchEnd: 5 } as const;

/** Bits of an event's kind. */
export const EVENT_BITS = 3;

/**
 * Live ranges by virtual local: times of the first and the last event; {@link NEVER}: no access. The time of an event
 * is its index plus one, and the function begins at 0.
 */
interface LiveRanges {
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const NEVER = -1;

/** The outermost of the open loops that begins after a time. */
function outermostAfter(open: readonly number[], time: number): number {
  let low = 0;
  let high = open.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((open[middle] ?? 0) > time) high = middle;
    else low = middle + 1;
  }
  return open[low] ?? NEVER;
}

/** The live range of each virtual local. Those in `preset` have their values from the beginning. */
function liveRanges(count: number, events: readonly number[], preset: ReadonlySet<number>): LiveRanges {
  const first = filled(count, NEVER);
  const last = filled(count, NEVER);
  /** The loop that a local must outlive, by the time at which it begins. */
  const heldBy = filled(count, NEVER);
  const endOf = new Map<number, number>();
  const open: number[] = [];
  /** The part of the dispatch loop that a local was first accessed in; the locals that other parts access too. */
  const home = filled(count, NEVER);
  const across = new Set<number>();
  let part = NEVER;
  let dispatch = NEVER;
  for (let at = 1; at <= events.length; at++) {
    const event = events[at - 1] ?? 0;
    const kind = event & ((1 << EVENT_BITS) - 1);
    if (kind === EVENT.loop) open.push(at);
    else if (kind === EVENT.loopEnd) endOf.set(open.pop() ?? NEVER, at);
    else if (kind === EVENT.part) {
      if (part === NEVER) dispatch = at;
      part = at;
    } else if (kind === EVENT.dispatchEnd) {
      for (const local of across) {
        first[local] = Math.min(first[local] ?? 0, dispatch);
        last[local] = at;
      }
      across.clear();
      part = NEVER;
    } else {
      const local = event >> EVENT_BITS;
      if (first[local] === NEVER) {
        home[local] = part;
        first[local] = kind === EVENT.read || preset.has(local) ? 0 : at;
        if (kind === EVENT.read && !preset.has(local)) last[local] = events.length + 1;
      } else if (part !== NEVER && home[local] !== part) across.add(local);
      last[local] = Math.max(last[local] ?? 0, at);
      const loop = outermostAfter(open, first[local] ?? 0);
      if (loop !== NEVER) heldBy[local] = loop;
    }
  }
  for (let local = 0; local < count; local++)
    last[local] = Math.max(last[local] ?? 0, endOf.get(heldBy[local] ?? NEVER) ?? NEVER);
  return { first, last };
}

/** Lists of virtual locals by time, each in the order of their numbers. */
class Agenda {
  private readonly heads: number[];
  private readonly nexts: number[];

  /** `times`: that of each local; `length`: one more than the last. */
  constructor(times: readonly number[], length: number) {
    this.heads = filled(length, NEVER);
    this.nexts = filled(times.length, NEVER);
    for (let local = times.length - 1; local >= 0; local--) {
      const time = times[local] ?? NEVER;
      if (time === NEVER) continue;
      this.nexts[local] = this.heads[time] ?? NEVER;
      this.heads[time] = local;
    }
  }

  /** Calls for each local of a time. */
  each(time: number, use: (local: number) => void): void {
    for (let local = this.heads[time] ?? NEVER; local !== NEVER; local = this.nexts[local] ?? NEVER) use(local);
  }
}

/** Locals that values share. */
export interface SharedLocals {
  /** The local of each virtual local that has an access, from 0 on. */
  readonly localOf: readonly number[];
  /** The type of each local. */
  readonly types: readonly number[];
}

/**
 * Shares locals. `virtualTypes`: the type of each virtual local; `preset`: those that have values when the function
 * begins.
 */
export function shareLocals(
  virtualTypes: readonly number[],
  events: readonly number[],
  preset: ReadonlySet<number>,
): SharedLocals {
  const { first, last } = liveRanges(virtualTypes.length, events, preset);
  const begins = new Agenda(first, events.length + 2);
  const ends = new Agenda(last, events.length + 2);
  const localOf = filled(virtualTypes.length, NEVER);
  const types: number[] = [];
  const free = new Map<number, number[]>();
  const begin = (local: number): void => {
    const type = virtualTypes[local] ?? 0;
    localOf[local] = free.get(type)?.pop() ?? types.push(type) - 1;
  };
  const end = (local: number): void => {
    const type = virtualTypes[local] ?? 0;
    const list = free.get(type);
    if (list === undefined) free.set(type, [localOf[local] ?? 0]);
    else list.push(localOf[local] ?? 0);
  };
  for (let at = 0; at <= events.length; at++) {
    begins.each(at, begin);
    ends.each(at, end);
  }
  return { localOf, types };
}
