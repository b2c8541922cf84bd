// SPDX-License-Identifier: Apache-2.0
// Cold compiles beside other compilers: every program in a new process of each, in turn. A time is the processor
// seconds of that process and its children, user and system, from start to end, as bash's `time` tells them: loading
// the compiler is part of it.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { clangWords, foreignWords, versionOf } from "./clang.ts";
import type { Program } from "./programs.ts";
import { geometricMean, median } from "./statistics.ts";

/** A compiler that can be asked: ours is `cold`. */
export type BesideName = "cold" | "pocl" | "clang";

/** All compilers, in the order of the table. */
export const BESIDE_NAMES: readonly BesideName[] = ["cold", "pocl", "clang"];

/** A compiler that is here. */
export interface Tool {
  readonly name: BesideName;
  /** What is run, for the report. */
  readonly note: string;
  /** The command that compiles a program; `folder` is empty and its own. */
  readonly command: (program: Program, folder: string) => readonly string[];
}

/** Compilers that are here, and why others are not. */
export interface Tools {
  readonly tools: readonly Tool[];
  readonly missing: readonly string[];
  /** Removes what was built. */
  readonly close: () => void;
}

/** Processor seconds of one compile. */
export interface ColdTime {
  readonly seconds: number;
  /** Of them until kernels were created, which of these compilers only PoCL tells; NaN: not told. */
  readonly frontEnd: number;
}

/** Medians for a program by the names of compilers; one that failed has a reason instead. */
export interface BesideRow {
  readonly name: string;
  readonly times: ReadonlyMap<BesideName, ColdTime>;
  readonly failures: ReadonlyMap<BesideName, string>;
}

/** A program is too slow where ours takes more than so many times PoCL's time. */
const TOO_SLOW = 1.5;

/** Starts a command under a limit; bash writes user and system seconds as the last line of standard error. */
const TIMED = 'TIMEFORMAT="cpu %3U %3S"; time timeout "$@"';
const TIMED_OUT = 124;

const ROOT = join(import.meta.dirname, "../../..");

/** The processor seconds in what bash's `time` wrote; null: there are none. */
export function cpuSecondsIn(said: string): number | null {
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)\s*$/mu.exec(said) ?? [];
  return user === undefined ? null : Number(user) + Number(system);
}

/** The seconds of the front end in what `native/build_program.c` wrote; NaN: there are none. */
export function frontEndSecondsIn(said: string): number {
  return Number(/^front end ([\d.]+), all [\d.]+$/mu.exec(said)?.[1] ?? Number.NaN);
}

/** The names in the value of `--beside`. Throws for one that is no compiler. */
export function besideNames(text: string): readonly BesideName[] {
  const given = text.split(",").map((name) => name.trim());
  const wrong = given.find((name) => !BESIDE_NAMES.some((known) => known === name));
  if (wrong !== undefined) throw new Error(`--beside: "${wrong}" is none of ${BESIDE_NAMES.join(", ")}`);
  return BESIDE_NAMES.filter((name) => given.includes(name));
}

/** Our `clc` in a new process, bundled where that was built. */
function coldTool(): Tool {
  const bundle = join(ROOT, "source/muxkit/dist/program/clc.cjs");
  const isBundled = existsSync(bundle);
  const start = isBundled ? [bundle] : ["--conditions=source", join(ROOT, "source/muxkit/source/clc.ts")];
  return {
    name: "cold",
    note: isBundled ? `clc -n, bundled (${bundle})` : "clc -n from its sources: Node reads TypeScript first",
    command: ({ file, options }) => [process.execPath, ...start, "-n", ...options, file],
  };
}

async function clangTool(): Promise<Tool | string> {
  const version = await versionOf("clang");
  if (version === null) return "clang is skipped: there is none on PATH";
  return {
    name: "clang",
    note: `clang -O2 to an object of this machine (${version})`,
    command: (program) => [
      ..."clang -x cl -Xclang -finclude-default-header -w -O2 -c -o /dev/null".split(" "),
      ...clangWords(program),
      program.file,
    ],
  };
}

/** What went wrong, in a line. */
function firstLine(error: unknown): string {
  const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return (said || String(error)).split("\n")[0] ?? "";
}

function poclTool(folder: string): Tool | string {
  const runner = join(folder, "build_program");
  const source = join(import.meta.dirname, "../native/build_program.c");
  try {
    execFileSync("cc", ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-o", runner, source, "-lOpenCL"], { stdio: "pipe" });
    execFileSync(runner, { stdio: "pipe", env: { ...process.env, POCL_CACHE_DIR: folder } });
  } catch (error) {
    return `pocl is skipped: ${firstLine(error)}`;
  }
  return {
    name: "pocl",
    note: "clBuildProgram, all kernels and the binary of the program, in a process with an empty cache",
    command: (program, cache) => [
      "env",
      `POCL_CACHE_DIR=${cache}`,
      runner,
      program.file,
      [...foreignWords(program), "-I", dirname(program.file)].join(" "),
    ],
  };
}

/** Finds compilers. */
export async function openTools(names: readonly BesideName[]): Promise<Tools> {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-beside-"));
  const open = {
    cold: coldTool,
    clang: clangTool,
    pocl: () => poclTool(folder),
  } satisfies Record<BesideName, () => unknown>;
  const found = await Promise.all(names.map(async (name) => open[name]()));
  return {
    tools: found.filter((one) => typeof one !== "string"),
    missing: found.filter((one) => typeof one === "string"),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Compiles a program once by a compiler; a text is why it could not. */
function compileOnce({ command }: Tool, program: Program, limitMs: number): Promise<ColdTime | string> {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-beside-"));
  const cache = join(folder, "cache");
  mkdirSync(cache);
  const words = ["-c", TIMED, "bash", `${limitMs / 1000}`, ...command(program, cache)];
  return new Promise((done) => {
    execFile("bash", words, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      rmSync(folder, { recursive: true, force: true });
      const seconds = cpuSecondsIn(stderr);
      if (error?.code === TIMED_OUT) done(`no end within ${limitMs / 1000} s`);
      else if (error !== null || seconds === null) done(stderr.trim().split("\n")[0] ?? "it failed");
      else done({ seconds, frontEnd: frontEndSecondsIn(stdout) });
    });
  });
}

/** Compiles programs, `rounds` times by each compiler in turn, after one compile of the first that is not measured. */
export async function compileBeside(
  programs: readonly Program[],
  tools: readonly Tool[],
  { rounds, limitMs }: { readonly rounds: number; readonly limitMs: number },
): Promise<readonly BesideRow[]> {
  const rows: BesideRow[] = [];
  for (const [i, program] of programs.entries()) {
    const lists = new Map<BesideName, ColdTime[]>(tools.map(({ name }) => [name, []]));
    const failures = new Map<BesideName, string>();
    for (let round = i === 0 ? 0 : 1; round <= rounds; round++)
      for (const tool of tools) {
        if (failures.has(tool.name)) continue;
        // oxlint-disable-next-line no-await-in-loop -- one after the other: they would disturb each other
        const time = await compileOnce(tool, program, limitMs);
        if (typeof time === "string") failures.set(tool.name, time);
        else if (round > 0) lists.get(tool.name)?.push(time);
      }
    const times = [...lists].flatMap(([name, list]): readonly (readonly [BesideName, ColdTime])[] =>
      failures.has(name) || list.length === 0
        ? []
        : [
            [
              name,
              {
                seconds: median(list.map(({ seconds }) => seconds)),
                frontEnd: median(list.map(({ frontEnd }) => frontEnd)),
              },
            ],
          ],
    );
    rows.push({ name: program.name, times: new Map(times), failures });
  }
  return rows;
}

/** Our time beside that of another compiler, over the programs that both compile. */
export interface BesideSummary {
  readonly programs: number;
  /** Geometric means of the seconds, ours and the other's, and of the ratio. */
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  /** Programs where ours takes more than 1.5 times as long. */
  readonly tooSlow: number;
}

/** Sums up our times beside another compiler's; null: there is no program that both compile. */
export function besideSummary(rows: readonly BesideRow[], other: BesideName): BesideSummary | null {
  const pairs = rows.flatMap(({ times }) => {
    const [ours, theirs] = [times.get("cold"), times.get(other)];
    return ours === undefined || theirs === undefined ? [] : [{ ours: ours.seconds, theirs: theirs.seconds }];
  });
  const ratios = pairs.map(({ ours, theirs }) => ours / theirs);
  return pairs.length === 0
    ? null
    : {
        programs: pairs.length,
        ours: geometricMean(pairs.map(({ ours }) => ours)),
        theirs: geometricMean(pairs.map(({ theirs }) => theirs)),
        ratio: geometricMean(ratios),
        tooSlow: ratios.filter((ratio) => ratio > TOO_SLOW).length,
      };
}

function cell(value: number | undefined, digits: number): string {
  return (value === undefined || Number.isNaN(value) ? "-" : value.toFixed(digits)).padStart(9);
}

/** The table of cold compiles, largest ratio to PoCL first, and its means. */
export function besideText(rows: readonly BesideRow[]): string {
  const seconds = ({ times }: BesideRow, name: BesideName): number | undefined => times.get(name)?.seconds;
  const ratio = (row: BesideRow, name: BesideName): number =>
    (seconds(row, "cold") ?? Number.NaN) / (seconds(row, name) ?? Number.NaN);
  const order = (row: BesideRow): number => ratio(row, "pocl") || 0;
  const lines = rows
    .toSorted((a, b) => order(b) - order(a))
    .map(
      (row) =>
        BESIDE_NAMES.map((name) => cell(seconds(row, name), 2)).join("") +
        `${cell(row.times.get("pocl")?.frontEnd, 2)}${cell(ratio(row, "pocl"), 2)}${cell(ratio(row, "clang"), 2)}` +
        `  ${row.name}`,
    );
  const means = (["pocl", "clang"] as const).flatMap((name) => {
    const summary = besideSummary(rows, name);
    if (summary === null) return [];
    const { programs, ours, theirs, ratio: mean, tooSlow } = summary;
    return [
      `beside ${name}: ${programs} programs, geometric means: ours ${ours.toFixed(2)} s, ${name} ${theirs.toFixed(2)} s, ` +
        `ratio ${mean.toFixed(2)}; ${tooSlow} above ${TOO_SLOW} times ${name}`,
    ];
  });
  const failed = rows.flatMap(({ name, failures }) =>
    [...failures].map(([tool, reason]) => `not measured: ${name}: ${tool}: ${reason}`),
  );
  return `${[
    "cold compiles, processor seconds",
    "     cold     pocl    clang pocl-fe cold/pocl cold/clang",
    ...lines,
    ...means,
    ...failed,
  ].join("\n")}\n`;
}
