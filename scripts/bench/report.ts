// The table of a benchmark: as lines while it runs, as a page at the end.
import { availableParallelism, cpus } from "node:os";

import type { ComparedOutput } from "../../benchmarks/src/compare.mjs";
import { type Ratio, type Rounds, geometricMean, medianOf, ratioOf, reasonOf } from "./rounds.ts";
import type { SideName, Times } from "./sides.ts";

/** A job's figures. */
export interface Row {
  readonly rounds: Rounds;
  /** Outputs of Muxkit beside PoCL's. */
  readonly compared: readonly ComparedOutput[];
  /** Outputs of the hand-written WebAssembly beside PoCL's. */
  readonly handCompared: readonly ComparedOutput[];
}

const total = (times: Times): number => times.build_ms + times.first_ms;
const median = (times: Times): number => times.median_ms;

function differences(list: readonly ComparedOutput[]): string {
  return list.filter(({ ok }) => !ok).map(({ arg, outside, count, worstAbs }) => `output ${arg}, ${outside} of ${count} outside the tolerance, by up to ${worstAbs.toPrecision(3)}`).join("; ");
}

/** What came out, in words. */
export function verdict({ rounds, compared, handCompared }: Row): string {
  const own = reasonOf(rounds, "muxkit");
  if (own !== null) return `cannot run: ${own}`;
  const theirs = reasonOf(rounds, "pocl");
  if (theirs !== null) return `PoCL cannot run it: ${theirs}`;
  const hand = reasonOf(rounds, "hand") ?? differences(handCompared);
  const wrong = differences(compared);
  if (wrong !== "") return `DIFFERS: ${wrong}`;
  if (hand !== "") return `HAND-WRITTEN WASM: ${hand}`;
  if (!rounds.runs.has("pocl")) return "not compared";
  return compared.length === 0 ? "no outputs" : `agrees${compared.every(({ differing }) => differing === 0) ? ", bit for bit" : ""}`;
}

const number = (value: number | null): string => (value === null ? "" : value.toPrecision(3));
const ratio = (value: Ratio | null): string => (value === null ? "" : value.median.toFixed(2));

/** Ratios that are shown: PoCL's and the C's time over Muxkit's, Muxkit's over the hand-written WebAssembly's. */
function ratios(rounds: Rounds): { readonly pocl: Ratio | null; readonly hand: Ratio | null; readonly native: Ratio | null } {
  return { pocl: ratioOf(rounds, "pocl", "muxkit"), hand: ratioOf(rounds, "muxkit", "hand"), native: ratioOf(rounds, "muxkit", "native") };
}

function spreadOf(rounds: Rounds): string {
  const list = Object.values(ratios(rounds)).flatMap((value) => value?.spread ?? []);
  return list.length === 0 ? "" : Math.max(...list).toFixed(2);
}

const HEAD = ["job", "Muxkit", "PoCL", "PoCL ÷ Muxkit", "hand Wasm", "Muxkit ÷ hand", "C", "Muxkit ÷ C", "spread"];
const WIDTHS = [16, 9, 9, 14, 10, 14, 9, 11, 7];

function cells(rounds: Rounds): readonly string[] {
  const times = (side: SideName): string => number(medianOf(rounds, side, median));
  const { pocl, hand, native } = ratios(rounds);
  return [rounds.job, times("muxkit"), times("pocl"), ratio(pocl), times("hand"), ratio(hand), times("native"), ratio(native), spreadOf(rounds)];
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
export function means(rows: readonly Row[]): { readonly pocl: number; readonly hand: number; readonly native: number } {
  const mean = (pick: "pocl" | "hand" | "native"): number => geometricMean(rows.flatMap(({ rounds }) => ratios(rounds)[pick]?.median ?? []));
  return { pocl: mean("pocl"), hand: mean("hand"), native: mean("native") };
}

/** The means in words. */
export function meansText(rows: readonly Row[]): string {
  const { pocl, hand, native } = means(rows);
  return [
    ...(Number.isNaN(pocl) ? [] : [`PoCL's time over Muxkit's ${pocl.toFixed(2)}`]),
    ...(Number.isNaN(hand) ? [] : [`Muxkit's over hand-written WebAssembly's ${hand.toFixed(2)}`]),
    ...(Number.isNaN(native) ? [] : [`Muxkit's over hand-written C's ${native.toFixed(2)}`]),
  ].join(", ");
}

function table(head: readonly string[], lines: readonly (readonly string[])[], textColumns: readonly number[]): string {
  const bars = head.map((_, i) => (textColumns.includes(i) ? "---" : "--:")).join("|");
  return `| ${head.join(" | ")} |\n|${bars}|\n${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}\n`;
}

const ONE_ROUND = "One round of all sides, each a process of its own, in ms: no more than a glance, since other work on the machine shows in it.";

function manyRounds(count: number): string {
  return `${count} interleaved rounds of all sides, each a process of its own; times in ms are medians over the rounds,
a ratio is the median of the rounds' ratios, the spread is the largest ratio of a job over its smallest; a job with a spread above 1.3 was measured again, and the calmer measurement stands.`;
}

/** The page. `command` is what wrote it, `missing` says why sides are not there, `notes` is kept from the page before. */
export function page(rows: readonly Row[], command: string, rounds: number, missing: ReadonlyMap<SideName, string>, notes: string): string {
  const absent = [...missing].map(([side, reason]) => `${side}: ${reason}`).join("; ");
  const first = rows.map(({ rounds: list }) => [list.job, number(medianOf(list, "muxkit", total)), number(medianOf(list, "pocl", total))]);
  return `# Performance

Written by \`${command}\` on ${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}. ${rounds === 1 ? ONE_ROUND : manyRounds(rounds)} Absolute times are this machine's.
"Hand Wasm" is \`benchmarks/wasm\`: C with 128-bit vectors, compiled by clang, run by the same threads on the same inputs. "C" is \`benchmarks/src/native.c\`: AVX2, two threads.${absent === "" ? "" : ` Not measured here: ${absent}.`}

Geometric means: ${meansText(rows)}.

${table([...HEAD, "outputs"], rows.map((row) => [...cells(row.rounds), verdict(row)]), [0, 9])}
## Time to the first result

Build and first run in a fresh process, ms. PoCL's cache is empty in the first round of a program and warm in the others.

${table(["job", "Muxkit", "PoCL"], first, [0])}
## How to reproduce it

\`npm run bench\` measures; \`--markdown docs/performance.md\` writes this page, \`--json FILE\` the times of every round. \`--only NAME,NAME\`, \`--rounds N\`, \`--without hand,native\` make it shorter. PoCL needs \`pocl-opencl-icd ocl-icd-opencl-dev opencl-headers gcc\`,
the hand-written C \`clang-14 libomp-14-dev\`; the hand-written WebAssembly is compiled by a clang that \`npm ci\` brings. A calm machine matters: two threads are measured, so two cores must be free.
${notes}`;
}
