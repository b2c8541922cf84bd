// SPDX-License-Identifier: Apache-2.0
// What comes of groups of jobs: means and least ratios apart, and the chapter on the wider jobs.
import { availableParallelism, cpus } from "node:os";

import type { Group } from "./groups.ts";
import { geometricMean, medianOf, ratioOf, reasonOf } from "./interleaved-runs.ts";
import { type Rigour, type Row, meansText, rigourText, verdict } from "./report.ts";
import { table } from "./table.ts";

/** Rows of a group. */
export interface GroupRows {
  readonly group: Group;
  readonly rows: readonly Row[];
}

/** Below this of PoCL's time over Muxkit's, a job is counted as slow. */
const EVEN = 1;

interface Summary {
  readonly mean: number;
  /** The job with the least ratio. */
  readonly least: { readonly job: string; readonly ratio: number } | null;
  readonly below: number;
}

function summaryOf(rows: readonly Row[]): Summary {
  const list = rows.flatMap(({ rounds }) => {
    const ratio = ratioOf(rounds, "pocl", "muxkit")?.median;
    return ratio === undefined ? [] : [{ job: rounds.job, ratio }];
  });
  const sorted = list.toSorted((left, right) => left.ratio - right.ratio);
  return {
    mean: geometricMean(list.map(({ ratio }) => ratio)),
    least: sorted[0] ?? null,
    below: list.filter(({ ratio }) => ratio < EVEN).length,
  };
}

function summaryText({ mean, least, below }: Summary): string {
  return least === null
    ? ""
    : `PoCL ÷ Muxkit ${mean.toFixed(2)} in geometric mean, least ${least.ratio.toFixed(2)} (${least.job}), ` +
        `${below} below ${EVEN}`;
}

/** A group's result in a line; of small jobs without times. */
export function groupText({ group, rows }: GroupRows, isTiny: boolean): string {
  const ran = rows.filter(({ rounds }) => reasonOf(rounds, "muxkit") === null).length;
  const agreed = rows.filter((row) => verdict(row).startsWith("agrees")).length;
  const differing = rows.filter((row) => /^(?:DIFFERS|HAND)/u.test(verdict(row))).length;
  const count =
    `${group.title}: ${rows.length} jobs: ${ran} ran, ${rows.length - ran} could not; ` +
    `${agreed} agree with PoCL, ${differing} differ`;
  if (isTiny) return count;
  const parts = [summaryText(summaryOf(rows)), group.isHandWritten ? `geometric means: ${meansText(rows)}` : ""];
  return [count, ...parts.filter((part) => part !== "")].join("; ");
}

/** Title of the chapter on the wider jobs. */
export const WIDER_TITLE = "## Wider jobs";

const HEAD = ["job", "Muxkit", "PoCL", "PoCL ÷ Muxkit", "spread", "outputs"];

function cells(row: Row): readonly string[] {
  const { rounds } = row;
  const time = (side: "muxkit" | "pocl"): string =>
    medianOf(rounds, side, ({ median_ms: ms }) => ms)?.toPrecision(3) ?? "";
  const ratio = ratioOf(rounds, "pocl", "muxkit");
  return [
    rounds.job,
    time("muxkit"),
    time("pocl"),
    ratio?.median.toFixed(2) ?? "",
    ratio?.spread.toFixed(2) ?? "",
    verdict(row),
  ];
}

/** The chapter on the wider jobs, up to the next title. */
export function widerSection(groups: readonly GroupRows[], command: string, rigour: Rigour): string {
  const processor = cpus()[0]?.model.trim() ?? "unknown";
  const parts = groups.map(
    ({ group, rows }) =>
      `### ${group.title.charAt(0).toUpperCase()}${group.title.slice(1)}\n\n` +
      `${rows.length} jobs: ${summaryText(summaryOf(rows))}.\n\n${table(HEAD, rows.map(cells), [0, HEAD.length - 1])}`,
  );
  return `${WIDER_TITLE}

Written by \`${command}\` on ${availableParallelism()} cores (${processor}), Node ${process.version}.
${rigourText(rigour)} Jobs of the kinds that collections of
kernels have, in \`benchmarks/suite/wider\` and \`benchmarks/suite/set-aside\`. The compiler is tuned by the first half;
the second is only measured (\`set-aside.json\` says how it was chosen), so that it tells what the rules are worth on
kernels that they were not made for.

${parts.join("\n")}
`;
}
