// SPDX-License-Identifier: Apache-2.0
// Interleaved rounds of a job: all sides one after the other, again and again, so that what disturbs the machine
// disturbs all of them.
import { median } from "../median.ts";
import type { FirstResult, Run, Side, SideName, Times } from "./sides.ts";

/** Ratios of one side's times to another's over the rounds. */
export interface Ratio {
  /** The median of the rounds' ratios. */
  readonly median: number;
  /** The largest over the smallest. */
  readonly spread: number;
}

/** What the rounds of a job gave. */
export interface Rounds {
  readonly job: string;
  /** Runs of each side, round by round. */
  readonly runs: ReadonlyMap<SideName, readonly Run[]>;
}

/** Times of a side in the rounds that it could run. */
export function timesOf(rounds: Rounds, side: SideName): readonly Times[] {
  return (rounds.runs.get(side) ?? []).flatMap((run) => ("times" in run ? [run.times] : []));
}

/** The median over the rounds of one of a side's times; null: it could not run. */
export function medianOf(rounds: Rounds, side: SideName, get: (times: Times) => number): number | null {
  const list = timesOf(rounds, side).map(get);
  return list.length === 0 ? null : median(list);
}

/** Why a side could not run a job; null: it could. */
export function reasonOf(rounds: Rounds, side: SideName): string | null {
  const failed = rounds.runs.get(side)?.find((run) => "reason" in run);
  return failed !== undefined && "reason" in failed ? failed.reason : null;
}

/** Time of `left` over time of `right`, round by round; null where a side is missing. */
export function ratioOf(rounds: Rounds, left: SideName, right: SideName): Ratio | null {
  const [a, b] = [timesOf(rounds, left), timesOf(rounds, right)];
  if (a.length === 0 || a.length !== b.length) return null;
  const ratios = a.map((times, i) => times.median_ms / (b[i]?.median_ms ?? Number.NaN));
  return { median: median(ratios), spread: Math.max(...ratios) / Math.min(...ratios) };
}

/** Runs a job on every side, `count` times over. `dumpOf` returns the folder for a side's outputs. */
export function runRounds(
  job: string,
  jobFile: string,
  sides: readonly Side[],
  count: number,
  dumpOf: (side: SideName) => string,
): Rounds {
  const runs = new Map<SideName, Run[]>(sides.map(({ name }) => [name, []]));
  for (let round = 0; round < count; round++) {
    // The one that begins changes from round to round.
    const turned = sides.map((_, i) => sides[(i + round) % sides.length]).filter((side) => side !== undefined);
    for (const { name, run } of turned) {
      const list = runs.get(name);
      // A side that cannot run a job is not tried again.
      if (list === undefined || list.some((before) => "reason" in before)) continue;
      list.push(run(jobFile, dumpOf(name)));
    }
  }
  return { job, runs };
}

function middle(list: readonly FirstResult[]): FirstResult {
  return { cold: median(list.map(({ cold }) => cold)), warm: median(list.map(({ warm }) => warm)) };
}

/** Whole processes of one launch, medians of `count` interleaved rounds; a side that cannot is not there. */
export function firstResults(
  jobFile: string,
  sides: readonly Side[],
  count: number,
): ReadonlyMap<SideName, FirstResult> {
  const rounds = Array.from({ length: count }, () =>
    sides.map((side) => ({ name: side.name, result: side.first(jobFile) })),
  );
  const listOf = (name: SideName): readonly FirstResult[] =>
    rounds.flat().flatMap((one) => (one.name === name && one.result !== null ? [one.result] : []));
  return new Map(
    sides.flatMap(({ name }) => (listOf(name).length === 0 ? [] : [[name, middle(listOf(name))] as const])),
  );
}

/** The widest spread of Muxkit's ratios to the other sides. */
export function widestSpread(rounds: Rounds): number {
  return Math.max(
    1,
    ...(["x64", "hand", "pocl", "native"] as const).flatMap((side) => ratioOf(rounds, side, "muxkit")?.spread ?? []),
  );
}

/** The geometric mean; NaN of nothing. */
export function geometricMean(values: readonly number[]): number {
  return values.length === 0
    ? Number.NaN
    : Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
