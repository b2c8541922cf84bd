// SPDX-License-Identifier: Apache-2.0
// What comes of groups of jobs: means and least ratios apart, and the chapter on the wider jobs.
import { availableParallelism, cpus } from "node:os";

import type { Group } from "./groups.ts";
import { geometricMean, medianOf, ratioOf, reasonOf } from "./interleaved-runs.ts";
import { OWN_SIDES, type Rigour, type Row, meansText, rigourText, verdict } from "./report.ts";
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

/** Muxkit with WebAssembly, and with machine code. */
const OWN = [
  ["muxkit", "Wasm"],
  ["x64", "x64"],
] as const;

function summaryOf(rows: readonly Row[], side: "muxkit" | "x64"): Summary {
  const list = rows.flatMap(({ rounds }) => {
    const ratio = ratioOf(rounds, "pocl", side)?.median;
    return ratio === undefined ? [] : [{ job: rounds.job, ratio }];
  });
  const sorted = list.toSorted((left, right) => left.ratio - right.ratio);
  return {
    mean: geometricMean(list.map(({ ratio }) => ratio)),
    least: sorted[0] ?? null,
    below: list.filter(({ ratio }) => ratio < EVEN).length,
  };
}

function summaryText(rows: readonly Row[]): string {
  return OWN.flatMap(([side, title]) => {
    const { mean, least, below } = summaryOf(rows, side);
    if (least === null) return [];
    const text = `least ${least.ratio.toFixed(2)} (${least.job}), ${below} below ${EVEN}`;
    return [`PoCL ÷ ${title} ${mean.toFixed(2)} in geometric mean, ${text}`];
  }).join("; ");
}

/** A group's result in a line; of small jobs without times. */
export function groupText({ group, rows }: GroupRows, isTiny: boolean): string {
  const ran = rows.filter(({ rounds }) => reasonOf(rounds, "muxkit") === null).length;
  const agreed = rows.filter((row) => verdict(row).startsWith("agrees")).length;
  const differing = rows.filter((row) => /^(?:DIFFERS|MACHINE|HAND)/u.test(verdict(row))).length;
  const count =
    `${group.title}: ${rows.length} jobs: ${ran} ran, ${rows.length - ran} could not; ` +
    `${agreed} agree with PoCL, ${differing} differ`;
  if (isTiny) return count;
  const parts = [summaryText(rows), group.isHandWritten ? `geometric means: ${meansText(rows)}` : ""];
  return [count, ...parts.filter((part) => part !== "")].join("; ");
}

/** Title of the chapter on the wider jobs. */
export const WIDER_TITLE = "## Wider jobs";

const HEAD = ["job", "Wasm", "x64", "PoCL", "PoCL ÷ Wasm", "PoCL ÷ x64", "spread", "outputs"];

function cells(row: Row): readonly string[] {
  const { rounds } = row;
  const time = (side: "muxkit" | "x64" | "pocl"): string =>
    medianOf(rounds, side, ({ median_ms: ms }) => ms)?.toPrecision(3) ?? "";
  const ratios = OWN.map(([side]) => ratioOf(rounds, "pocl", side));
  const spreads = ratios.flatMap((ratio) => ratio?.spread ?? []);
  return [
    rounds.job,
    time("muxkit"),
    time("x64"),
    time("pocl"),
    ...ratios.map((ratio) => ratio?.median.toFixed(2) ?? ""),
    spreads.length === 0 ? "" : Math.max(...spreads).toFixed(2),
    verdict(row),
  ];
}

/** The chapter on the wider jobs, up to the next title. */
export function widerSection(groups: readonly GroupRows[], command: string, rigour: Rigour): string {
  const processor = cpus()[0]?.model.trim() ?? "unknown";
  const parts = groups.map(
    ({ group, rows }) =>
      `### ${group.title.charAt(0).toUpperCase()}${group.title.slice(1)}\n\n` +
      `${rows.length} jobs: ${summaryText(rows)}.\n\n${table(HEAD, rows.map(cells), [0, HEAD.length - 1])}`,
  );
  return `${WIDER_TITLE}

Written by \`${command}\` on ${availableParallelism()} cores (${processor}), Node ${process.version}.
${rigourText(rigour)} ${OWN_SIDES} Jobs of the kinds that collections of
kernels have, in \`benchmarks/suite/wider\` and \`benchmarks/suite/set-aside\`. The compiler is tuned by the first half;
the second is only measured (\`set-aside.json\` says how it was chosen), so that it tells what the rules are worth on
kernels that they were not made for.

${parts.join("\n")}
`;
}
