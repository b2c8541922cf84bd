// SPDX-License-Identifier: Apache-2.0
// The table of a benchmark: as lines while it runs, as a page at the end.
import { availableParallelism, cpus } from "node:os";

import type { ComparedOutput } from "../../benchmarks/src/compare.mjs";
import { type Ratio, type Rounds, geometricMean, medianOf, ratioOf, reasonOf } from "./interleaved-runs.ts";
import type { SideName, Times } from "./sides.ts";
import { table } from "./table.ts";

/** A job's figures. */
export interface Row {
  readonly rounds: Rounds;
  /** Outputs of Muxkit compared with PoCL's. */
  readonly compared: readonly ComparedOutput[];
  /** Outputs of Muxkit's machine code compared with PoCL's; absent: rows that were measured before it had any. */
  readonly x64Compared?: readonly ComparedOutput[];
  /** Outputs of the hand-written WebAssembly compared with PoCL's. */
  readonly handCompared: readonly ComparedOutput[];
}

const median = (times: Times): number => times.median_ms;

/** What of outputs differs, as a text; empty: nothing does. */
export function differences(list: readonly ComparedOutput[]): string {
  return list
    .filter(({ ok }) => !ok)
    .map(
      ({ arg, outside, count, worstAbs }) =>
        `output ${arg}, ${outside} of ${count} outside the tolerance, by up to ${worstAbs.toPrecision(3)}`,
    )
    .join("; ");
}

/** What came out, in words. */
export function verdict({ rounds, compared, x64Compared = [], handCompared }: Row): string {
  const own = reasonOf(rounds, "muxkit");
  if (own !== null) return `cannot run: ${own}`;
  const theirs = reasonOf(rounds, "pocl");
  if (theirs !== null) return `PoCL cannot run it: ${theirs}`;
  const x64 = reasonOf(rounds, "x64") ?? differences(x64Compared);
  const hand = reasonOf(rounds, "hand") ?? differences(handCompared);
  const wrong = differences(compared);
  if (wrong !== "") return `DIFFERS: ${wrong}`;
  if (x64 !== "") return `MACHINE CODE: ${x64}`;
  if (hand !== "") return `HAND-WRITTEN WASM: ${hand}`;
  if (!rounds.runs.has("pocl")) return "not compared";
  return compared.length === 0
    ? "no outputs"
    : `agrees${[...compared, ...x64Compared].every(({ differing }) => differing === 0) ? ", bit for bit" : ""}`;
}

const number = (value: number | null): string => (value === null ? "" : value.toPrecision(3));
const ratio = (value: Ratio | null): string => (value === null ? "" : value.median.toFixed(2));

/** Ratios that are shown: PoCL's time over Muxkit's, Muxkit's over the others'. */
interface Ratios {
  readonly pocl: Ratio | null;
  /** PoCL's time over that of Muxkit's machine code, WebAssembly's over it, and it over hand-written C's. */
  readonly x64: Ratio | null;
  readonly wasmX64: Ratio | null;
  readonly x64Native: Ratio | null;
  readonly hand: Ratio | null;
  readonly native: Ratio | null;
  /** PoCL's time over Muxkit's on Node 20. */
  readonly node20: Ratio | null;
}

function ratios(rounds: Rounds): Ratios {
  return {
    pocl: ratioOf(rounds, "pocl", "muxkit"),
    x64: ratioOf(rounds, "pocl", "x64"),
    wasmX64: ratioOf(rounds, "muxkit", "x64"),
    x64Native: ratioOf(rounds, "x64", "native"),
    hand: ratioOf(rounds, "muxkit", "hand"),
    native: ratioOf(rounds, "muxkit", "native"),
    node20: ratioOf(rounds, "pocl", "node20"),
  };
}

function spreadOf(rounds: Rounds): string {
  const list = Object.values(ratios(rounds)).flatMap((value) => value?.spread ?? []);
  return list.length === 0 ? "" : Math.max(...list).toFixed(2);
}

const HEAD = [
  "job",
  "Wasm",
  "x64",
  "PoCL",
  "PoCL ÷ Wasm",
  "PoCL ÷ x64",
  "hand Wasm",
  "Wasm ÷ hand",
  "C",
  "Wasm ÷ C",
  "x64 ÷ C",
  "Node 20",
  "PoCL ÷ Node 20",
  "spread",
];
const WIDTHS = [16, 9, 9, 9, 11, 10, 10, 11, 9, 8, 7, 9, 15, 7];

function cells(rounds: Rounds): readonly string[] {
  const times = (side: SideName): string => number(medianOf(rounds, side, median));
  const { pocl, x64, hand, native, x64Native, node20 } = ratios(rounds);
  return [
    rounds.job,
    times("muxkit"),
    times("x64"),
    times("pocl"),
    ratio(pocl),
    ratio(x64),
    times("hand"),
    ratio(hand),
    times("native"),
    ratio(native),
    ratio(x64Native),
    times("node20"),
    ratio(node20),
    spreadOf(rounds),
  ];
}

function padded(list: readonly string[]): string {
  return list.map((text, i) => (i === 0 ? text.padEnd(WIDTHS[i] ?? 0) : text.padStart(WIDTHS[i] ?? 0))).join(" ");
}

/** The head of the table. */
export function headLine(): string {
  return `${padded(HEAD)}  outputs`;
}

/** A job's line. */
export function rowLine(row: Row): string {
  return `${padded(cells(row.rounds))}  ${verdict(row)}`;
}

/** Geometric means over the jobs that have them. */
export function means(rows: readonly Row[]): Readonly<Record<keyof Ratios, number>> {
  const mean = (pick: keyof Ratios): number =>
    geometricMean(rows.flatMap(({ rounds }) => ratios(rounds)[pick]?.median ?? []));
  return {
    pocl: mean("pocl"),
    x64: mean("x64"),
    wasmX64: mean("wasmX64"),
    hand: mean("hand"),
    native: mean("native"),
    x64Native: mean("x64Native"),
    node20: mean("node20"),
  };
}

/** The means in words. */
export function meansText(rows: readonly Row[]): string {
  const mean = means(rows);
  const texts: readonly (readonly [keyof Ratios, string])[] = [
    ["pocl", "PoCL's time over WebAssembly's"],
    ["x64", "over machine code's"],
    ["wasmX64", "WebAssembly's over machine code's"],
    ["hand", "WebAssembly's over hand-written WebAssembly's"],
    ["native", "over hand-written C's"],
    ["x64Native", "machine code's over hand-written C's"],
    ["node20", "PoCL's over WebAssembly's on Node 20"],
  ];
  return texts
    .flatMap(([pick, text]) => (Number.isNaN(mean[pick]) ? [] : [`${text} ${mean[pick].toFixed(2)}`]))
    .join(", ");
}

const ONE_ROUND =
  "One round of all sides, each a process of its own, in ms: no more than a glance, " +
  "since other work on the machine shows in it.";

/** How often jobs were measured. */
export interface Rigour {
  /** Rounds of a job. */
  readonly count: number;
  /** True: jobs with a wide spread were not measured again. */
  readonly isHasty: boolean;
}

function manyRounds({ count, isHasty }: Rigour): string {
  return `${count} interleaved rounds of all sides, each a process of its own; times in ms are medians over the rounds,
a ratio is the median of the rounds' ratios, the spread is the largest ratio of a job over its smallest; ${
    isHasty
      ? "jobs with a wide spread were not measured again"
      : "a job with a spread above 1.3 was measured again, and the calmer one stands"
  }.`;
}

/** What the two columns of Muxkit are, in words. */
export const OWN_SIDES =
  '"Wasm" is Muxkit with `MUXKIT_NATIVE=off`, "x64" with `on`: WebAssembly, and machine code for all kernels.';

/** How often jobs were measured, in words. */
export function rigourText(rigour: Rigour): string {
  return rigour.count === 1 ? ONE_ROUND : manyRounds(rigour);
}

/**
 * The page. `command` is what wrote it, `missing` says why sides are not there, `kept` stays as it was on the page
 * before.
 */
export function page(
  rows: readonly Row[],
  command: string,
  rigour: Rigour,
  missing: ReadonlyMap<SideName, string>,
  kept: { readonly chapters: string; readonly notes: string },
): string {
  const absent = [...missing].map(([side, reason]) => `${side}: ${reason}`).join("; ");
  const processor = cpus()[0]?.model.trim() ?? "unknown";
  return `# Performance

Written by \`${command}\` on ${availableParallelism()} cores (${processor}), Node ${process.version}.
${rigourText(rigour)} Absolute times are this
machine's. ${OWN_SIDES}
"Hand Wasm" is \`benchmarks/wasm\`: C with 128-bit vectors, compiled by clang, run by the same threads on the
same inputs. "C" is \`benchmarks/src/native.c\`: AVX2, two threads. "Node 20" is WebAssembly there, without
relaxed SIMD.${absent === "" ? "" : ` Not measured here: ${absent}.`}

Geometric means: ${meansText(rows)}.

${table(
  [...HEAD, "outputs"],
  rows.map((row) => [...cells(row.rounds), verdict(row)]),
  [0, HEAD.length],
)}${kept.chapters}
## How to reproduce it

\`npm run performance-page\` writes every chapter of this page. \`npm run bench\` measures jobs;
\`--markdown docs/performance.md\` writes this page, \`--json FILE\` the times of every round.
\`--group suite,wider,set-aside\`, \`--only NAME,NAME\`, \`--rounds N\`,
\`--without x64,node20,hand,native\` make it shorter, \`--hasty\` measures no job again,
\`--with FILE,FILE\` takes jobs as \`--json\` wrote them before; \`--first\` measures whole processes of the
small jobs instead and writes their chapter of this page alone. PoCL needs
\`pocl-opencl-icd ocl-icd-opencl-dev opencl-headers gcc\`, the hand-written C \`clang-14 libomp-14-dev\`; the
hand-written WebAssembly is compiled by a clang that \`npm ci\` brings. A calm machine matters: two threads are
measured, so two cores must be free.
${kept.notes}`;
}
