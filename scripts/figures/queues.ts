// SPDX-License-Identifier: Apache-2.0
// Command queues compared with PoCL: the same steps by both, each side a process of its own, in interleaved rounds; and
// their chapter of `docs/performance.md`.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { table } from "../bench/table.ts";
import { median } from "../median.ts";

const root = resolve(import.meta.dirname, "..", "..");
const cache = join(root, "node_modules", ".cache", "muxkit");
const SOURCE = join(import.meta.dirname, "queues.c");
const PAGE = join(root, "docs", "performance.md");
const TITLE = "## Command queues";
const ROUNDS = 5;

/** Figures of one process by name. */
type Figures = Readonly<Record<string, number>>;

/** A line of the table: what is measured, whether more is better, and digits after the point. */
interface Row {
  readonly name: string;
  readonly text: string;
  readonly isMoreBetter: boolean;
  readonly digits: number;
}

const ROWS: readonly Row[] = [
  {
    name: "rate",
    text: "20,000 launches of 64 work-items in one queue and the wait for them, launches a ms",
    isMoreBetter: true,
    digits: 0,
  },
  { name: "rateOutOfOrder", text: "the same in a queue without order", isMoreBetter: true, digits: 0 },
  ...[1, 16, 256].flatMap((size) => [
    { name: `write${size}`, text: `blocking write of ${size} MiB, GB/s`, isMoreBetter: true, digits: 1 },
    { name: `read${size}`, text: `blocking read of ${size} MiB, GB/s`, isMoreBetter: true, digits: 1 },
  ]),
  { name: "map", text: "map of 16 MiB, unmap and wait, µs", isMoreBetter: false, digits: 1 },
  {
    name: "chain",
    text: "10,000 launches from queue to queue and back, each waiting for the event before it, µs a launch",
    isMoreBetter: false,
    digits: 2,
  },
  {
    name: "bothOutOfOrder",
    text: "two kernels of half the machine in one queue without order, time over that of one",
    isMoreBetter: false,
    digits: 2,
  },
  { name: "bothQueues", text: "the same in two queues", isMoreBetter: false, digits: 2 },
];

/** The native program, compiled when it is older than its source. */
function nativeProgram(): string {
  const path = join(cache, "queues");
  if (existsSync(path) && statSync(path).mtimeMs >= statSync(SOURCE).mtimeMs) return path;
  mkdirSync(cache, { recursive: true });
  execFileSync("cc", ["-O2", "-o", path, SOURCE, "-lOpenCL"], { stdio: "inherit" });
  return path;
}

function figuresOf(command: string, args: readonly string[]): Figures {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  return JSON.parse(stdout) as Figures;
}

function lineOf(
  { name, text, isMoreBetter, digits }: Row,
  own: readonly Figures[],
  theirs: readonly Figures[],
): readonly string[] {
  const of = (list: readonly Figures[], i: number): number => list[i]?.[name] ?? Number.NaN;
  const ratios = own.map((_, i) => (isMoreBetter ? of(own, i) / of(theirs, i) : of(theirs, i) / of(own, i)));
  const middle = (list: readonly Figures[]): string => median(list.map((_, i) => of(list, i))).toFixed(digits);
  return [text, middle(own), middle(theirs), median(ratios).toFixed(2)];
}

/** Measures, prints the table, and with `--write` writes it into the page. */
export function queues(writes: boolean): void {
  const native = nativeProgram();
  const [own, theirs]: [Figures[], Figures[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    own.push(figuresOf(process.execPath, [...process.execArgv, join(import.meta.dirname, "queues-run.ts")]));
    theirs.push(figuresOf(native, []));
  }
  const text = table(
    ["", "Muxkit", "PoCL", "Muxkit is better by"],
    ROWS.map((row) => lineOf(row, own, theirs)),
    [0],
  );
  console.log(text);
  if (writes) writeFileSync(PAGE, withChapter(readFileSync(PAGE, "utf8"), text));
}

/** The page with this chapter instead of the one it had; a new one comes before the chapter on how to reproduce it. */
function withChapter(page: string, text: string): string {
  const chapter = `${TITLE}

Written by \`npm run figures -- queues --write\`, Node ${process.version}: medians of ${ROUNDS} interleaved rounds,
each side a process of its own; "better by" is the median of the rounds' ratios, above 1 where Muxkit is ahead.

${text}
`;
  const start = page.indexOf(`${TITLE}\n`);
  const end = start < 0 ? page.indexOf("## How to reproduce it") : page.indexOf("\n## ", start) + 1;
  return page.slice(0, start < 0 ? end : start) + chapter + page.slice(end);
}
