// SPDX-License-Identifier: Apache-2.0
/**
 * Votes, ballots and shuffles. The lanes that an instruction names and that are still there must execute it together:
 * hardware would wait for them, and where they have gone another way, the program is wrong.
 */
import type { Step } from "./step.ts";
import { LANES, type Warp } from "./warp.ts";

/** Refuses an operation whose lanes are not those that are here. */
function checkMembers(warp: Warp, members: number, what: string): void {
  const { i32, lanes, count, mask, live } = warp;
  for (let k = 0; k < count; k++) {
    const lane = lanes[k] as number;
    const named = i32[members + lane] as number;
    if ((named & live) !== mask) {
      const missing = named & live & ~mask;
      warp.stop(
        missing !== 0
          ? `${what} waits for lanes that have gone another way: 0x${(missing >>> 0).toString(16)}`
          : `${what} is executed by lanes that it does not name: 0x${((mask & ~named) >>> 0).toString(16)}`,
      );
    }
  }
}

/** `bar.warp.sync`. */
export function warpBarrier(members: number): Step {
  return (warp) => {
    checkMembers(warp, members, "the barrier of a warp");
  };
}

/** Kinds of votes. */
export type VoteKind = "all" | "any" | "uni" | "ballot";

/** `vote.sync`. */
export function voteStep(kind: VoteKind, target: number, source: number, isInverted: boolean, members: number): Step {
  return (warp) => {
    checkMembers(warp, members, "a vote");
    const { i32, lanes, count, mask } = warp;
    const yes = warp.lanesWhere(source, isInverted);
    const result =
      kind === "ballot"
        ? yes
        : kind === "all"
          ? Number(yes === mask)
          : kind === "any"
            ? Number(yes !== 0)
            : Number(yes === 0 || yes === mask);
    for (let k = 0; k < count; k++) i32[target + (lanes[k] as number)] = result;
  };
}

/** Kinds of shuffles. */
export type ShuffleKind = "idx" | "up" | "down" | "bfly";

/** Registers of a shuffle. */
export interface ShuffleSlots {
  readonly target: number;
  /** Whether the lane was within bounds; null: nobody asks. */
  readonly isWithin: number | null;
  readonly source: number;
  readonly index: number;
  readonly bounds: number;
  readonly members: number;
}

/** `shfl.sync`. A lane that is not there gives 0. */
export function shuffleStep(kind: ShuffleKind, slots: ShuffleSlots): Step {
  const values = new Int32Array(LANES);
  const { target, isWithin, source, index, bounds, members } = slots;
  return (warp) => {
    checkMembers(warp, members, "a shuffle");
    const { i32, lanes, count } = warp;
    values.fill(0);
    for (let k = 0; k < count; k++) {
      const lane = lanes[k] as number;
      values[lane] = i32[source + lane] as number;
    }
    for (let k = 0; k < count; k++) {
      const lane = lanes[k] as number;
      const [by, bound] = [(i32[index + lane] as number) & 31, i32[bounds + lane] as number];
      const segment = (bound >>> 8) & 31;
      const most = (lane & segment) | (bound & 31 & ~segment);
      const from =
        kind === "idx"
          ? (lane & segment) | (by & ~segment)
          : kind === "up"
            ? lane - by
            : kind === "down"
              ? lane + by
              : lane ^ by;
      const within = kind === "up" ? from >= most : from <= most;
      i32[target + lane] = values[within ? from : lane] as number;
      if (isWithin !== null) i32[isWithin + lane] = Number(within);
    }
  };
}

/** `activemask`. */
export function activeMaskStep(target: number): Step {
  return ({ i32, lanes, count, mask }) => {
    for (let k = 0; k < count; k++) i32[target + (lanes[k] as number)] = mask;
  };
}
