// SPDX-License-Identifier: Apache-2.0
// The programs in the manner of benchmark suites, and their section of docs/real-programs.md.
import { availableParallelism, loadavg } from "node:os";

/** A program of one of the files `FILE.c` next to the tests. */
export interface SuiteRow {
  readonly file: "rodinia" | "shoc" | "polybench";
  readonly name: string;
  readonly does: string;
}

/** How one side ran it. */
export interface SuiteResult {
  readonly said: string;
  readonly isRight: boolean;
  readonly seconds: number;
}

/** Heading of the section, which is the last one of the page. */
export const SUITES_HEADING = "## Programs in the manner of benchmark suites, written by us";

/** The programs, in the order of the page. */
export const SUITES: readonly SuiteRow[] = [
  { file: "rodinia", name: "bfs", does: "writes a flag, launches twice and reads the flag (a level of a graph)" },
  { file: "rodinia", name: "streamcluster", does: "writes 128 bytes, launches, reads 8 KB (a center that is tried)" },
  {
    file: "rodinia",
    name: "lavamd",
    does: "particles in 512 boxes, local memory and barriers in nested loops; a read",
  },
  { file: "rodinia", name: "dwt2d", does: "five levels of a 5/3 wavelet in tiles of local memory" },
  { file: "rodinia", name: "myocyte", does: "73 equations in one kernel without loops, an update, 4 bytes read" },
  { file: "rodinia", name: "hotspot", does: "ten launches of a stencil between two grids" },
  { file: "shoc", name: "fft", does: "1,024 transforms of 512 numbers, radix 8 in local memory" },
  { file: "shoc", name: "reduction", does: "sums 16 MB by groups, reads 64 sums" },
  { file: "shoc", name: "scan", does: "three launches that scan 4 MB" },
  { file: "shoc", name: "sort", does: "24 launches: eight radix passes over 262,144 keys" },
  { file: "shoc", name: "spmv", does: "a sparse product by rows, and one by groups" },
  { file: "shoc", name: "md", does: "forces between 12,288 atoms and 64 neighbors each" },
  { file: "shoc", name: "triad", does: "32 blocks on two queues: two writes, a launch and a read each, none blocks" },
  { file: "polybench", name: "gemm", does: "a product of matrices of 256 by 256" },
  { file: "polybench", name: "2mm", does: "two products, one after the other" },
  { file: "polybench", name: "jacobi-1d", does: "a launch on 4,096 work-items, clFinish" },
  { file: "polybench", name: "fdtd-2d", does: "three launches on 256 by 256 points, one with a new argument" },
  { file: "polybench", name: "correlation", does: "four launches over a matrix of 256 by 256" },
  { file: "polybench", name: "gramschmidt", does: "three small launches with new arguments (a column)" },
];

/** Median of a step in µs, as the program prints it; null when it did not come so far. */
export function stepOf(said: string): number | null {
  const time = /^step (?<time>[\d.]+) us/mu.exec(said)?.groups?.["time"];
  return time === undefined ? null : Number(time);
}

/** Runs of each side, which take turns. */
export const SUITE_ROUNDS = 3;

const middle = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN;

/** How one side ran it in all rounds: medians; it is right where all were. */
function together(rounds: readonly SuiteResult[]): {
  readonly isRight: (row: SuiteRow) => boolean;
  readonly seconds: number;
  readonly step: number | null;
} {
  const steps = rounds.flatMap(({ said }) => stepOf(said) ?? []);
  return {
    isRight: ({ name }) =>
      rounds.length > 0 && rounds.every(({ said, isRight }) => isRight && said.split("\n").includes(`ok ${name}`)),
    seconds: middle(rounds.map(({ seconds }) => seconds)),
    step: steps.length === 0 ? null : middle(steps),
  };
}

/** How much waits for processors before anything of ours runs. */
export const LOAD_BEFORE: number = loadavg()[0] ?? 0;

/** A line of the section's table, of what each side did in all rounds. */
export function suiteLine(row: SuiteRow, ownRounds: readonly SuiteResult[], others: readonly SuiteResult[]): string {
  const [own, other] = [together(ownRounds), together(others)];
  const cells = [
    `${row.file}: ${row.name}`,
    row.does,
    own.isRight(row) ? "right" : "**wrong**",
    own.seconds.toFixed(1),
    other.isRight(row) ? other.seconds.toFixed(1) : "wrong or over the limit",
    own.step?.toFixed(0) ?? "",
    other.step?.toFixed(0) ?? "",
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The section, with its heading. */
export function suitesSection(lines: readonly string[]): string {
  const cores = availableParallelism();
  const isBusy = LOAD_BEFORE > cores / 2;
  return `${SUITES_HEADING}

They do what programs of Rodinia, SHOC and PolyBench do, in code of our own (\`tools/icd/test/programs/rodinia.c\`,
\`shoc.c\`, \`polybench.c\`). Each compares its result with a plain C loop. Seconds are the whole program from an
empty cache, with its loop in C; a step is what the program repeats and waits for, of which this is the median.
Both are medians of ${SUITE_ROUNDS} runs of each side, which take turns.
Written by \`npm run real-programs -- --suites --write\`.
${
  isBusy
    ? `
The machine did other work as well, on both sides: ${LOAD_BEFORE.toFixed(0)} processes waited for its ${cores}
processors at the start.
`
    : ""
}
| program | a step | result | Muxkit, s | PoCL, s | Muxkit, µs a step | PoCL, µs a step |
|---|---|---|--:|--:|--:|--:|
${lines.join("\n")}
`;
}
