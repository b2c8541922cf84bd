// SPDX-License-Identifier: Apache-2.0
// What a run found, as text and as data.
import type { BesideRow } from "./beside.ts";
import { type Cause, COUNTING, type Place } from "./compare.ts";
import { PHASES, type Phase } from "./phase-clock.ts";
import type { Result, Times } from "./run.ts";
import { geometricMean, growthOf } from "./statistics.ts";

/** Programs that are named for each cause, and rows of slowest files and kernels. */
const NAMED = 5;
const SLOWEST = 10;

const PHASE_NAMES: Readonly<Record<Phase, string>> = {
  frontEnd: "front end",
  passes: "passes",
  vectoriser: "vectoriser",
  codeGenerator: "code generator",
  rest: "rest",
};

function placeText({ text, line }: Place): string {
  return text === "" ? "nothing" : line === 0 ? text : `${text} (line ${line})`;
}

/** Causes that are wrong: of a kind that counts, and not meant. */
export function wrongCauses(causes: readonly Cause[]): readonly Cause[] {
  return causes.filter(({ kind, meant }) => COUNTING.has(kind) && meant === null);
}

/** Differences, cause by cause. */
export function differencesText(causes: readonly Cause[]): string {
  const lines = causes.flatMap(({ kind, clangs, found, meant }): readonly string[] => {
    const [first] = found;
    if (first === undefined) return [];
    const { ours, theirs } = first.difference;
    const shown = found.slice(0, NAMED).map(({ program, difference }) => {
      const line = difference.ours.line || difference.theirs.line;
      return line === 0 ? program : `${program}:${line}`;
    });
    return [
      `${kind}: ${found.length}${clangs.length === 0 ? "" : ` (${clangs.join(", ")})`}${meant === null ? "" : ` — meant: ${meant}`}`,
      `  ours:  ${placeText(ours)}`,
      ...(kind === "failed here" ? [] : [`  clang: ${placeText(theirs)}`]),
      `  in ${shown.join(", ")}${found.length > NAMED ? ` and ${found.length - NAMED} more` : ""}`,
    ];
  });
  const wrong = wrongCauses(causes);
  const programs = wrong.reduce((sum, { found }) => sum + found.length, 0);
  return `${[...lines, `${wrong.length} causes that are not meant, in ${programs} programs`].join("\n")}\n`;
}

/** Figures over all programs of a side. */
export interface Summary {
  readonly programs: number;
  readonly kernels: number;
  readonly ops: number;
  /** Sums of processor time, in ms. */
  readonly process: number;
  readonly thread: number;
  readonly phases: Readonly<Record<Phase, number>>;
  /** Geometric mean of processor time of a program, in ms. */
  readonly mean: number;
  /** Exponent and fit of processor time against IR operations, for the whole and by part. */
  readonly growth: Readonly<Record<Phase | "all", { readonly exponent: number; readonly fit: number } | null>>;
}

/** A value for each part. */
function byPhase<T>(make: (phase: Phase) => T): Record<Phase, T> {
  return Object.fromEntries(PHASES.map((phase) => [phase, make(phase)])) as Record<Phase, T>;
}

/** Sums up the times of a side. */
export function summaryOf(results: readonly Result[], side: string): Summary {
  const rows = results.flatMap(({ reply, times }) => {
    const own = times.get(side);
    return own === undefined ? [] : [{ kernels: reply.kernels, times: own }];
  });
  const sum = (get: (times: Times) => number): number => rows.reduce((total, row) => total + get(row.times), 0);
  const growth = (get: (times: Times) => number): Summary["growth"]["all"] =>
    growthOf(rows.map(({ times }) => [times.ops, get(times)]));
  return {
    programs: rows.length,
    kernels: rows.reduce((total, row) => total + row.kernels, 0),
    ops: sum(({ ops }) => ops),
    process: sum((times) => times.process),
    thread: sum(({ thread }) => thread),
    phases: byPhase((phase) => sum(({ phases }) => phases[phase])),
    mean: geometricMean(rows.map(({ times }) => times.process)),
    growth: { ...byPhase((phase) => growth(({ phases }) => phases[phase])), all: growth(({ thread }) => thread) },
  };
}

function cell(value: number, digits: number, width: number): string {
  return value.toFixed(digits).padStart(width);
}

/** The table of a side's times by part. */
function phaseTable(summary: Summary): readonly string[] {
  const row = (name: string, time: number, growth: Summary["growth"]["all"]): string =>
    `  ${name.padEnd(15)}${cell(time, 1, 10)}${cell((100 * time) / summary.thread, 1, 8)}` +
    cell((1000 * time) / summary.ops, 2, 14) +
    (growth === null ? "" : `${cell(growth.exponent, 2, 10)}${cell(growth.fit, 2, 6)}`);
  return [
    "  part                    ms       %  ms/1,000 ops  exponent   fit",
    ...PHASES.map((phase) => row(PHASE_NAMES[phase], summary.phases[phase], summary.growth[phase])),
    row("all", summary.thread, summary.growth.all),
  ];
}

/** Programs with the longest times, and those with the most time for their size. */
function slowestFiles(results: readonly Result[]): readonly string[] {
  const rows = results.flatMap(({ program, times }) => {
    const now = times.get("now");
    return now === undefined ? [] : [{ name: program.name, times: now }];
  });
  const table = (title: string, list: typeof rows): readonly string[] => [
    title,
    "        ms  ms/1,000 ops      ops   lowered    bytes",
    ...list
      .slice(0, SLOWEST)
      .map(
        ({ name, times: { process, ops, lowered, bytes } }) =>
          `${cell(process, 1, 10)}${cell((1000 * process) / ops, 2, 14)}${cell(ops, 0, 9)}${cell(lowered, 0, 10)}` +
          `${cell(bytes, 0, 9)}  ${name}`,
      ),
  ];
  const perOp = ({ times: { process, ops } }: (typeof rows)[number]): number => process / ops;
  return [
    ...table(
      "slowest programs",
      rows.toSorted((a, b) => b.times.process - a.times.process),
    ),
    ...table(
      "slowest for their size",
      rows.toSorted((a, b) => perOp(b) - perOp(a)),
    ),
  ];
}

/** Kernels with the longest times, where they were compiled alone. */
function slowestKernels(results: readonly Result[]): readonly string[] {
  const rows = results
    .flatMap(({ program, times }) =>
      (times.get("now")?.kernels ?? []).map(({ name, time }) => ({ name: `${program.name}: ${name}`, time })),
    )
    .toSorted((a, b) => b.time - a.time)
    .slice(0, SLOWEST);
  return rows.length === 0
    ? []
    : ["slowest kernels, alone", ...rows.map(({ name, time }) => `${cell(time, 1, 10)}  ${name}`)];
}

/** Ratios of two sides' times over the programs that both compile. */
function againstTable(results: readonly Result[]): readonly string[] {
  const rows = results.flatMap(({ program, times }) => {
    const [now, before] = [times.get("now"), times.get("before")];
    return now === undefined || before === undefined ? [] : [{ name: program.name, now, before }];
  });
  if (rows.length === 0) return [];
  const ratios = rows.map(({ now, before }) => before.process / now.process);
  const phaseRatio = (phase: Phase): number =>
    rows.reduce((sum, { before }) => sum + before.phases[phase], 0) /
    rows.reduce((sum, { now }) => sum + now.phases[phase], 0);
  const sorted = rows.toSorted((a, b) => a.before.process / a.now.process - b.before.process / b.now.process);
  const line = ({ name, now, before }: (typeof rows)[number]): string =>
    `${cell(before.process, 1, 10)}${cell(now.process, 1, 10)}${cell(before.process / now.process, 2, 8)}  ${name}`;
  return [
    `against the other checkout: before / now, geometric mean of ${rows.length} programs: ` +
      geometricMean(ratios).toFixed(3),
    `  by part: ${PHASES.map((phase) => `${PHASE_NAMES[phase]} ${phaseRatio(phase).toFixed(2)}`).join(", ")}`,
    "    before       now   ratio  (least gained, most gained)",
    ...sorted.slice(0, NAMED).map(line),
    ...sorted.slice(Math.max(NAMED, sorted.length - NAMED)).map(line),
  ];
}

/** Compile-time statistics. */
export function timesText(results: readonly Result[]): string {
  const sides = [...new Set(results.flatMap(({ times }) => [...times.keys()]))];
  const lines = sides.flatMap((side) => {
    const summary = summaryOf(results, side);
    return [
      `${side}: ${summary.programs} programs, ${summary.kernels} kernels, ${summary.ops} IR operations; processor time ` +
        `${(summary.process / 1000).toFixed(2)} s, geometric mean ${summary.mean.toFixed(1)} ms`,
      ...phaseTable(summary),
    ];
  });
  return `${[...lines, ...slowestFiles(results), ...slowestKernels(results), ...againstTable(results)].join("\n")}\n`;
}

/** Everything, as data for other programs. */
export function reportData(
  results: readonly Result[],
  causes: readonly Cause[] | null,
  beside: readonly BesideRow[],
): unknown {
  const sides = [...new Set(results.flatMap(({ times }) => [...times.keys()]))];
  return {
    summary: Object.fromEntries(sides.map((side) => [side, summaryOf(results, side)])),
    programs: results.map(({ program, reply, times }) => ({
      name: program.name,
      file: program.file,
      options: program.options,
      outcome: reply.verdict.outcome,
      reason: reply.verdict.reason,
      kernels: reply.kernels,
      times: Object.fromEntries(times),
    })),
    causes,
    beside: beside.map(({ name, times, failures }) => ({
      name,
      times: Object.fromEntries(times),
      failures: Object.fromEntries(failures),
    })),
  };
}
