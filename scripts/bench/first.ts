// SPDX-License-Identifier: Apache-2.0
// Time to the first result: whole processes that build, launch once and end, of Muxkit and PoCL, with nothing kept from
// before and with all of it.
import { basename } from "node:path";

import { geometricMean, firstResults } from "./interleaved-runs.ts";
import type { FirstResult, Side, SideName } from "./sides.ts";
import { table } from "./table.ts";

/** Rounds of whole processes. */
const ROUNDS = 5;

/** A job's times by side. */
export interface FirstRow {
  readonly job: string;
  readonly results: ReadonlyMap<SideName, FirstResult>;
}

const HEAD = [
  "job",
  "Wasm, cold",
  "x64, cold",
  "PoCL, cold",
  "PoCL ÷ Wasm, cold",
  "Wasm, warm",
  "x64, warm",
  "PoCL, warm",
  "PoCL ÷ Wasm, warm",
];

function ratioOf({ results }: FirstRow, of: keyof FirstResult): number | null {
  const [own, theirs] = [results.get("muxkit"), results.get("pocl")];
  return own === undefined || theirs === undefined ? null : theirs[of] / own[of];
}

function cells(row: FirstRow): readonly string[] {
  const time = (side: SideName, of: keyof FirstResult): string => row.results.get(side)?.[of].toFixed(0) ?? "";
  const ratio = (of: keyof FirstResult): string => ratioOf(row, of)?.toFixed(1) ?? "";
  return [
    row.job,
    time("muxkit", "cold"),
    time("x64", "cold"),
    time("pocl", "cold"),
    ratio("cold"),
    time("muxkit", "warm"),
    time("x64", "warm"),
    time("pocl", "warm"),
    ratio("warm"),
  ];
}

/** Measures jobs, telling each as it is done. */
export function measureFirst(
  jobFiles: readonly string[],
  sides: readonly Side[],
  print: (line: string) => void,
): readonly FirstRow[] {
  const measured = sides.filter(({ name }) => name === "muxkit" || name === "x64" || name === "pocl");
  print(HEAD.join("  "));
  return jobFiles.map((file) => {
    const row: FirstRow = { job: basename(file, ".json"), results: firstResults(file, measured, ROUNDS) };
    print(
      cells(row)
        .map((text, i) => (i === 0 ? text.padEnd(16) : text.padStart(HEAD[i]?.length ?? 0)))
        .join("  "),
    );
    return row;
  });
}

/** Geometric means in words. */
export function firstMeans(rows: readonly FirstRow[]): string {
  const mean = (of: keyof FirstResult): string =>
    geometricMean(rows.flatMap((row) => ratioOf(row, of) ?? [])).toFixed(1);
  const own = (side: "muxkit" | "x64", of: keyof FirstResult): string => {
    const list = rows.flatMap(({ results }) => results.get(side)?.[of] ?? []);
    return list.length === 0 ? "not measured" : `${geometricMean(list).toFixed(0)} ms`;
  };
  return (
    `Geometric means: cold, WebAssembly ${own("muxkit", "cold")}, machine code ${own("x64", "cold")}, PoCL's time over ` +
    `WebAssembly's ${mean("cold")}; warm, ${own("muxkit", "warm")}, ${own("x64", "warm")}, ${mean("warm")}.`
  );
}

/** Title of the part. */
export const FIRST_TITLE = "## Time to the first result";

/** The part of the page, up to the next title. */
export function firstSection(rows: readonly FirstRow[], command: string): string {
  return `${FIRST_TITLE}

Written by \`${command}\`, Node ${process.version}: whole processes of the small jobs, from their start to
their end, that make their inputs, build, launch once and read, in ms; medians of ${ROUNDS} interleaved
rounds.
Cold: nothing is kept of any program; each side compiles the source and keeps what it made. Warm: the same
again, which finds that. What V8 made of Muxkit's own scripts is kept in both, as it
is for an installed program from its second start on; PoCL's compiler is machine code. An empty Node takes
some 25 ms of each of Muxkit's times. "Wasm" is
\`MUXKIT_NATIVE=off\`, "x64" \`on\`, which makes machine code before the first launch. ${firstMeans(rows)}

${table(HEAD, rows.map(cells), [0])}
`;
}
