// SPDX-License-Identifier: Apache-2.0
// Figures of two sides, each a process of its own, and their chapter of `docs/performance.md`.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

import { table } from "../bench/table.ts";
import { median } from "../median.ts";

const root = resolve(import.meta.dirname, "..", "..");
const cache = join(root, "node_modules", ".cache", "muxkit");
const PAGE = join(root, "docs", "performance.md");

/** Figures of one process by name. */
export type Figures = Readonly<Record<string, number>>;

/** A line of the table: what is measured, whether more is better, and digits after the point. */
export interface Row {
  readonly name: string;
  readonly text: string;
  readonly isMoreBetter: boolean;
  readonly digits: number;
}

/** A native program with a library, compiled when it is older than its source. */
export function nativeProgram(source: string, library: string = "OpenCL"): string {
  const path = join(cache, basename(source, ".c"));
  if (existsSync(path) && statSync(path).mtimeMs >= statSync(source).mtimeMs) return path;
  mkdirSync(cache, { recursive: true });
  execFileSync("cc", ["-O2", "-o", path, source, `-l${library}`], { stdio: "inherit" });
  return path;
}

/** What a process measured. */
export function figuresOf(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Figures {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  return JSON.parse(stdout) as Figures;
}

/** How Muxkit runs: with WebAssembly, and with machine code for all kernels. */
export const WAYS = [
  ["Wasm", { MUXKIT_NATIVE: "off" }],
  ["x64", { MUXKIT_NATIVE: "on" }],
] as const;

/** The text of a row, all sides' medians, theirs last, and by how much each of ours is better. */
export function lineOf(
  { name, text, isMoreBetter, digits }: Row,
  own: readonly (readonly Figures[])[],
  theirs: readonly Figures[],
): readonly string[] {
  const of = (list: readonly Figures[], i: number): number => list[i]?.[name] ?? Number.NaN;
  const middle = (list: readonly Figures[]): string => median(list.map((_, i) => of(list, i))).toFixed(digits);
  const better = (list: readonly Figures[]): string =>
    median(list.map((_, i) => (isMoreBetter ? of(list, i) / of(theirs, i) : of(theirs, i) / of(list, i)))).toFixed(2);
  return [text, ...own.map(middle), middle(theirs), ...own.map(better)];
}

/** The heads of the columns that {@link lineOf} fills. */
export function headOf(unit: string, theirs: string): readonly string[] {
  return [unit, ...WAYS.map(([way]) => way), theirs, ...WAYS.map(([way]) => `${way} is better by`)];
}

/** Figures of rounds in which all sides measure in turn: those of ours by {@link WAYS}, and theirs. */
export function interleaved(
  rounds: number,
  own: (environment: NodeJS.ProcessEnv) => Figures,
  theirs: () => Figures,
): { readonly own: readonly (readonly Figures[])[]; readonly theirs: readonly Figures[] } {
  const measured = Array.from({ length: rounds }, () => ({
    own: WAYS.map(([, environment]) => own(environment)),
    theirs: theirs(),
  }));
  return {
    own: WAYS.map((_, way) => measured.map((round) => round.own[way] ?? {})),
    theirs: measured.map((round) => round.theirs),
  };
}

/** The table of rounds in which all sides measure in turn, ours first; it is printed. */
export function comparedTable(
  rows: readonly Row[],
  rounds: number,
  unit: string,
  own: (environment: NodeJS.ProcessEnv) => Figures,
  theirs: () => Figures,
): string {
  const measured = interleaved(rounds, own, theirs);
  const text = table(
    headOf(unit, "PoCL"),
    rows.map((row) => lineOf(row, measured.own, measured.theirs)),
    [0],
  );
  console.log(text);
  return text;
}

/** Puts a chapter in place of the one with its title; a new one comes before the chapter on how to reproduce it. */
export function writeChapter(title: string, chapter: string): void {
  const page = readFileSync(PAGE, "utf8");
  const start = page.indexOf(`${title}\n`);
  const end = start < 0 ? page.indexOf("## How to reproduce it") : page.indexOf("\n## ", start) + 1;
  writeFileSync(PAGE, `${page.slice(0, start < 0 ? end : start)}${title}\n\n${chapter}\n${page.slice(end)}`);
}
